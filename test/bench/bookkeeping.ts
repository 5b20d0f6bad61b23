/**
 * Goal G8: what durable bookkeeping costs a request: an intent before it, its result with the confirmed records after it, and the outcomes of its
 * rows, each on disk before the next step. The yardstick is three bare commits of one small row with the same durability, in the same folder.
 *
 *   npm run bench -- bookkeeping [requests, 300 unless told]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realClock } from '../../src/runtime/clock.ts';
import type { KnownRecord } from '../../src/model/run-rows.ts';
import type { RunRows } from '../../src/model/run-rows.ts';
import type { Store } from '../../src/model/store.ts';
import { openStore } from '../../src/state/sqlite-store.ts';
import { digestFields, digestOf } from '../../src/plan/digest.ts';
import { runRow } from '../support/run-row.ts';

const REQUESTS = Number(process.argv[2] ?? 300);
const ROUNDS = 3;
const ACCOUNT = { baseUrl: 'http://127.0.0.1:8787', accountId: '0b0e3c9a-0000-4000-8000-000000000001' };

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Milliseconds for each of `count` turns of the work. */
async function msEach(count: number, work: (index: number) => unknown): Promise<number> {
  const beganMs = performance.now();
  for (let index = 0; index < count; index += 1) await work(index);
  return (performance.now() - beganMs) / count;
}

function bareCommits(folder: string): (index: number) => void {
  const db = new DatabaseSync(path.join(folder, 'bare.sqlite'));
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (n INTEGER, text TEXT)',
  );
  const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
  return (index) => {
    for (const text of ['intent', 'result', 'outcome']) insert.run(index, text);
  };
}

const keyOf = (row: number): string => `M-${String(row).padStart(7, '0')}`;

function confirmedOf(row: number): KnownRecord {
  const fields = { external_id: keyOf(row), display_name: `Member ${row}`, is_active: true };
  const id = `0b0e3c9a-0000-4000-8000-${String(row).padStart(12, '0')}`;
  return { key: keyOf(row), id, number: row, digests: digestFields(fields), values: fields };
}

/** The bookkeeping of one request with these rows, as the push does it. */
async function keepBooks(
  store: Store,
  rows: RunRows,
  round: string,
  index: number,
  batch: number,
): Promise<void> {
  const numbers = Array.from({ length: batch }, (_, n) => 2 + index * batch + n);
  const id = `01J${round}${String(index).padStart(20, '0')}`;
  await store.addIntent(ACCOUNT, {
    id,
    runId: RUN,
    mapping: 'users',
    resource: 'users',
    operation: 'create-users',
    rowNumbers: numbers,
    keys: numbers.map(keyOf),
    bodyDigest: digestOf(numbers),
    sentAtMs: realClock.now(),
  });
  const confirmed = numbers.map(confirmedOf);
  await store.recordResult(ACCOUNT, id, 'applied', [], confirmed);
  await rows.patch(
    'users',
    confirmed.map((record, n) => ({ rowNumber: numbers[n] ?? 0, id: record.id, outcome: 'created' })),
  );
}
const RUN = '01J00000000000000000000000';

const folder = await mkdtemp(path.join(tmpdir(), 'teamsheet-bench-'));
const store = await openStore({ file: path.join(folder, 'state.sqlite'), clock: realClock });
try {
  const bare = bareCommits(folder);
  const rows = await store.openRunRows(RUN);
  const all = Array.from({ length: REQUESTS * 100 }, (_, n) =>
    runRow({ rowNumber: n + 2, key: keyOf(n + 2), change: 'create' }),
  );
  for (let at = 0; at < all.length; at += 1000) await rows.add('users', all.slice(at, at + 1000));
  const syncedMs = await msEach(1, () => rows.sync());
  console.log(`the rows of a run: ${syncedMs.toFixed(2)} ms to outlast a power cut, once for each mapping`);
  for (const batch of [1, 100]) {
    const costs: { readonly own: number; readonly bare: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const yardstick = await msEach(REQUESTS, bare);
      const count = batch === 1 ? REQUESTS : Math.ceil(REQUESTS / 10);
      const name = `${String(batch).padStart(3, '0')}${round}`.slice(-3);
      costs.push({
        own: await msEach(count, (index) => keepBooks(store, rows, name, index, batch)),
        bare: yardstick,
      });
    }
    const own = median(costs.map((cost) => cost.own));
    const ratio = median(costs.map((cost) => cost.own / cost.bare));
    console.log(
      `${batch === 1 ? '1 row' : `${batch} rows`} a request: ${own.toFixed(2)} ms each, ${ratio.toFixed(2)} x three bare commits (goal: 1 ms)`,
    );
  }
  await rows.remove();
} finally {
  await store.close();
  await rm(folder, { recursive: true, force: true });
}
