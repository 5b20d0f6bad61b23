import type { OperationId, RecordOf } from '../../contract/index.ts';
import type { Kept, LeagueScope } from '../../model/state/memory.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';
import { gameWeekOf, inOrder, type GameWeek } from '../../season/game-week.ts';
import {
  keptOfFixtures,
  keptOfLeague,
  keptOfLineup,
  keptOfPlayer,
  keptOfPoints,
  keptOfPrice,
  keptOfSquad,
  keptOfSubstitution,
  shownWeek,
} from '../../season/kept.ts';
import { newestSeason } from '../../season/seasons.ts';
import { weekNumber } from '../../season/week-number.ts';
import type { SyncPorts } from '../ports.ts';
import { knownWeeks } from './known-weeks.ts';
import { ServiceTime, type ServiceTimePorts } from './service-time.ts';
import { markUnread, partMark } from './unread.ts';

/** What is kept of what is read, and for how long. */
export interface KeepSettings {
  readonly keep: boolean;
  /** Game weeks that ended longer ago are forgotten; undefined: none. */
  readonly forgetAfterMs: number | undefined;
}

/** What a keeper works with. */
export interface KeeperPorts extends Pick<SyncPorts, 'clock'>, Pick<ServiceTimePorts, 'service'> {
  readonly store: Pick<Store, 'memory' | 'fact' | 'setFact'>;
  readonly account: ServiceAccount;
  readonly season: KeepSettings;
}

/** What was asked for, and when by the service's clock. */
export interface Asked {
  readonly id?: string | number | undefined;
  /** The parameters of the query. */
  readonly query?: unknown;
  readonly atMs: number;
}

/** What is known of a league while it is read. */
interface League {
  readonly scope: LeagueScope;
  readonly weeks: Map<string, GameWeek>;
  /** The week that was last shown as the current one, and when. */
  current: { readonly id: string; readonly atMs: number } | undefined;
  readonly ready: Kept[];
  /** Records that wait until the weeks of the league are known, and the current one or that nothing names it. */
  readonly waiting: ((league: League, weekOf: (text: string) => string | undefined) => readonly Kept[])[];
}

/** So many readings are kept in one transaction: a disk takes as long for one as for all of them. */
const TOGETHER = 200;
/** And so long they wait at most, so that little is lost when the process is killed. */
const LONGEST_WAIT_MS = 2_000;

/** Keeps what is read of game weeks, as it comes. */
export class Keeper {
  readonly #ports: KeeperPorts;
  readonly #time: ServiceTime;
  readonly #leagues = new Map<number, Promise<League>>();
  readonly #leagueOfSquad = new Map<string, number>();
  #keptAtMs: number;

  constructor(ports: KeeperPorts) {
    this.#ports = ports;
    this.#time = new ServiceTime(ports, ports.account);
    this.#keptAtMs = ports.clock.monotonic();
  }

  /** Takes the records of one answer. Errors: those of the store. */
  async see<Id extends OperationId>(
    operation: Id,
    asked: Asked,
    records: readonly RecordOf<Id>[],
  ): Promise<void> {
    const take = TAKEN[operation];
    if (take === undefined || !this.#ports.season.keep) return;
    for (const record of records) {
      const seen = take(record, asked, this.#leagueOfSquad);
      if (seen === undefined || !Number.isSafeInteger(seen.league)) continue;
      const league = await this.#league(seen.league);
      league.ready.push(...(seen.kept ?? []));
      for (const kept of seen.kept ?? [])
        if (kept.kind === 'game_week') league.weeks.set(kept.gameWeek, gameWeekOf(kept));
      if (seen.waiting !== undefined) league.waiting.push(seen.waiting);
      if (seen.current !== undefined && asked.atMs >= (league.current?.atMs ?? -Infinity))
        league.current = { id: seen.current, atMs: asked.atMs };
    }
    const leagues = await Promise.all(this.#leagues.values());
    const ready = leagues.reduce((sum, league) => sum + league.ready.length + league.waiting.length, 0);
    if (ready >= TOGETHER || this.#ports.clock.monotonic() - this.#keptAtMs >= LONGEST_WAIT_MS)
      await this.flush();
  }

  /** Remembers of which squads a reading of a game week has still to read the line-up. Errors: those of the store. */
  async keepUnread(league: number, gameWeek: string, squads: readonly string[]): Promise<void> {
    const { store, account, season } = this.#ports;
    if (season.keep)
      await markUnread(store.memory, { account, league }, gameWeek, squads, await this.nowMs());
  }

  /** The service's time, which readings bear. Errors: those of the store. */
  nowMs(): Promise<number> {
    return this.#time.nowMs();
  }

  /** Keeps what is left, and forgets what is too old. What names no known week is lost. Errors: those of the store. */
  async end(): Promise<void> {
    await this.flush(true);
    const { store, season } = this.#ports;
    await this.#time.keep(store);
    if (season.forgetAfterMs === undefined) return;
    const untilMs = (await this.nowMs()) - season.forgetAfterMs;
    for (const { scope, weeks } of await Promise.all(this.#leagues.values())) {
      for (const { id, endMs } of weeks.values())
        if (endMs < untilMs) await store.memory.drop(scope, id, Infinity);
      await store.memory.drop(scope, '', untilMs);
    }
  }

  #league(league: number): Promise<League> {
    const known = this.#leagues.get(league) ?? this.#open(league);
    this.#leagues.set(league, known);
    return known;
  }

  async #open(league: number): Promise<League> {
    const { store, account } = this.#ports;
    const scope = { account, league };
    const weeks = await knownWeeks(store.memory, scope);
    const shown = (await store.memory.weeks(scope)).filter(({ kind }) => kind === 'mark');
    const nowMs = await this.nowMs();
    // What was the current week when it was last read is so until its end.
    const current = weeks.find(
      ({ id, startMs, endMs }) =>
        startMs <= nowMs && nowMs < endMs && shown.some(({ gameWeek }) => gameWeek === id),
    );
    return {
      scope,
      weeks: new Map(weeks.map((week) => [week.id, week])),
      current: current && { id: current.id, atMs: -Infinity },
      ready: [],
      waiting: [],
    };
  }

  /** Keeps what has come so far, so that it can be read. Errors: those of the store. */
  async flush(isEnd = false): Promise<void> {
    this.#keptAtMs = this.#ports.clock.monotonic();
    for (const league of await Promise.all(this.#leagues.values())) {
      if (league.weeks.size > 0 && (isEnd || league.current !== undefined)) {
        const weekOf = weekFinder(league, await this.nowMs());
        league.ready.push(...league.waiting.splice(0).flatMap((file) => file(league, weekOf)));
      }
      const ready = league.ready.splice(0);
      if (ready.length > 0) await this.#ports.store.memory.keep(league.scope, ready);
    }
  }
}

/** Statistics of a week come about when it begins: to the minute nobody knows. */
const EARLIER_MS = 24 * 60 * 60 * 1000;

/** The week that a text of statistics names: one of the newest season that has begun, because the fixtures of the next one are known before. */
function weekFinder({ weeks }: League, nowMs: number): (text: string) => string | undefined {
  const begun = inOrder([...weeks.values()]).filter(({ startMs }) => !(startMs > nowMs + EARLIER_MS));
  const season = newestSeason(begun.map((week) => ({ week })));
  return (text) => {
    const number = weekNumber(text);
    const [found, another] = season.filter(({ week }) => number !== undefined && week.number === number);
    return another === undefined ? found?.week.id : undefined;
  };
}

/** What one record says, and of which league. */
interface Seen {
  readonly league: number;
  readonly kept?: readonly Kept[];
  /** The game week that it shows as the current one. */
  readonly current?: string | undefined;
  readonly waiting?: League['waiting'][number];
}

type Take<Id extends OperationId> = (
  record: RecordOf<Id>,
  asked: Asked,
  leagueOfSquad: Map<string, number>,
) => Seen | undefined;

const squadName = (id: unknown): string => String(id).toLowerCase();
/** Every query that is looked at here names its league so. */
const leagueAsked = ({ query }: Asked): number =>
  (query as { readonly fantasy_league_id?: number } | undefined)?.fantasy_league_id ?? Number.NaN;

/** What is kept of the records of each operation. */
const OWN: { readonly [Id in OperationId]?: Take<Id> } = {
  'list-squads': (record, asked, leagueOfSquad) => {
    const league = record.fantasy_league?.id ?? leagueAsked(asked);
    leagueOfSquad.set(squadName(record.id), league);
    return undefined;
  },
  'get-squad': (record, { atMs }, leagueOfSquad) => {
    const league = record.fantasy_league?.id ?? leagueOfSquad.get(squadName(record.id));
    if (league === undefined) return undefined;
    leagueOfSquad.set(squadName(record.id), league);
    return { league, kept: keptOfSquad(record, atMs), current: shownWeek(record) };
  },
  'get-lineup': (record, { id, atMs }, leagueOfSquad) => {
    const league = leagueOfSquad.get(squadName(id));
    if (league === undefined) return undefined;
    const current = shownWeek(record);
    const part = current === undefined ? [] : [partMark(current)];
    return { league, kept: [...keptOfLineup(record, String(id), atMs), ...part], current };
  },
  'get-fixtures': (record, { id, atMs }) => ({ league: Number(id), kept: keptOfFixtures(record, atMs) }),
  'get-fantasy-league': (record, { atMs }) => ({
    league: record.id,
    kept: keptOfLeague(record, atMs),
    current: shownWeek(record),
  }),
  'get-player': (record, asked) => ({
    league: leagueAsked(asked),
    waiting: ({ current }, weekOf) => keptOfPlayer(record, { weekOf, current: current?.id }, asked.atMs),
  }),
  'list-prices': (record, { atMs }) =>
    typeof record.fantasy_league_id === 'number'
      ? { league: record.fantasy_league_id, kept: keptOfPrice(record, atMs) }
      : undefined,
  'get-points-config': (record, { atMs }) =>
    typeof record.fantasy_league_id === 'number'
      ? {
          league: record.fantasy_league_id,
          waiting: ({ current }) => (current === undefined ? [] : keptOfPoints(record, current.id, atMs)),
        }
      : undefined,
  'list-auto-substitutions': (record, asked) => ({
    league: leagueAsked(asked),
    kept: keptOfSubstitution(record, asked.atMs),
  }),
};

/** The same for a record of any operation: an answer of an operation holds its own records. */
const TAKEN: { readonly [Id in OperationId]?: Take<OperationId> } = OWN;
