import type { RowQuery, RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import { knownWords, storedWords } from '../../model/said.ts';
import { array, integer, json, unreadable, type SqlRow } from '../sql-row.ts';

/** Rows that are stored together: so many that a statement costs little a row, so few that a change of one row writes little. */
const BLOCK_ROWS = 250;

/** What a run changes of a row. Nothing stands for null, and for no words. */
export interface RowState {
  readonly change: RunRow['change'];
  readonly outcome?: RunRow['outcome'] | undefined;
  readonly id?: RunRow['id'] | undefined;
  readonly before?: RunRow['before'] | undefined;
  /** A text are the words of an older version. */
  readonly said?: readonly { readonly code: string }[] | string | undefined;
  /** The key in the words of the source, where it has another one since. */
  readonly readKey?: string | undefined;
}

/** The rows of a block, by row number. */
export interface Block {
  readonly number: number;
  readonly rowNumbers: readonly number[];
  readonly states: RowState[];
}

/** What is read of a row: a column each, which is one JSON array of all rows of a block. Where all are null it is an empty one. */
const CONTENT = ['key', 'folded', 'fields', 'lookups', 'lines'] as const;
export type Content = { readonly [Name in (typeof CONTENT)[number]]: (RunRow[Name] | null)[] };

/** The columns of a block in the order of {@link readBlock}. */
export const BLOCK_COLUMNS = 'number, row_numbers, states';

/** Errors: UnreadableValueError; the same for what is read of content. */
export function readBlock(row: SqlRow): Block {
  const stored = json(row, 1) as readonly number[] | { readonly first: number; readonly last: number };
  const rowNumbers =
    'first' in stored
      ? Array.from({ length: stored.last - stored.first + 1 }, (_, at) => stored.first + at)
      : stored;
  const states = array(row, 2) as RowState[];
  const [all] = states;
  const isOne = all !== undefined && states.length === 1;
  return { number: integer(row, 0), rowNumbers, states: isOne ? rowNumbers.map(() => all) : states };
}

/** Row numbers as {@link readBlock} takes them: those of a table mostly follow each other. */
export function storedNumbers(rowNumbers: readonly number[]): string {
  const [first = 0, last = 0] = [rowNumbers[0], rowNumbers.at(-1)];
  return JSON.stringify(last - first + 1 === rowNumbers.length ? { first, last } : rowNumbers);
}

/** States as {@link readBlock} takes them: one for all rows where they do not differ. */
export const storedStates = (states: readonly RowState[]): string =>
  JSON.stringify(states.every((state) => state === states[0]) ? states.slice(0, 1) : states);

const ONLY: Readonly<Record<NonNullable<RowQuery['only']>, readonly (keyof Content)[]>> = {
  lines: ['lines'],
  fields: ['key', 'fields', 'lookups'],
};
const EMPTY: SqlRow = ['[]'];

/** The columns of a block's content, each read when it is first asked for: most who look at rows need no cells. Those that are not wanted seem to be empty. */
export function lazyContent(read: (name: keyof Content) => SqlRow, only?: RowQuery['only']): Content {
  const content = {};
  for (const name of CONTENT)
    Object.defineProperty(content, name, {
      configurable: true,
      get: () => {
        const isWanted = only === undefined || ONLY[only].includes(name);
        const value = array(isWanted ? read(name) : EMPTY, 0);
        Object.defineProperty(content, name, { value });
        return value;
      },
    });
  return content as Content;
}

/** Rows in row order as the blocks that they make, of nearly one size. */
export function inBlocks(rows: readonly RunRow[]): readonly (readonly RunRow[])[] {
  const count = Math.ceil(rows.length / BLOCK_ROWS);
  const from = (block: number): number => Math.ceil((block * rows.length) / count);
  return Array.from({ length: count }, (_, block) => rows.slice(from(block), from(block + 1)));
}

export const contentOf = (rows: readonly RunRow[]): Content =>
  Object.fromEntries(
    CONTENT.map((name) => [name, rows.map((row) => row[name] ?? null)]),
  ) as unknown as Content;

/** The values of the columns of a block's content. */
export const storedContent = (content: Content): readonly string[] =>
  CONTENT.map((name) => {
    const values: readonly unknown[] = content[name];
    return values.every((value) => value === null) ? '[]' : JSON.stringify(values);
  });

/** States of which nothing but the change is to be said: one object each, so that equal ones are seen at a glance. */
const PLAIN = new Map<RunRow['change'], RowState>();

function plain(state: RowState): RowState {
  const { change, outcome, id, before, said, readKey } = state;
  if ((outcome ?? id ?? before ?? readKey ?? null) !== null || (said?.length ?? 0) > 0) return state;
  const found = PLAIN.get(change) ?? { change };
  PLAIN.set(change, found);
  return found;
}

export const stateOf = ({ change, outcome, id, before, said, readKey }: RunRow): RowState =>
  plain({
    change,
    outcome: outcome ?? undefined,
    id: id ?? undefined,
    before: before ?? undefined,
    said: said.length === 0 ? undefined : said,
    readKey,
  });

export const isTold = ({ said = [] }: RowState): boolean => said.length > 0;

/** How many rows stand where, each `[change, outcome or null, rows, 1 where something is said]`: who looks for some rows reads no block without them. */
export function tallyOf(states: readonly RowState[]): string {
  const counts = new Map<string, [string, string | null, number, number]>();
  const [all] = states;
  if (all !== undefined && states.every((state) => state === all))
    return JSON.stringify([[all.change, all.outcome ?? null, states.length, Number(isTold(all))]]);
  for (const state of states) {
    const { change, outcome = null } = state;
    const told = Number(isTold(state));
    const name = `${change} ${outcome} ${told}`;
    const count = counts.get(name);
    if (count === undefined) counts.set(name, [change, outcome, 1, told]);
    else count[2] += 1;
  }
  return JSON.stringify([...counts.values()]);
}

/** The row at a place of its block. */
export function rowAt({ rowNumbers, states }: Block, content: Content, at: number): RunRow {
  const [rowNumber, state] = [rowNumbers[at], states[at]];
  if (rowNumber === undefined || state === undefined) throw unreadable(1);
  const { change, readKey, said = [] } = state;
  const key = content.key[at] ?? null;
  const lookups = content.lookups[at] ?? null;
  return {
    rowNumber,
    lines: content.lines[at] ?? [],
    key,
    ...(readKey === undefined || readKey === key ? {} : { readKey }),
    folded: content.folded[at] ?? null,
    fields: content.fields[at] ?? null,
    change,
    before: state.before ?? null,
    said: typeof said === 'string' ? storedWords(said) : knownWords(said),
    outcome: state.outcome ?? null,
    id: state.id ?? null,
    ...(lookups === null ? {} : { lookups }),
  };
}

/** A state with what a patch changes of it. */
export const patchedState = (held: RowState, patch: Omit<RunRowPatch, 'rowNumber'>): RowState => {
  const { change = held.change, outcome = held.outcome, id = held.id } = patch;
  const { before = held.before, said = held.said } = patch;
  return plain({ change, outcome, id, before, said, readKey: held.readKey });
};

/** Whether a patch changes what was read of its row. */
export const changesContent = ({ key, fields, lookups }: RunRowPatch): boolean =>
  key !== undefined || fields !== undefined || lookups !== undefined;

/** Changes what was read of the row at a place, and keeps the key that it was read with. */
export function patchContent({ states }: Block, content: Content, at: number, patch: RunRowPatch): void {
  const state = states[at];
  const { key, fields, lookups } = patch;
  if (key !== undefined && state !== undefined) {
    states[at] = { ...state, readKey: state.readKey ?? content.key[at] ?? undefined };
    content.key[at] = key;
  }
  if (fields !== undefined) content.fields[at] = fields;
  if (lookups !== undefined) content.lookups[at] = lookups;
}
