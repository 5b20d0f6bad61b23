import { readColumns, sourceHeader } from '../../mapping/bind.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { foldName } from '../../model/fold-name.ts';
import { TeamsheetError, UnavailableError } from '../../model/error.ts';
import { OUTCOMES, type Outcome } from '../../model/outcome.ts';
import { isLeftToPush } from '../../model/said.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { Run } from '../../model/state/store.ts';
import { shownLine } from '../../model/tables/cell.ts';
import type { TableLocation, WriteBack, WriteBackResult, WriteBackRow } from '../../model/tables/table.ts';
import { wallClock } from '../../model/time/wall-clock.ts';
import { optionsOf } from '../journal/stored-run.ts';
import { eachRow, rowPages } from '../rows/row-pages.ts';
import type { SyncPorts } from '../ports.ts';
import { rowWriter } from '../../plan/write-back-rows.ts';

type Ports = Pick<SyncPorts, 'tables' | 'emit' | 'clock' | 'timezone' | 'store'>;

/** By mapping, the numbers of the rows that a run has left. */
export type LeftRows = ReadonlyMap<string, ReadonlySet<number>>;

const LEFT: ReadonlySet<Outcome> = new Set(['deferred', 'unknown', 'conflict']);
/** A run that was cut off has not said so of these rows yet. */
const UNTOLD: ReadonlySet<Outcome> = new Set(['created', 'updated', 'unchanged', ...LEFT]);

/**
 * What a run has left that goes on now, where mappings write outcomes back: what a later run said of its other rows stands beside them by now. Of the mappings that
 * are `cutOff`, it has told nothing yet of the rows behind those that later runs have read; of the refused ones a retry may have.
 */
export async function leftRows(
  rows: RunRows,
  mappings: readonly PushMapping[],
  cutOff: ReadonlyMap<string, number>,
): Promise<LeftRows> {
  const left = new Map<string, ReadonlySet<number>>();
  for (const { name, writeBack } of mappings) {
    if (writeBack === undefined) continue;
    const numbers = new Set<number>();
    const readSince = cutOff.get(name) ?? Infinity;
    let place = 0;
    for await (const { rowNumber, outcome } of eachRow(rows, name, { only: 'fields' })) {
      const isLeft = outcome === null || (place < readSince ? LEFT : UNTOLD).has(outcome);
      place += 1;
      if (isLeft) numbers.add(rowNumber);
    }
    left.set(name, numbers);
  }
  return left;
}

/**
 * Writes what became of the rows of a mapping, or of some of them, into their source, where the mapping asks for it and the source can be written. What cannot be
 * written is a warning and the answered error: the outcomes stay what they are.
 */
export async function writeBackOutcomes(
  ports: Ports,
  { mapping, rows, run }: { readonly mapping: PushMapping; readonly rows: RunRows; readonly run: Run },
  only?: ReadonlySet<number>,
): Promise<TeamsheetError | undefined> {
  const { name, writeBack: names, source } = mapping;
  const { location } = source;
  if (names === undefined || location.kind === 'weeks') return undefined;
  const kind = ports.tables[location.kind];
  if (kind.writeBack === undefined) return undefined;
  const header = await rows.header(name);
  const time = wallClock(ports.timezone)(ports.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
  const toRows = rowWriter(mapping, header, time);
  const fact = factOf(name, location);
  const known = (await ports.store.fact(run.account, fact))?.value;
  const telling = tellingColumns(mapping, header, known);
  // What became of a row that is left to the next push, a later run has said.
  const isTold = ({ rowNumber, said }: RunRow): boolean =>
    only === undefined || (only.has(rowNumber) && !isLeftToPush(said));
  const written: WriteBackRow[] = [];
  // What stands beside the rows that it did not read is not known.
  const doubted = new Set(isPart(run, name) ? telling.filter(({ words }) => words === NONE) : []);
  for await (const page of rowPages(rows, name)) {
    for (const row of page) {
      for (const column of telling) if (isForeign(row, column, known !== undefined)) doubted.add(column);
      // Rows that are left out may be those of another mapping of the same tab.
      if (row.outcome !== 'excluded' && isTold(row)) written.push(...toRows(row));
    }
  }
  if (written.length === 0) return undefined;
  const named = names.message === undefined ? (known ?? '') : foldName(names.message);
  const remember = async (): Promise<void> => {
    if (known !== named) await ports.store.setFact(run.account, fact, named);
  };
  // An answer may be lost: what is written is ours from here on.
  if (doubted.size === 0) await remember();
  try {
    const columns = Object.values(names);
    const read = readColumns(mapping, header);
    const doubts = Array.from(doubted, doubtOf);
    const content = { options: source, header, columns, ...read, rows: written, doubts };
    tell(ports, source.origin, await kind.writeBack(location, content));
    if (doubted.size > 0) await remember();
    return undefined;
  } catch (error) {
    if (!(error instanceof TeamsheetError)) throw error;
    const remedy = error.next === undefined ? '' : ` (${error.next})`;
    const message = `${source.origin}: the outcomes could not be written beside the rows: ${error.message}${remedy}`;
    ports.emit({ kind: 'warning', message });
    return error;
  }
}

const OUTCOME_WORDS: ReadonlySet<string> = new Set(OUTCOMES);

/** A column that tells whether it is ours, by what may stand in it. */
interface TellingColumn {
  readonly name: string;
  readonly at: number;
  readonly words: ReadonlySet<string>;
}

/** Keeps, once outcomes of a mapping were written into a source, the name of their column of messages: its next source has columns of its own. */
const factOf = (mapping: string, source: TableLocation): string =>
  `write_back:${mapping}:${JSON.stringify(source)}`;

/** Whether a limit or a retry left out rows of the table. */
function isPart(run: Run, mapping: string): boolean {
  const { limit, only } = optionsOf(run);
  return limit !== undefined || only?.[mapping] !== undefined;
}

/**
 * The column of outcomes, and that of messages, which may hold any text, where it is not `known` from the last time. Before the first time, others of ours
 * beside it tell that it is ours; where there are to be none, nothing tells.
 */
function tellingColumns(
  mapping: PushMapping,
  header: readonly string[],
  known: string | undefined,
): readonly TellingColumn[] {
  const { status, message, ...others } = mapping.writeBack ?? {};
  const columns = sourceHeader(mapping, header);
  const columnOf = (name: string | undefined, words: ReadonlySet<string>): readonly TellingColumn[] => {
    const at = name === undefined ? undefined : columns.find([name]);
    return name === undefined || at === undefined ? [] : [{ name, at, words }];
  };
  const beside = Object.values({ ...(status !== undefined && { status }), ...others });
  const isAlone = beside.length > 0 && beside.every((name) => columns.find([name]) === undefined);
  const isNew = known === undefined ? isAlone : known !== foldName(message ?? known);
  return [...(isNew ? columnOf(message, NONE) : []), ...columnOf(status, OUTCOME_WORDS)];
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Whether somebody keeps something in a column beside the lines of a row. Beside a row that is left out, a message may be that of another mapping of the same tab,
 * where outcomes were written before.
 */
function isForeign({ lines, outcome }: RunRow, { at, words }: TellingColumn, isWritten: boolean): boolean {
  if (outcome === 'excluded' && words === NONE && isWritten) return false;
  const texts = lines.map((cells) => shownLine(cells)[at]?.trim() ?? '');
  return texts.some((text) => text !== '' && !words.has(text));
}

/** Somebody keeps something else in the column, unless outcomes stand in other rows of the tab. */
function doubtOf({ name: column, words }: TellingColumn): NonNullable<WriteBack['doubts']>[number] {
  const errorOf = (text: string): UnavailableError => {
    const message = `column ${show(column)} holds ${show(text)} and no outcome, so it is somebody else's`;
    const next = 'Give "write_back" columns of its own, or empty that column.';
    return new UnavailableError('destination.taken', message, { next });
  };
  return { column, words, errorOf };
}

const SHOWN = 5;

function tell({ emit }: Ports, origin: string, { gone, made, restored = [] }: WriteBackResult): void {
  if (made.length > 0) {
    const message = `${origin}: made the columns ${made.map((each) => `"${each}"`).join(', ')}`;
    emit({ kind: 'note', message });
  }
  if (restored.length > 0) {
    const names = restored.map((each) => `"${each}"`).join(', ');
    const message = `${origin}: columns moved while the outcomes were written beside the rows; what stood in ${names} before is put back; check what somebody typed there meanwhile`;
    emit({ kind: 'warning', message });
  }
  const [first] = gone;
  if (first === undefined) return;
  const shown =
    gone.slice(0, SHOWN).join(', ') + (gone.length > SHOWN ? ` and ${gone.length - SHOWN} more` : '');
  const message =
    gone.length === 1
      ? `${origin}: row ${first} could not be found again; its outcome stands in the results file`
      : `${origin}: ${gone.length} rows could not be found again (${shown}); their outcomes stand in the results file`;
  emit({ kind: 'warning', message });
}
