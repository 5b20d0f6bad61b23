import { listed } from './listed.ts';

/** What is wrong, or worth a look, with one row. `code` is stable and dotted; `message` names the value and the remedy, not the place. */
export interface Issue {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** The source column's header, when one cell is meant. */
  readonly column?: string | undefined;
  /** The row, where it is not the first line of what is one row, as in a table of settings. */
  readonly row?: number | undefined;
  /** The setting that stands in that row, or in none; its name as messages show it. */
  readonly setting?: string | undefined;
  /** What stands there, where the column does not say it. */
  readonly value?: string | undefined;
  readonly message: string;
}

/** `column "Display name": 61 characters, at most 50`: an issue without the row it stands in. */
export function renderIssue({ column, row, setting, message }: Issue): string {
  if (column !== undefined) return `column "${column}": ${message}`;
  if (row === undefined) return setting === undefined ? message : `setting ${setting} is ${message}`;
  return `row ${row}${setting === undefined ? '' : `, setting ${setting}`}: ${message}`;
}

/** Settings of one issue are said one by one up to this many. */
const FEW = 2;

/** All issues of a row in one text; many settings of which the same is said are counted: `34 settings are empty (rows 3 to 36); fill them in`. */
export function renderIssues(issues: readonly Issue[]): string {
  if (issues.length <= FEW) return issues.map(renderIssue).join('; ');
  const groups = Map.groupBy(issues, (issue) =>
    issue.setting === undefined ? issue : `${issue.code} ${issue.row === undefined} ${issue.message}`,
  );
  return Array.from(groups.values(), (group) =>
    group.length > FEW ? renderGroup(group) : group.map(renderIssue).join('; '),
  ).join('; ');
}

function renderGroup(group: readonly Issue[]): string {
  const [{ code, message } = { code: '', message: '' }] = group;
  const rows = group.flatMap(({ row }) => (row === undefined ? [] : [row]));
  if (rows.length === 0) {
    const names = group.map(({ setting = '' }) => setting);
    return `${group.length} settings are missing (${listed(names, NAMED)}); add a row for each`;
  }
  const place = `${group.length} settings`;
  const where = `(rows ${isRange(rows) ? `${rows[0] ?? ''} to ${rows.at(-1) ?? ''}` : listed(rows, NAMED)})`;
  return code === 'cell.blank'
    ? `${place} are empty ${where}; fill them in`
    : `${place} ${where}: ${message}`;
}

const isRange = (rows: readonly number[]): boolean =>
  rows.every((row, index) => row === (rows[0] ?? 0) + index);

const NAMED = 8;

/** `users.csv row 17, column "Display name": 61 characters, at most 50`. */
export function renderRowIssue(origin: string, rowNumber: number, issue: Issue): string {
  return renderRowMessage(origin, rowNumber, renderIssue(issue));
}

/** The same for what a run keeps of a row, which may be several issues one after the other; nothing stays nothing. `key` says beside its number which row is meant. */
export function renderRowMessage(
  origin: string,
  rowNumber: number,
  message: string,
  key: string | null = null,
): string {
  if (message === '') return '';
  // A setting of a `key_value` table stands in a row of its own.
  if (message.startsWith('row ')) return `${origin} ${message}`;
  const named = key === null ? '' : ` (${key})`;
  return `${origin} row ${rowNumber}${named}${message.startsWith('column "') ? ',' : ':'} ${message}`;
}

/** The same where the number of the row stands beside it already. */
export function renderBesideRow(origin: string, rowNumber: number, message: string): string {
  const own = `row ${rowNumber}`;
  if (message.startsWith(`${own}, `) || message.startsWith(`${own}: `)) return message.slice(own.length + 2);
  return message.startsWith('row ') ? `${origin} ${message}` : message;
}
