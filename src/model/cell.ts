/** A cell that a spreadsheet stores with a type of its own; `shown` is the text that the person sees. */
export type TypedCell =
  | { readonly kind: 'number'; readonly value: number; readonly shown?: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'datetime'; readonly iso: string; readonly shown?: string }
  | { readonly kind: 'error'; readonly shown: string };

/** A cell as the source holds it: plain text (all of a CSV file; `''` is empty) or a typed cell of a spreadsheet. */
export type Cell = string | TypedCell;

/** A field value as it is sent to the service. */
export type FieldValue = string | number | boolean | readonly number[];
/** The fields of one row, in the order of the resource. An absent field is not sent. */
export type Fields = Readonly<Record<string, FieldValue>>;

/** The text that a person sees in a cell. */
export function shownText(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  switch (cell.kind) {
    case 'number':
      return cell.shown ?? String(cell.value);
    case 'boolean':
      return cell.value ? 'TRUE' : 'FALSE';
    case 'datetime':
      return cell.shown ?? cell.iso;
    case 'error':
      return cell.shown;
  }
}
