import type { Kept, KeptCount, KeptKind, LeagueScope, Memory } from '../../model/state/memory.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import type { SqliteAccounts } from './accounts.ts';
import type { Database } from './database.ts';
import { packRecord, parseRecord, TIMES_SUM, unpackRecord } from '../kept-record.ts';
import { integer, text, textOrNull, type SqlRow } from '../sql-row.ts';

const PAGE_RECORDS = 500;
const pageWhere = (condition: string): string =>
  `SELECT id, variant, read_at_ms, squad, member, record FROM sealed_kept AS one
   WHERE league = ? AND game_week = ? AND kind = ? AND (id, read_at_ms, variant) > (?, ?, ?) ${condition}
   ORDER BY id, read_at_ms, variant LIMIT ${PAGE_RECORDS}`;
const PAGE_OF_ALL = pageWhere('');
const PAGE_OF_LATEST = pageWhere(
  `AND NOT EXISTS (
     SELECT 1 FROM kept AS other WHERE other.league = one.league AND other.game_week = one.game_week AND other.kind = one.kind
     AND other.id = one.id AND (other.read_at_ms, other.variant) > (one.read_at_ms, one.variant))`,
);

/** The memory of game weeks in the tables of the state. */
export class SqliteMemory implements Memory {
  readonly #db: Database;
  readonly #accounts: SqliteAccounts;
  /** What was counted last, by the number of the league: every command asks for it several times. */
  readonly #counts = new Map<number, { readonly version: string; readonly counts: readonly KeptCount[] }>();

  constructor(db: Database, accounts: SqliteAccounts) {
    this.#db = db;
    this.#accounts = accounts;
  }

  keep({ account, league }: LeagueScope, kept: readonly Kept[]): Promise<void> {
    return this.#db.write(() => {
      const number = this.#accounts.add(account);
      this.#db.run(
        'INSERT INTO kept_league (account, league) VALUES (?, ?) ON CONFLICT DO NOTHING',
        number,
        league,
      );
      const scope = this.#scope({ account, league });
      for (const each of kept) if (!this.#isForgotten(number, each)) this.#keepOne(scope, each);
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
    let after: [id: string, readAtMs: number, variant: string] = ['', -1, ''];
    for (;;) {
      const from = after;
      const rows = await this.#db.read(() =>
        this.#db.all(statement, this.#scope(scope), gameWeek, kind, ...from),
      );
      const page = await this.#db.read(() => rows.map((row) => keptOf(gameWeek, kind, row)));
      const last = page.at(-1);
      if (last === undefined) return;
      after = [last.id, last.readAtMs, last.variant];
      yield page;
      if (page.length < PAGE_RECORDS) return;
    }
  }

  readAt(scope: LeagueScope, gameWeek: string, kind: KeptKind): Promise<ReadonlyMap<string, number>> {
    return this.#db.read(() => {
      const rows = this.#db.all(
        'SELECT id, max(read_at_ms) FROM kept WHERE league = ? AND game_week = ? AND kind = ? GROUP BY id',
        ...[this.#scope(scope), gameWeek, kind],
      );
      return new Map(rows.map((row) => [text(row, 0), integer(row, 1)]));
    });
  }

  weeks(scope: LeagueScope): Promise<readonly KeptCount[]> {
    return this.#db.read(() => {
      const league = this.#scope(scope);
      const version = this.#db.version();
      const known = this.#counts.get(league);
      if (known?.version === version) return known.counts;
      const counts = this.#countWeeks(league);
      this.#counts.set(league, { version, counts });
      return counts;
    });
  }

  #countWeeks(league: number): readonly KeptCount[] {
    return this.#db
      .all(
        `SELECT game_week, kind, count(*), min(latest), max(latest), ${TIMES_SUM} FROM (
           SELECT game_week, kind, id, max(read_at_ms) AS latest FROM kept WHERE league = ? GROUP BY game_week, kind, id
         ) GROUP BY game_week, kind ORDER BY game_week, kind`,
        league,
      )
      .map((row) => ({
        gameWeek: text(row, 0),
        // Only `keep` writes it.
        kind: text(row, 1) as KeptKind,
        ids: integer(row, 2),
        oldestMs: integer(row, 3),
        newestMs: integer(row, 4),
        timesSum: integer(row, 5),
      }));
  }

  scopes(): Promise<readonly LeagueScope[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          `SELECT base_url, account_id, league FROM kept_league JOIN account ON account.number = kept_league.account
           WHERE EXISTS (SELECT 1 FROM kept WHERE kept.league = kept_league.number) ORDER BY kept_league.number`,
        )
        .map((row) => ({
          account: { baseUrl: text(row, 0), accountId: text(row, 1) },
          league: integer(row, 2),
        })),
    );
  }

  forget(account: ServiceAccount, member: string): Promise<number> {
    return this.#db.write(() => {
      const number = this.#accounts.add(account);
      this.#db.run('INSERT INTO forgotten_member VALUES (?, ?) ON CONFLICT DO NOTHING', number, member);
      this.#db.run(
        `INSERT INTO forgotten_squad SELECT DISTINCT ?1, squad FROM kept WHERE member = ?2 AND squad IS NOT NULL AND league IN ${LEAGUES_OF}
         ON CONFLICT DO NOTHING`,
        number,
        member,
      );
      this.#db.run(DELETE_SUMMARIES, number);
      return this.#db.run(
        `DELETE FROM kept WHERE league IN ${LEAGUES_OF}
         AND (member = ?2 OR member IS NULL AND squad IN (SELECT squad FROM forgotten_squad WHERE account = ?1))`,
        number,
        member,
      );
    });
  }

  forgotten(account: ServiceAccount): Promise<readonly string[]> {
    return this.#db.read(() =>
      this.#db
        .all(
          'SELECT member FROM forgotten_member WHERE account = ? ORDER BY member',
          this.#accounts.find(account),
        )
        .map((row) => text(row, 0)),
    );
  }

  drop(scope: LeagueScope, gameWeek: string, readBeforeMs: number): Promise<void> {
    return this.#db.write(() => {
      this.#db.run(
        'DELETE FROM kept WHERE league = ? AND game_week = ? AND read_at_ms < ?',
        this.#scope(scope),
        gameWeek,
        readBeforeMs,
      );
    });
  }

  /** The number of a league; -1, which nothing has, for one of which nothing was kept. */
  #scope({ account, league }: LeagueScope): number {
    const row = this.#db.get(
      'SELECT number FROM kept_league WHERE account = ? AND league = ?',
      this.#accounts.find(account),
      league,
    );
    return row === undefined ? -1 : integer(row, 0);
  }

  /** Whether a reading is about somebody who is forgotten. What names no member and is about a squad goes too, once the squad is seen to be that person's. */
  #isForgotten(account: number, { squad, member }: Kept): boolean {
    const ofMember = 'SELECT count(*) FROM forgotten_member WHERE account = ? AND member = ?';
    if (member !== undefined) {
      if (this.#db.count(ofMember, account, member) === 0) return false;
      if (squad === undefined) return true;
      this.#db.run('INSERT INTO forgotten_squad VALUES (?, ?) ON CONFLICT DO NOTHING', account, squad);
      this.#db.run(
        `DELETE FROM kept WHERE squad = ?2 AND member IS NULL AND league IN ${LEAGUES_OF}`,
        account,
        squad,
      );
      this.#db.run(DELETE_SUMMARIES, account);
      return true;
    }
    const ofSquad = 'SELECT count(*) FROM forgotten_squad WHERE account = ? AND squad = ?';
    return squad !== undefined && this.#db.count(ofSquad, account, squad) > 0;
  }

  #keepOne(scope: number, { gameWeek, kind, id, variant, readAtMs, squad, member, record }: Kept): void {
    const json = JSON.stringify(record);
    const held = this.#db.get(
      'SELECT number, read_at_ms, record FROM sealed_kept WHERE league = ? AND game_week = ? AND kind = ? AND id = ? AND variant = ?',
      ...[scope, gameWeek, kind, id, variant],
    );
    if (held === undefined) {
      this.#db.run(
        `INSERT INTO kept (league, game_week, kind, id, variant, read_at_ms, squad, member, record)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[scope, gameWeek, kind, id, variant, readAtMs, squad ?? null, member ?? null, packRecord(json)],
      );
      return;
    }
    const heldAtMs = integer(held, 1);
    if (heldAtMs > readAtMs) return;
    const heldJson = unpackRecord(held, 2);
    if (heldAtMs === readAtMs && heldJson >= json) return;
    const about = [readAtMs, squad ?? null, member ?? null];
    if (heldJson === json)
      this.#db.run(
        'UPDATE kept SET read_at_ms = ?, squad = ?, member = ? WHERE number = ?',
        ...about,
        integer(held, 0),
      );
    else
      this.#db.run(
        'UPDATE kept SET read_at_ms = ?, squad = ?, member = ?, record = ? WHERE number = ?',
        ...[...about, packRecord(json), integer(held, 0)],
      );
  }
}

const LEAGUES_OF = '(SELECT number FROM kept_league WHERE account = ?1)';
/** They are about everybody. */
const DELETE_SUMMARIES = `DELETE FROM kept WHERE kind = 'summary' AND league IN ${LEAGUES_OF}`;

/** From a row of id, variant, read_at_ms, squad, member and record. */
function keptOf(gameWeek: string, kind: KeptKind, row: SqlRow): Kept {
  const squad = textOrNull(row, 3);
  const member = textOrNull(row, 4);
  return {
    gameWeek,
    kind,
    id: text(row, 0),
    variant: text(row, 1),
    readAtMs: integer(row, 2),
    ...(squad !== null && { squad }),
    ...(member !== null && { member }),
    record: parseRecord(row, 5),
  };
}
