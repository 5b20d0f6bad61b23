const MAX_SHOWN = 40;

/**
 * Characters that are drawn as nothing, for a character class: those of which Unicode says so (fillers, variation selectors, tags), and blank
 * signs that Unicode calls letters and symbols.
 */
export const UNSEEN = String.raw`\p{Default_Ignorable_Code_Point}\u{16fe4}\u2800\u{13441}\u{13442}\u{1d159}`;

/** Characters that would be invisible, or would change how a terminal shows what follows. */
const HIDDEN = new RegExp(
  String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}${UNSEEN}\u2028\u2029\u00a0\u3000\ufffd]`,
  'gu',
);

/** `U+200B`: how a character is named in a message. */
export function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** A value as a message shows it: in double quotes, at most about 40 characters, hidden characters as `<U+200B>`. */
export function show(value: string): string {
  // Cut before anything else looks at the text: a cell may hold megabytes.
  const characters = Array.from(value.slice(0, 2 * MAX_SHOWN + 2));
  const short =
    value.length > MAX_SHOWN && characters.length > MAX_SHOWN
      ? `${characters.slice(0, MAX_SHOWN - 3).join('')}\u2026`
      : value;
  return `"${short.replace(HIDDEN, (char) => `<${codePoint(char)}>`)}"`;
}

/** Any plain value as a message shows it. */
export function showAny(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? show(value) : JSON.stringify(value);
}

/** `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
