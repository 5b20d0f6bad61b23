import { hash } from 'node:crypto';
import { InternalError, StoppedError } from '../model/error.ts';
import type { RunRows } from '../model/state/run-rows.ts';
import { unreadable } from './sql-row.ts';

/** What a column holds: `plain` is a text that every database keeps as it stands. */
type Column = 'integer' | 'plain' | 'text' | 'bytes';

/** What a state holds, table by table, those first that others refer to; both kinds of state have tables and columns of these names. */
const TABLES = {
  account: { number: 'integer', base_url: 'text', account_id: 'text' },
  run: {
    ...{ sequence: 'integer', id: 'text', account: 'integer', started_at_ms: 'integer', finished: 'integer' },
    document: 'plain',
  },
  pull: { sequence: 'integer', id: 'text', account: 'integer', started_at_ms: 'integer', document: 'plain' },
  intent: {
    ...{
      sequence: 'integer',
      id: 'text',
      account: 'integer',
      run_id: 'text',
      document: 'plain',
      result: 'plain',
    },
    ...{ detail: 'plain', settled_at_ms: 'integer' },
  },
  // Who manages a record stands beside it or in it, and its key is found by it.
  snapshot: { account: 'integer', resource: 'plain', record: 'plain', confirmed_at_ms: 'integer' },
  fact: { account: 'integer', name: 'text', value: 'text', at_ms: 'integer' },
  key_origin: { key_digest: 'text', origin: 'text' },
  kept_league: { number: 'integer', account: 'integer', league: 'integer' },
  kept: {
    ...{
      league: 'integer',
      game_week: 'text',
      kind: 'plain',
      id: 'text',
      variant: 'text',
      read_at_ms: 'integer',
    },
    ...{ squad: 'text', member: 'text', record: 'bytes' },
  },
  forgotten_member: { account: 'integer', member: 'text' },
  forgotten_squad: { account: 'integer', squad: 'text' },
  mapping_state: { environment: 'text', league: 'text', mapping: 'text', document: 'plain' },
  letter: { sequence: 'integer', id: 'text', ended: 'integer', created_at_ms: 'integer', document: 'plain' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Column>>>>;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

export const columnsOf = (table: TableName): readonly (readonly [name: string, column: Column])[] =>
  Object.entries(TABLES[table]);

/** A row in the order of its columns; bytes as base64. */
export type CopiedRow = readonly (string | number | null)[];

/** A state that is copied, as it stands at one moment. */
export interface CopySource {
  /** How messages call it. */
  readonly name: string;
  rows(table: TableName): AsyncIterable<readonly CopiedRow[]>;
  /** The rows of a run; undefined where none are kept. */
  runRows(runId: string): Promise<RunRows | undefined>;
}

/** A state that is made by copying: nobody sees anything of it before it is whole. */
export interface CopyTarget extends CopySource {
  add(table: TableName, rows: readonly CopiedRow[]): Promise<void>;
  makeRunRows(runId: string): Promise<RunRows>;
}

/** How much was copied. */
export type Copied = Readonly<Record<TableName, number>> & { readonly run_row: number };

const PAGE_ROWS = 2000;

/**
 * Copies all that a state holds, and compares both then. What the rows of runs were last compared with is left: it is read again. Errors: InternalError
 * `state.copy_differs`; those of both.
 */
export async function copyState(from: CopySource, to: CopyTarget): Promise<Copied> {
  const counts: Partial<Record<TableName, number>> = {};
  for (const table of TABLE_NAMES) {
    const wanted = new Tally();
    for await (const page of from.rows(table)) {
      page.forEach((row) => wanted.add(row));
      await to.add(table, page);
    }
    const made = new Tally();
    for await (const page of to.rows(table)) page.forEach((row) => made.add(row));
    refuseDifference(to, table, wanted, made);
    counts[table] = wanted.count;
  }
  let rows = 0;
  const runs: string[] = [];
  for await (const page of from.rows('run')) runs.push(...page.map((row) => String(row[1])));
  for (const id of runs) rows += await copyRunRows(id, from, to);
  return { ...(counts as Record<TableName, number>), run_row: rows };
}

async function copyRunRows(id: string, from: CopySource, to: CopyTarget): Promise<number> {
  const kept = await from.runRows(id);
  if (kept === undefined) return 0;
  const copy = await to.makeRunRows(id);
  let count = 0;
  try {
    for (const mapping of await kept.mappings()) {
      await copy.setHeader(mapping, await kept.header(mapping));
      const [wanted, made] = [new Tally(), new Tally()];
      for await (const page of pagesOf(kept, mapping, wanted)) await copy.add(mapping, page);
      for await (const page of pagesOf(copy, mapping, made)) count += page.length;
      refuseDifference(to, `rows of ${id}`, wanted, made);
    }
    await copy.sync();
    return count;
  } finally {
    await kept.close();
    await copy.close();
  }
}

async function* pagesOf(rows: RunRows, mapping: string, tally: Tally) {
  for (let afterRow = 0; ;) {
    const page = await rows.page(mapping, { afterRow, limit: PAGE_ROWS });
    const last = page.at(-1);
    if (last === undefined) return;
    for (const row of page) tally.add(Object.entries(row).toSorted());
    afterRow = last.rowNumber;
    yield page;
  }
}

/** Rows in any order, of which no two are alike. */
class Tally {
  count = 0;
  readonly #sum = new Uint8Array(32);

  add(row: unknown): void {
    this.count += 1;
    const digest = hash('sha256', JSON.stringify(row), 'buffer');
    for (const [at, byte] of digest.entries()) this.#sum[at] = (this.#sum[at] ?? 0) ^ byte;
  }

  isSame(other: Tally): boolean {
    return this.count === other.count && this.#sum.every((byte, at) => byte === other.#sum[at]);
  }
}

function refuseDifference({ name }: CopyTarget, what: string, wanted: Tally, made: Tally): void {
  if (!wanted.isSame(made))
    throw new InternalError(
      'state.copy_differs',
      `${what} in ${name} are not what was copied; nothing is kept`,
    );
}

/** Errors: StoppedError `state.not_empty`. */
export function refuseNotEmpty(name: string, rows: number): void {
  if (rows === 0) return;
  throw new StoppedError('state.not_empty', `${name} holds a state already, and nothing is copied over one`, {
    next: 'Name another file, or another schema with "state_schema:", then run the command again.',
  });
}

interface Snapshot {
  readonly key: string;
  readonly managedBy: string | null;
  /** Without who manages it. */
  readonly record: string;
}

/** A remembered record as it is copied: who manages it stands last. Errors: UnreadableValueError. */
export function snapshotToCopy(record: string, managedBy: string | null): string {
  const { managedBy: own = managedBy, ...rest } = parseSnapshot(record);
  return JSON.stringify({ ...rest, ...(own !== null && { managedBy: own }) });
}

export function copiedSnapshot(copied: string): Snapshot {
  const { managedBy = null, ...rest } = parseSnapshot(copied);
  return { key: rest.key, managedBy, record: JSON.stringify(rest) };
}

function parseSnapshot(record: string): { readonly key: string; readonly managedBy?: string | null } {
  try {
    return JSON.parse(record) as { readonly key: string };
  } catch (cause) {
    throw unreadable(0, cause);
  }
}
