import type { ResourceName } from '../../contract/index.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownRecord } from '../../model/state/run-rows.ts';
import { oneOfSpellings, speltKey, spellingFact, type Spelling } from '../../model/state/spelling.ts';
import type { ServiceAccount, Snapshots, WantedDigests } from '../../model/state/store.ts';
import { idWithDigests } from '../held-digests.ts';
import { json, text, unreadable, type SqlRow } from '../sql-row.ts';
import type { SqliteAccounts } from './accounts.ts';
import { sealOf, type Database } from './database.ts';
import type { SqliteFacts } from './facts.ts';
import { parseRecord } from '../stored-rows.ts';

const PAGE_RECORDS = 2000;

/** The confirmed records in the state file. */
export class SqliteSnapshots implements Snapshots {
  readonly #db: Database;
  readonly #accounts: SqliteAccounts;
  readonly #facts: SqliteFacts;
  readonly #clock: Clock;
  /** The versions of the file in which all confirmed records of a resource were seen to be whole. What this process writes is sealed. */
  readonly #whole = new Map<string, number>();
  /** Counts of snapshots, until this connection adds or takes some away, or another one writes. */
  readonly #counted = new Map<string, { readonly version: number; readonly count: number }>();

  constructor(db: Database, accounts: SqliteAccounts, facts: SqliteFacts, clock: Clock) {
    this.#db = db;
    this.#accounts = accounts;
    this.#facts = facts;
    this.#clock = clock;
  }

  snapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, KnownRecord>> {
    return this.#db.read(() => {
      const number = this.#accounts.find(account);
      const spelling = this.#facts.spelling(number, resource);
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
      const number = this.#accounts.find(account);
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
  ): Promise<readonly (KnownRecord['id'] | undefined)[]> {
    return this.#db.read(() => {
      const number = this.#accounts.find(account);
      const spelling = this.#facts.spelling(number, resource);
      const keys = wanted.map(({ key }) => speltKey(resource, key, spelling));
      const rows = this.#db.all(
        `SELECT wanted.key, held.record, held.confirmed_at_ms, held.seal FROM json_each(?3) AS wanted CROSS JOIN snapshot AS held
         ON held.account = ?1 AND held.resource = ?2 AND held.key = wanted.value`,
        ...[number, resource, JSON.stringify(keys)],
      );
      const found = keys.map((): KnownRecord['id'] | undefined => undefined);
      for (const [at, record, confirmedAtMs, seal] of rows) {
        const asked = wanted[Number(at)];
        if (typeof record !== 'string' || asked === undefined) continue;
        const id = idWithDigests(record, asked.digests);
        const key = keys[Number(at)] ?? null;
        if (id !== undefined && seal === sealOf([number, resource, key, record, confirmedAtMs ?? null]))
          found[Number(at)] = id;
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
        this.#db.all(statement, this.#accounts.find(account), resource, from, ...since),
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      [comparison, after] = ['>', text(last, 1)];
      yield rows.map(parseRecord);
      if (rows.length < PAGE_RECORDS) return;
    }
  }

  countSnapshots(account: ServiceAccount, resource: ResourceName): Promise<number> {
    return this.#db.read(() => {
      const number = this.#accounts.find(account);
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
    const confirm = (): void => this.write(this.#accounts.add(account), resource, records);
    return isListed ? this.#db.writeLightly(confirm) : this.#db.write(confirm);
  }

  forgetOlder(account: ServiceAccount, resource: ResourceName, listedAtMs: number): Promise<void> {
    return this.#db.write(() => {
      this.#counted.clear();
      this.#db.run(
        'DELETE FROM snapshot WHERE account = ? AND resource = ? AND confirmed_at_ms < ?',
        this.#accounts.find(account),
        resource,
        listedAtMs,
      );
    });
  }

  respell(account: ServiceAccount, resource: ResourceName, spelling: Spelling): Promise<void> {
    return this.#db.write(() => {
      this.#counted.clear();
      const number = this.#accounts.add(account);
      this.#facts.write(number, spellingFact(resource), JSON.stringify(spelling));
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

  /** Errors: UnreadableValueError where a confirmed record of a resource is not as it was written. */
  #requireWhole(account: number, resource: ResourceName): void {
    const version = this.#db.count('PRAGMA data_version');
    const name = `${account} ${resource}`;
    if (this.#whole.get(name) === version) return;
    const statement = `SELECT ${SEALED_COLUMNS} FROM snapshot AS held ${OF_RESOURCE}`;
    for (const row of this.#db.each(statement, account, resource)) requireSeal(account, resource, row);
    this.#whole.set(name, version);
  }

  /** In a transaction. */
  write(account: number, resource: ResourceName, records: readonly KnownRecord[]): void {
    this.#counted.clear();
    const nowMs = this.#clock.now();
    const spelling = this.#facts.spelling(account, resource);
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
