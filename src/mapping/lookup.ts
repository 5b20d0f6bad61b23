import * as z from 'zod';
import type { PushField } from '../contract/resource.ts';
import { shownText, type Cell, type FieldValue } from '../model/tables/cell.ts';
import type { Issue } from '../model/issue.ts';
import { listed } from '../model/listed.ts';
import { compileCell, type CellContext, type CellReader } from './cells.ts';
import type { Column, Lookup, LookupFile } from './mapping.ts';
import { cellTypeOf } from './push-fields.ts';
import { show } from './show.ts';

/** A table that cells are looked up in, read whole. */
export interface LookupTable {
  /** How messages call the place, such as `players.csv, column "Name"`. */
  readonly place: string;
  /** The rows that match, each with the cell that is taken; rows that say the same are one. `shown` is how people know the row, where it is not its number. */
  find(
    texts: readonly string[],
  ): readonly { readonly rowNumber: number; readonly cell: Cell; readonly shown?: string }[];
  /** The texts that stand in the table and are nearest to these. */
  nearest(texts: readonly string[]): string | undefined;
}

/** The table of a lookup that names one. */
export type LookupTables = (lookup: Lookup) => LookupTable | undefined;

/** A row with an issue of this code is left out: `on_miss: skip`, `on_ambiguous: skip`. */
export const LOOKUP_SKIP = 'lookup.skip';

/** A lookup in a table of its own, which is done as soon as a row is read. */
export const isFileLookup = (lookup: Lookup): lookup is Lookup & { readonly in: LookupFile } =>
  typeof lookup.in !== 'string';

/** A column whose value is known only once a plan is made: from the service, or from other rows of the plan. */
export const isPlanLookup = ({ lookup }: Column): boolean => lookup !== undefined && !isFileLookup(lookup);

/** `"Kane" + "Hill FC"`. */
export const showTexts = (texts: readonly string[]): string => texts.map(show).join(' + ');

/** What is wrong with texts that nothing matches, with the remedy. */
export function missMessage(texts: readonly string[], place: string, near: string | undefined): string {
  const remedy = near === undefined ? '; correct it, or add it there' : `; nearest: ${near}`;
  return `${showTexts(texts)} is not in ${place}${remedy}`;
}

const NAMED = 5;

/** What is wrong with texts that several records match. `found` are the candidates as people know them. */
export function ambiguousMessage(texts: readonly string[], place: string, found: readonly string[]): string {
  return `${showTexts(texts)} stands ${found.length} times in ${place} (${listed(found, NAMED)}); match more columns, or correct it there`;
}

/** The same of a text that may be written in several ways: all candidates, so that one of them can be chosen. */
const severalMessage = (texts: readonly string[], place: string, found: readonly string[]): string =>
  `${showTexts(texts)} may be any of ${found.length} in ${place}: ${found.join(', ')}; write more of the name, or the number`;

/** The issue of a lookup that found nothing, or too much: an error, or a reason to leave the row out. */
function lookupIssue(skips: boolean, header: string | undefined, message: string): Issue {
  return skips
    ? { code: LOOKUP_SKIP, severity: 'warning', column: header, message: `left out: ${message}` }
    : { code: 'lookup.failed', severity: 'error', column: header, message };
}

/** The text that is looked up, whatever the field that it stands for. */
const TEXT_FIELD: PushField = {
  type: 'text',
  required: true,
  schema: z.string().min(1),
  label: 'Looked up',
  description: 'A text that is looked up.',
};

/** Reads what a cell is looked up by: ids of members with the care that keys are read with, anything else as a name. */
export function compileText(column: Column, lookup: Lookup, context: CellContext): CellReader {
  const field = lookup.match.includes('external_id') ? 'external_id' : 'name';
  const asText: Column = { ...column, field, type: 'text', lookup: undefined, split: undefined };
  return compileCell(asText, TEXT_FIELD, true, context);
}

/** Makes the value of a field of texts that were read, by a table. */
export type Take = (
  texts: readonly string[],
  header: string | undefined,
  issues: Issue[],
) => FieldValue | undefined;

/** What looks texts up in a table and reads the cell that it finds with `read`. */
function takeFrom(
  table: LookupTable,
  { onMiss, onAmbiguous, matchAny, take }: Lookup,
  read: CellReader,
): Take {
  return (texts, header, issues) => {
    const found = table.find(texts);
    const [first, second] = found;
    if (first === undefined) {
      const message = missMessage(texts, table.place, table.nearest(texts));
      issues.push(lookupIssue(onMiss === 'skip', header, message));
      return undefined;
    }
    if (second !== undefined) {
      const named = found.map(({ shown, rowNumber }) => shown ?? `row ${rowNumber}`);
      const sayIt = matchAny === undefined ? ambiguousMessage : severalMessage;
      const message = sayIt(texts, table.place, named);
      issues.push(lookupIssue(onAmbiguous === 'skip', header, message));
      return undefined;
    }
    const before = issues.length;
    const value = read(first.cell, header, issues);
    for (let at = before; at < issues.length; at += 1) {
      const issue = issues[at] as Issue;
      const from = `${showTexts(texts)} is in row ${first.rowNumber} of ${table.place}, where ${show(shownText(first.cell))} in column ${show(take)} is not valid`;
      issues[at] = { ...issue, message: `${from}: ${issue.message}` };
    }
    return value;
  };
}

const WHOLE = /^\s*\d+\s*$/;

/** The readers of a column that is looked up in a table: of one cell, and of the texts of several. */
export function compileFileLookup(
  column: Column,
  field: PushField,
  isKey: boolean,
  context: CellContext,
  lookup: Lookup,
  table: LookupTable,
): { readonly read: CellReader; readonly take: Take } {
  const plain: Column = {
    ...column,
    type: cellTypeOf(field),
    transform: [],
    default: undefined,
    split: undefined,
  };
  const text = compileText({ ...column, transform: [], default: undefined }, lookup, context);
  // What the table holds is read like a cell of the source that is not a list.
  const readPlain = compileCell(plain, field, isKey, context);
  const take = takeFrom(table, lookup, readPlain);
  // Nobody's name is a number: it is what would be taken.
  const takesNumbers = lookup.matchAny !== undefined && field.type !== 'text';
  const read = compileCell(column, field, false, context, (cell, header, issues) => {
    const wanted = text(cell, header, issues);
    if (wanted === undefined) return undefined;
    if (takesNumbers && WHOLE.test(String(wanted))) return readPlain(cell, header, issues);
    return take([String(wanted)], header, issues);
  });
  return { read, take };
}
