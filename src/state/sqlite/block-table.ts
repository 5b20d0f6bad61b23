import type { Outcome } from '../../model/outcome.ts';
import type { RowQuery, RunRow } from '../../model/state/run-rows.ts';
import type { SqlRow } from '../sql-row.ts';
import type { Database } from './database.ts';
import {
  BLOCK_COLUMNS,
  contentOf,
  isTold,
  lazyContent,
  readBlock,
  rowAt,
  stateOf,
  storedContent,
  storedNumbers,
  storedStates,
  tallyOf,
  type Block,
  type Content,
  type RowState,
} from './row-blocks.ts';

/** Which rows are asked for. */
export type Wanted = Pick<RowQuery, 'change' | 'open' | 'told' | 'outcomes'>;

/** Whether a row is one of them. */
export const fits = (state: RowState, wanted: Wanted): boolean => {
  const { change, outcome = null } = state;
  return (
    (wanted.change === undefined || wanted.change === change) &&
    (wanted.told !== true || isTold(state)) &&
    (wanted.open !== true || outcome === null) &&
    (wanted.outcomes === undefined || (outcome !== null && wanted.outcomes.includes(outcome)))
  );
};

/** The blocks in which the rows of a run stand, by the numbers of mappings. Within a transaction or a read of its database. */
export class BlockTable {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The first block of rows after one that holds rows which fit. */
  next(mapping: number, { change, open, told, outcomes }: Wanted, afterRow: number): Block | undefined {
    const fitting = [
      change ?? null,
      Number(open === true),
      Number(told === true),
      outcomes ? JSON.stringify(outcomes) : null,
    ];
    const row = this.#db.get(NEXT_BLOCK, mapping, afterRow, ...fitting);
    return row && readBlock(row);
  }

  /** All such blocks in row order, each as it stands when it is asked for. */
  *each(mapping: number, wanted: Wanted = {}, afterRow = 0): Generator<Block> {
    let block = this.next(mapping, wanted, afterRow);
    for (; block !== undefined; block = this.next(mapping, wanted, block.rowNumbers.at(-1) ?? Infinity))
      yield block;
  }

  content({ number }: Block, only?: RowQuery['only']): Content {
    const read = (name: string): SqlRow =>
      this.#db.get(`SELECT "${name}" FROM content WHERE block = ?`, number) ?? [];
    return lazyContent(read, only);
  }

  /** The rows of a block that are wanted, at most `limit`. */
  rows(
    block: Block,
    isWanted: (state: RowState, rowNumber: number) => boolean = () => true,
    limit = Infinity,
    only?: RowQuery['only'],
  ): readonly RunRow[] {
    const places = block.states.flatMap((state, at) =>
      isWanted(state, block.rowNumbers[at] ?? 0) ? at : [],
    );
    if (places.length === 0) return [];
    const content = this.content(block, only);
    return places.slice(0, limit).map((at) => rowAt(block, content, at));
  }

  insert(mapping: number, rows: readonly RunRow[]): void {
    const rowNumbers = rows.map(({ rowNumber }) => rowNumber);
    const states = rows.map(stateOf);
    const number = this.#db.count(
      'INSERT INTO block (mapping, last_row, tally, row_numbers, states) VALUES (?, ?, ?, ?, ?) RETURNING number',
      ...[mapping, rowNumbers.at(-1) ?? 0, tallyOf(states)],
      ...[storedNumbers(rowNumbers), storedStates(states)],
    );
    this.#saveContent(number, contentOf(rows));
  }

  save({ number, states }: Block, content?: Content): void {
    const statement = 'UPDATE block SET tally = ?, states = ? WHERE number = ?';
    this.#db.run(statement, tallyOf(states), storedStates(states), number);
    if (content !== undefined) this.#saveContent(number, content);
  }

  #saveContent(block: number, content: Content): void {
    const statement = 'INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?)';
    this.#db.run(statement, block, ...storedContent(content));
  }

  delete({ number }: Block): void {
    this.#db.run('DELETE FROM block WHERE number = ?', number);
    this.#db.run('DELETE FROM content WHERE block = ?', number);
  }

  /** Deletes the blocks in which no row ended in one of some outcomes. */
  deleteWithout(mapping: number, outcomes: readonly Outcome[]): void {
    const statement = `DELETE FROM block WHERE mapping = ?1
      AND NOT EXISTS (SELECT 1 FROM json_each(tally) WHERE value ->> 1 IN (SELECT value FROM json_each(?2)))`;
    this.#db.run(statement, mapping, JSON.stringify(outcomes));
    this.#db.run('DELETE FROM content WHERE block NOT IN (SELECT number FROM block)');
  }

  /** The rows of some numbers that are there. */
  *numbered(mapping: number, rowNumbers: readonly number[]): Generator<RunRow> {
    const wanted = new Set(rowNumbers);
    const statement = `SELECT ${BLOCK_COLUMNS} FROM block WHERE number IN (${BLOCKS_OF}) ORDER BY last_row`;
    for (const row of this.#db.each(statement, mapping, JSON.stringify(rowNumbers)))
      yield* this.rows(readBlock(row), (_, rowNumber) => wanted.has(rowNumber));
  }
}

/** The first block after a row with rows that fit. */
const NEXT_BLOCK = `SELECT ${BLOCK_COLUMNS} FROM block WHERE mapping = ?1 AND last_row > ?2 AND EXISTS (
    SELECT 1 FROM json_each(tally) WHERE (?3 IS NULL OR value ->> 0 = ?3) AND (?4 = 0 OR value ->> 1 IS NULL)
    AND (?5 = 0 OR value ->> 3 = 1) AND (?6 IS NULL OR value ->> 1 IN (SELECT value FROM json_each(?6)))
  ) ORDER BY last_row LIMIT 1`;

/** The blocks in which rows would stand. */
const BLOCKS_OF = `SELECT (SELECT number FROM block WHERE mapping = ?1 AND last_row >= wanted.value ORDER BY last_row LIMIT 1)
  FROM json_each(?2) AS wanted`;
