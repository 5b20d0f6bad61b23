import { dirname, join, resolve } from 'node:path';
import type { ResourceName } from '../../contract/index.ts';
import type { AlertStore } from '../../model/state/alerts.ts';
import { InternalError } from '../../model/error.ts';
import type { Memory } from '../../model/state/memory.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownRecord, RunRows } from '../../model/state/run-rows.ts';
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
  Run,
  ServiceAccount,
  Recorded,
  Store,
  StoredIntent,
  StrayRun,
  WantedDigests,
} from '../../model/state/store.ts';
import { openDatabase, sealOf, type Database } from './database.ts';
import { holdsDigests } from '../held-digests.ts';
import { RunFolders } from './run-folders.ts';
import { integer, json, text, unreadable, type SqlRow } from '../sql-row.ts';
import { SqliteComparisons } from '../sqlite-comparisons.ts';
import { SqliteMemory } from './memory.ts';
import { SqliteAlerts } from './alerts.ts';
import { openKeptRunRows, openRunRows } from './run-rows.ts';
import { STATE_FORMAT } from './state-format.ts';
import { refuseWrongPath } from './state-path.ts';
import { attempt } from './storage-error.ts';
import { parseIntent, parseRecord, parseRun } from './stored-rows.ts';

const BUSY_TIMEOUT_MS = 10_000;
const PAGE_RECORDS = 2000;

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
  const busyTimeoutMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  return attempt(file, () => {
    refuseWrongPath(file);
    const db = openDatabase({ file, format: STATE_FORMAT, durability: 'full', busyTimeoutMs });
    return new SqliteStore(db, new RunFolders(join(dirname(file), 'runs')), options.clock, busyTimeoutMs);
  });
}

class SqliteStore implements Store {
  readonly comparisons: Comparisons;
  readonly memory: Memory;
  readonly alerts: AlertStore;
  readonly #db: Database;
  readonly #folders: RunFolders;
  readonly #clock: Clock;
  readonly #busyTimeoutMs: number;
  /** The versions of the file in which all confirmed records of a resource were seen to be whole. What this process writes is sealed. */
  readonly #whole = new Map<string, number>();
  /** Counts of snapshots, until they change. */
  readonly #counted = new Map<string, { readonly version: number; readonly count: number }>();

  constructor(db: Database, folders: RunFolders, clock: Clock, busyTimeoutMs: number) {
    this.#db = db;
    this.#folders = folders;
    this.#clock = clock;
    this.#busyTimeoutMs = busyTimeoutMs;
    const accounts = {
      find: (account: ServiceAccount) => this.#account(account),
      add: (account: ServiceAccount) => this.#addAccount(account),
    };
    this.comparisons = new SqliteComparisons(db, accounts);
    this.memory = new SqliteMemory(db, accounts);
    this.alerts = new SqliteAlerts(db);
  }

  addRun(run: Run): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        'INSERT INTO run (id, account, started_at_ms, finished, document) VALUES (?, ?, ?, ?, ?)',
        run.id,
        this.#addAccount(run.account),
        run.startedAtMs,
        Number(run.finished),
        JSON.stringify(run),
      );
    });
  }

  updateRun(id: string, changes: Partial<Omit<Run, 'id'>>): Promise<void> {
    return this.#db.write(() => {
      const row = this.#db.get('SELECT document FROM sealed_run WHERE id = ?', id);
      if (row === undefined) throw new InternalError('state.no_run', `no run ${id} is recorded`);
      const run = { ...parseRun(row), ...changes };
      this.#db.run(
        'UPDATE run SET account = ?, started_at_ms = ?, finished = ?, document = ? WHERE id = ?',
        this.#addAccount(run.account),
        run.startedAtMs,
        Number(run.finished),
        JSON.stringify(run),
        id,
      );
    });
  }

  run(id: string): Promise<Run | undefined> {
    return this.#db.read(() => {
      const row = this.#db.get('SELECT document FROM sealed_run WHERE id = ?', id);
      return row && parseRun(row);
    });
  }

  runs(limit: number): Promise<readonly Run[]> {
    return this.#db.read(() =>
      this.#db
        .all('SELECT document FROM sealed_run ORDER BY started_at_ms DESC, sequence DESC LIMIT ?', limit)
        .map(parseRun),
    );
  }

  newestUnfinishedRun(account: ServiceAccount): Promise<Run | undefined> {
    return this.#db.read(() => {
      const row = this.#db.get(
        'SELECT document FROM sealed_run WHERE account = ? AND finished = 0 ORDER BY started_at_ms DESC, sequence DESC LIMIT 1',
        this.#account(account),
      );
      return row && parseRun(row);
    });
  }

  runsInConflict(account: ServiceAccount): Promise<readonly Run[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          `SELECT document FROM sealed_run WHERE account = ? AND (document IS NULL OR EXISTS (
             SELECT 1 FROM json_each(document, '$.summaries') WHERE value ->> '$.conflict' > 0
           )) ORDER BY started_at_ms, sequence`,
          this.#account(account),
        )
        .map(parseRun),
    );
  }

  addPull(pull: Run): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        'INSERT INTO pull (id, account, started_at_ms, document) VALUES (?, ?, ?, ?)',
        ...[pull.id, this.#addAccount(pull.account), pull.startedAtMs, JSON.stringify(pull)],
      );
    });
  }

  updatePull(id: string, changes: Partial<Omit<Run, 'id' | 'account'>>): Promise<void> {
    return this.#db.write(() => {
      const row = this.#db.get('SELECT document FROM sealed_pull WHERE id = ?', id);
      if (row === undefined) throw new InternalError('state.no_run', `no pull ${id} is recorded`);
      const pull = { ...parseRun(row), ...changes };
      const statement = 'UPDATE pull SET started_at_ms = ?, document = ? WHERE id = ?';
      this.#db.run(statement, pull.startedAtMs, JSON.stringify(pull), id);
    });
  }

  pulls(limit: number): Promise<readonly Run[]> {
    return this.#db.read(() =>
      this.#db
        .all('SELECT document FROM sealed_pull ORDER BY started_at_ms DESC, sequence DESC LIMIT ?', limit)
        .map(parseRun),
    );
  }

  async openRunRows(runId: string | null): Promise<RunRows> {
    const file = runId === null ? null : join(await this.#folders.make(runId), 'rows.sqlite');
    return openRunRows(file, this.#busyTimeoutMs);
  }

  async keptRunRows(runId: string): Promise<RunRows | undefined> {
    const file = join(this.#folders.of(runId), 'rows.sqlite');
    return attempt(file, () => openKeptRunRows(file, this.#busyTimeoutMs));
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
      const number = this.#addAccount(account);
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
      this.#record(this.#account(account), { intentId, result, detail, confirmed });
    });
  }

  intents(runId: string): Promise<readonly StoredIntent[]> {
    return this.#db.read(() =>
      this.#db
        .all('SELECT document, result, detail FROM sealed_intent WHERE run_id = ? ORDER BY sequence', runId)
        .map(parseIntent),
    );
  }

  findIntents(account: ServiceAccount, prefix: string, limit: number): Promise<readonly StoredIntent[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          `SELECT document, result, detail FROM sealed_intent
           WHERE account = ? AND substr(id, 1, length(?2)) = ?2 ORDER BY sequence LIMIT ?3`,
          this.#account(account),
          prefix,
          limit,
        )
        .map(parseIntent),
    );
  }

  intentsAfter(account: ServiceAccount, id: string): Promise<readonly StoredIntent[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          `SELECT document, result, detail FROM sealed_intent
           WHERE account = ? AND sequence > (SELECT sequence FROM intent WHERE id = ?) ORDER BY sequence`,
          this.#account(account),
          id,
        )
        .map(parseIntent),
    );
  }

  openIntents(account: ServiceAccount): Promise<readonly StoredIntent[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          `SELECT document, result, detail FROM sealed_intent WHERE account = ? AND ${OPEN_INTENT} ORDER BY sequence`,
          this.#account(account),
        )
        .map(parseIntent),
    );
  }

  accounts(baseUrl: string): Promise<readonly ServiceAccount[]> {
    return this.#db.read(() =>
      this.#db
        .all('SELECT account_id FROM account WHERE base_url = ? ORDER BY number', baseUrl)
        .map((row) => ({ baseUrl, accountId: text(row, 0) })),
    );
  }

  snapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, KnownRecord>> {
    return this.#db.read(() => {
      const number = this.#account(account);
      const spelling = this.#spelling(number, resource);
      const wanted =
        spelling === undefined
          ? new Set(keys)
          : Map.groupBy(keys, (key) => speltKey(resource, key, spelling));
      const rows = this.#db.all(
        `SELECT ${SEALED_COLUMNS} FROM json_each(?3) AS wanted CROSS JOIN snapshot AS held
         ON held.account = ?1 AND held.resource = ?2 AND held.key = wanted.value`,
        number,
        resource,
        JSON.stringify([...wanted.keys()]),
      );
      // A key that was changed is looked for in vain, and its record would seem to be new.
      if (rows.length < wanted.size) this.#requireWhole(number, resource);
      const found = new Map<string, KnownRecord>();
      for (const row of rows) {
        requireSeal(number, resource, row);
        const record = json(row, 1) as KnownRecord;
        if (wanted instanceof Set) found.set(record.key, record);
        else for (const key of wanted.get(record.key) ?? []) found.set(key, { ...record, key });
      }
      return found;
    });
  }

  paddedSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<readonly KnownRecord[]> {
    return this.#db.read(() => {
      const number = this.#account(account);
      const rows = this.#db.all(
        `SELECT ${SEALED_COLUMNS} FROM json_each(?3) AS wanted CROSS JOIN snapshot AS held
         ON held.account = ?1 AND held.resource = ?2 AND held.key >= wanted.value || ' ' AND held.key < wanted.value || '!'
         AND rtrim(held.key, ' ') = wanted.value`,
        number,
        resource,
        JSON.stringify(keys),
      );
      return rows.map((row) => {
        requireSeal(number, resource, row);
        return json(row, 1) as KnownRecord;
      });
    });
  }

  confirmedWith(
    account: ServiceAccount,
    resource: ResourceName,
    wanted: readonly WantedDigests[],
  ): Promise<readonly boolean[]> {
    return this.#db.read(() => {
      const number = this.#account(account);
      const spelling = this.#spelling(number, resource);
      const keys = wanted.map(({ key }) => speltKey(resource, key, spelling));
      const rows = this.#db.all(
        `SELECT wanted.key, held.record, held.confirmed_at_ms, held.seal FROM json_each(?3) AS wanted CROSS JOIN snapshot AS held
         ON held.account = ?1 AND held.resource = ?2 AND held.key = wanted.value`,
        ...[number, resource, JSON.stringify(keys)],
      );
      const found = keys.map(() => false);
      for (const [at, record, confirmedAtMs, seal] of rows) {
        const asked = wanted[Number(at)];
        if (typeof record !== 'string' || asked === undefined || !holdsDigests(record, asked.digests))
          continue;
        const key = keys[Number(at)] ?? null;
        if (seal === sealOf([number, resource, key, record, confirmedAtMs ?? null])) found[Number(at)] = true;
      }
      return found;
    });
  }

  async *allSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    sinceMs?: number,
  ): AsyncGenerator<readonly KnownRecord[]> {
    let [comparison, after] = ['>=', ''];
    const since = sinceMs === undefined ? [] : [sinceMs];
    for (;;) {
      const statement = `SELECT record, key FROM sealed_snapshot AS sealed
        WHERE account = ? AND resource = ? AND key ${comparison} ? ${since.length === 0 ? '' : CONFIRMED_SINCE} ORDER BY key LIMIT ${PAGE_RECORDS}`;
      const from = after;
      const rows = await this.#db.read(() =>
        this.#db.all(statement, this.#account(account), resource, from, ...since),
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      [comparison, after] = ['>', text(last, 1)];
      yield rows.map(parseRecord);
    }
  }

  countSnapshots(account: ServiceAccount, resource: ResourceName): Promise<number> {
    return this.#db.read(() => {
      const number = this.#account(account);
      // Changes when another connection writes.
      const version = this.#db.count('PRAGMA data_version');
      const name = `${number} ${resource}`;
      const counted = this.#counted.get(name);
      if (counted?.version === version) return counted.count;
      const statement = `SELECT count(*) FROM snapshot ${OF_RESOURCE}`;
      const count = this.#db.count(statement, number, resource);
      this.#counted.set(name, { version, count });
      return count;
    });
  }

  confirm(
    account: ServiceAccount,
    resource: ResourceName,
    records: readonly KnownRecord[],
    isListed = false,
  ): Promise<void> {
    const confirm = (): void => this.#confirm(this.#addAccount(account), resource, records);
    return isListed ? this.#db.writeLightly(confirm) : this.#db.write(confirm);
  }

  forgetOlder(account: ServiceAccount, resource: ResourceName, listedAtMs: number): Promise<void> {
    return this.#db.write(() => {
      this.#countAgain();
      this.#db.run(
        'DELETE FROM snapshot WHERE account = ? AND resource = ? AND confirmed_at_ms < ?',
        this.#account(account),
        resource,
        listedAtMs,
      );
    });
  }

  respell(account: ServiceAccount, resource: ResourceName, spelling: Spelling): Promise<void> {
    return this.#db.write(() => {
      this.#countAgain();
      const number = this.#addAccount(account);
      this.#setFact(number, spellingFact(resource), JSON.stringify(spelling));
      const statement = 'SELECT record FROM sealed_snapshot WHERE account = ? AND resource = ?';
      const held = this.#db.all(statement, number, resource).map(parseRecord);
      const byKey = new Map(held.map((record) => [record.key, record]));
      for (const record of held) {
        const key = speltKey(resource, record.key, spelling);
        if (key === record.key) continue;
        const there = byKey.get(key);
        byKey.set(key, there === undefined ? { ...record, key } : oneOfSpellings(there, record));
        this.#db.run(MOVE_SNAPSHOT, ...[number, resource, key, JSON.stringify(byKey.get(key)), record.key]);
        this.#db.run(
          'DELETE FROM snapshot WHERE account = ? AND resource = ? AND key = ?',
          ...[number, resource, record.key],
        );
      }
    });
  }

  fact(account: ServiceAccount, name: string): Promise<Omit<Fact, 'name'> | undefined> {
    return this.#db.read(() => {
      const row = this.#db.get(
        'SELECT value, at_ms FROM sealed_fact WHERE account = ? AND name = ?',
        this.#account(account),
        name,
      );
      return row && { value: text(row, 0), atMs: integer(row, 1) };
    });
  }

  setFact(account: ServiceAccount, name: string, value: string): Promise<void> {
    return this.setFacts(account, [{ name, value }]);
  }

  facts(account: ServiceAccount): Promise<readonly Fact[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          'SELECT name, value, at_ms FROM sealed_fact WHERE account = ? ORDER BY name',
          this.#account(account),
        )
        .map((row) => ({ name: text(row, 0), value: text(row, 1), atMs: integer(row, 2) })),
    );
  }

  setFacts(account: ServiceAccount, facts: readonly Pick<Fact, 'name' | 'value'>[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#addAccount(account);
      for (const { name, value } of facts) this.#setFact(number, name, value);
    });
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

  /** Errors: UnreadableValueError where a confirmed record of a resource is not as it was written. */
  #requireWhole(account: number, resource: ResourceName): void {
    const version = this.#db.count('PRAGMA data_version');
    const name = `${account} ${resource}`;
    if (this.#whole.get(name) === version) return;
    const statement = `SELECT ${SEALED_COLUMNS} FROM snapshot AS held ${OF_RESOURCE}`;
    for (const row of this.#db.each(statement, account, resource)) requireSeal(account, resource, row);
    this.#whole.set(name, version);
  }

  /** The number of an account; -1, which nothing has, for one that was never written to. */
  #account(account: ServiceAccount): number {
    const row = this.#db.get(
      'SELECT number FROM account WHERE base_url = ? AND account_id = ?',
      account.baseUrl,
      account.accountId,
    );
    return row === undefined ? -1 : integer(row, 0);
  }

  #addAccount(account: ServiceAccount): number {
    this.#db.run(
      'INSERT INTO account (base_url, account_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      account.baseUrl,
      account.accountId,
    );
    return this.#account(account);
  }

  #setFact(account: number, name: string, value: string): void {
    const statement = 'INSERT OR REPLACE INTO fact (account, name, value, at_ms) VALUES (?, ?, ?, ?)';
    this.#db.run(statement, account, name, value, this.#clock.now());
  }

  #spelling(account: number, resource: ResourceName): Spelling | undefined {
    const statement = 'SELECT value FROM sealed_fact WHERE account = ? AND name = ?';
    const row = this.#db.get(statement, account, spellingFact(resource));
    return readSpelling(row && text(row, 0));
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
    this.#confirm(account, text(row, 0) as ResourceName, confirmed);
  }

  /** Snapshots of this connection were added or taken away. */
  #countAgain(): void {
    this.#counted.clear();
  }

  #confirm(account: number, resource: ResourceName, records: readonly KnownRecord[]): void {
    this.#countAgain();
    const nowMs = this.#clock.now();
    const spelling = this.#spelling(account, resource);
    const spelt = records.map((record) => ({ ...record, key: speltKey(resource, record.key, spelling) }));
    const managers = this.#managers(account, resource, spelt);
    for (const each of spelt) {
      const managedBy = each.managedBy ?? managers.get(each.key);
      const record = JSON.stringify({ ...each, managedBy });
      const seal = sealOf([account, resource, each.key, record, nowMs]);
      this.#db.run(CONFIRM, account, resource, each.key, record, nowMs, seal);
    }
  }

  /** By key, who manages the records that do not say it themselves: a list does not show it, and what is known of that stays. */
  #managers(
    account: number,
    resource: ResourceName,
    records: readonly KnownRecord[],
  ): ReadonlyMap<string, string> {
    const keys = records.filter(({ managedBy }) => managedBy === undefined).map(({ key }) => key);
    if (keys.length === 0) return new Map();
    const rows = this.#db.all(MANAGERS, account, resource, JSON.stringify(keys));
    return new Map(rows.map((row) => [text(row, 0), text(row, 1)]));
  }
}

const OF_RESOURCE = 'WHERE account = ? AND resource = ?';

/** Of a confirmed record, with its seal. In a statement of many records, the views would cost several times as much, and as much memory as all of them. */
const SEALED_COLUMNS = 'held.key, held.record, held.confirmed_at_ms, held.seal';

/** Errors: UnreadableValueError where {@link SEALED_COLUMNS} are not as they were written. */
function requireSeal(account: number, resource: ResourceName, row: SqlRow): void {
  const [key, record, confirmedAtMs, seal] = row;
  if (seal !== sealOf([account, resource, key ?? null, record ?? null, confirmedAtMs ?? null]))
    throw unreadable(1);
}

const OPEN_INTENT = "(result IS NULL OR result = 'ambiguous')";

/** The time is no part of what is read, so that the views do not hold it. */
const CONFIRMED_SINCE = `AND EXISTS (SELECT 1 FROM snapshot AS held
  WHERE held.account = sealed.account AND held.resource = sealed.resource AND held.key = sealed.key AND held.confirmed_at_ms >= ?)`;

/** Puts what is known under one key under another one too; what was confirmed last counts. */
const MOVE_SNAPSHOT = `INSERT INTO snapshot (account, resource, key, record, confirmed_at_ms)
  SELECT account, resource, ?3, ?4, confirmed_at_ms FROM snapshot WHERE account = ?1 AND resource = ?2 AND key = ?5
  ON CONFLICT DO UPDATE SET record = excluded.record, confirmed_at_ms = max(confirmed_at_ms, excluded.confirmed_at_ms)`;

const CONFIRM = `INSERT INTO snapshot (account, resource, key, record, confirmed_at_ms, seal) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET record = excluded.record, confirmed_at_ms = excluded.confirmed_at_ms, seal = excluded.seal`;

const MANAGERS = `SELECT held.key, held.record ->> '$.managedBy' FROM json_each(?3) AS wanted CROSS JOIN snapshot AS held
  ON held.account = ?1 AND held.resource = ?2 AND held.key = wanted.value WHERE held.record ->> '$.managedBy' IS NOT NULL`;
