/** What is wrong, or worth a look, with one row. `code` is stable and dotted; `message` names the value and the remedy, not the place. */
export interface Issue {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** The source column's header, when one cell is meant. */
  readonly column?: string | undefined;
  readonly message: string;
}

/** `column "Display name": 61 characters, at most 50`: an issue without the row it stands in. */
export function renderIssue(issue: Issue): string {
  return issue.column === undefined ? issue.message : `column "${issue.column}": ${issue.message}`;
}

/** `users.csv row 17, column "Display name": 61 characters, at most 50`. */
export function renderRowIssue(origin: string, rowNumber: number, issue: Issue): string {
  return renderRowMessage(origin, rowNumber, renderIssue(issue));
}

/** The same for what a run keeps of a row, which may be several issues one after the other; nothing stays nothing. */
export function renderRowMessage(origin: string, rowNumber: number, message: string): string {
  if (message === '') return '';
  // A setting of a `key_value` table stands in a row of its own.
  if (message.startsWith('row ')) return `${origin} ${message}`;
  return `${origin} row ${rowNumber}${message.startsWith('column "') ? ',' : ':'} ${message}`;
}
