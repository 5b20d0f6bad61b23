import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, runCli } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { settingNames } from '../support/points.ts';
import {
  hitsByTheRules,
  isLegal,
  lineupByTheRules,
  pointsByTheRules,
  ranksOf,
  substituteByTheRules,
  toEntry,
} from '../support/rehearsal-audit.ts';
import type { Entry, Line, Settings } from '../support/rehearsal-audit.ts';
import { isLong } from '../support/long.ts';

const WEEKS = isLong ? 38 : 4;
const MEMBERS = isLong ? 15 : 6;
/** Bounds a season that hangs. */
const LIMIT_MS = 900_000;
const PLAYERS = 450;

const MAPPINGS = `
- version: 1
  name: users
  push: users
  source: { csv: users.csv }
  operation: upsert
  columns: { external_id: { from: Member }, display_name: { from: Name } }
- version: 1
  name: points
  push: points_config
  source: { csv: points.csv, layout: key_value, key_column: Setting, value_column: Points }
  operation: set
  columns: auto
- version: 1
  name: prices
  push: prices
  source: { csv: prices.csv }
  operation: append
  compare: snapshot
  columns:
    fantasy_league_id: { value: "1" }
    player_id: { from: Player, type: integer }
    price: { from: Price, type: number }
    type: { value: current }
- version: 1
  name: members
  pull: users
  destination: { csv: out/members.csv }
- version: 1
  name: market
  pull: players
  where: { fantasy_league_id: 1 }
  ids: "1-${PLAYERS}"
  destination: { csv: out/market.csv }
- version: 1
  name: players
  pull: players
  explode: weekly_stats
  where: { fantasy_league_id: 1 }
  ids: "1-${PLAYERS}"
  destination: { csv: out/players.csv }
- version: 1
  name: fixtures
  pull: fixtures
  where: { fantasy_league_id: 1 }
  destination: { csv: out/fixtures.csv }
  columns: { week: game_week.week, home: teams.home.name, away: teams.away.name, home_goals: goals.home, away_goals: goals.away }
- version: 1
  name: squads
  pull: squads
  detail: true
  where: { fantasy_league_id: 1 }
  destination: { csv: out/squads.csv }
  columns:
    squad: id
    week: ranking.game_week
    rank: ranking.current_rank
    points: ranking.game_week_points
    total: ranking.total_points
    value: finance.squad_value
- version: 1
  name: lineups
  pull: lineups
  where: { fantasy_league_id: 1 }
  destination: { csv: out/lineups.csv }
  columns:
    squad: id
    week: game_week.week
    player: entry.player.id
    position: entry.position.abbrevation
    starts: entry.is_starting
    captain: entry.is_captain
    vice: entry.is_vice_captain
    points: entry.points
    total: total_points
    hits: transfer_hits.hits
    deduction: transfer_hits.points_deduction
- version: 1
  name: substitutions
  pull: auto_substitutions
  where: { fantasy_league_id: 1 }
  destination: { csv: out/substitutions.csv }
  columns: { id: id, squad: squad.id, player: player.id, action: action, reference: txn_ref }
`;

/** Every setting with a value of its own, so that one taken for another shows. */
const SETTINGS: Settings = {
  ...Object.fromEntries(settingNames.map((name, index) => [name, 2 * index + 1])),
  ...{
    sub_out_points: -1,
    yellow_card_points: -1,
    red_card_points: -3,
    penalty_miss_points: -2,
    own_goal_points: -2,
  },
  ...{ goalkeeper_goal_concede_points: -0.5, defender_goal_concede_points: -1.5, goal_save_ratio: 3 },
  ...{ clean_sheet_eligibility_minutes: 60, time_onfield_eligibility_minutes: 45 },
};

interface Ready {
  readonly base_url: string;
  readonly api_key: string;
  readonly control_key: string;
}

/** What the reports of one game week showed, before and after the substitutions. */
interface Week {
  readonly number: string;
  readonly before: ReadonlyMap<string, readonly Line[]>;
  readonly after: ReadonlyMap<string, readonly Line[]>;
  readonly squads: readonly Line[];
  readonly log: readonly Line[];
  readonly prices: ReadonlyMap<string, number>;
}

/** An eleven by position and a bench, each by player. */
interface Chosen {
  readonly starting: readonly string[];
  readonly bench: readonly string[];
  readonly captain: string;
  readonly vice: string;
}

/** What an owner told the service for each week, from the first on, which was the service's own choice. */
interface Owner {
  readonly lineup: Chosen;
  /** What the squad is again after a free hit. */
  readonly backTo: Chosen | undefined;
  readonly weeks: readonly {
    readonly lineup: Chosen;
    readonly transfers: number;
    readonly chip: string | undefined;
  }[];
}

/** Which chip a member plays in which week. */
const CHIPS: Readonly<Record<string, string>> = {
  ...{ '0 2': 'bench_boost', '1 2': 'triple_captain', '2 2': 'wildcard', '2 3': 'free_hit' },
  ...{ '0 3': 'triple_captain', '1 3': 'free_hit', '0 4': 'wildcard', '1 4': 'bench_boost' },
  ...{ '3 9': 'free_hit', '4 9': 'wildcard', '5 20': 'bench_boost', '6 30': 'free_hit' },
};

const folder = makeFolder({ 'mappings/rehearsal.yaml': MAPPINGS });
let ready: Ready;
let sandbox: { readonly done: Promise<unknown>; readonly kill: () => void };
let env: Readonly<Record<string, string>>;
const weeks: Week[] = [];
let stats: ReadonlyMap<string, Line>;
let players: readonly Line[];
let fixtures: readonly Line[];
let market: readonly Line[];
const owners = new Map<string, Owner>();

async function startSandbox(): Promise<void> {
  const started = Promise.withResolvers<{ ready: Ready; kill: () => void }>();
  const many = ['per_minute=1000000', 'per_day=10000000', 'page_size=200'].flatMap((one) => ['--set', one]);
  const done = runCli(['sandbox', '--port', '0', ...many], {
    cwd: folder.path,
    when: {
      seen: /\}\n[^]*ready/,
      act: (kill, stdout) =>
        started.resolve({ ready: JSON.parse(stdout) as Ready, kill: () => kill('SIGTERM') }),
    },
  });
  void done.then(({ stderr }) => started.reject(new Error(`the sandbox ended: ${stderr}`)));
  const { ready: line, kill } = await started.promise;
  ready = line;
  sandbox = { done, kill };
  env = { TEAMSHEET_BASE_URL: ready.base_url, TEAMSHEET_API_KEY: ready.api_key };
}

/** Runs a command that must end well; returns what it printed. */
async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, { cwd: folder.path, env });
  expect({ args, code, stderr }).toMatchObject({ args, code: 0 });
  return stdout;
}

async function api(operation: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const stdout = await run('api', operation, '--yes', '--body', JSON.stringify(body));
  return (JSON.parse(stdout) as { readonly data: Readonly<Record<string, unknown>> }).data;
}

async function control<T>(path: string, body?: object): Promise<T> {
  const answer = await fetch(`${ready.base_url}/control/${path}`, {
    method: 'POST',
    headers: {
      'x-control-key': ready.control_key,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { data, message } = (await answer.json()) as { readonly data: T; readonly message: string };
  expect([answer.status, message]).toEqual([200, message]);
  return data;
}

async function playNextWeek(): Promise<{ readonly id: string; readonly week: string }> {
  const { current_game_week } = await control<{
    readonly current_game_week: { readonly id: string; readonly week: string };
  }>('play-next-week');
  return current_game_week;
}

/** Has the owners of the squads by the rules change them for a week: another captain and order of the bench, some transfers, a chip now and then. */
async function changeSquads(week: number): Promise<void> {
  for (const [member, [squad, owner]] of [...owners].entries()) {
    const chip = CHIPS[`${member} ${week}`];
    let { lineup, backTo } = owner;
    if (backTo !== undefined) [lineup, backTo] = [backTo, undefined];
    if (chip === 'free_hit') backTo = lineup;
    if (chip !== undefined) await control(`squads/${squad}/chips`, { chip });
    const transfers = (week + member) % 4;
    if (transfers > 0) lineup = await transfer(squad, lineup, transfers);
    const [first = '', ...bench] = lineup.bench;
    lineup = { ...lineup, bench: [...bench, first], captain: lineup.vice, vice: lineup.captain };
    await control(`squads/${squad}/lineup`, {
      starting: lineup.starting.map(Number),
      bench: lineup.bench.map(Number),
      captain: Number(lineup.captain),
      vice_captain: Number(lineup.vice),
    });
    owners.set(squad, { lineup, backTo, weeks: [...owner.weeks, { lineup, transfers, chip }] });
  }
}

/** Each player who comes takes the place of one of his position. */
async function transfer(squad: string, lineup: Chosen, count: number): Promise<Chosen> {
  const held = [...lineup.starting, ...lineup.bench];
  const taken = new Set(held);
  const swaps = new Map<string, string>();
  while (swaps.size < count) {
    const out = held[next(held.length)] ?? '';
    const fits = market.filter(
      ({ id = '', position }) => !taken.has(id) && position === market[Number(out) - 1]?.['position'],
    );
    const into = fits[next(fits.length)]?.['id'] ?? '';
    if (!swaps.has(out)) swaps.set(out, into);
    taken.add(into);
  }
  const ids = { out: [...swaps.keys()].map(Number), in: [...swaps.values()].map(Number) };
  await control(`squads/${squad}/transfers`, ids);
  const now = (id: string): string => swaps.get(id) ?? id;
  return {
    starting: lineup.starting.map(now),
    bench: lineup.bench.map(now),
    captain: now(lineup.captain),
    vice: now(lineup.vice),
  };
}

const readReport = (name: string): readonly Line[] =>
  parse(readFileSync(join(folder.path, 'out', `${name}.csv`), 'utf8'), { columns: true });

const bySquad = (): ReadonlyMap<string, readonly Line[]> =>
  Map.groupBy(readReport('lineups'), (line) => line['squad'] ?? '');

function writeTable(name: string, header: string, rows: readonly (readonly (string | number)[])[]): void {
  folder.write(name, [header, ...rows.map((row) => row.join(','))].join('\n') + '\n');
}

let state = 7;
/** The same numbers below `most` in every run. */
function next(most: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % most;
}

/** Squads of the public game picked at random, so that many players are reserves, and three that no rule book allows. */
function squadsOf(): readonly (readonly string[])[] {
  const draw = (position: string, count: number): readonly string[] => {
    const left = market
      .filter((player) => player['position'] === position)
      .map((player) => player['id'] ?? '');
    return Array.from({ length: count }, () => left.splice(next(left.length), 1)[0] ?? '');
  };
  const publicSquad = () => [...draw('FWD', 3), ...draw('GK', 2), ...draw('MID', 5), ...draw('DEF', 5)];
  const odd = [
    draw('MID', 4),
    [...draw('DEF', 6), ...draw('MID', 9)],
    [...draw('GK', 2), ...draw('DEF', 13)],
  ];
  return [...Array.from({ length: MEMBERS - odd.length }, publicSquad), ...odd];
}

async function prepare(): Promise<ReadonlyMap<string, number>> {
  const members = Array.from({ length: MEMBERS }, (_, index) => [`M-${index + 1}`, `Member ${index + 1}`]);
  writeTable('users.csv', 'Member,Name', members);
  writeTable('points.csv', 'Setting,Points', Object.entries(SETTINGS));
  await run('push', 'users', 'points', '--var', 'fantasy_league_id=1', '--yes');
  await run('pull', 'members', 'market');
  market = readReport('market');
  expect(market).toHaveLength(PLAYERS);
  const userIds = readReport('members').map((user) => Number(user['user_id']));
  for (const [index, squad] of squadsOf().entries()) {
    const players_in = squad.map(Number);
    await api('create-squad', {
      user_id: userIds[index],
      name: `Squad ${index + 1}`,
      fantasy_league_id: 1,
      players_in,
    });
  }
  return new Map(market.map((player) => [player['id'] ?? '', Number(player['price'])]));
}

async function rehearseWeek(number: number, prices: Map<string, number>): Promise<Week> {
  for (const id of prices.keys()) {
    const step = (Number(id) + number) % 9;
    if (step < 2) prices.set(id, Math.round(10 * (prices.get(id) ?? 0) + (step === 0 ? 1 : -1)) / 10);
  }
  writeTable('prices.csv', 'Player,Price', [...prices]);
  writeTable('users.csv', 'Member,Name', [
    ['M-1', `Captain of week ${number}`],
    [`N-${number}`, 'Newcomer'],
  ]);
  const week = await playNextWeek();
  // What is changed now is for the next week: the reports of this one must not show it.
  if (number > 1 && number < WEEKS) await changeSquads(number + 1);
  await run('sync', 'users', 'prices', 'lineups', '--yes');
  const before = bySquad();
  if (number === 1) {
    meetOwners(before);
    await changeSquads(2);
  }
  const trigger = { fantasy_league_id: 1, game_week_id: week.id };
  const processed = await api('trigger-auto-substitution', trigger);
  await run('pull', 'lineups', 'squads', 'substitutions');
  const log = readReport('substitutions').slice(weeks.reduce((sum, one) => sum + one.log.length, 0));
  expect(processed).toMatchObject({ code: 'PROCESSED', events: log.length });
  if (number === 1) {
    expect(await api('trigger-auto-substitution', trigger)).toMatchObject({
      code: 'ALREADY_PROCESSED',
      events: 0,
    });
  }
  return {
    number: week.week,
    before,
    after: bySquad(),
    squads: readReport('squads'),
    log,
    prices: new Map(prices),
  };
}

/** The squads by the rules have owners, who begin with what the service chose. */
function meetOwners(lineups: ReadonlyMap<string, readonly Line[]>): void {
  for (const [squad, lines] of [...lineups].slice(0, MEMBERS - 3)) {
    const entries = lines.map(toEntry);
    const players = (starts: boolean) => entries.filter((entry) => entry.starts === starts);
    const lineup = {
      starting: players(true).map(({ playerId }) => playerId),
      bench: players(false).map(({ playerId }) => playerId),
      captain: entries.find((entry) => entry.captain)?.playerId ?? '',
      vice: entries.find((entry) => entry.vice)?.playerId ?? '',
    };
    owners.set(squad, { lineup, backTo: undefined, weeks: [{ lineup, transfers: 0, chip: undefined }] });
  }
}

beforeAll(async () => {
  await startSandbox();
  const prices = new Map(await prepare());
  for (let number = 1; number <= WEEKS; number += 1) weeks.push(await rehearseWeek(number, prices));
  await run('pull', 'players', 'fixtures');
  players = readReport('players');
  stats = new Map(players.map((line) => [`${line['id'] ?? ''} ${line['stat.game_week'] ?? ''}`, line]));
  fixtures = readReport('fixtures');
}, LIMIT_MS);

afterAll(async () => {
  sandbox.kill();
  await sandbox.done;
  folder.remove();
});

describe(`a season of ${WEEKS} game weeks, worked out again from the pulled reports`, () => {
  const statOf = (week: Week, entry: Entry): Line | undefined =>
    stats.get(`${entry.playerId} ${week.number}`);
  const minutesIn = (week: Week) => (entry: Entry) =>
    Number(statOf(week, entry)?.['stat.minutes_played'] ?? 0);
  const pointsIn = (week: Week) => (entry: Entry) =>
    pointsByTheRules(SETTINGS, entry.position, statOf(week, entry));

  it('is whole', () => {
    expect(weeks.map((week) => week.number)).toEqual(
      Array.from({ length: WEEKS }, (_, index) => String(index + 1)),
    );
  });

  const chipIn = (week: Week, squad: string) => owners.get(squad)?.weeks[Number(week.number) - 1]?.chip;
  const hitsIn = (week: Week, squad: string): number => {
    const { weeks: own = [] } = owners.get(squad) ?? {};
    const waived = (number: number) => /^(wildcard|free_hit)$/.test(own[number - 1]?.chip ?? '');
    const made = own.map(({ transfers }) => transfers);
    return hitsByTheRules(made, waived)[Number(week.number) - 1] ?? 0;
  };

  it('shows the line-up of each week as its owner left it before the week, with its hits', () => {
    let hits = 0;
    for (const week of weeks) {
      for (const [squad, { weeks: own }] of owners) {
        const lineup = own[Number(week.number) - 1]?.lineup;
        const lines = week.before.get(squad) ?? [];
        const entries = lines.map(toEntry);
        const shown = {
          starting: entries.filter(({ starts }) => starts).map(({ playerId }) => playerId),
          bench: entries.filter(({ starts }) => !starts).map(({ playerId }) => playerId),
          captain: entries.find(({ captain }) => captain)?.playerId,
          vice: entries.find(({ vice }) => vice)?.playerId,
        };
        expect([week.number, squad, shown]).toEqual([week.number, squad, lineup]);
        expect([week.number, squad, lines[0]?.['hits'], lines[0]?.['deduction']]).toEqual([
          ...[week.number, squad],
          ...[hitsIn(week, squad), 4 * hitsIn(week, squad)].map(String),
        ]);
        hits += hitsIn(week, squad);
      }
    }
    expect(hits).toBeGreaterThan(0);
  });

  it('has the points of every player in every week', () => {
    expect(stats.size).toBe(PLAYERS * WEEKS);
    const wrong = players.filter(
      (line) => pointsByTheRules(SETTINGS, line['position'] ?? '', line) !== Number(line['stat.points']),
    );
    expect(wrong).toEqual([]);
  });

  it('has scores that are the goals of the players, and eleven starters a side', () => {
    const played = fixtures.filter((fixture) => fixture['home_goals'] !== '');
    expect(played).toHaveLength(WEEKS * 10);
    const byClub = Map.groupBy(players, (line) => `${line['team'] ?? ''} ${line['stat.game_week'] ?? ''}`);
    for (const fixture of played) {
      for (const side of ['home', 'away']) {
        const own = byClub.get(`${fixture[side] ?? ''} ${fixture['week'] ?? ''}`) ?? [];
        const sum = (name: string): number =>
          own.reduce((all, line) => all + Number(line[`stat.${name}`]), 0);
        expect([sum('goals'), sum('games_started')]).toEqual([Number(fixture[`${side}_goals`]), 11]);
        expect(sum('assists')).toBeLessThanOrEqual(sum('goals'));
        expect(sum('minutes_played')).toBeLessThanOrEqual(990);
      }
    }
  });

  it('has the substitutions that the rules ask for, and legal elevens before and after', () => {
    let substitutions = 0;
    for (const week of weeks) {
      expect(week.before.size).toBe(MEMBERS);
      for (const [squad, lines] of week.before) {
        const { after, pairs } = substituteByTheRules(lines.map(toEntry), minutesIn(week));
        const records = week.log.filter((record) => record['squad'] === squad);
        const logged = [...Map.groupBy(records, (record) => record['reference']).values()].map((pair) =>
          ['out', 'in'].map((action) => pair.find((record) => record['action'] === action)?.['player']),
        );
        expect([week.number, squad, logged]).toEqual([week.number, squad, pairs]);
        const places = (entries: readonly Entry[]) =>
          entries.map(({ playerId, starts, captain, vice }) => [playerId, starts, captain, vice]);
        const shown = (week.after.get(squad) ?? []).map(toEntry);
        expect([week.number, squad, places(shown)]).toEqual([week.number, squad, places(after)]);
        if (isLegal(lines.map(toEntry))) expect(isLegal(shown)).toBe(true);
        substitutions += pairs.length;
      }
    }
    expect(
      weeks.flatMap((week) => [...week.before.values()]).filter((lines) => isLegal(lines.map(toEntry))),
    ).toHaveLength(WEEKS * (MEMBERS - 3));
    expect(substitutions).toBeGreaterThan(WEEKS * 3);
  });

  it('has the points of every line-up, before and after the substitutions', () => {
    for (const week of weeks) {
      for (const lineups of [week.before, week.after]) {
        for (const [squad, lines] of lineups) {
          const entries = lines.map(toEntry);
          const chip = chipIn(week, squad);
          const { shown, total } = lineupByTheRules(entries, pointsIn(week), minutesIn(week), chip);
          expect([week.number, squad, entries.map((entry) => entry.points)]).toEqual([
            week.number,
            squad,
            shown,
          ]);
          const net = total - 4 * hitsIn(week, squad);
          expect([week.number, squad, Number(lines[0]?.['total'])]).toEqual([week.number, squad, net]);
        }
      }
    }
  });

  it('has the totals, ranks and values of every squad after every week', () => {
    const totals = new Map<string, number>();
    for (const week of weeks) {
      for (const [squad, lines] of week.after) {
        const gross = lineupByTheRules(
          lines.map(toEntry),
          pointsIn(week),
          minutesIn(week),
          chipIn(week, squad),
        );
        const total = gross.total - 4 * hitsIn(week, squad);
        totals.set(squad, (totals.get(squad) ?? 0) + total);
        const shown = week.squads.find((line) => line['squad'] === squad);
        expect([shown?.['week'], shown?.['points'], shown?.['total']]).toEqual(
          [week.number, total, totals.get(squad)].map(String),
        );
        // The value is that of the squad for the next week, where its owner has changed it.
        const later = owners.get(squad)?.weeks[Number(week.number)]?.lineup;
        const held =
          later === undefined
            ? lines.map((line) => line['player'] ?? '')
            : [...later.starting, ...later.bench];
        const value = held.reduce((sum, id) => sum + (week.prices.get(id) ?? Number.NaN), 0);
        expect(Number(shown?.['value'])).toBeCloseTo(value, 6);
      }
      const ranks = ranksOf(totals);
      expect(new Map(week.squads.map((line) => [line['squad'], Number(line['rank'])]))).toEqual(ranks);
    }
    expect(new Set(totals.values()).size).toBeGreaterThan(MEMBERS / 2);
  });
});
