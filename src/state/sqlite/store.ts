import { dirname, join, resolve } from 'node:path';
import type { ResourceName } from '../../contract/index.ts';
import type { AlertStore } from '../../model/state/alerts.ts';
import { InternalError } from '../../model/error.ts';
import type { Memory } from '../../model/state/memory.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownRecord, RunRows } from '../../model/state/run-rows.ts';
import { wordsToStore, type Words } from '../../model/said.ts';
import type {
  Comparisons,
  Intent,
  IntentResult,
  Run,
  RunChanges,
  ServiceAccount,
  Recorded,
  Store,
  StoredIntent,
  StrayRun,
} from '../../model/state/store.ts';
import { SqliteAccounts } from './accounts.ts';
import { openDatabase, type Database } from './database.ts';
import { SqliteFacts } from './facts.ts';
import { RunFolders } from '../run-folders.ts';
import { StoreParts } from '../store-parts.ts';
import { text } from '../sql-row.ts';
import { SqliteComparisons } from './comparisons.ts';
import { SqliteMemory } from './memory.ts';
import { SqliteAlerts } from './alerts.ts';
import { openKeptRunRows, openRunRows } from './run-rows.ts';
import { STATE_FORMAT } from './state-format.ts';
import { refuseWrongPath } from './state-path.ts';
import { attempt } from '../storage-error.ts';
import { SqliteSnapshots } from './snapshots.ts';
import { parseIntent, parseRun } from '../stored-rows.ts';

interface StoreOptions {
  /** The state file; its runs stand in `runs/` beside it. */
  readonly file: string;
  readonly clock: Clock;
  /** How long a method waits for another process; 10 s by default. */
  readonly busyTimeoutMs?: number;
}

/**
 * Opens the state of one configuration, creating it (0600, folder 0700) when it is missing; several processes may hold it open.
 * Errors: ConfigError `state.path`, `state.newer` and `state.damaged`, UnavailableError `state.unwritable` and `state.busy`; the same for every method.
 */
export function openStore(options: StoreOptions): Promise<Store> {
  const file = resolve(options.file);
  const { clock, busyTimeoutMs } = options;
  return attempt(file, () => {
    refuseWrongPath(file);
    const db = openDatabase({ file, format: STATE_FORMAT, durability: 'full', busyTimeoutMs });
    return new SqliteStore(db, new RunFolders(join(dirname(file), 'runs')), clock);
  });
}

class SqliteStore extends StoreParts implements Store {
  readonly comparisons: Comparisons;
  readonly memory: Memory;
  readonly alerts: AlertStore;
  readonly #db: Database;
  readonly #folders: RunFolders;
  readonly #clock: Clock;
  readonly #accounts: SqliteAccounts;
  readonly #snapshots: SqliteSnapshots;

  constructor(db: Database, folders: RunFolders, clock: Clock) {
    const accounts = new SqliteAccounts(db);
    const facts = new SqliteFacts(db, accounts, clock);
    const snapshots = new SqliteSnapshots(db, accounts, facts, clock);
    super(snapshots, facts);
    this.#db = db;
    this.#folders = folders;
    this.#clock = clock;
    this.#accounts = accounts;
    this.#snapshots = snapshots;
    this.comparisons = new SqliteComparisons(db, accounts);
    this.memory = new SqliteMemory(db, accounts);
    this.alerts = new SqliteAlerts(db);
  }

  addRun(run: Run): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        'INSERT INTO run (id, account, started_at_ms, finished, document) VALUES (?, ?, ?, ?, ?)',
        run.id,
        this.#accounts.add(run.account),
        run.startedAtMs,
        Number(run.finished),
        JSON.stringify(run),
      );
    });
  }

  updateRun(id: string, changes: RunChanges): Promise<void> {
    return this.#db.write(() => {
      const row = this.#db.get('SELECT document FROM sealed_run WHERE id = ?', id);
      if (row === undefined) throw new InternalError('state.no_run', `no run ${id} is recorded`);
      const run = { ...parseRun(row), ...changes };
      const statement = 'UPDATE run SET finished = ?, document = ? WHERE id = ?';
      this.#db.run(statement, Number(run.finished), JSON.stringify(run), id);
    });
  }

  run(id: string): Promise<Run | undefined> {
    return this.#db.read(() => this.#runs('run WHERE id = ?', id)[0]);
  }

  runs(limit: number): Promise<readonly Run[]> {
    return this.#db.read(() => this.#runs(`run ${NEWEST_FIRST} LIMIT ?`, limit));
  }

  newestUnfinishedRun(account: ServiceAccount): Promise<Run | undefined> {
    return this.#db.read(() => {
      const unfinished = `run WHERE account = ? AND finished = 0 ${NEWEST_FIRST} LIMIT 1`;
      return this.#runs(unfinished, this.#accounts.find(account))[0];
    });
  }

  runsInConflict(account: ServiceAccount): Promise<readonly Run[]> {
    return this.#db.read(() =>
      this.#runs(
        `run WHERE account = ? AND (document IS NULL OR EXISTS (
           SELECT 1 FROM json_each(document, '$.summaries') WHERE value ->> '$.conflict' > 0
         )) ORDER BY started_at_ms, sequence`,
        this.#accounts.find(account),
      ),
    );
  }

  addPull(pull: Run): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        'INSERT INTO pull (id, account, started_at_ms, document) VALUES (?, ?, ?, ?)',
        ...[pull.id, this.#accounts.add(pull.account), pull.startedAtMs, JSON.stringify(pull)],
      );
    });
  }

  updatePull(id: string, changes: RunChanges): Promise<void> {
    return this.#db.write(() => {
      const row = this.#db.get('SELECT document FROM sealed_pull WHERE id = ?', id);
      if (row === undefined) throw new InternalError('state.no_run', `no pull ${id} is recorded`);
      const pull = { ...parseRun(row), ...changes };
      this.#db.run('UPDATE pull SET document = ? WHERE id = ?', JSON.stringify(pull), id);
    });
  }

  pulls(limit: number): Promise<readonly Run[]> {
    return this.#db.read(() => this.#runs(`pull ${NEWEST_FIRST} LIMIT ?`, limit));
  }

  async openRunRows(runId: string | null): Promise<RunRows> {
    const file = runId === null ? null : join(await this.#folders.make(runId), 'rows.sqlite');
    return openRunRows(file);
  }

  async keptRunRows(runId: string): Promise<RunRows | undefined> {
    const file = join(this.#folders.of(runId), 'rows.sqlite');
    return attempt(file, () => openKeptRunRows(file));
  }

  async removeRuns(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.#db.write(() => {
        if (this.#db.count(`SELECT count(*) FROM intent WHERE run_id = ? AND ${OPEN_INTENT}`, id) > 0) {
          throw new InternalError('state.open_run', `run ${id} has a write that is still open`);
        }
        this.#db.run('DELETE FROM intent WHERE run_id = ?', id);
        this.#db.run('DELETE FROM run WHERE id = ?', id);
        this.#db.run('DELETE FROM pull WHERE id = ?', id);
      });
      // A folder that outlives its run is a stray one, which the next time removes.
      await this.#folders.remove(id);
    }
  }

  async strayRuns(): Promise<readonly StrayRun[]> {
    const known = await this.#db.read(
      () => new Set(this.#db.all('SELECT id FROM run').map((row) => text(row, 0))),
    );
    return this.#folders.others(known);
  }

  addIntent(account: ServiceAccount, intent: Intent, recorded: readonly Recorded[] = []): Promise<void> {
    return this.#db.write(() => {
      const number = this.#accounts.add(account);
      for (const each of recorded) this.#record(number, each);
      const statement = 'INSERT INTO intent (id, account, run_id, document) VALUES (?, ?, ?, ?)';
      this.#db.run(statement, intent.id, number, intent.runId, JSON.stringify(intent));
    });
  }

  recordResult(
    account: ServiceAccount,
    intentId: string,
    result: IntentResult,
    detail: Words,
    confirmed: readonly KnownRecord[],
  ): Promise<void> {
    return this.#db.write(() => {
      this.#record(this.#accounts.find(account), { intentId, result, detail, confirmed });
    });
  }

  intents(runId: string): Promise<readonly StoredIntent[]> {
    return this.#db.read(() => this.#intents('run_id = ? ORDER BY sequence', runId));
  }

  findIntents(account: ServiceAccount, prefix: string, limit: number): Promise<readonly StoredIntent[]> {
    return this.#db.read(() =>
      this.#intents(
        'account = ? AND substr(id, 1, length(?2)) = ?2 ORDER BY sequence LIMIT ?3',
        ...[this.#accounts.find(account), prefix, limit],
      ),
    );
  }

  intentsAfter(account: ServiceAccount, id: string): Promise<readonly StoredIntent[]> {
    return this.#db.read(() =>
      this.#intents(
        'account = ? AND sequence > (SELECT sequence FROM intent WHERE id = ?) ORDER BY sequence',
        ...[this.#accounts.find(account), id],
      ),
    );
  }

  openIntents(account: ServiceAccount): Promise<readonly StoredIntent[]> {
    return this.#db.read(() =>
      this.#intents(`account = ? AND ${OPEN_INTENT} ORDER BY sequence`, this.#accounts.find(account)),
    );
  }

  accounts(baseUrl: string): Promise<readonly ServiceAccount[]> {
    return this.#accounts.of(baseUrl);
  }

  keyOrigin(keyDigest: string): Promise<string | undefined> {
    return this.#db.read(() => {
      const row = this.#db.get('SELECT origin FROM key_origin WHERE key_digest = ?', keyDigest);
      return row && text(row, 0);
    });
  }

  setKeyOrigin(keyDigest: string, origin: string): Promise<void> {
    return this.#db.write(() => {
      this.#db.run('INSERT OR REPLACE INTO key_origin VALUES (?, ?)', keyDigest, origin);
    });
  }

  close(): Promise<void> {
    return this.#db.read(() => {
      this.#db.close();
    });
  }

  /** The runs of one of the two tables that hold them; for use inside `read`, as what it reads by. */
  #runs(from: string, ...values: (string | number)[]): readonly Run[] {
    return this.#db.all(`SELECT document FROM sealed_${from}`, ...values).map(parseRun);
  }

  #intents(where: string, ...values: (string | number)[]): readonly StoredIntent[] {
    const statement = `SELECT document, result, detail FROM sealed_intent WHERE ${where}`;
    return this.#db.all(statement, ...values).map(parseIntent);
  }

  #record(account: number, { intentId, result, detail, confirmed }: Recorded): void {
    const row = this.#db.get(
      `UPDATE intent SET result = ?, detail = ?, settled_at_ms = ?
       WHERE id = ? AND account = ? AND coalesce(result, 'ambiguous') = 'ambiguous' RETURNING document ->> '$.resource'`,
      result,
      wordsToStore(detail),
      this.#clock.now(),
      intentId,
      account,
    );
    if (row === undefined)
      throw new InternalError('state.no_intent', `no open intent ${intentId} is recorded for this account`);
    this.#snapshots.write(account, text(row, 0) as ResourceName, confirmed);
  }
}

const NEWEST_FIRST = 'ORDER BY started_at_ms DESC, sequence DESC';
const OPEN_INTENT = "(result IS NULL OR result = 'ambiguous')";
