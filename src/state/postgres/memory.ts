import type { Kept, KeptCount, KeptKind, LeagueScope, Memory } from '../../model/state/memory.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { packRecord, parseRecord, TIMES_SUM } from '../kept-record.ts';
import { integer, text, type SqlRow } from '../sql-row.ts';
import { lockAccount, type Accounts } from './accounts.ts';
import type { Database, Statements } from './database.ts';
import { fromStorable, fromStorableOrNull, storable, storableOrNull } from './storable.ts';

const PAGE_RECORDS = 500;

/** The memory of game weeks in the tables of the state. */
export class PostgresMemory implements Memory {
  readonly #db: Database;
  readonly #accounts: Accounts;

  constructor(db: Database, accounts: Accounts) {
    this.#db = db;
    this.#accounts = accounts;
  }

  async keep({ account, league }: LeagueScope, kept: readonly Kept[]): Promise<void> {
    const number = await this.#accounts.add(account);
    await this.#db.together(async (statements) => {
      await lockAccount(statements, number);
      await statements.run(
        'INSERT INTO {kept_league} (account, league) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        number,
        league,
      );
      const scope = await scopeIn(statements, number, league);
      const wanted = await withoutForgotten(statements, number, kept);
      await keepNewer(statements, scope, wanted);
    });
  }

  kept(scope: LeagueScope, gameWeek: string, kind: KeptKind): AsyncGenerator<readonly Kept[]> {
    return this.#pages(PAGE_OF_ALL, scope, gameWeek, kind);
  }

  latest(scope: LeagueScope, gameWeek: string, kind: KeptKind): AsyncGenerator<readonly Kept[]> {
    return this.#pages(PAGE_OF_LATEST, scope, gameWeek, kind);
  }

  async *#pages(
    statement: string,
    scope: LeagueScope,
    gameWeek: string,
    kind: KeptKind,
  ): AsyncGenerator<readonly Kept[]> {
    const league = await this.#scope(scope);
    let after: readonly [id: string, readAtMs: number, variant: string] = ['', -1, ''];
    for (;;) {
      const from = after;
      const page = await this.#db.alone(async (statements) => {
        const rows = await statements.all(statement, ...[league, storable(gameWeek), kind, ...from]);
        const last = rows.at(-1);
        if (last !== undefined) after = [text(last, 2), integer(last, 4), text(last, 3)];
        return rows.map(keptOf);
      });
      if (page.length > 0) yield page;
      if (page.length < PAGE_RECORDS) return;
    }
  }

  async readAt(scope: LeagueScope, gameWeek: string, kind: KeptKind): Promise<ReadonlyMap<string, number>> {
    const read = await this.#db.all(
      (row) => [fromStorable(row, 0), integer(row, 1)] as const,
      'SELECT id, max(read_at_ms) FROM {kept} WHERE league = $1 AND game_week = $2 AND kind = $3 GROUP BY id ORDER BY id',
      ...[await this.#scope(scope), storable(gameWeek), kind],
    );
    return new Map(read);
  }

  async weeks(scope: LeagueScope): Promise<readonly KeptCount[]> {
    return this.#db.all(
      (row) => ({
        gameWeek: fromStorable(row, 0),
        // Only `keep` writes it.
        kind: text(row, 1) as KeptKind,
        ids: integer(row, 2),
        oldestMs: integer(row, 3),
        newestMs: integer(row, 4),
        timesSum: integer(row, 5),
      }),
      `SELECT game_week, kind, count(*), min(latest), max(latest), ${TIMES_SUM}::bigint FROM (
         SELECT game_week, kind, id, max(read_at_ms) AS latest FROM {kept} WHERE league = $1 GROUP BY game_week, kind, id
       ) AS each GROUP BY game_week, kind ORDER BY game_week, kind`,
      await this.#scope(scope),
    );
  }

  scopes(): Promise<readonly LeagueScope[]> {
    return this.#db.all(
      (row) => ({
        account: { baseUrl: fromStorable(row, 0), accountId: fromStorable(row, 1) },
        league: integer(row, 2),
      }),
      `SELECT base_url, account_id, league FROM {kept_league} AS own JOIN {account} AS account ON account.number = own.account
       WHERE EXISTS (SELECT 1 FROM {kept} AS kept WHERE kept.league = own.number) ORDER BY own.number`,
    );
  }

  async forget(account: ServiceAccount, member: string): Promise<number> {
    const number = await this.#accounts.add(account);
    return this.#db.together(async (statements) => {
      await lockAccount(statements, number);
      const named = storable(member);
      await statements.run(
        'INSERT INTO {forgotten_member} VALUES ($1, $2) ON CONFLICT DO NOTHING',
        number,
        named,
      );
      await statements.run(
        `INSERT INTO {forgotten_squad} SELECT DISTINCT $1::bigint, squad FROM {kept} WHERE member = $2 AND squad IS NOT NULL AND league IN ${LEAGUES_OF}
         ON CONFLICT DO NOTHING`,
        number,
        named,
      );
      await statements.run(DELETE_SUMMARIES, number);
      return statements.run(
        `DELETE FROM {kept} WHERE league IN ${LEAGUES_OF}
         AND (member = $2 OR member IS NULL AND squad IN (SELECT squad FROM {forgotten_squad} WHERE account = $1))`,
        number,
        named,
      );
    });
  }

  async forgotten(account: ServiceAccount): Promise<readonly string[]> {
    return this.#db.all(
      (row) => fromStorable(row, 0),
      'SELECT member FROM {forgotten_member} WHERE account = $1 ORDER BY member',
      await this.#accounts.find(account),
    );
  }

  async drop(scope: LeagueScope, gameWeek: string, readBeforeMs: number): Promise<void> {
    const league = await this.#scope(scope);
    await this.#db.run(
      'DELETE FROM {kept} WHERE league = $1 AND game_week = $2 AND read_at_ms < $3',
      // Infinity is no integer.
      ...[league, storable(gameWeek), Math.min(readBeforeMs, Number.MAX_SAFE_INTEGER)],
    );
  }

  /** The number of a league; -1, which nothing has, for one of which nothing was kept. */
  async #scope({ account, league }: LeagueScope): Promise<number> {
    const number = await this.#accounts.find(account);
    return this.#db.alone((statements) => scopeIn(statements, number, league));
  }
}

const LEAGUES_OF = '(SELECT number FROM {kept_league} WHERE account = $1)';
/** They are about everybody. */
const DELETE_SUMMARIES = `DELETE FROM {kept} WHERE kind = 'summary' AND league IN ${LEAGUES_OF}`;

/** The order in which {@link keptOf} takes them. */
const KEPT = 'game_week, kind, id, variant, read_at_ms, squad, member, record';

const pageWhere = (condition: string): string =>
  `SELECT ${KEPT} FROM {kept} AS one
   WHERE league = $1 AND game_week = $2 AND kind = $3 AND (id, read_at_ms, variant) > ($4, $5, $6) ${condition}
   ORDER BY id, read_at_ms, variant LIMIT ${PAGE_RECORDS}`;
const PAGE_OF_ALL = pageWhere('');
const PAGE_OF_LATEST = pageWhere(
  `AND NOT EXISTS (
     SELECT 1 FROM {kept} AS other WHERE other.league = one.league AND other.game_week = one.game_week AND other.kind = one.kind
     AND other.id = one.id AND (other.read_at_ms, other.variant) > (one.read_at_ms, one.variant))`,
);

async function scopeIn(statements: Statements, account: number, league: number): Promise<number> {
  const row = await statements.get(
    'SELECT number FROM {kept_league} WHERE account = $1 AND league = $2',
    account,
    league,
  );
  return row === undefined ? -1 : integer(row, 0);
}

/** The readings without those about somebody who is forgotten. What names no member and is about a squad goes too, once the squad is seen to be that person's. */
async function withoutForgotten(
  statements: Statements,
  account: number,
  kept: readonly Kept[],
): Promise<readonly Kept[]> {
  const among = async (table: 'member' | 'squad'): Promise<Set<string | undefined>> => {
    const names = [...new Set(kept.flatMap((each) => each[table] ?? []))].map(storable);
    const rows = await statements.all(
      `SELECT ${table} FROM {forgotten_${table}} WHERE account = $1 AND ${table} IN (SELECT json_array_elements_text($2::json))`,
      account,
      JSON.stringify(names),
    );
    return new Set(rows.map((row) => fromStorable(row, 0)));
  };
  const members = await among('member');
  const squads = await among('squad');
  for (const { member, squad } of kept) {
    if (member === undefined || squad === undefined || !members.has(member) || squads.has(squad)) continue;
    squads.add(squad);
    const values = [account, storable(squad)] as const;
    await statements.run('INSERT INTO {forgotten_squad} VALUES ($1, $2) ON CONFLICT DO NOTHING', ...values);
    await statements.run(
      `DELETE FROM {kept} WHERE squad = $2 AND member IS NULL AND league IN ${LEAGUES_OF}`,
      ...values,
    );
    await statements.run(DELETE_SUMMARIES, account);
  }
  return kept.filter(
    ({ member, squad }) =>
      !(member !== undefined ? members.has(member) : squad !== undefined && squads.has(squad)),
  );
}

const nameOf = ({ gameWeek, kind, id, variant }: Kept): string =>
  JSON.stringify([gameWeek, kind, id, variant]);

/** Keeps what was read later than what is held of the same record, or at one time and is the greater text. */
async function keepNewer(statements: Statements, league: number, kept: readonly Kept[]): Promise<void> {
  const named = kept.map((each) => ({
    game_week: storable(each.gameWeek),
    kind: each.kind,
    id: storable(each.id),
    variant: storable(each.variant),
  }));
  const rows = await statements.all(
    `SELECT ${KEPT.replaceAll(/\w+/g, 'held.$&')} FROM json_to_recordset($2::json) AS wanted(game_week text, kind text, id text, variant text)
     JOIN {kept} AS held ON held.league = $1 AND held.game_week = wanted.game_week AND held.kind = wanted.kind
       AND held.id = wanted.id AND held.variant = wanted.variant`,
    league,
    JSON.stringify(named),
  );
  const newest = new Map(rows.map(keptOf).map((held) => [nameOf(held), held]));
  const changed = new Set<string>();
  for (const each of kept) {
    const name = nameOf(each);
    const held = newest.get(name);
    const isOlder =
      held !== undefined &&
      (held.readAtMs > each.readAtMs ||
        (held.readAtMs === each.readAtMs && JSON.stringify(held.record) >= JSON.stringify(each.record)));
    if (isOlder) continue;
    newest.set(name, each);
    changed.add(name);
  }
  const values = [...changed]
    .flatMap((name) => newest.get(name) ?? [])
    .map((each) => ({
      game_week: storable(each.gameWeek),
      kind: each.kind,
      id: storable(each.id),
      variant: storable(each.variant),
      read_at_ms: each.readAtMs,
      squad: storableOrNull(each.squad ?? null),
      member: storableOrNull(each.member ?? null),
      record: packRecord(JSON.stringify(each.record)).toString('base64'),
    }));
  await statements.run(
    `INSERT INTO {kept} (league, game_week, kind, id, variant, read_at_ms, squad, member, record)
     SELECT $1::bigint, game_week, kind, id, variant, read_at_ms, squad, member, decode(record, 'base64') FROM json_to_recordset($2::json)
       AS each(game_week text, kind text, id text, variant text, read_at_ms bigint, squad text, member text, record text)
     ON CONFLICT (league, game_week, kind, id, variant) DO UPDATE
       SET read_at_ms = excluded.read_at_ms, squad = excluded.squad, member = excluded.member, record = excluded.record`,
    league,
    JSON.stringify(values),
  );
}

function keptOf(row: SqlRow): Kept {
  const squad = fromStorableOrNull(row, 5);
  const member = fromStorableOrNull(row, 6);
  return {
    gameWeek: fromStorable(row, 0),
    kind: text(row, 1) as KeptKind,
    id: fromStorable(row, 2),
    variant: fromStorable(row, 3),
    readAtMs: integer(row, 4),
    ...(squad !== null && { squad }),
    ...(member !== null && { member }),
    record: parseRecord(row, 7),
  };
}
