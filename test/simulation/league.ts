import { dice, type Dice } from './dice.ts';

/**
 * A season of one league as it was, whoever looked at it and when: what members did, what players scored, and what a service shows of it at a time. It knows nothing of the program.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** Between two seasons. */
const BREAK_MS = 60 * DAY_MS;
const BEGIN_MS = Date.UTC(2026, 7, 14, 17, 0);
export const LEAGUE = 7;
const STARTERS = 3;
const BENCH = 2;
const PLAYERS = 14;
const HIT = 4;

interface Match {
  readonly beginMs: number;
  readonly endMs: number;
}

export interface SeasonWeek {
  /** Its place among all weeks, from 1 on. */
  readonly at: number;
  /** As the service counts: a new season begins with 1 again. */
  readonly number: number;
  readonly season: number;
  readonly id: string;
  readonly beginMs: number;
  readonly endMs: number;
  readonly matches: readonly Match[];
  /** From when on the service shows the week as the current one. */
  readonly turnMs: number;
  /** When its substitutions are made; never where it is undefined. */
  readonly processedMs: number | undefined;
}

/** What a player did in a week. */
interface Score {
  readonly minutes: number;
  readonly goals: number;
  readonly assists: number;
  readonly cards: number;
}

/** What the service gives points for. */
export const SETTINGS = {
  midfielder_goal_points: 5,
  assist_points: 3,
  yellow_card_points: -1,
  minutes_played_points: 2,
  time_onfield_eligibility_minutes: 1,
};

const pointsOf = ({ minutes, goals, assists, cards }: Score): number =>
  (minutes > 0 ? SETTINGS.minutes_played_points : 0) +
  goals * SETTINGS.midfielder_goal_points +
  assists * SETTINGS.assist_points +
  cards * SETTINGS.yellow_card_points;

/** A squad in one week. */
interface Eleven {
  /** Starters, then the bench. */
  readonly players: readonly number[];
  readonly captain: number;
  readonly vice: number;
  /** Whose points count double, whatever the flags of captains say. */
  readonly doubled: number;
}

interface Substitution {
  readonly out: number;
  readonly in: number;
}

interface SquadWeek {
  readonly planned: Eleven;
  /** After its substitutions. */
  readonly played: Eleven;
  readonly log: readonly Substitution[];
  /** What the rules make of it. */
  readonly right: { readonly log: readonly Substitution[]; readonly doubled: number | undefined };
  readonly hits: number;
  readonly transfers: number;
  readonly chip: string | undefined;
}

export interface SeasonSquad {
  readonly id: string;
  readonly member: string;
  readonly name: string;
  /** The places of its first and its last week. */
  readonly first: number;
  readonly last: number;
  readonly weeks: ReadonlyMap<number, SquadWeek>;
}

/** What a service does where its interface shows nothing. */
interface LeagueHabits {
  /** Whether the points of a week have in them what transfers cost. */
  readonly isNet: boolean;
  /** How a deduction is written. */
  readonly sign: 1 | -1;
  readonly weekText: (number: number) => string;
  /** Between the turn to a week and its begin, the ranking is still that of the week before. */
  readonly isRankingLate: boolean;
  /** Squads of one season are those of the next, too. */
  readonly keepsSquads: boolean;
  /** Fixtures of a season are shown once the one before is over, and from its turn on else. */
  readonly showsNext: boolean;
  /** Weeks have no end. */
  readonly isEndless: boolean;
  /** Statistics are those of players who played. */
  readonly hidesAbsent: boolean;
  /** The flags of captains stay where their owners put them. */
  readonly keepsFlags: boolean;
  /** Some substitutions are not those of the rules. */
  readonly errs: boolean;
  /** What the log says of who goes out and who comes in. */
  readonly words: readonly [string | null, string | null];
  /** Whether who starts in the log is who did before or after the substitutions. */
  readonly starts: 'before' | 'after' | 'none';
  /** Which records of the log share a reference. */
  readonly refs: 'pair' | 'squad' | 'none';
  /** Whether flags of captains in the log are those before or after the substitutions. */
  readonly logFlags: 'before' | 'after' | 'none';
}

/** What is true of a squad in a week, before and after its substitutions. */
export interface Truth {
  readonly points: number;
  readonly total: number;
  readonly captainPoints: number;
  readonly benchPoints: number;
  readonly captain: string;
}

const NOTHING: Score = { minutes: 0, goals: 0, assists: 0, cards: 0 };

export class League {
  readonly weeks: readonly SeasonWeek[];
  readonly squads: readonly SeasonSquad[];
  readonly habits: LeagueHabits;
  readonly #scores: ReadonlyMap<number, readonly Score[]>;
  readonly #errors: Dice;

  constructor(seed: number) {
    const roll = dice(seed, 'league');
    const rare = dice(seed, 'habits');
    this.weeks = drawWeeks(roll, dice(seed, 'seasons').chance(0.3));
    this.habits = {
      isNet: roll.chance(0.5),
      sign: roll.pick([1, -1]),
      weekText: roll.pick([String, (number) => `GW${number}`, (number) => `Game week ${number}`]),
      isRankingLate: roll.chance(0.3),
      isEndless: dice(seed, 'ends').chance(0.2),
      keepsSquads: rare.chance(0.5),
      showsNext: rare.chance(0.5),
      hidesAbsent: rare.chance(0.3),
      keepsFlags: rare.chance(0.3),
      errs: rare.chance(0.3),
      words: rare.pick([
        ['out', 'in'],
        ['out', 'in'],
        ['benched', 'fielded'],
        ['swap', 'swap'],
        [null, null],
      ] as const),
      starts: rare.pick(['before', 'after', 'none']),
      refs: rare.pick(['pair', 'pair', 'squad', 'none']),
      logFlags: rare.pick(['none', 'before', 'after']),
    };
    this.#errors = dice(seed, 'errors');
    this.#scores = new Map(
      this.weeks.map(({ at }) => [
        at,
        Array.from({ length: PLAYERS }, () =>
          roll.chance(0.25)
            ? NOTHING
            : { minutes: 90, goals: roll.pick([0, 0, 1, 2]), assists: roll.int(0, 1), cards: roll.int(0, 1) },
        ),
      ]),
    );
    const size = roll.int(2, 5);
    const seasons = [...Map.groupBy(this.weeks, ({ season }) => season).values()];
    this.squads = (this.habits.keepsSquads ? [this.weeks] : seasons).flatMap((weeks, season) =>
      Array.from({ length: size }, (_, at) => this.#drawSquad(roll, weeks, season * 10 + at)),
    );
  }

  get lastMs(): number {
    return Math.max(...this.weeks.map(({ endMs, processedMs = 0 }) => Math.max(endMs, processedMs)));
  }

  /** A late squad begins with a later week. */
  #drawSquad(roll: Dice, its: readonly SeasonWeek[], id: number): SeasonSquad {
    const first = (its[roll.chance(0.8) ? 0 : roll.int(0, its.length - 1)] ?? this.current(0)).at;
    const weeks = new Map<number, SquadWeek>();
    let own: readonly number[] = roll
      .shuffled(Array.from({ length: PLAYERS }, (_, player) => player))
      .slice(0, STARTERS + BENCH);
    const freeHits = new Set<number>();
    for (const { at, season } of its.filter((week) => week.at >= first)) {
      const others = roll.shuffled(
        Array.from({ length: PLAYERS }, (_, player) => player).filter((player) => !own.includes(player)),
      );
      const isFirst = at === first || this.weeks[at - 2]?.season !== season;
      const isFreeHit = !freeHits.has(season) && !isFirst && roll.chance(0.2);
      const chip = isFreeHit ? 'Free Hit' : roll.chance(0.1) ? 'Triple Captain' : undefined;
      if (isFreeHit) freeHits.add(season);
      const changed = isFirst ? 0 : isFreeHit ? roll.int(0, 5) : roll.pick([0, 0, 1, 2]);
      const hits = isFreeHit || changed < 2 ? 0 : roll.int(0, changed);
      const all = roll.shuffled([...own.slice(changed), ...others.slice(0, changed)]);
      const [captain = 0, vice = 0] = roll.shuffled(all.slice(0, STARTERS));
      const planned = { players: all, captain, vice, doubled: captain };
      weeks.set(at, { ...this.#play(planned, at), planned, hits, transfers: changed, chip });
      if (!isFreeHit) own = all;
    }
    const name = `Squad ${id + 1}`;
    const last = its.at(-1)?.at ?? first;
    return {
      ...{ id: `500000${String(id).padStart(2, '0')}-0000-4000-8000-000000000000`, name, first, last, weeks },
      member: `M${(id % 10) + 1}`,
    };
  }

  /** Who did not play goes out for the first of the bench who did; the armband goes on where the captain did not. */
  #play(planned: Eleven, week: number): Pick<SquadWeek, 'played' | 'log' | 'right'> {
    const { players, captain, vice } = planned;
    const didPlay = (player: number): boolean => this.#score(week, player).minutes > 0;
    const bench = players.slice(STARTERS).filter(didPlay);
    const right = players
      .slice(0, STARTERS)
      .filter((player) => !didPlay(player))
      .flatMap((out, at): Substitution[] => (bench[at] === undefined ? [] : [{ out, in: bench[at] }]));
    const doubled = [captain, vice].find(didPlay);
    const errs = this.habits.errs && this.#errors.chance(0.3);
    const log = errs && this.#errors.chance(0.7) ? right.slice(1) : right;
    const places = [...players];
    for (const pair of log) {
      const [out, into] = [places.indexOf(pair.out), places.indexOf(pair.in)];
      [places[out], places[into]] = [pair.in, pair.out];
    }
    const armband = errs && this.#errors.chance(0.5) ? captain : (doubled ?? captain);
    const flags =
      armband === captain || this.habits.keepsFlags ? { captain, vice } : { captain: vice, vice: captain };
    return { played: { players: places, ...flags, doubled: armband }, log, right: { log: right, doubled } };
  }

  /** Whether the substitutions and the armband of a squad end up as the rules want them. */
  isRight(squad: SeasonSquad, week: SeasonWeek): boolean {
    const own = squad.weeks.get(week.at);
    if (own === undefined) throw new Error(`${squad.id} has no week ${week.at}`);
    const log = week.processedMs === undefined ? [] : own.log;
    const { doubled } = this.#elevenAt(squad, week, Infinity);
    return log.length === own.right.log.length && (own.right.doubled ?? doubled) === doubled;
  }

  /** The goals that count for a squad in a week, before and after its substitutions. */
  goals(squad: SeasonSquad, week: SeasonWeek): readonly number[] {
    return [week.endMs, Infinity].map((atMs) => {
      const { players, doubled } = this.#elevenAt(squad, week, atMs);
      return players
        .slice(0, STARTERS)
        .reduce((sum, player) => sum + this.#score(week.at, player).goals * (player === doubled ? 2 : 1), 0);
    });
  }

  /** The minutes of a player in a whole week. */
  minutes({ at }: SeasonWeek, player: string): number {
    return this.#score(at, Number(player)).minutes;
  }

  #score(week: number, player: number): Score {
    return this.#scores.get(week)?.[player] ?? NOTHING;
  }

  /** What is shown of a player while matches run. */
  #shown({ at, matches }: SeasonWeek, player: number, atMs: number): Score {
    const match = matches[player % matches.length];
    const score = this.#score(at, player);
    if (match === undefined || atMs < match.beginMs) return NOTHING;
    if (atMs >= match.endMs) return score;
    const { minutes, goals, assists, cards } = score;
    const half = (count: number): number => Math.floor(count / 2);
    return { minutes: half(minutes), goals: half(goals), assists: half(assists), cards: half(cards) };
  }

  #entries(week: SeasonWeek, { players, captain, vice, doubled }: Eleven, atMs: number) {
    return players.map((player, at) => ({
      player,
      isStarting: at < STARTERS,
      isCaptain: player === captain,
      isVice: player === vice,
      points: pointsOf(this.#shown(week, player, atMs)) * (player === doubled && at < STARTERS ? 2 : 1),
    }));
  }

  /** The points of a week as they are shown at a time, without what transfers cost. */
  #gross(squad: SeasonSquad, week: SeasonWeek, atMs: number): number {
    const entries = this.#entries(week, this.#elevenAt(squad, week, atMs), atMs);
    return entries.reduce((sum, { isStarting, points }) => sum + (isStarting ? points : 0), 0);
  }

  #elevenAt(squad: SeasonSquad, { at, processedMs }: SeasonWeek, atMs: number): Eleven {
    const own = squad.weeks.get(at);
    if (own === undefined) throw new Error(`${squad.id} has no week ${at}`);
    return processedMs !== undefined && atMs >= processedMs ? own.played : own.planned;
  }

  /** What a line-up that is not fixed yet shows: that of the week before, or another order of this one. */
  #draft(squad: SeasonSquad, week: SeasonWeek): Eleven {
    const before = this.before(week) && squad.weeks.get(week.at - 1);
    if (before !== undefined && before.chip !== 'Free Hit') return before.played;
    const { players, captain, vice } = this.#elevenAt(squad, week, week.beginMs);
    return { players, captain: vice, vice: captain, doubled: vice };
  }

  #pointsIn(squad: SeasonSquad, week: SeasonWeek, atMs: number): { week: number; total: number } {
    let total = 0;
    let ofWeek = 0;
    for (const each of this.weeks) {
      if (each.at > week.at || each.season !== week.season) continue;
      const own = squad.weeks.get(each.at);
      if (own === undefined || atMs < each.beginMs) continue;
      const cost = HIT * own.hits;
      const gross = this.#gross(squad, each, atMs);
      total += gross - cost;
      if (each === week) ofWeek = this.habits.isNet ? gross - cost : gross;
    }
    return { week: ofWeek, total };
  }

  /** The week that is shown as the current one. */
  current(atMs: number): SeasonWeek {
    const shown = this.weeks.findLast(({ turnMs }) => turnMs <= atMs) ?? this.weeks[0];
    if (shown === undefined) throw new Error('a season has weeks');
    return shown;
  }

  /** The squads that are there: a late one is made in the days before its first week. */
  thereAt(atMs: number): readonly SeasonSquad[] {
    return this.squads.filter(
      ({ first, last }) =>
        atMs >= (this.weeks[first - 1]?.beginMs ?? 0) - 2 * DAY_MS &&
        atMs < (this.weeks[last]?.turnMs ?? Infinity),
    );
  }

  /** The week before one in its season. */
  before({ at, season }: SeasonWeek): SeasonWeek | undefined {
    const before = this.weeks[at - 2];
    return before?.season === season ? before : undefined;
  }

  /** The points of each player of a squad in a week, as they stand in its line-up before and after substitutions. */
  entryPoints(squad: SeasonSquad, week: SeasonWeek): ReadonlyMap<string, readonly number[]> {
    const own = squad.weeks.get(week.at);
    const both = own === undefined ? [] : [own.planned, own.played];
    const entries = both.flatMap((eleven) => this.#entries(week, eleven, Infinity));
    return new Map(
      [...Map.groupBy(entries, ({ player }) => String(player))].map(([player, its]) => [
        player,
        its.map(({ points }) => points),
      ]),
    );
  }

  truth(squad: SeasonSquad, week: SeasonWeek, after: boolean): Truth {
    const atMs = after ? Infinity : week.endMs;
    const own = squad.weeks.get(week.at);
    if (own === undefined) throw new Error(`${squad.id} has no week ${week.at}`);
    const eleven = after && week.processedMs !== undefined ? own.played : own.planned;
    const entries = this.#entries(week, eleven, Infinity);
    const sum = (is: boolean): number =>
      entries.reduce((all, { isStarting, points }) => all + (isStarting === is ? points : 0), 0);
    const { week: points, total } = this.#pointsIn(squad, week, atMs);
    return {
      ...{ points, total, benchPoints: sum(false), captain: String(eleven.captain) },
      captainPoints: entries.find(({ isCaptain }) => isCaptain)?.points ?? 0,
    };
  }

  /** The totals of a squad after a week: with or without the substitutions of each earlier week, and of its own unless that is final. */
  totals(squad: SeasonSquad, week: SeasonWeek, isFinal: boolean): readonly number[] {
    const until = this.weeks.filter(
      ({ at, season }) => season === week.season && at >= squad.first && at <= week.at,
    );
    return until.reduce<readonly number[]>(
      (sums, each) => {
        const cost = this.habits.isNet ? 0 : HIT * (squad.weeks.get(each.at)?.hits ?? 0);
        const ways = isFinal && each === week ? [true] : [true, false];
        const points = ways.map((after) => this.truth(squad, each, after).points - cost);
        return sums.flatMap((sum) => points.map((more) => sum + more));
      },
      [0],
    );
  }

  // What the service shows.

  summary({ id, number, beginMs, endMs }: SeasonWeek) {
    const ends = this.habits.isEndless ? {} : { end_date: iso(endMs) };
    return { id, week: this.habits.weekText(number), start_date: iso(beginMs), ...ends };
  }

  league(atMs: number) {
    const week = this.current(atMs);
    const next = this.weeks[week.at];
    return {
      ...{ id: LEAGUE, name: 'League', is_active: true, current_game_week: this.summary(week) },
      next_game_week: next === undefined ? null : this.summary(next),
    };
  }

  fixtures(atMs: number) {
    const { season } = this.current(atMs);
    const shown =
      this.habits.showsNext && this.weeks.every((week) => week.season > season || week.endMs <= atMs)
        ? season + 1
        : season;
    return this.weeks
      .filter((week) => week.season >= season && week.season <= shown)
      .map((week) => ({
        ...this.summary(week),
        fixtures: week.matches.map(({ beginMs, endMs }, at) => ({
          id: `F${week.at}-${at}`,
          start_date: iso(beginMs),
          status: atMs < beginMs ? 'not_started' : atMs < endMs ? 'live' : 'finished',
        })),
      }));
  }

  list(atMs: number) {
    return this.thereAt(atMs).map(({ id, name, member }) => ({
      ...{ id, name, fantasy_league: { id: LEAGUE } },
      user: { external_id: member, display_name: `Name of ${member}`, is_active: true },
    }));
  }

  #weekOf(squad: SeasonSquad, atMs: number): SeasonWeek {
    const current = this.current(atMs);
    return this.weeks[Math.max(current.at, squad.first) - 1] ?? current;
  }

  lineup(id: string | number | undefined, atMs: number) {
    const squad = this.#squad(id);
    const week = this.#weekOf(squad, atMs);
    const own = squad.weeks.get(week.at);
    const isOpen = atMs < week.beginMs;
    const eleven = isOpen ? this.#draft(squad, week) : this.#elevenAt(squad, week, atMs);
    const entries = this.#entries(week, eleven, atMs).map((each) => ({
      player: { id: String(each.player) },
      position: { abbrevation: 'MID' },
      is_starting: each.isStarting,
      is_captain: each.isCaptain,
      is_vice_captain: each.isVice,
      points: each.points,
    }));
    const hits = isOpen ? 0 : (own?.hits ?? 0);
    return {
      ...{
        id: `line-up of ${squad.id}`,
        name: squad.name,
        user: { external_id: squad.member, is_active: true },
      },
      game_week: this.summary(week),
      squad: { starting_xi: entries.slice(0, STARTERS), bench: entries.slice(STARTERS) },
      transfer_hits: { hits, points_deduction: this.habits.sign * HIT * hits },
      chip_selected: null,
      chips: this.#chips(squad, atMs),
      total_points: this.#pointsIn(squad, week, atMs).week,
    };
  }

  #chips({ weeks }: SeasonSquad, atMs: number) {
    const now = this.current(atMs).season;
    return this.weeks.flatMap(({ at, number, season, beginMs }) => {
      const chip = weeks.get(at)?.chip;
      return chip === undefined || atMs < beginMs || season !== now
        ? []
        : [{ chip, game_week_played: this.habits.weekText(number) }];
    });
  }

  squad(id: string | number | undefined, atMs: number) {
    const squad = this.#squad(id);
    const week = this.#weekOf(squad, atMs);
    const ranked = this.habits.isRankingLate && atMs < week.beginMs ? (this.before(week) ?? week) : week;
    const pointsOf = (each: SeasonSquad) => this.#pointsIn(each, ranked, atMs);
    const own = pointsOf(squad);
    const others = this.thereAt(atMs).filter((each) => pointsOf(each).total > own.total);
    return {
      ...{ id: squad.id, name: squad.name, fantasy_league: { id: LEAGUE } },
      user: { external_id: squad.member, is_active: true },
      game_week: this.summary(week),
      ranking: {
        ...{ current_rank: others.length + 1, game_week_points: own.week, total_points: own.total },
        game_week: this.habits.weekText(ranked.number),
      },
      finance: { squad_value: 100 },
      chips: this.#chips(squad, atMs),
    };
  }

  player(id: string | number | undefined, atMs: number) {
    const shown = this.weeks
      .filter(({ beginMs, season }) => beginMs <= atMs && season === this.current(atMs).season)
      .map((week) => ({ number: week.number, ...this.#shown(week, Number(id), atMs) }));
    return {
      ...{ id: Number(id), price: 5, position: 'MID' },
      weekly_stats: shown
        .filter(({ minutes }) => minutes > 0 || !this.habits.hidesAbsent)
        .map((score) => ({
          ...{ game_week: this.habits.weekText(score.number), minutes_played: score.minutes },
          ...{
            goals: score.goals,
            assists: score.assists,
            yellow_cards: score.cards,
            points: pointsOf(score),
          },
        })),
    };
  }

  pointsConfig() {
    return { id: 'points', fantasy_league_id: LEAGUE, ...SETTINGS };
  }

  log(atMs: number) {
    return this.weeks.flatMap((week) =>
      atMs < (week.processedMs ?? Infinity)
        ? []
        : this.squads.flatMap((squad) =>
            (squad.weeks.get(week.at)?.log ?? []).flatMap((pair, at) =>
              [pair.out, pair.in].map((player, into) => this.#logged(squad, week, { player, into, at })),
            ),
          ),
    );
  }

  #logged(
    squad: SeasonSquad,
    { at: week, processedMs = 0 }: SeasonWeek,
    { player, into, at }: { readonly player: number; readonly into: number; readonly at: number },
  ) {
    const { words, starts, refs, logFlags } = this.habits;
    const own = squad.weeks.get(week);
    const ref = { pair: `${squad.id}-${week}-${at}`, squad: `${squad.id}-${week}`, none: null }[refs];
    const captain = { before: own?.planned.captain, after: own?.played.captain, none: undefined }[logFlags];
    return {
      id: `${squad.id}-${week}-${at}-${into}`,
      squad: { id: squad.id, name: squad.name },
      player: { id: player },
      ...{ txn_type: 'auto_substitution', action: words[into] ?? null, txn_ref: ref },
      is_starting: starts === 'none' ? null : (starts === 'after') === (into === 1),
      is_captain: captain === undefined ? null : player === captain,
      created_at: iso(processedMs),
    };
  }

  #squad(id: string | number | undefined): SeasonSquad {
    const squad = this.squads.find((each) => each.id === id);
    if (squad === undefined) throw new Error(`there is no squad ${id}`);
    return squad;
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Weeks that follow each other, in one season or two; the service turns to one when the week before ends, or when it begins. */
function drawWeeks(roll: Dice, hasTwo: boolean): readonly SeasonWeek[] {
  const turnsEarly = roll.chance(0.4);
  const weeks: SeasonWeek[] = [];
  let beginMs = BEGIN_MS;
  for (const season of hasTwo ? [0, 1] : [0]) {
    const count = roll.int(2, 4);
    for (let number = 1; number <= count; number += 1) {
      weeks.push(drawWeek(roll, { season, number, beginMs, turnsEarly, before: weeks.at(-1) }));
      beginMs += WEEK_MS;
    }
    beginMs += BREAK_MS;
  }
  return weeks;
}

interface WeekPlace extends Pick<SeasonWeek, 'season' | 'number' | 'beginMs'> {
  readonly turnsEarly: boolean;
  readonly before: SeasonWeek | undefined;
}

function drawWeek(roll: Dice, { turnsEarly, before, ...place }: WeekPlace): SeasonWeek {
  const { beginMs } = place;
  const matches = Array.from({ length: roll.int(1, 3) }, (_, at): Match => {
    const kickOffMs = beginMs + (at === 0 ? roll.pick([0, 1]) : roll.int(2, 60)) * HOUR_MS;
    return { beginMs: kickOffMs, endMs: kickOffMs + 2 * HOUR_MS };
  });
  const lastMs = Math.max(...matches.map(({ endMs }) => endMs));
  const endMs = roll.pick([lastMs, lastMs + 3 * HOUR_MS, beginMs + WEEK_MS]);
  const turnMs = before === undefined ? 0 : turnsEarly ? Math.min(beginMs, before.endMs + HOUR_MS) : beginMs;
  // Before the next week is over, so that the log tells of which week it is.
  const lateMs = Math.max(endMs, beginMs + WEEK_MS) + HOUR_MS;
  const processedMs = roll.pick([undefined, endMs + HOUR_MS / 2, endMs + 2 * HOUR_MS, lateMs]);
  const at = (before?.at ?? 0) + 1;
  const id = `9000000${at}-0000-4000-8000-000000000000`;
  return { ...place, at, id, endMs, matches, turnMs, processedMs };
}
