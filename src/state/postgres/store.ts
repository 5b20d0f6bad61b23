import type { AlertStore } from '../../model/state/alerts.ts';
import { InternalError } from '../../model/error.ts';
import type { Memory } from '../../model/state/memory.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownRecord, RunRows } from '../../model/state/run-rows.ts';
import type { SharedBudget } from '../../model/state/shared-budget.ts';
import { wordsToStore, type Words } from '../../model/said.ts';
import type {
  Comparisons,
  Intent,
  IntentResult,
  Lock,
  LockLook,
  Run,
  RunChanges,
  ServiceAccount,
  Recorded,
  Store,
  StoredIntent,
  StrayRun,
} from '../../model/state/store.ts';
import { Leases, type LeaseOptions } from '../lease.ts';
import type { RunFolders } from '../run-folders.ts';
import { integer, written, type SqlRow } from '../sql-row.ts';
import { openRunRows as openTemporaryRows } from '../sqlite/run-rows.ts';
import { parseIntent, parseRun } from '../stored-rows.ts';
import { StoreParts } from '../store-parts.ts';
import { Accounts, lockAccount } from './accounts.ts';
import { PostgresAlerts } from './alerts.ts';
import { PostgresBudget } from './budget.ts';
import type { PostgresClient } from './client.ts';
import { PostgresComparisons } from './comparisons.ts';
import { Database, type Statements } from './database.ts';
import { PostgresFacts, spellingsIn } from './facts.ts';
import { PostgresLeases, type LeaseTableOptions } from './lease-table.ts';
import { PostgresMemory } from './memory.ts';
import { openKeptRunRows, openRunRows, type Fence } from './run-rows.ts';
import { openSchema } from './schema.ts';
import { PostgresSnapshots } from './snapshots.ts';
import { fromStorable, fromStorableOrNull, storable } from './storable.ts';

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
  readonly lock: Lock & LockLook;
  readonly leases: PostgresLeases;
  readonly budget: SharedBudget;
}> {
  const db = new Database(options.client, options.name, options.schema);
  await openSchema(db);
  const leases = new PostgresLeases(db, options);
  await leases.noteGone();
  const lock = new Leases(leases, options);
  const budget = new PostgresBudget(db, () => options.clock.monotonic());
  const own: Lock & LockLook = {
    acquire: (account, owner) => lock.acquire(account, owner),
    refuseHeld: (account) => leases.refuseHeld(account),
  };
  return { store: new PostgresStore(db, lock, leases, options), lock: own, leases, budget };
}

class PostgresStore extends StoreParts implements Store {
  readonly comparisons: Comparisons;
  readonly memory: Memory;
  readonly alerts: AlertStore;
  readonly #db: Database;
  readonly #lock: Leases;
  readonly #leases: PostgresLeases;
  readonly #fence: Fence;
  readonly #accounts: Accounts;
  readonly #snapshots: PostgresSnapshots;
  readonly #folders: RunFolders;
  readonly #clock: Clock;

  constructor(db: Database, lock: Leases, leases: PostgresLeases, { folders, clock }: PostgresOptions) {
    const accounts = new Accounts(db);
    const facts = new PostgresFacts(db, accounts, clock);
    // Who has lost a lock changes nothing any more: another machine may be at the same by now. Errors: StoppedError `lock.lost`.
    const fence: Fence = (statements) =>
      lock.refuseLost((account, lease) => leases.isHeld(statements, account, lease));
    const snapshots = new PostgresSnapshots(db, accounts, facts, fence, clock);
    super(snapshots, facts);
    this.#db = db;
    this.#lock = lock;
    this.#leases = leases;
    this.#fence = fence;
    this.#folders = folders;
    this.#clock = clock;
    this.#accounts = accounts;
    this.#snapshots = snapshots;
    this.comparisons = new PostgresComparisons(db, accounts);
    this.memory = new PostgresMemory(db, accounts);
    this.alerts = new PostgresAlerts(db);
  }

  async addRun(run: Run): Promise<void> {
    const account = await this.#accounts.add(run.account);
    await this.#db.run(
      'INSERT INTO {run} (id, account, started_at_ms, finished, conflicts, document) VALUES ($1, $2, $3, $4, $5, $6)',
      ...[storable(run.id), account, run.startedAtMs, Number(run.finished), conflictsOf(run)],
      JSON.stringify(run),
    );
  }

  updateRun(id: string, changes: RunChanges): Promise<void> {
    return this.#db.together(async (statements) => {
      const row = await statements.get('SELECT document FROM {run} WHERE id = $1 FOR UPDATE', storable(id));
      if (row === undefined) throw new InternalError('state.no_run', `no run ${id} is recorded`);
      const run = { ...parseRun(row), ...changes };
      await this.#fence(statements);
      await statements.run(
        'UPDATE {run} SET finished = $2, conflicts = $3, document = $4 WHERE id = $1',
        ...[storable(id), Number(run.finished), conflictsOf(run), JSON.stringify(run)],
      );
    });
  }

  run(id: string): Promise<Run | undefined> {
    return this.#db.get(parseRun, 'SELECT document FROM {run} WHERE id = $1', storable(id));
  }

  runs(limit: number): Promise<readonly Run[]> {
    const statement = 'SELECT document FROM {run} ORDER BY started_at_ms DESC, sequence DESC LIMIT $1';
    return this.#db.all(parseRun, statement, limit);
  }

  async newestUnfinishedRun(account: ServiceAccount): Promise<Run | undefined> {
    return this.#db.get(
      parseRun,
      'SELECT document FROM {run} WHERE account = $1 AND finished = 0 ORDER BY started_at_ms DESC, sequence DESC LIMIT 1',
      await this.#accounts.find(account),
    );
  }

  async runsInConflict(account: ServiceAccount): Promise<readonly Run[]> {
    return this.#db.all(
      parseRun,
      'SELECT document FROM {run} WHERE account = $1 AND conflicts > 0 ORDER BY started_at_ms, sequence',
      await this.#accounts.find(account),
    );
  }

  async addPull(pull: Run): Promise<void> {
    const account = await this.#accounts.add(pull.account);
    await this.#db.run(
      'INSERT INTO {pull} (id, account, started_at_ms, document) VALUES ($1, $2, $3, $4)',
      ...[storable(pull.id), account, pull.startedAtMs, JSON.stringify(pull)],
    );
  }

  updatePull(id: string, changes: RunChanges): Promise<void> {
    return this.#db.together(async (statements) => {
      const row = await statements.get('SELECT document FROM {pull} WHERE id = $1 FOR UPDATE', storable(id));
      if (row === undefined) throw new InternalError('state.no_run', `no pull ${id} is recorded`);
      const pull = { ...parseRun(row), ...changes };
      const statement = 'UPDATE {pull} SET document = $2 WHERE id = $1';
      await statements.run(statement, storable(id), JSON.stringify(pull));
    });
  }

  pulls(limit: number): Promise<readonly Run[]> {
    const statement = 'SELECT document FROM {pull} ORDER BY started_at_ms DESC, sequence DESC LIMIT $1';
    return this.#db.all(parseRun, statement, limit);
  }

  /** Rows without a run never leave this machine. */
  async openRunRows(runId: string | null): Promise<RunRows> {
    return runId === null ? openTemporaryRows(null) : openRunRows(this.#db, runId, this.#fence);
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
    const strays = await this.#db.all(
      (row) => ({ id: fromStorable(row, 0), changedAtMs: integer(row, 1) }),
      `SELECT run_id, (extract(epoch FROM changed_at) * 1000)::bigint FROM {run_rows} AS rows
       WHERE NOT EXISTS (SELECT 1 FROM {run} AS run WHERE run.id = rows.run_id)`,
    );
    const runs = await this.#db.all((row) => fromStorable(row, 0), 'SELECT id FROM {run}');
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
    return this.#db.all(parseSent, `${INTENTS} WHERE run_id = $1 ORDER BY sequence`, storable(runId));
  }

  async findIntents(
    account: ServiceAccount,
    prefix: string,
    limit: number,
  ): Promise<readonly StoredIntent[]> {
    return this.#db.all(
      parseSent,
      `${INTENTS} WHERE account = $1 AND starts_with(id, $2) ORDER BY sequence LIMIT $3`,
      ...[await this.#accounts.find(account), storable(prefix), limit],
    );
  }

  async intentsAfter(account: ServiceAccount, id: string): Promise<readonly StoredIntent[]> {
    return this.#db.all(
      parseSent,
      `${INTENTS} WHERE account = $1 AND sequence > (SELECT sequence FROM {intent} WHERE id = $2) ORDER BY sequence`,
      await this.#accounts.find(account),
      storable(id),
    );
  }

  async openIntents(account: ServiceAccount): Promise<readonly StoredIntent[]> {
    const number = await this.#accounts.find(account);
    return this.#db.all(
      parseSent,
      `${INTENTS} WHERE account = $1 AND ${OPEN_INTENT} ORDER BY sequence`,
      number,
    );
  }

  accounts(baseUrl: string): Promise<readonly ServiceAccount[]> {
    return this.#accounts.of(baseUrl);
  }

  keyOrigin(keyDigest: string): Promise<string | undefined> {
    const statement = 'SELECT origin FROM {key_origin} WHERE key_digest = $1';
    return this.#db.get((row) => fromStorable(row, 0), statement, storable(keyDigest));
  }

  async setKeyOrigin(keyDigest: string, origin: string): Promise<void> {
    await this.#db.run(
      'INSERT INTO {key_origin} VALUES ($1, $2) ON CONFLICT (key_digest) DO UPDATE SET origin = excluded.origin',
      storable(keyDigest),
      storable(origin),
    );
  }

  close(): Promise<void> {
    return this.#db.close();
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
      return this.#snapshots.write(
        statements,
        account,
        (written(row) as Intent).resource,
        confirmed,
        spellings,
      );
    });
    await Promise.all([...kept, last?.()]);
  }
}

const OPEN_INTENT = "(result IS NULL OR result = 'ambiguous')";
const INTENTS = `SELECT document, result, detail, holder, gone_at_ms FROM {intent} AS intent LEFT JOIN {silent} AS silent ON silent.lease = intent.lease`;

/** From a row of {@link INTENTS}. */
function parseSent(row: SqlRow): StoredIntent {
  const holder = fromStorableOrNull(row, 3);
  const goneAtMs = row[4] === null ? null : integer(row, 4);
  return { ...parseIntent(row), ...(holder !== null && { silent: { holder, goneAtMs } }) };
}

/** Rows in conflict of a run. */
export const conflictsOf = ({ summaries }: Run): number =>
  summaries.reduce((sum, each) => sum + (each.direction === 'push' ? each.conflict : 0), 0);
