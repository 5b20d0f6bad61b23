import { UsageError } from '../../model/error.ts';

/** Control characters, among them the line breaks that no scheduler's file can hold within a word. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/** Errors: UsageError `schedule.path` for a text that the file of a scheduler cannot hold. */
export function refuseControl(texts: readonly string[]): void {
  const bad = texts.find((text) => CONTROL.test(text));
  if (bad !== undefined) throw unquotable(bad, 'a control character');
}

/** The error for a text that has no safe form in a file of a scheduler. */
export function unquotable(text: string, what: string): UsageError {
  return new UsageError(
    'schedule.path',
    `${JSON.stringify(text)} holds ${what}, which this scheduler does not accept`,
    {
      next: 'rename the folder, or leave the value out',
    },
  );
}

/** A word of a POSIX shell: plain where that is safe, in single quotes otherwise. */
export function quoteSh(text: string): string {
  return /^[\w./:@+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A word of the command in a crontab. Cron itself turns a bare % into a line break and takes the backslash from `\%`, some crons from `\\` too: so
 * no backslash stands before another one or before a %, but always before a quotation mark.
 */
export function quoteCron(text: string): string {
  return text
    .split('\\')
    .map((part) => quoteSh(part))
    .map((part) => part.replaceAll('%', String.raw`\%`))
    .join(String.raw`'\'`);
}

/** A word of `ExecStart=:…`, where the colon keeps $ as it is. */
export function quoteSystemd(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%')}"`;
}

/** The value of a setting that systemd takes whole, as `WorkingDirectory=`. */
export function escapeSpecifiers(text: string): string {
  return text.replaceAll('%', '%%');
}

/**
 * A word of a command in a batch file, as Node reads its command line. Within the quotation marks only % means something to cmd.
 * Errors: UsageError `schedule.path` for a quotation mark, which no Windows path can hold.
 */
export function quoteBatch(text: string): string {
  if (text.includes('"')) throw unquotable(text, 'a quotation mark');
  return `"${text.replaceAll('%', '%%').replace(/\\+$/, (slashes) => slashes + slashes)}"`;
}

const XML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text of an XML document. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => XML[character] ?? character);
}

/** A YAML scalar in double quotes. */
export function quoteYaml(text: string): string {
  return JSON.stringify(text);
}

/** A text of a compose file, which puts variables in the place of $NAME. */
export function dollarsDoubled(text: string): string {
  return text.replaceAll('$', '$$$$');
}
