import { holdsNothing } from '../model/tables/cell.ts';
import { ConfigError } from '../model/error.ts';
import type { Issue } from '../model/issue.ts';
import { foldName } from '../model/fold-name.ts';
import type { SourceRow } from '../model/tables/table.ts';
import { readColumns } from './bind.ts';
import type { PushMapping } from './mapping.ts';
import { show } from './show.ts';

/** The code of an issue about a cell that is merged with others. */
const MERGED = 'cell.merged';
/** The code of an issue about a formula whose result the table does not hold. */
export const FORMULA = 'cell.formula';
/** Codes of issues about a cell whose value its table cannot tell. They stand under its column and concern only who reads that. */
const OF_CELLS: ReadonlySet<string> = new Set([MERGED, FORMULA]);

/**
 * The rows of a batch as a reader of some columns sees them: without the issues of cells in other columns, and without the rows that nothing but formulas
 * there keeps from being blank.
 */
export function rowsFor(used: ReadonlySet<string>, batch: readonly SourceRow[]): readonly SourceRow[] {
  const matters = ({ code, column = '' }: Issue): boolean => !OF_CELLS.has(code) || used.has(column);
  return batch.flatMap((row) => {
    const { issues, ...rest } = row;
    if (issues === undefined) return [row];
    const left = issues.filter(matters);
    if (left.length > 0) return [{ ...rest, issues: left }];
    return holdsNothing(row.cells) ? [] : [rest];
  });
}

/**
 * The rows of a batch as one mapping sees them: without those that hold only what a run wrote beside them, and without the issues of cells in
 * columns that it does not read. Errors: ConfigError `mapping.write_back_column` when it would write over what it reads.
 */
export function createRowFilter(
  mapping: PushMapping,
  header: readonly string[],
): (batch: readonly SourceRow[]) => readonly SourceRow[] {
  const written = writtenColumns(mapping);
  const used = new Set(readColumns(mapping, header).used);
  refuseClash(mapping, used);
  const others = header.flatMap((name, index) => (written.has(foldName(name)) ? [] : [index]));
  const isOurs = ({ cells, issues = [] }: SourceRow): boolean =>
    written.size > 0 &&
    issues.every(({ code }) => code === MERGED) &&
    cells.length <= header.length &&
    holdsNothing(others.map((index) => cells[index] ?? ''));
  return (batch) => {
    if (written.size === 0 && batch.every(({ issues }) => issues === undefined)) return batch;
    return rowsFor(used, batch).filter((row) => !isOurs(row));
  };
}

/** The columns that a run writes beside the rows, folded: the writer finds them regardless of case. */
export const writtenColumns = ({ writeBack }: Pick<PushMapping, 'writeBack'>): ReadonlySet<string> =>
  new Set(Object.values(writeBack ?? {}).map(foldName));

function refuseClash(
  { writeBack, name, place: { file, line } }: PushMapping,
  used: ReadonlySet<string>,
): void {
  const refuse = (message: string): never => {
    throw new ConfigError('mapping.write_back_column', `${file}:${line}: ${name}: ${message}`, {
      file,
      line,
      next: 'Give it a column of its own.',
    });
  };
  const names = Object.values(writeBack ?? {});
  const folded = names.map(foldName);
  const twice = names.find((_, index) => folded.indexOf(folded[index] ?? '') !== index);
  if (twice !== undefined) refuse(`write_back names column ${show(twice)} twice`);
  const clash = [...used].find((each) => folded.includes(foldName(each)));
  if (clash !== undefined)
    refuse(`write_back would write over column ${show(clash)}, which the mapping reads`);
}
