/**
 * Goal G8: what durable bookkeeping costs a request: its intent on disk before it, in one commit with the result of the request before and the records that
 * this confirmed; then the outcomes of the rows of that one. The yardsticks are bare commits of one small row with the same durability, in the same folder.
 *
 *   npm run bench -- bookkeeping [requests, 300 unless told]
 *
 * Then what the entry of a request in the budget of all processes of this machine costs, alone and with many before it. Where a PostgreSQL is found, the books on
 * one, with that entry; its commits are on disk too.
 */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { realClock } from '../../src/runtime/clock.ts';
import type { KnownRecord, RunRow, RunRowPatch, RunRows } from '../../src/model/state/run-rows.ts';
import type { Intent, Recorded, Store } from '../../src/model/state/store.ts';
import type { SharedBudget } from '../../src/model/state/shared-budget.ts';
import { sqliteBudget } from '../../src/state/sqlite/budget.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { digestFields, digestOf } from '../../src/plan/digest.ts';
import {
  clientOf,
  newSchema,
  noPostgres,
  openTestState,
  startPostgres,
  type PostgresServer,
} from '../support/postgres.ts';
import { runRow } from '../support/run-row.ts';
import { inFolder, median } from './support/measure.ts';

const REQUESTS = Number(process.argv[2] ?? 300);
const ROUNDS = 3;
/** What else a server does comes and goes. */
const POSTGRES_ROUNDS = 9;
const ACCOUNT = { baseUrl: 'http://127.0.0.1:8787', accountId: '0b0e3c9a-0000-4000-8000-000000000001' };

interface Each {
  readonly ms: number;
  readonly processorMs: number;
}

/** What each of `count` turns of the work takes. */
async function each(count: number, work: (index: number) => unknown): Promise<Each> {
  const [beganMs, before] = [performance.now(), process.cpuUsage()];
  for (let index = 0; index < count; index += 1) await work(index);
  const { user, system } = process.cpuUsage(before);
  return { ms: (performance.now() - beganMs) / count, processorMs: (user + system) / 1000 / count };
}

function bareCommits(folder: string): (index: number) => void {
  const db = new DatabaseSync(path.join(folder, 'bare.sqlite'));
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (n INTEGER, text TEXT)',
  );
  const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
  return (index) => {
    insert.run(index, 'intent');
  };
}

const keyOf = (row: number): string => `M-${String(row).padStart(7, '0')}`;

function confirmedOf(row: number): KnownRecord {
  const fields = { external_id: keyOf(row), display_name: `Member ${row}`, is_active: true };
  const id = `0b0e3c9a-0000-4000-8000-${String(row).padStart(12, '0')}`;
  return { key: keyOf(row), id, number: row, digests: digestFields(fields), values: fields };
}

/** What a push knows of one request by then: its intent, and what its answer showed. */
interface Request extends Recorded {
  readonly intent: Intent;
  readonly patches: readonly RunRowPatch[];
}

const RUN = '01J00000000000000000000000';

function requestOf(round: string, index: number, batch: number): Request {
  const numbers = Array.from({ length: batch }, (_, n) => 2 + index * batch + n);
  const id = `01J${round}${String(index).padStart(20, '0')}`;
  const intent: Intent = {
    id,
    runId: RUN,
    mapping: 'users',
    resource: 'users',
    operation: 'create-users',
    rowNumbers: numbers,
    keys: numbers.map(keyOf),
    bodyDigest: digestOf(numbers),
    sentAtMs: realClock.now(),
  };
  const confirmed = numbers.map(confirmedOf);
  const patches = confirmed.map(({ id: userId }, n): RunRowPatch => {
    return { rowNumber: numbers[n] ?? 0, id: userId, outcome: 'created' };
  });
  return { intent, intentId: id, result: 'applied', detail: [], confirmed, patches };
}

/** What the books of one request of so many rows take, as the push keeps them while others wait, with what stands beside them. */
function booksOf(
  store: Store,
  rows: RunRows,
  batch: number,
  round: number,
  beside: () => Promise<void> = () => Promise.resolve(),
): Promise<Each> {
  const name = `${String(batch).padStart(3, '0')}${round}`.slice(-3);
  const count = batch === 1 ? REQUESTS : Math.ceil(REQUESTS / 10);
  const requests = Array.from({ length: count }, (_, index) => requestOf(name, index, batch));
  return each(count, async (index) => {
    await beside();
    const [request, before] = [requests[index], requests[index - 1]];
    if (request === undefined) return;
    await store.addIntent(ACCOUNT, request.intent, before === undefined ? [] : [before]);
    if (before !== undefined) await rows.patch('users', before.patches);
  });
}

async function onPostgres(folder: string, all: readonly RunRow[]): Promise<void> {
  if (noPostgres !== undefined) {
    console.log(noPostgres);
    return;
  }
  const server = await startPostgres({ isDurable: true });
  try {
    for (const batch of [1, 100]) {
      const costs: number[] = [];
      const bare: number[] = [];
      for (let round = 0; round < POSTGRES_ROUNDS; round += 1) {
        const cost = await onSchema(server, folder, all, batch, round);
        costs.push(cost.books);
        bare.push(cost.budget);
      }
      console.log(
        `PostgreSQL, ${batch === 1 ? '1 row' : `${batch} rows`} a request: ${median(costs).toFixed(2)} ms each (${Math.min(...costs).toFixed(2)} to ${Math.max(...costs).toFixed(2)}; goal: 5 ms), of it ${median(bare).toFixed(2)} ms its budget`,
      );
    }
  } finally {
    await server.close();
  }
}

/** The books of requests in a new state: the milliseconds of each, and of its budget alone. */
async function onSchema(
  server: PostgresServer,
  folder: string,
  all: readonly RunRow[],
  batch: number,
  round: number,
): Promise<{ readonly books: number; readonly budget: number }> {
  const client = await clientOf(server);
  const state = await openTestState(client, newSchema(), folder, { clock: realClock, held: [ACCOUNT] });
  try {
    const rows = await state.store.openRunRows(RUN);
    for (let at = 0; at < all.length; at += 1000) await rows.add('users', all.slice(at, at + 1000));
    const enter = entries(state.budget);
    const { ms: budget } = await each(REQUESTS / 10, enter);
    const { ms: books } = await booksOf(state.store, rows, batch, round, enter);
    await rows.remove();
    return { books, budget };
  } finally {
    await state.store.close();
  }
}

/** Enters one request after the other, as a client does that has seen everything before its own request. */
function entries(budget: SharedBudget): () => Promise<void> {
  let last: number | undefined;
  return async () => {
    const over = last === undefined ? [] : [{ number: last, agoMs: 0, doubtful: false }];
    const visit = { process: 'bench', after: last ?? 0, underWay: [], over, withinMs: 60_000 };
    last = await budget.visit(ACCOUNT, visit, () => ({
      ...{ kind: 'enter', readsAccount: false },
      lastsMs: 60_000,
    }));
  };
}

/** As many requests as stand in the budget when a client sends all that a window of 600 a minute lets through. */
const STANDING = 6000;

async function budgetOfMachine(folder: string): Promise<void> {
  const budget = sqliteBudget(folder, realClock);
  const enter = entries(budget);
  await enter();
  const first = await each(REQUESTS, enter);
  await each(STANDING, enter);
  const later = await each(REQUESTS, enter);
  budget.close();
  console.log(
    `an entry in the budget of this machine: ${first.ms.toFixed(3)} ms, with ${STANDING} requests before it ${later.ms.toFixed(3)} ms, ratio ${(later.ms / first.ms).toFixed(2)}`,
  );
}

await inFolder(async (folder) => {
  const store = await openStore({ file: path.join(folder, 'state.sqlite'), clock: realClock });
  try {
    const bare = bareCommits(folder);
    const rows = await store.openRunRows(RUN);
    const all = Array.from({ length: REQUESTS * 100 }, (_, n) =>
      runRow({ rowNumber: n + 2, key: keyOf(n + 2), change: 'create' }),
    );
    for (let at = 0; at < all.length; at += 1000) await rows.add('users', all.slice(at, at + 1000));
    const { ms: syncedMs } = await each(1, () => rows.sync());
    console.log(`the rows of a run: ${syncedMs.toFixed(2)} ms to outlast a power cut, once for each mapping`);
    for (const batch of [1, 100]) {
      const costs: { readonly own: Each; readonly bare: Each }[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const yardstick = await each(REQUESTS, bare);
        const own = await booksOf(store, rows, batch, round);
        costs.push({ own, bare: yardstick });
      }
      const of = (pick: (cost: (typeof costs)[number]) => number): string =>
        median(costs.map(pick)).toFixed(2);
      const [rowsOf, goal] = batch === 1 ? ['1 row', 1] : [`${batch} rows`, 1.5];
      console.log(
        `${rowsOf} a request: ${of(({ own }) => own.ms)} ms each, processor ${of(({ own }) => own.processorMs)} ms; ` +
          `a bare commit ${of(({ bare: one }) => one.ms)} ms, ratio ${of(({ own, bare: one }) => own.ms / one.ms)} (goal: ${goal} ms)`,
      );
    }
    await rows.remove();
    await budgetOfMachine(folder);
    await onPostgres(folder, all);
  } finally {
    await store.close();
  }
});
