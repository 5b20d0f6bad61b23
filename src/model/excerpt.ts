const LENGTH = 200;

/** The beginning of what others wrote, in one line and with no character that a terminal would obey. */
export function excerptOf(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > LENGTH ? `${line.slice(0, LENGTH).toWellFormed()}…` : line;
}
