import { columnNumber, letters, quoteTitle, readRange, type SheetBox } from './a1.ts';
import {
  cellAt,
  type ExtendedValue,
  type SheetState,
  type SpreadsheetState,
  type StoredCell,
} from './state.ts';

/** Where a formula stands and what it may look at. */
export interface Scope {
  readonly state: SpreadsheetState;
  readonly sheet: SheetState;
}

const REFERENCE = /^(?:'(?:[^']|'')*'!|\w+!)?\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d*)?$/i;

function boxNamed({ state, sheet }: Scope, text: string): SheetBox {
  const plain = text.replaceAll('$', '');
  return readRange(state, plain.includes('!') ? plain : `${quoteTitle(sheet.properties.title)}!${plain}`);
}

function* valuesOf(scope: Scope, text: string, depth: number): Iterable<ExtendedValue> {
  const box = boxNamed(scope, text);
  const there = { ...scope, sheet: box.sheet };
  for (let row = box.startRow; row < Math.min(box.endRow, box.sheet.rows.length); row++)
    for (let column = box.startColumn; column < box.endColumn; column++)
      yield effectiveValue(there, cellAt(box.sheet, row, column), depth + 1) ?? {};
}

/** Answers undefined for a formula that is not understood: those keep the result that a test gave. */
function evaluate(scope: Scope, formula: string, depth: number): ExtendedValue | undefined {
  const text = formula.slice(1).trim();
  if (depth > 50) return { errorValue: { type: 'REF', message: 'Circular dependency detected.' } };
  const sum = /^SUM\(([^()]*)\)$/i
    .exec(text)?.[1]
    ?.split(',')
    .map((part) => part.trim());
  if (sum?.every((part) => REFERENCE.test(part)) === true) {
    let total = 0;
    for (const part of sum)
      for (const value of valuesOf(scope, part, depth)) {
        if (value.errorValue !== undefined) return value;
        total += value.numberValue ?? 0;
      }
    return { numberValue: total };
  }
  if (!REFERENCE.test(text) || text.includes(':')) return undefined;
  const [value] = valuesOf(scope, text, depth);
  return value === undefined || Object.keys(value).length === 0 ? { numberValue: 0 } : value;
}

/**
 * What a cell amounts to; undefined when it is empty. Of formulas SUM and one reference are worked out; others have the result that a test
 * gave them, or else the error that a formula Google cannot parse has.
 */
export function effectiveValue(scope: Scope, cell: StoredCell, depth = 0): ExtendedValue | undefined {
  const entered = cell.userEnteredValue;
  if (typeof entered?.formulaValue !== 'string') return entered;
  return (
    evaluate(scope, entered.formulaValue, depth) ??
    cell.effectiveValue ?? { errorValue: { type: 'ERROR', message: 'Formula parse error.' } }
  );
}

/** One end of a reference in a formula. */
export interface Point {
  readonly row: number;
  readonly column: number;
  readonly rowFixed: boolean;
  readonly columnFixed: boolean;
}

const IN_FORMULA =
  /"(?:[^"]|"")*"|((?:'(?:[^']|'')*'|\w+)!)?\$?\b[A-Z]{1,3}\$?[1-9]\d*\b(?::\$?[A-Z]{1,3}\$?[1-9]\d*\b)?(?!\()/gi;

/** A formula with each reference moved; `move` gets the tab that stands before it and its ends, and answers undefined for one that is gone. */
export function mapReferences(
  formula: string,
  move: (title: string | undefined, ends: readonly Point[]) => readonly Point[] | undefined,
): string {
  return formula.replace(IN_FORMULA, (whole: string, prefix: string | undefined) => {
    if (whole.startsWith('"')) return whole;
    const ends = [...whole.slice(prefix?.length ?? 0).matchAll(/(\$?)([A-Z]+)(\$?)(\d+)/gi)].map(
      ([, columnMark, column = '', rowMark, row]): Point => ({
        row: Number(row) - 1,
        column: columnNumber(column),
        rowFixed: rowMark === '$',
        columnFixed: columnMark === '$',
      }),
    );
    const title = prefix?.slice(0, -1).replace(/^'|'$/g, '').replaceAll("''", "'");
    const moved = move(title, ends);
    if (moved === undefined) return '#REF!';
    const points = moved.map(
      ({ row, column, rowFixed, columnFixed }) =>
        `${columnFixed ? '$' : ''}${letters(column)}${rowFixed ? '$' : ''}${row + 1}`,
    );
    return `${prefix ?? ''}${points.join(':')}`;
  });
}
