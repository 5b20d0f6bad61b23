import type { ResourceName } from '../../contract/index.ts';
import type { AlertStore } from '../../model/state/alerts.ts';
import { InternalError } from '../../model/error.ts';
import type { Memory } from '../../model/state/memory.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownRecord, RunRows } from '../../model/state/run-rows.ts';
import type { SharedBudget } from '../../model/state/shared-budget.ts';
import { wordsToStore, type Words } from '../../model/said.ts';
import {
  oneOfSpellings,
  readSpelling,
  speltKey,
  spellingFact,
  type Spelling,
} from '../../model/state/spelling.ts';
import type {
  Comparisons,
  Fact,
  Intent,
  IntentResult,
  Lock,
  Run,
  ServiceAccount,
  Recorded,
  Store,
  StoredIntent,
  StrayRun,
  WantedDigests,
} from '../../model/state/store.ts';
import { holdsDigests } from '../held-digests.ts';
import { Leases, type LeaseOptions } from '../lease.ts';
import type { RunFolders } from '../sqlite/run-folders.ts';
import { integer, text, written, type SqlRow } from '../sql-row.ts';
import { openRunRows as openTemporaryRows } from '../sqlite/run-rows.ts';
import { parseIntent, parseRecord, parseRun } from '../sqlite/stored-rows.ts';
import { Accounts, lockAccount } from './accounts.ts';
import { PostgresAlerts } from './alerts.ts';
import { PostgresBudget } from './budget.ts';
import type { PostgresClient, Value } from './client.ts';
import { dropComparisons, PostgresComparisons } from './comparisons.ts';
import { Database, type Statements } from './database.ts';
import { PostgresLeases, type LeaseTableOptions } from './lease-table.ts';
import { PostgresMemory } from './memory.ts';
import { openKeptRunRows, openRunRows, type Fence } from './run-rows.ts';
import { openSchema } from './schema.ts';
import { findable, fromStorable, storable, storableOrNull } from './storable.ts';

const PAGE_RECORDS = 2000;

interface PostgresOptions extends LeaseOptions, LeaseTableOptions {
  readonly client: PostgresClient;
  /** How messages call the database; without password and user. */
  readonly name: string;
  /** Letters, digits and `_`. */
  readonly schema: string;
  readonly clock: Clock;
  /** Where this machine keeps the files of runs. */
  readonly folders: RunFolders;
}

/**
 * Opens the state in a schema of a PostgreSQL database, making its tables where they are missing, and the lock of its accounts, which reaches every machine that
 * has this state. Intents are recorded under the lock alone, and who has lost it changes no run and no intent. The client is closed with the store. Errors: those of {@link openSchema}; those of
 * {@link Database} for every method.
 */
export async function openPostgresState(options: PostgresOptions): Promise<{
  readonly store: Store;
  readonly lock: Lock;
  readonly leases: PostgresLeases;
  readonly budget: SharedBudget;
}> {
  const db = new Database(options.client, options.name, options.schema);
  await openSchema(db);
  const leases = new PostgresLeases(db, options);
  await leases.noteGone();
  const lock = new Leases(leases, options);
  const budget = new PostgresBudget(db, () => options.clock.monotonic());
  return { store: new PostgresStore(db, lock, leases, options), lock, leases, budget };
}

class PostgresStore implements Store {
  readonly comparisons: Comparisons;
  readonly memory: Memory;
  readonly alerts: AlertStore;
  readonly #db: Database;
  readonly #lock: Leases;
  readonly #leases: PostgresLeases;
  readonly #accounts: Accounts;
  readonly #folders: RunFolders;
  readonly #clock: Clock;

  constructor(db: Database, lock: Leases, leases: PostgresLeases, { folders, clock }: PostgresOptions) {
    this.#db = db;
    this.#lock = lock;
    this.#leases = leases;
    this.#folders = folders;
    this.#clock = clock;
    this.#accounts = new Accounts(db);
    this.comparisons = new PostgresComparisons(db, this.#accounts);
    this.memory = new PostgresMemory(db, this.#accounts);
    this.alerts = new PostgresAlerts(db);
  }

  /** Who has lost a lock changes nothing any more: another machine may be at the same by now. Errors: StoppedError `lock.lost`. */
  readonly #fence: Fence = (statements) =>
    this.#lock.refuseLost((account, lease) => this.#leases.isHeld(statements, account, lease));

  async addRun(run: Run): Promise<void> {
    const account = await this.#accounts.add(run.account);
    await this.#run(
      'INSERT INTO {run} (id, account, started_at_ms, finished, conflicts, document) VALUES ($1, $2, $3, $4, $5, $6)',
      ...[storable(run.id), account, run.startedAtMs, Number(run.finished), conflictsOf(run)],
      JSON.stringify(run),
    );
  }

  async updateRun(id: string, changes: Partial<Omit<Run, 'id'>>): Promise<void> {
    const account = changes.account === undefined ? null : await this.#accounts.add(changes.account);
    await this.#db.together(async (statements) => {
      const row = await statements.get('SELECT document FROM {run} WHERE id = $1 FOR UPDATE', storable(id));
      if (row === undefined) throw new InternalError('state.no_run', `no run ${id} is recorded`);
      const run = { ...parseRun(row), ...changes };
      await this.#fence(statements);
      await statements.run(
        'UPDATE {run} SET account = coalesce($2, account), started_at_ms = $3, finished = $4, conflicts = $5, document = $6 WHERE id = $1',
        ...[storable(id), account, run.startedAtMs, Number(run.finished), conflictsOf(run)],
        JSON.stringify(run),
      );
    });
  }

  async run(id: string): Promise<Run | undefined> {
    const [run] = await this.#all(parseRun, 'SELECT document FROM {run} WHERE id = $1', storable(id));
    return run;
  }

  runs(limit: number): Promise<readonly Run[]> {
    const statement = 'SELECT document FROM {run} ORDER BY started_at_ms DESC, sequence DESC LIMIT $1';
    return this.#all(parseRun, statement, limit);
  }

  async newestUnfinishedRun(account: ServiceAccount): Promise<Run | undefined> {
    const [run] = await this.#all(
      parseRun,
      'SELECT document FROM {run} WHERE account = $1 AND finished = 0 ORDER BY started_at_ms DESC, sequence DESC LIMIT 1',
      await this.#accounts.find(account),
    );
    return run;
  }

  async runsInConflict(account: ServiceAccount): Promise<readonly Run[]> {
    return this.#all(
      parseRun,
      'SELECT document FROM {run} WHERE account = $1 AND conflicts > 0 ORDER BY started_at_ms, sequence',
      await this.#accounts.find(account),
    );
  }

  async addPull(pull: Run): Promise<void> {
    const account = await this.#accounts.add(pull.account);
    await this.#run(
      'INSERT INTO {pull} (id, account, started_at_ms, document) VALUES ($1, $2, $3, $4)',
      ...[storable(pull.id), account, pull.startedAtMs, JSON.stringify(pull)],
    );
  }

  updatePull(id: string, changes: Partial<Omit<Run, 'id' | 'account'>>): Promise<void> {
    return this.#db.together(async (statements) => {
      const row = await statements.get('SELECT document FROM {pull} WHERE id = $1 FOR UPDATE', storable(id));
      if (row === undefined) throw new InternalError('state.no_run', `no pull ${id} is recorded`);
      const pull = { ...parseRun(row), ...changes };
      const statement = 'UPDATE {pull} SET started_at_ms = $2, document = $3 WHERE id = $1';
      await statements.run(statement, storable(id), pull.startedAtMs, JSON.stringify(pull));
    });
  }

  pulls(limit: number): Promise<readonly Run[]> {
    const statement = 'SELECT document FROM {pull} ORDER BY started_at_ms DESC, sequence DESC LIMIT $1';
    return this.#all(parseRun, statement, limit);
  }

  /** Rows without a run never leave this machine. */
  async openRunRows(runId: string | null): Promise<RunRows> {
    return runId === null ? openTemporaryRows(null, 0) : openRunRows(this.#db, runId, this.#fence);
  }

  keptRunRows(runId: string): Promise<RunRows | undefined> {
    return openKeptRunRows(this.#db, runId, this.#fence);
  }

  async removeRuns(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.#db.together(async (statements) => {
        const open = `SELECT count(*) FROM {intent} WHERE run_id = $1 AND ${OPEN_INTENT}`;
        if ((await statements.count(open, storable(id))) > 0)
          throw new InternalError('state.open_run', `run ${id} has a write that is still open`);
        await statements.run('DELETE FROM {intent} WHERE run_id = $1', storable(id));
        await statements.run('DELETE FROM {run} WHERE id = $1', storable(id));
        await statements.run('DELETE FROM {pull} WHERE id = $1', storable(id));
        await statements.run('DELETE FROM {run_rows} WHERE run_id = $1', storable(id));
      });
      // A folder that outlives its run is a stray one, which the next time removes.
      await this.#folders.remove(id);
    }
  }

  async strayRuns(): Promise<readonly StrayRun[]> {
    const strays = await this.#all(
      (row) => ({ id: fromStorable(row, 0) ?? '', changedAtMs: integer(row, 1) }),
      `SELECT run_id, (extract(epoch FROM changed_at) * 1000)::bigint FROM {run_rows} AS rows
       WHERE NOT EXISTS (SELECT 1 FROM {run} AS run WHERE run.id = rows.run_id)`,
    );
    const runs = await this.#all((row) => fromStorable(row, 0) ?? '', 'SELECT id FROM {run}');
    const known = new Set([...strays.map(({ id }) => id), ...runs]);
    return [...strays, ...(await this.#folders.others(known))];
  }

  async addIntent(
    account: ServiceAccount,
    intent: Intent,
    recorded: readonly Recorded[] = [],
  ): Promise<void> {
    const number = await this.#accounts.add(account);
    const document = JSON.stringify(intent);
    const row = { id: storable(intent.id), accountNumber: number, runId: storable(intent.runId), document };
    await this.#lock.renewedBy(account, (lease) => {
      const add = (statements: Statements): Promise<void> =>
        this.#leases.addIntent(statements, account, lease, row);
      if (recorded.length === 0) return this.#db.alone(add);
      return this.#db.together(
        (statements) => this.#record(statements, number, recorded, { last: () => add(statements) }),
        { keepsPlans: true },
      );
    });
  }

  async recordResult(
    account: ServiceAccount,
    intentId: string,
    result: IntentResult,
    detail: Words,
    confirmed: readonly KnownRecord[],
  ): Promise<void> {
    const number = await this.#accounts.find(account);
    await this.#db.together(
      (statements) =>
        this.#record(statements, number, [{ intentId, result, detail, confirmed }], {
          first: () => this.#fence(statements),
        }),
      { keepsPlans: true },
    );
  }

  intents(runId: string): Promise<readonly StoredIntent[]> {
    return this.#all(parseSent, `${INTENTS} WHERE run_id = $1 ORDER BY sequence`, storable(runId));
  }

  async findIntents(
    account: ServiceAccount,
    prefix: string,
    limit: number,
  ): Promise<readonly StoredIntent[]> {
    return this.#all(
      parseSent,
      `${INTENTS} WHERE account = $1 AND starts_with(id, $2) ORDER BY sequence LIMIT $3`,
      ...[await this.#accounts.find(account), storable(prefix), limit],
    );
  }

  async intentsAfter(account: ServiceAccount, id: string): Promise<readonly StoredIntent[]> {
    return this.#all(
      parseSent,
      `${INTENTS} WHERE account = $1 AND sequence > (SELECT sequence FROM {intent} WHERE id = $2) ORDER BY sequence`,
      await this.#accounts.find(account),
      storable(id),
    );
  }

  async openIntents(account: ServiceAccount): Promise<readonly StoredIntent[]> {
    const number = await this.#accounts.find(account);
    return this.#all(parseSent, `${INTENTS} WHERE account = $1 AND ${OPEN_INTENT} ORDER BY sequence`, number);
  }

  accounts(baseUrl: string): Promise<readonly ServiceAccount[]> {
    return this.#accounts.of(baseUrl);
  }

  async snapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, KnownRecord>> {
    const number = await this.#accounts.find(account);
    return this.#db.alone(async (statements) => {
      const spelling = (await spellingsIn(statements, number)).get(spellingFact(resource));
      const wanted = Map.groupBy(keys, (key) => speltKey(resource, key, spelling));
      const rows = await statements.all(
        `SELECT record, managed_by FROM json_array_elements_text($3::json) AS wanted
         JOIN {snapshot} AS held ON held.account = $1 AND held.resource = $2 AND held.key = wanted`,
        ...[number, resource, JSON.stringify([...wanted.keys()].map(findable))],
      );
      return new Map(
        rows
          .map(parseSnapshot)
          .flatMap((record) => (wanted.get(record.key) ?? []).map((key) => [key, { ...record, key }])),
      );
    });
  }

  async paddedSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<readonly KnownRecord[]> {
    return this.#all(
      parseSnapshot,
      `SELECT record, managed_by FROM json_array_elements_text($3::json) AS wanted
       JOIN {snapshot} AS held ON held.account = $1 AND held.resource = $2 AND held.key >= wanted || ' ' AND held.key < wanted || '!'
       AND rtrim(held.key, ' ') = wanted`,
      ...[await this.#accounts.find(account), resource, JSON.stringify(keys.map(findable))],
    );
  }

  async confirmedWith(
    account: ServiceAccount,
    resource: ResourceName,
    wanted: readonly WantedDigests[],
  ): Promise<readonly boolean[]> {
    const number = await this.#accounts.find(account);
    return this.#db.alone(async (statements) => {
      const spelling = (await spellingsIn(statements, number)).get(spellingFact(resource));
      const keys = wanted.map(({ key }) => findable(speltKey(resource, key, spelling)));
      const rows = await statements.all(
        `SELECT at - 1, record FROM json_array_elements_text($3::json) WITH ORDINALITY AS wanted (key, at)
         JOIN {snapshot} AS held ON held.account = $1 AND held.resource = $2 AND held.key = wanted.key`,
        ...[number, resource, JSON.stringify(keys)],
      );
      const found = keys.map(() => false);
      for (const row of rows) {
        const at = integer(row, 0);
        found[at] = holdsDigests(text(row, 1), wanted[at]?.digests ?? {});
      }
      return found;
    });
  }

  async *allSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    sinceMs = 0,
  ): AsyncGenerator<readonly KnownRecord[]> {
    const number = await this.#accounts.find(account);
    for (let after: string | null = null; ;) {
      const from: string | null = after;
      const page = await this.#db.alone(async (statements) => {
        const rows = await statements.all(
          `SELECT record, managed_by, key FROM {snapshot} WHERE account = $1 AND resource = $2 AND confirmed_at_ms >= $3
           AND ($4::text IS NULL OR key > $4) ORDER BY key LIMIT ${PAGE_RECORDS}`,
          ...[number, resource, sinceMs, from],
        );
        const last = rows.at(-1);
        if (last !== undefined) after = text(last, 2);
        return rows.map(parseSnapshot);
      });
      if (page.length === 0) return;
      yield page;
    }
  }

  async countSnapshots(account: ServiceAccount, resource: ResourceName): Promise<number> {
    const number = await this.#accounts.find(account);
    const statement = 'SELECT count(*) FROM {snapshot} WHERE account = $1 AND resource = $2';
    return this.#db.alone((statements) => statements.count(statement, number, resource));
  }

  async confirm(
    account: ServiceAccount,
    resource: ResourceName,
    records: readonly KnownRecord[],
  ): Promise<void> {
    const number = await this.#accounts.add(account);
    await this.#db.together(async (statements) => {
      const [, , spellings] = await Promise.all([
        lockAccount(statements, number),
        this.#fence(statements),
        spellingsIn(statements, number),
      ]);
      await this.#confirm(statements, number, resource, records, spellings);
    });
  }

  async forgetOlder(account: ServiceAccount, resource: ResourceName, listedAtMs: number): Promise<void> {
    const number = await this.#accounts.find(account);
    await this.#db.together(async (statements) => {
      await lockAccount(statements, number);
      await this.#fence(statements);
      await dropComparisons(statements, number, resource);
      await statements.run(
        'DELETE FROM {snapshot} WHERE account = $1 AND resource = $2 AND confirmed_at_ms < $3',
        ...[number, resource, listedAtMs],
      );
    });
  }

  async respell(account: ServiceAccount, resource: ResourceName, spelling: Spelling): Promise<void> {
    const number = await this.#accounts.add(account);
    await this.#db.together(async (statements) => {
      await lockAccount(statements, number);
      await this.#fence(statements);
      const fact = { name: spellingFact(resource), value: JSON.stringify(spelling) };
      await this.#setFacts(statements, number, [fact]);
      const rows = await statements.all(
        'SELECT record, managed_by, confirmed_at_ms FROM {snapshot} WHERE account = $1 AND resource = $2',
        ...[number, resource],
      );
      const held = rows.map((row) => ({ record: parseSnapshot(row), atMs: integer(row, 2) }));
      const byKey = new Map(held.map((each) => [each.record.key, each]));
      const gone: string[] = [];
      const moved = new Set<string>();
      for (const { record, atMs } of held) {
        const key = speltKey(resource, record.key, spelling);
        if (key === record.key) continue;
        const there = byKey.get(key);
        const one = there === undefined ? { ...record, key } : oneOfSpellings(there.record, record);
        byKey.set(key, { record: one, atMs: Math.max(atMs, there?.atMs ?? 0) });
        moved.add(key);
        gone.push(findable(record.key));
      }
      await statements.run(
        'DELETE FROM {snapshot} WHERE account = $1 AND resource = $2 AND key IN (SELECT json_array_elements_text($3::json))',
        ...[number, resource, JSON.stringify(gone)],
      );
      const kept = [...moved].flatMap((key) => byKey.get(key) ?? []);
      await keepSnapshots(statements, number, resource, kept);
    });
  }

  async fact(account: ServiceAccount, name: string): Promise<Omit<Fact, 'name'> | undefined> {
    const [fact] = await this.#all(
      (row) => ({ value: fromStorable(row, 0) ?? '', atMs: integer(row, 1) }),
      'SELECT value, at_ms FROM {fact} WHERE account = $1 AND name = $2',
      await this.#accounts.find(account),
      storable(name),
    );
    return fact;
  }

  setFact(account: ServiceAccount, name: string, value: string): Promise<void> {
    return this.setFacts(account, [{ name, value }]);
  }

  async facts(account: ServiceAccount): Promise<readonly Fact[]> {
    return this.#all(
      (row) => ({
        name: fromStorable(row, 0) ?? '',
        value: fromStorable(row, 1) ?? '',
        atMs: integer(row, 2),
      }),
      'SELECT name, value, at_ms FROM {fact} WHERE account = $1 ORDER BY name',
      await this.#accounts.find(account),
    );
  }

  async setFacts(account: ServiceAccount, facts: readonly Pick<Fact, 'name' | 'value'>[]): Promise<void> {
    const number = await this.#accounts.add(account);
    await this.#db.alone((statements) => this.#setFacts(statements, number, facts));
  }

  async keyOrigin(keyDigest: string): Promise<string | undefined> {
    const statement = 'SELECT origin FROM {key_origin} WHERE key_digest = $1';
    const [origin] = await this.#all((row) => fromStorable(row, 0) ?? '', statement, storable(keyDigest));
    return origin;
  }

  setKeyOrigin(keyDigest: string, origin: string): Promise<void> {
    return this.#run(
      'INSERT INTO {key_origin} VALUES ($1, $2) ON CONFLICT (key_digest) DO UPDATE SET origin = excluded.origin',
      storable(keyDigest),
      storable(origin),
    );
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  async #run(statement: string, ...values: Value[]): Promise<void> {
    await this.#db.alone((statements) => statements.run(statement, ...values));
  }

  #all<T>(parse: (row: SqlRow) => T, statement: string, ...values: Value[]): Promise<readonly T[]> {
    return this.#db.alone(async (statements) => (await statements.all(statement, ...values)).map(parse));
  }

  async #setFacts(
    statements: Statements,
    account: number,
    facts: readonly Pick<Fact, 'name' | 'value'>[],
  ): Promise<void> {
    const last = new Map(facts.map(({ name, value }) => [storable(name), storable(value)]));
    const values = [...last].map(([name, value]) => ({ name, value }));
    await statements.run(
      `INSERT INTO {fact} SELECT $1::bigint, name, value, $3::bigint FROM json_to_recordset($2::json) AS each(name text, value text)
       ON CONFLICT (account, name) DO UPDATE SET value = excluded.value, at_ms = excluded.at_ms`,
      ...[account, JSON.stringify(values), this.#clock.now()],
    );
  }

  /** `first` is done under the lock of the account, `last` at the end. */
  async #record(
    statements: Statements,
    account: number,
    recorded: readonly Recorded[],
    { first, last }: { readonly first?: () => Promise<void>; readonly last?: () => Promise<void> },
  ): Promise<void> {
    const [, , spellings, intents] = await Promise.all([
      lockAccount(statements, account),
      first?.(),
      spellingsIn(statements, account),
      Promise.all(
        recorded.map(({ intentId, result, detail }) =>
          statements.get(
            `UPDATE {intent} SET result = $3, detail = $4, settled_at_ms = $5
             WHERE id = $1 AND account = $2 AND ${OPEN_INTENT} RETURNING document`,
            ...[storable(intentId), account, result, wordsToStore(detail), this.#clock.now()],
          ),
        ),
      ),
    ]);
    const kept = recorded.map(({ intentId, confirmed }, at) => {
      const row = intents[at];
      if (row === undefined)
        throw new InternalError('state.no_intent', `no open intent ${intentId} is recorded for this account`);
      return this.#confirm(statements, account, (written(row) as Intent).resource, confirmed, spellings);
    });
    await Promise.all([...kept, last?.()]);
  }

  #confirm(
    statements: Statements,
    account: number,
    resource: ResourceName,
    records: readonly KnownRecord[],
    spellings: ReadonlyMap<string, Spelling>,
  ): Promise<void> {
    const spelling = spellings.get(spellingFact(resource));
    const atMs = this.#clock.now();
    const byKey = new Map<string, { readonly record: KnownRecord; readonly atMs: number }>();
    for (const record of records) {
      const key = speltKey(resource, record.key, spelling);
      const managedBy = record.managedBy ?? byKey.get(key)?.record.managedBy;
      byKey.set(key, { record: { ...record, key, ...(managedBy !== undefined && { managedBy }) }, atMs });
    }
    return keepSnapshots(statements, account, resource, [...byKey.values()]);
  }
}

const OPEN_INTENT = "(result IS NULL OR result = 'ambiguous')";
const INTENTS = `SELECT document, result, detail, holder, gone_at_ms FROM {intent} AS intent LEFT JOIN {silent} AS silent ON silent.lease = intent.lease`;

/** From a row of {@link INTENTS}. */
function parseSent(row: SqlRow): StoredIntent {
  const holder = fromStorable(row, 3);
  const goneAtMs = row[4] === null ? null : integer(row, 4);
  return { ...parseIntent(row), ...(holder !== null && { silent: { holder, goneAtMs } }) };
}

/** Rows in conflict of a run. */
export const conflictsOf = ({ summaries }: Run): number =>
  summaries.reduce((sum, each) => sum + (each.direction === 'push' ? each.conflict : 0), 0);

/** By the names of their facts. */
async function spellingsIn(statements: Statements, account: number): Promise<ReadonlyMap<string, Spelling>> {
  const statement = "SELECT name, value FROM {fact} WHERE account = $1 AND name LIKE 'spelling:%'";
  const rows = await statements.all(statement, account);
  return new Map(
    rows.flatMap((row) => {
      const spelling = readSpelling(fromStorable(row, 1) ?? undefined);
      return spelling === undefined ? [] : [[text(row, 0), spelling]];
    }),
  );
}

/** From a row of record and managed_by. */
function parseSnapshot(row: SqlRow): KnownRecord {
  const managedBy = fromStorable(row, 1);
  return { ...parseRecord(row), ...(managedBy !== null && { managedBy }) };
}

/** Keeps records by their keys. A list does not say who manages a record: what is known of that stays. */
async function keepSnapshots(
  statements: Statements,
  account: number,
  resource: ResourceName,
  records: readonly { readonly record: KnownRecord; readonly atMs: number }[],
): Promise<void> {
  const values = records.map(({ record: { managedBy, ...record }, atMs }) => ({
    key: findable(record.key),
    record: JSON.stringify(record),
    managed_by: storableOrNull(managedBy ?? null),
    at_ms: atMs,
  }));
  await statements.run(
    `WITH dropped AS (DELETE FROM {comparison} WHERE account = $1 AND resource = $2)
     INSERT INTO {snapshot} AS held (account, resource, key, record, managed_by, confirmed_at_ms)
     SELECT $1::bigint, $2::text, key, record, managed_by, at_ms
       FROM json_to_recordset($3::json) AS each(key text, record text, managed_by text, at_ms bigint)
     ON CONFLICT (account, resource, key) DO UPDATE SET record = excluded.record, confirmed_at_ms = excluded.confirmed_at_ms,
       managed_by = coalesce(excluded.managed_by, held.managed_by)`,
    ...[account, resource, JSON.stringify(values)],
  );
}
