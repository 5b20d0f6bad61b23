/** A cell that a spreadsheet stores with a type of its own; `shown` is the text that the person sees. */
export type TypedCell =
  | { readonly kind: 'number'; readonly value: number; readonly shown?: string }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly shown?: string }
  /** `iso` has no offset where the table knows none: it is then the wall clock of the table's time zone. */
  | { readonly kind: 'datetime'; readonly iso: string; readonly shown?: string }
  | { readonly kind: 'error'; readonly shown: string };

/** A cell as the source holds it: plain text (all of a CSV file; `''` is empty) or a typed cell of a spreadsheet. */
export type Cell = string | TypedCell;

/** A field value as it is sent to the service. */
export type FieldValue = string | number | boolean | readonly number[];
/** The fields of one row, in the order of the resource. An absent field is not sent. */
export type Fields = Readonly<Record<string, FieldValue>>;

const EXACT_DIGITS = 15;

/** A fraction with the 15 digits that a spreadsheet shows of it at most; what follows is noise of its arithmetic. */
export function cleanNumber(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(EXACT_DIGITS));
}

/** The text that a person sees in a cell. */
export function shownText(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  switch (cell.kind) {
    case 'number':
      return cell.shown ?? String(cell.value);
    case 'boolean':
      return cell.shown ?? (cell.value ? 'TRUE' : 'FALSE');
    case 'datetime':
      return cell.shown ?? cell.iso;
    case 'error':
      return cell.shown;
  }
}

/** A cell of a row as a run keeps it: the text that the person sees, and behind it the one to write where that would be read as another number. */
export type KeptCell = string | readonly [shown: string, written: string];

/** The cells of a line as the person sees them. */
export const shownLine = (line: readonly KeptCell[]): readonly string[] => pick(line, 0);

/** The cells of a line as they are written, to be read again as what they are. */
export const writtenLine = (line: readonly KeptCell[]): readonly string[] => pick(line, 1);

const pick = (line: readonly KeptCell[], which: 0 | 1): readonly string[] =>
  isTextual(line) ? line : line.map((cell) => (typeof cell === 'string' ? cell : cell[which]));

/** Whether all cells are plain text, as in every CSV file. */
export function isTextual(cells: readonly unknown[]): cells is readonly string[] {
  return cells.every((cell) => typeof cell === 'string');
}

/** Whether a row holds nothing that somebody typed: blanks, and check boxes without a tick, which spreadsheets fill whole columns with. */
export function holdsNothing(cells: readonly Cell[]): boolean {
  return cells.every((cell) =>
    typeof cell === 'string' ? cell.trim() === '' : cell.kind === 'boolean' && !cell.value,
  );
}
