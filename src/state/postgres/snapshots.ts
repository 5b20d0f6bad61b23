import type { ResourceName } from '../../contract/index.ts';
import type { Clock } from '../../model/ports.ts';
import type { KnownRecord } from '../../model/state/run-rows.ts';
import { oneOfSpellings, speltKey, spellingFact, type Spelling } from '../../model/state/spelling.ts';
import type { ServiceAccount, Snapshots, WantedDigests } from '../../model/state/store.ts';
import { idWithDigests } from '../held-digests.ts';
import { integer, text, type SqlRow } from '../sql-row.ts';
import { parseRecord } from '../stored-rows.ts';
import { lockAccount, type Accounts } from './accounts.ts';
import { dropComparisons } from './comparisons.ts';
import type { Database, Statements } from './database.ts';
import { spellingsIn, type PostgresFacts } from './facts.ts';
import type { Fence } from './run-rows.ts';
import { findable, fromStorableOrNull, storableOrNull } from './storable.ts';

const PAGE_RECORDS = 2000;

/** The confirmed records in the tables of the state. */
export class PostgresSnapshots implements Snapshots {
  readonly #db: Database;
  readonly #accounts: Accounts;
  readonly #facts: PostgresFacts;
  readonly #fence: Fence;
  readonly #clock: Clock;

  constructor(db: Database, accounts: Accounts, facts: PostgresFacts, fence: Fence, clock: Clock) {
    this.#db = db;
    this.#accounts = accounts;
    this.#facts = facts;
    this.#fence = fence;
    this.#clock = clock;
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
    return this.#db.all(
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
  ): Promise<readonly (KnownRecord['id'] | undefined)[]> {
    const number = await this.#accounts.find(account);
    return this.#db.alone(async (statements) => {
      const spelling = (await spellingsIn(statements, number)).get(spellingFact(resource));
      const keys = wanted.map(({ key }) => findable(speltKey(resource, key, spelling)));
      const rows = await statements.all(
        `SELECT at - 1, record FROM json_array_elements_text($3::json) WITH ORDINALITY AS wanted (key, at)
         JOIN {snapshot} AS held ON held.account = $1 AND held.resource = $2 AND held.key = wanted.key`,
        ...[number, resource, JSON.stringify(keys)],
      );
      const found = keys.map((): KnownRecord['id'] | undefined => undefined);
      for (const row of rows) {
        const at = integer(row, 0);
        found[at] = idWithDigests(text(row, 1), wanted[at]?.digests ?? {});
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
      if (page.length > 0) yield page;
      if (page.length < PAGE_RECORDS) return;
    }
  }

  async countSnapshots(account: ServiceAccount, resource: ResourceName): Promise<number> {
    const statement = 'SELECT count(*) FROM {snapshot} WHERE account = $1 AND resource = $2';
    return this.#db.count(statement, await this.#accounts.find(account), resource);
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
      await this.write(statements, number, resource, records, spellings);
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
      await this.#facts.write(statements, number, [fact]);
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

  /** In a transaction under the lock of the account. */
  write(
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

/** From a row of record and managed_by. */
function parseSnapshot(row: SqlRow): KnownRecord {
  const managedBy = fromStorableOrNull(row, 1);
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
