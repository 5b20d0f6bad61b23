import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { UnavailableError } from '../../src/model/error.ts';
import type { Store } from '../../src/model/state/store.ts';
import type { GroupMember, Standing } from '../../src/season/standings.ts';
import { learntHits } from '../../src/sync/memory/contradictions.ts';
import { numberedWeeks, shownValues } from '../../src/runtime/publish/published-weeks.ts';
import type { SquadValues, WeekValues } from '../../src/season/week-values.ts';
import { PUBLIC_RULES, type Rules } from '../../src/rules/rules.ts';
import { auditWeeks } from '../../src/sync/audit.ts';
import { previewPoints } from '../../src/sync/whatif.ts';
import { newestSeason } from '../../src/season/seasons.ts';
import { keepPublished } from '../../src/sync/weeks/published.ts';
import { readWeekValues } from '../../src/sync/weeks/week-values.ts';
import { keptStandings } from '../../src/sync/memory/kept-standings.ts';
import { keptLog, keptWeeks } from '../../src/sync/memory/league-records.ts';
import { leagueWeeks, type LeagueWeek } from '../../src/sync/memory/league-weeks.ts';
import { WeekFacts } from '../../src/sync/memory/week-facts.ts';
import { closeWeek } from '../../src/sync/weeks/close-week.ts';
import { prepareReading } from '../../src/sync/weeks/read-week.ts';
import { dice, type Dice } from '../simulation/dice.ts';
import {
  League,
  LEAGUE,
  SETTINGS,
  type SeasonSquad,
  type SeasonWeek,
  type Truth,
} from '../simulation/league.ts';
import { virtualClock, type VirtualClock } from '../support/clock.ts';
import { isLong, runs } from '../support/long.ts';
import { fakeService, memoryTables, pull, pullMapping, pullPorts } from '../support/pull.ts';

const HOUR_MS = 3_600_000;
const FROM = Number(process.env['TEAMSHEET_SEED'] ?? (isLong ? Date.now() % 1_000_000 : 1));
const SEASONS = runs(50, 20_000);
const TOGETHER = 25;

const account = { baseUrl: 'http://127.0.0.1:1', accountId: 'a' };
const scope = { account, league: LEAGUE };

type Action = 'read' | 'lineups' | 'squads' | 'standings' | 'fixtures' | 'forget' | 'close';
const ACTIONS = ['read', 'read', 'read', 'read', 'lineups', 'squads', 'standings', 'fixtures'] as const;

/** Times at which something may be seen that is not seen an hour later. */
function drawTimes(roll: Dice, league: League): readonly number[] {
  const edges = league.weeks.flatMap(({ beginMs, endMs, processedMs, turnMs, matches }) => [
    ...[beginMs, endMs, processedMs ?? endMs, turnMs],
    ...matches.flatMap((match) => [match.beginMs, match.endMs]),
  ]);
  const drawn = Array.from(
    { length: roll.int(2, 14) },
    () => roll.pick(edges) + roll.pick([-30, -1, 1, 1, 5]) * HOUR_MS,
  );
  // Nobody publishes twice in one moment.
  return [...new Set(drawn)].filter((ms) => ms > 0).toSorted((one, other) => one - other);
}

/** One operator, who looks at a league now and then. */
class Operator {
  readonly league: League;
  readonly clock: VirtualClock;
  readonly #store: ReturnType<typeof pullPorts>['store'] = pullPorts(fakeService({})).store;
  readonly forgotten = new Set<string>();
  /** Requests until the service is away; Infinity where it stays. */
  #left = Infinity;

  constructor(league: League, clock: VirtualClock) {
    this.league = league;
    this.clock = clock;
  }

  get store(): Pick<Store, 'memory' | 'fact' | 'setFact'> {
    return this.#store;
  }

  async do(action: Action, roll: Dice): Promise<void> {
    this.#left = roll.chance(0.1) ? roll.int(1, 12) : Infinity;
    const { league, clock } = this;
    if (action === 'forget') {
      const { member } = roll.pick(league.squads);
      this.forgotten.add(member);
      await this.#store.memory.forget(account, member);
      return;
    }
    const now = (): number => clock.now();
    const service = fakeService({
      get: (operation, id) => {
        if ((this.#left -= 1) < 0) throw new UnavailableError('service.down', 'the service is away');
        if (operation === 'get-fantasy-league') return league.league(now());
        if (operation === 'get-fixtures') return league.fixtures(now());
        if (operation === 'get-lineup') return league.lineup(id, now());
        if (operation === 'get-squad') return league.squad(id, now());
        if (operation === 'get-player') return league.player(id, now());
        if (operation === 'get-points-config') return league.pointsConfig();
        if (operation === 'list-auto-substitutions') return league.log(now());
        throw new Error(`nobody asks for ${operation}`);
      },
      pages: (operation) => {
        if (operation === 'list-squads') return [league.list(now())];
        if (operation === 'list-auto-substitutions') return [league.log(now())];
        return [[]];
      },
      latency: () => Promise.resolve(),
      account: { id: 'a' },
    });
    const { tables } = memoryTables();
    const ports = pullPorts(service, { tables, clock, account, store: this.#store });
    if (action === 'close') {
      const weeks = newestSeason(await leagueWeeks(this.#store.memory, scope, now()));
      const over = weeks.filter((week) => week.isOver && this.#isClosable(week));
      const number = over.at(-1)?.week.number;
      if (number !== undefined) await closeWeek({ ...ports, store: this.#store as Store }, scope, number);
      return;
    }
    try {
      if (action === 'read') {
        const own = { ...ports, store: this.#store as Store, maxWaitMs: 0 };
        const open = { service: account, record: { id: 'a' } };
        const reading = await prepareReading(own, open, LEAGUE, undefined);
        await reading.read();
        await reading.close();
        return;
      }
      const where = { fantasy_league_id: LEAGUE };
      const changes = { where, ...(action === 'squads' && { detail: true }) };
      await pull(ports, [pullMapping(action, { kind: 'csv', path: `/${action}.csv` }, changes)], {});
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }

  /** Whoever closes a week says that nothing of it changes any more. */
  #isClosable({ week: { id } }: LeagueWeek): boolean {
    const week = this.league.weeks.find((each) => each.id === id);
    if (week === undefined) throw new Error('a week that is none');
    const isChanged = this.league.squads.some((squad) => {
      const own = squad.weeks.get(week.at);
      return own !== undefined && (own.log.length > 0 || own.played.doubled !== own.planned.doubled);
    });
    return !isChanged || week.processedMs === undefined;
  }
}

/** What a row of standings says that is not so. */
function liesOf(
  row: Standing,
  { state, isOver }: LeagueWeek,
  league: League,
  squad: SeasonSquad,
  week: SeasonWeek,
): readonly string[] {
  const own = squad.weeks.get(week.at);
  if (own === undefined || !isOver) return [];
  const [before, after] = [league.truth(squad, week, false), league.truth(squad, week, true)];
  const isFinal = state === 'final' || state === 'final_by_totals';
  const lies: string[] = [];
  const check = (name: string, said: number | string | null, ...truths: readonly unknown[]): void => {
    if (said !== null && !truths.includes(said)) lies.push(`${name} ${said}, not ${truths.join(' or ')}`);
  };
  const either = (name: keyof Truth): readonly unknown[] => [before[name], after[name]];
  check('points', row.points, ...(isFinal ? [after.points] : either('points')));
  check('total', row.total, ...league.totals(squad, week, isFinal));
  check('captain points', row.captain_points, ...either('captainPoints'));
  check('bench points', row.bench_points, ...either('benchPoints'));
  check('captain', row.captain.player?.id ?? null, ...either('captain'));
  check('hits', row.hits, own.hits);
  check('deduction', row.points_deduction, own.hits * 4);
  check('transfers', row.transfers, own.transfers);
  check('chip', row.chip, own.chip ?? null);
  return lies;
}

async function season(seed: number): Promise<readonly string[]> {
  const league = new League(seed);
  const roll = dice(seed, 'operator');
  const [firstMs = 0] = league.weeks.map(({ beginMs }) => beginMs);
  const clock = virtualClock(firstMs - 3 * 24 * HOUR_MS);
  const operator = new Operator(league, clock);
  const rare = roll.chance(0.2) ? (['forget', 'close'] as const) : [];
  const told: string[] = [];
  for (const atMs of drawTimes(roll, league)) {
    clock.jump(Math.max(0, atMs - clock.now()));
    const action = roll.pick<Action>([...ACTIONS, ...rare]);
    await clock.run(operator.do(action, roll));
    told.push(`  ${new Date(atMs).toISOString()} ${action}`);
    const lies = [...(await liesAt(operator)), ...(roll.chance(0.4) ? await liesPublished(operator) : [])];
    for (const tell of [liesOfLog, liesOfAudits, liesOfPreviews]) lies.push(...(await tell(operator)));
    for (const lie of lies) return [`seed ${seed}: ${lie}`, ...told];
  }
  return [];
}

/** What the members' site says of a squad in a week and is not so. */
function liesOnSite(
  values: SquadValues,
  state: WeekValues['state'],
  league: League,
  squad: SeasonSquad,
  week: SeasonWeek,
): readonly string[] {
  const own = squad.weeks.get(week.at);
  if (own === undefined || state === 'open') return [];
  const lies: string[] = [];
  const points = league.entryPoints(squad, week);
  for (const entry of values.entries ?? [])
    if (entry.points !== undefined && points.get(entry.player)?.includes(entry.points) !== true)
      lies.push(`${entry.points} points for ${entry.player}, not ${points.get(entry.player)?.join(' or ')}`);
  for (const { player, minutes } of values.entries ?? [])
    if (minutes !== undefined && minutes !== league.minutes(week, player))
      lies.push(`${minutes} minutes for ${player}, not ${league.minutes(week, player)}`);
  for (const pair of values.substitutions)
    if (!own.log.some((each) => isPart(pair.out, each.out) && isPart(pair.in, each.in)))
      lies.push(`${pair.in} for ${pair.out}, not ${JSON.stringify(own.log)}`);
  return lies;
}

const isPart = (told: string | undefined, player: number): boolean =>
  told === undefined || told === String(player);

/** What a site that is made for the first time would say of weeks that are over, and one that goes on does not. */
function liesLeftOut(shown: readonly WeekValues[], first: readonly WeekValues[]): string[] {
  return first.flatMap(({ gameWeek, state, squads }) => {
    if (state === 'open' || state === 'provisional') return [];
    const there = shown.find((each) => each.gameWeek === gameWeek);
    return squads.flatMap((squad) => {
      const own = there?.squads.find((each) => each.squad === squad.squad);
      const leftOut = Object.keys(saidOf(squad)).filter(
        (name) => own === undefined || !(name in saidOf(own)),
      );
      return leftOut.map((name) => `site, ${gameWeek} (${state}): ${name} of ${squad.squad} is left out`);
    });
  });
}

/** What is said of a squad, by its name. */
const saidOf = ({
  points,
  total,
  entries = [],
  substitutions,
}: SquadValues): Readonly<Record<string, unknown>> =>
  Object.fromEntries<unknown>(
    [
      ['points', points] as const,
      ['total', total] as const,
      ...entries.flatMap(({ player, minutes, points: own }) => [
        [`minutes of ${player}`, minutes] as const,
        [`points of ${player}`, own] as const,
      ]),
      ...substitutions.map((_, at) => [`substitution ${at}`, true] as const),
    ].filter(([, told]) => told !== undefined),
  );

/** Everything that the site would show now and is not so. What it shows is kept, as a publication is. */
async function liesPublished({ league, store, clock, forgotten }: Operator): Promise<readonly string[]> {
  const { memory } = store;
  const nowMs = clock.now();
  const season = newestSeason(await leagueWeeks(memory, scope, nowMs, 'checked'));
  const ports = { store: store as Store };
  const { shown } = await numberedWeeks(ports, scope, season, nowMs);
  const { values, fresh } = await shownValues(
    ports,
    scope,
    { rules: { positions: {} } as never },
    season,
    shown,
  );
  await keepPublished(memory, scope, fresh, nowMs);
  const lies = liesLeftOut(
    values,
    await readWeekValues({ memory, scope, rules: { positions: {} }, season }, shown),
  );
  for (const { gameWeek, state, squads } of values) {
    const own = league.weeks.find(({ id }) => id === gameWeek);
    const now = season.find(({ week }) => week.id === gameWeek);
    if (own === undefined || now === undefined) throw new Error('a week that is none');
    const says = (what: string): number => lies.push(`site, week ${own.at} (${state}): ${what}`);
    if (state !== now.state) says(`it is ${now.state}`);
    const [rows = []] = (
      await Array.fromAsync(keptStandings(memory, scope, season, new Set([gameWeek]), { groups: [] }))
    ).map((each) => each.rows);
    for (const each of squads) {
      const squad = league.squads.find(({ id }) => id === each.squad);
      if (squad === undefined || forgotten.has(squad.member)) {
        says(`${each.squad} stands there`);
        continue;
      }
      for (const lie of liesOnSite(each, state, league, squad, own)) says(`${squad.name} has ${lie}`);
      const row = rows.find(({ id }) => id === each.squad);
      const isFinal = state === 'final' || state === 'final_by_totals';
      // What was published stays where nobody knows it any more.
      const isSame = ([mine, own]: readonly [number | undefined, number | null | undefined]): boolean =>
        own === null || mine === (own ?? undefined);
      const pairs = [[each.points, row?.points] as const, [each.total, row?.total] as const];
      if (isFinal && !pairs.every(isSame))
        says(
          `${squad.name} has ${each.points} points of ${each.total}, standings ${row?.points} of ${row?.total}`,
        );
    }
  }
  return lies;
}

/** One group, in which members stand from different weeks on. */
const groupsIn = ({ squads, weeks }: League): readonly GroupMember[] =>
  squads.map(({ member }, at) => ({ member, group: 'Cup', fromWeek: (at % weeks.length) + 1 }));

/** What the ranks of a group say and is not so, where all totals are those after the last substitutions. */
function liesOfGroup(
  rows: readonly Standing[],
  groups: readonly GroupMember[],
  league: League,
  week: SeasonWeek,
): readonly string[] {
  const totalOf = (squad: SeasonSquad, after: SeasonWeek | undefined): number =>
    after === undefined || after.at < squad.first ? 0 : league.truth(squad, after, true).total;
  const won = rows.flatMap((row) => {
    const squad = league.squads.find(({ id }) => id === row.id);
    const from = groups.find(({ member }) => member === squad?.member)?.fromWeek ?? 1;
    if (squad === undefined || row.group_rank === null) return [];
    const before = league.weeks.find(({ season, number }) => season === week.season && number === from - 1);
    const points = totalOf(squad, week) - totalOf(squad, before);
    return [{ name: squad.name, rank: row.group_rank, points, isSure: row.total === totalOf(squad, week) }];
  });
  if (won.some(({ isSure }) => !isSure)) return [];
  return won.flatMap(({ name, rank, points }) => {
    const above = won.filter((each) => each.points > points).length;
    return rank === above + 1 ? [] : [`${name} has rank ${rank} in its group, not ${above + 1}`];
  });
}

/** Everything that is said of all weeks and is not so. */
async function liesAt({ league, store, clock, forgotten }: Operator): Promise<readonly string[]> {
  const weeks = await leagueWeeks(store.memory, scope, clock.now(), 'checked');
  // Whether costs are in the points of a week is learnt from most squads; of a few, most may say so by chance.
  const facts = await WeekFacts.open(store.memory, scope);
  const hits = await learntHits(
    facts,
    weeks.map(({ week }) => week),
  );
  if (hits !== undefined && (hits === 'net') !== league.habits.isNet) return [];
  const ids = new Set(weeks.map(({ week }) => week.id));
  const lies: string[] = [];
  const groups = groupsIn(league);
  const said = (its: ReadonlySet<string>) => keptStandings(store.memory, scope, weeks, its, { groups });
  for await (const { week, rows = [] } of said(ids)) {
    const own = league.weeks.find(({ id }) => id === week.id);
    const ofLeague = weeks.find((each) => each.week.id === week.id);
    if (own === undefined || ofLeague === undefined) throw new Error('a week that is none');
    const { state } = ofLeague;
    const says = (what: string): number => lies.push(`week ${own.at} (${state}): ${what}`);
    for (const row of rows) {
      const squad = league.squads.find(({ id }) => id === row.id);
      if (squad === undefined || forgotten.has(squad.member)) says(`${row.id} stands there`);
      else for (const lie of liesOf(row, ofLeague, league, squad, own)) says(`${squad.name} has ${lie}`);
    }
    const [alone] = await Array.fromAsync(said(new Set([week.id])));
    if (!isDeepStrictEqual(alone?.rows ?? [], rows)) says('asked for alone, it says something else');
    const soFar = weeks.filter(({ week: { id } }) =>
      league.weeks.some((each) => each.id === id && each.season === own.season && each.at <= own.at),
    );
    if (
      soFar.every((each) => each.state === 'final' || (each.state === 'missing' && each.squads === undefined))
    )
      for (const lie of liesOfGroup(rows, groups, league, own)) says(lie);
    const isWhole = state === 'final' && forgotten.size === 0 && rows.every(({ total }) => total !== null);
    const there = league.squads.filter(({ weeks: its }) => its.has(own.at));
    if (!isWhole || rows.length < there.length) continue;
    for (const row of rows) {
      const above = rows.filter(({ total }) => (total ?? 0) > (row.total ?? 0)).length;
      if (row.rank !== above + 1) says(`${row.name ?? ''} has rank ${row.rank}, not ${above + 1}`);
    }
  }
  return lies;
}

/** A league of midfielders. */
const RULES: Rules = {
  ...PUBLIC_RULES,
  eleven: { GK: [0, 0], DEF: [0, 0], MID: [0, 11], FWD: [0, 0] },
};
const ALL = { kind: 'all' } as const;

/** What a report of the log says and is not so. */
async function liesOfLog({ league, store }: Operator): Promise<readonly string[]> {
  const { pairs } = await keptLog(store.memory, scope, await keptWeeks(store.memory, scope, ALL));
  return pairs.flatMap((pair) => {
    if (pair.week === undefined) return [];
    const own = league.squads
      .find(({ id }) => id === pair.squad?.id)
      ?.weeks.get(league.weeks.find(({ id }) => id === pair.week)?.at ?? 0);
    const [out, into] = [pair.out, pair.in].map((record) => record && String(record.player?.id));
    const made = own?.log.filter((each) => isPart(out, each.out) && isPart(into, each.in));
    const { planned, played } = own ?? {};
    const isMoved = planned?.captain !== played?.captain && String(planned?.captain) === out;
    const isSo = made !== undefined && made.length > 0 && (pair.captainMoved ?? isMoved) === isMoved;
    return isSo ? [] : [`log of week ${pair.week}: ${JSON.stringify(pair)}, not ${JSON.stringify(own)}`];
  });
}

/** The weeks that have begun, of the season that began last, as they were. */
async function weeksNow({ league, store, clock }: Operator) {
  const begun = newestSeason(await leagueWeeks(store.memory, scope, clock.now()));
  return begun.map((kept) => {
    const week = league.weeks.find(({ id }) => id === kept.week.id);
    if (week === undefined) throw new Error('a week that is none');
    return { kept, week, choice: { kind: 'range', from: week.number, to: week.number } as const };
  });
}

/** What an audit says of substitutions and is not so. */
async function liesOfAudits(operator: Operator): Promise<readonly string[]> {
  const { league, store, clock, forgotten } = operator;
  const lies: string[] = [];
  for (const { kept, week, choice } of await weeksNow(operator)) {
    const says = (what: string): number => lies.push(`audit of week ${week.at}: ${what}`);
    const { weeks } = await auditWeeks({ store: store as Store }, scope, RULES, choice, clock.now());
    const [{ squads: size, agree, differences } = { squads: 0, agree: 0, differences: [] }] = weeks;
    if (size !== (kept.lineups?.ids ?? 0)) says(`${size} squads, not ${kept.lineups?.ids}`);
    const its = league.squads.filter(({ weeks: own }) => own.has(week.at));
    const right = its
      .filter(({ member }) => !forgotten.has(member))
      .filter((each) => league.isRight(each, week));
    if (agree > right.length) says(`${agree} agree, not ${right.length}`);
    for (const {
      squad: { id },
      verdict,
    } of differences) {
      const squad = league.squads.find((each) => each.id === id);
      const own = squad?.weeks.get(week.at);
      if (squad === undefined || own === undefined || forgotten.has(squad.member)) says(`${id} stands there`);
      else if (league.isRight(squad, week)) says(`${squad.name} differs: ${JSON.stringify(verdict)}`);
      else if (verdict.expected.length !== own.right.log.length)
        says(
          `${squad.name} should have ${JSON.stringify(verdict.expected)}, not ${JSON.stringify(own.right.log)}`,
        );
    }
  }
  return lies;
}

/** What a preview makes of one goal that brings one point more, and is not so. */
async function liesOfPreviews(operator: Operator): Promise<readonly string[]> {
  const { league, store, clock, forgotten } = operator;
  const lies: string[] = [];
  const over = { midfielder_goal_points: SETTINGS.midfielder_goal_points + 1 };
  const ports = { store: store as Store };
  for (const { kept, week, choice } of await weeksNow(operator)) {
    const { isOver, state } = kept;
    if (!isOver) continue;
    const found = await previewPoints(ports, scope, RULES, choice, over, SETTINGS, clock.now());
    if (found.squads.length !== (kept.lineups?.ids ?? 0))
      lies.push(`preview of week ${week.at}: ${found.squads.length} squads, not ${kept.lineups?.ids}`);
    if (found.unknown > 0) continue;
    for (const { id, name, totalNow, totalThen } of found.squads) {
      const squad = league.squads.find((each) => each.id === id);
      if (squad === undefined || forgotten.has(squad.member)) lies.push(`preview: ${name} stands there`);
      else {
        const goals = league.goals(squad, week);
        if (!(state === 'final' ? goals.slice(1) : goals).includes(totalThen - totalNow))
          lies.push(
            `preview of week ${week.at} (${state}): ${name} has ${totalThen - totalNow} goals, not ${goals.join(' or ')}`,
          );
      }
    }
  }
  return lies;
}

it.each(Array.from({ length: Math.ceil(SEASONS / TOGETHER) }, (_, at) => FROM + at * TOGETHER))(
  'standings say what was so or nothing, whenever a league is looked at (seeds from %i)',
  async (from) => {
    const lies: string[] = [];
    for (let seed = from; seed < from + TOGETHER; seed += 1) lies.push(...(await season(seed)));
    expect(lies).toEqual([]);
  },
);
