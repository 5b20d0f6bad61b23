import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { makeFolder, startServer, type Outcome, type RunOptions } from '../support/cli.ts';
import { settingNames } from '../support/points.ts';
import { runInSeason, SEASON_CLOCK } from '../support/season-clock.ts';
import { expectNothingTwice } from '../support/season/checks.ts';
import { readEffects, readFacts } from '../support/season/facts.ts';
import { runs } from '../support/long.ts';

const WEEKS = runs(7, 38);
const LIMIT_MS = 1_800_000;
/** What happens in which week; every other one is as it should be. */
const [WRONG_PRICE, KILLED_USERS, RENAMED, MOVED, MISSED, KILLED_PRICES, UNREAD] = [1, 2, 3, 4, 5, 6, 7];
const OUTAGE = MOVED;

const SQUADS = 6;
const JOINED = 40;
const PRICED = 40;

const CONFIG = `version: 1
environments: { live: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } } }
vars: { fantasy_league_id: 1, price_type: current }
timezone: UTC
push: { settle: 100ms }
rules: { squad: { check: off } }
alerts: [{ webhook: { env: ALERT_URL }, allow_private: true }]
publish: { out: public }
`;
const MAPPINGS = `
- version: 1
  name: users
  push: users
  source: { csv: users.csv }
  operation: upsert
  columns: { external_id: { from: Member ID, type: text, required: true }, display_name: Name }
  batch_size: 10
  schedule: "0 6 * * 4"
- version: 1
  name: squads
  push: squads
  source: { csv: squads.csv }
  operation: create
  columns:
    fantasy_league_id: { value: "\${fantasy_league_id}" }
    user_id: { from: Member ID, lookup: { in: users, match: external_id, take: user_id, on_miss: invalid } }
    name: Squad name
    players_in: { from_all: [P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15] }
  schedule: "0 6 * * 4"
- version: 1
  name: points
  push: points_config
  source: { csv: points.csv, layout: key_value, key_column: Setting, value_column: Points }
  operation: set
  columns: auto
  schedule: "0 6 1 7 *"
- version: 1
  name: prices
  push: prices
  source: { csv: prices.csv }
  operation: append
  columns:
    fantasy_league_id: { value: "\${fantasy_league_id}" }
    player_id: { from: Player ID, type: integer }
    price: { from: Price, type: number }
    type: { value: "\${price_type}" }
  batch_size: 10
  schedule: { at: each.kickoff - 24h }
  deadline: each.kickoff
- version: 1
  name: trigger
  push: auto_substitutions
  source: { weeks: last }
  schedule: { at: each.end + 3h }
- version: 1
  name: table
  pull: standings
  where: { fantasy_league_id: 1 }
  destination: { csv: out/table.csv }
  columns: { week: week, squad: name, rank: rank, points: points, total: total }
  schedule: { at: each.end + 5h }
- version: 1
  name: lineups
  pull: lineups
  where: { fantasy_league_id: 1, weeks: last }
  destination: { csv: out/lineups.csv }
  columns: { week: game_week.week, squad: name, player: entry.player.id, starts: entry.is_starting }
  schedule: { at: each.end + 5h }
`;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const startOf = (week: number): number => Date.parse('2026-08-14T17:30:00Z') + (week - 1) * 7 * DAY;
const endOf = (week: number): number => startOf(week) + 77.5 * HOUR;
const A_MINUTE = 60_000;

const csv = (header: string, rows: readonly (readonly (string | number)[])[]): string =>
  [header, ...rows.map((row) => row.join(','))].join('\n') + '\n';
const list = <T>(length: number, each: (at: number) => T): readonly T[] =>
  Array.from({ length }, (_, at) => each(at));
const usersTable = (count: number): string =>
  csv(
    'Member ID,Name',
    list(count, (at) => [`M-${at}`, `Member ${at}`]),
  );
const priceIn = (week: number): string => (5 + week / 10).toFixed(1);
const pricesTable = (week: number): string =>
  csv(
    week === RENAMED ? 'Player ID,Cost' : 'Player ID,Price',
    list(PRICED, (at) => [at + 1, week === WRONG_PRICE && at === 0 ? 'soon' : priceIn(week)]),
  );
/** Fifteen players of one club, others for each squad: two goalkeepers, five defenders, five midfielders and three forwards. */
const playersOf = (squad: number): readonly number[] =>
  (
    [
      [1, 3, 2],
      [4, 8, 5],
      [12, 8, 5],
      [20, 4, 3],
    ] as const
  ).flatMap(([first, of, count]) => list(count, (at) => first + ((at + squad) % of)));

interface RunLine {
  readonly run: string;
  readonly command: string;
  readonly exit_code: number | null;
  readonly started_at: string;
  readonly finished: boolean;
  readonly mappings: readonly Readonly<Record<string, string | number>>[];
}

/** What the sandbox itself keeps of a squad in a week. */
interface Truth {
  readonly squad: { readonly name: string };
  readonly after: readonly { readonly player_id: number; readonly is_starting: boolean }[];
  readonly points: { readonly net: number };
  readonly total_points: number;
  readonly rank: number;
}

/** A league's season, which nobody but its schedule runs. */
class Season {
  readonly folder: ReturnType<typeof makeFolder>;
  readonly sandbox: Sandbox;
  readonly database: DatabaseSync;
  readonly alerts: string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #hook: Awaited<ReturnType<typeof startServer>>;
  #onWrite: (path: string) => void = () => undefined;

  private constructor(
    folder: Season['folder'],
    sandbox: Sandbox,
    hook: Awaited<ReturnType<typeof startServer>>,
    alerts: string[],
  ) {
    this.folder = folder;
    this.sandbox = sandbox;
    this.database = new DatabaseSync(join(folder.path, 'service.sqlite'), { readOnly: true });
    this.alerts = alerts;
    this.#hook = hook;
    this.#env = {
      TEAMSHEET_BASE_URL: sandbox.baseUrl,
      TEAMSHEET_API_KEY: sandbox.apiKey,
      ALERT_URL: hook.baseUrl,
    };
    sandbox.app.server.on('request', ({ method, url = '' }) => {
      if (method === 'POST') this.#onWrite(url);
    });
  }

  static async open(): Promise<Season> {
    const folder = makeFolder({
      'teamsheet.yaml': CONFIG,
      'mappings/m.yaml': MAPPINGS,
      'clock.cjs': SEASON_CLOCK,
      'users.csv': usersTable(SQUADS),
      'squads.csv': csv(
        `Member ID,Squad name,${list(15, (at) => `P${at + 1}`).join(',')}`,
        list(SQUADS, (at) => [`M-${at}`, `Squad ${at}`, ...playersOf(at)]),
      ),
      'points.csv': csv(
        'Setting,Points',
        settingNames.map((name) => [name, name.endsWith('_minutes') ? 60 : 2]),
      ),
      'prices.csv': pricesTable(0),
    });
    const settings = { per_minute: 1_000_000, per_day: 10_000_000 };
    const sandbox = await createSandbox({ db: join(folder.path, 'service.sqlite'), settings });
    const alerts: string[] = [];
    const hook = await startServer((request, response) => {
      void text(request).then((body) => {
        alerts.push(alertLine(JSON.parse(body) as Alert));
        response.end();
      });
    });
    return new Season(folder, sandbox, hook, alerts);
  }

  /** Moves both clocks. */
  async at(ms: number): Promise<void> {
    await this.sandbox.control('POST', '/clock', { now: new Date(ms).toISOString() });
  }

  run(args: readonly string[], options: Partial<RunOptions> = {}): Promise<Outcome> {
    return runInSeason(this.sandbox, args, { cwd: this.folder.path, env: this.#env, ...options });
  }

  /** What is due at a moment. */
  async once(ms: number, code = 0): Promise<void> {
    await this.at(ms);
    const ended = await this.run(['schedule', 'run', '--once']);
    const when = new Date(ms).toISOString();
    expect({ when, code: ended.code, said: ended.stderr }).toEqual({
      ...{ when, code },
      said: expect.any(String) as string,
    });
  }

  /** `schedule run`, killed as its n-th write of a path arrives, and started again until it has ended what was due. */
  async killed(ms: number, path: string, nth: number): Promise<void> {
    await this.at(ms);
    let writes = 0;
    const first = await this.run(['schedule', 'run'], {
      started: (kill) => {
        this.#onWrite = (url) => {
          if (!url.startsWith(path)) return;
          writes += 1;
          if (writes === nth) kill('SIGKILL');
        };
      },
    });
    this.#onWrite = () => undefined;
    expect(first.code).toBeNull();
    expect(writes).toBeGreaterThanOrEqual(nth);
    const again = await this.run(['schedule', 'run'], {
      when: { seen: /ended with exit code[^]*next:/, act: (kill) => kill('SIGTERM') },
    });
    expect([again.code, again.stderr]).toEqual([143, expect.stringContaining('ended with exit code 0')]);
  }

  async truth(week: number): Promise<readonly Truth[]> {
    return (await this.sandbox.control('GET', `/truth?game_week=${week}`)) as readonly Truth[];
  }

  async json(...args: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    expect([args, code, stderr]).toEqual([args, 0, '']);
    return JSON.parse(stdout);
  }

  table(name: string): readonly Readonly<Record<string, string>>[] {
    return parse(readFileSync(join(this.folder.path, 'out', `${name}.csv`)), { columns: true });
  }

  async close(): Promise<void> {
    this.database.close();
    await this.sandbox.close();
    await this.#hook.close();
    this.folder.remove();
  }
}

interface Alert {
  readonly event: string;
  readonly mapping: string | null;
  readonly run: string | null;
  readonly exit_code: number | null;
  readonly counts: Readonly<Record<string, number>> | null;
  readonly message: string;
  readonly next: string | null;
}

/** All that an alert says, with its counts that are not 0. */
function alertLine({ event, exit_code: code, counts, message, next, run }: Alert): string {
  const known = counts === null ? 'no counts' : countsText(counts);
  const then = run === null ? next : next?.replace(run, 'RUN');
  return `${event} ${code} (${known}) ${message} > ${then ?? 'nothing'}`;
}

const countsText = (counts: Readonly<Record<string, unknown>>): string =>
  Object.entries(counts)
    .filter(([, count]) => typeof count === 'number' && count > 0)
    .map(([name, count]) => `${String(count)} ${name}`)
    .join(', ');

/** A run as `runs` tells it: its day, command, exit code and mappings. */
function runLine({ started_at: at, command, exit_code: code, finished, mappings }: RunLine): string {
  const parts = mappings.map(({ name, ...counts }) => `${name} ${countsText(counts)}`);
  return [at.slice(0, 10), command, finished ? code : `${code} unfinished`, parts.join('; ')]
    .join(' ')
    .trim();
}

/** Lives through the season: what the operator does, and otherwise only what the schedule does. */
async function live(season: Season): Promise<void> {
  const { folder, sandbox } = season;
  await season.once(Date.parse('2026-08-10T10:00:00Z'));
  for (let week = 1; week <= WEEKS; week += 1) {
    const [start, end] = [startOf(week), endOf(week)];
    const beforeKickOff = start - 23 * HOUR + A_MINUTE;
    folder.write('prices.csv', pricesTable(week));
    if (week === KILLED_USERS) folder.write('users.csv', usersTable(SQUADS + JOINED));
    if (week === MOVED) {
      await sandbox.control('POST', `/fixtures/${firstMatch(season, week)}`, {
        start_date: new Date(start + 24 * HOUR).toISOString(),
      });
      // The first match is now on Saturday at 12:30.
      await season.once(beforeKickOff);
      await season.once(start - 5 * HOUR + A_MINUTE);
    } else if (week === WRONG_PRICE) {
      await season.once(beforeKickOff, 3);
      // The first match kicks off an hour after the week has begun.
      await season.once(start - HOUR + A_MINUTE);
    } else if (week === KILLED_USERS) await season.killed(beforeKickOff, '/v1/user', 3);
    else if (week === KILLED_PRICES) await season.killed(beforeKickOff, '/v1/price', 3);
    else if (week === MISSED) await season.once(start + 24 * HOUR, 7);
    else await season.once(beforeKickOff, week === RENAMED ? 4 : 0);
    if (week === 1) await season.once(end + A_MINUTE);
    if (week === OUTAGE) {
      const outage = { kind: 'status', operation: '*', count: 1_000_000, status: 503 };
      await sandbox.control('POST', '/faults', { faults: [outage] });
    }
    if (week === UNREAD) {
      const silence = { kind: 'status', operation: 'get-lineup', count: 1_000_000, status: 503 };
      await sandbox.control('POST', '/faults', { faults: [silence] });
    }
    await season.once(end + 3 * HOUR + A_MINUTE, week === OUTAGE || week === UNREAD ? 8 : 0);
    await season.once(end + 5 * HOUR + A_MINUTE, week === OUTAGE || week === UNREAD ? 8 : 0);
    if (week === UNREAD) {
      // The next week is about to begin.
      await season.once(startOf(week + 1) - 5 * HOUR, 8);
      await sandbox.control('DELETE', '/faults');
      await season.once(startOf(week + 1) - 4 * HOUR);
    }
    if (week === OUTAGE) {
      await sandbox.control('DELETE', '/faults');
      await season.once(end + 27 * HOUR);
    }
  }
}

const firstMatch = ({ database }: Season, week: number): string =>
  String(
    database.prepare('SELECT id FROM fixtures WHERE game_week = ? ORDER BY start_date LIMIT 1').get(week)?.[
      'id'
    ],
  );

describe(`a season of ${WEEKS} game weeks that its schedule runs`, () => {
  let season: Season;
  beforeAll(async () => {
    season = await Season.open();
    await live(season);
  }, LIMIT_MS);
  afterAll(() => season.close());

  it('tells each trouble once, and its end', () => {
    expect(season.alerts).toEqual([
      // A price that is no number: a day and two hours before the deadline it still is none.
      'degraded 3 (40 rows, 39 updated, 1 invalid) prices: not every row came through: 1 invalid of 40 rows > teamsheet runs RUN',
      'deadline_near 3 (40 rows, 39 updated, 1 invalid) prices: 1 invalid of 40 rows, and the deadline of game week 1 is in 24 h > teamsheet runs RUN',
      'deadline_near 3 (40 rows, 39 updated, 1 invalid) prices: 1 invalid of 40 rows, and the deadline of game week 1 is in 2 h > teamsheet runs RUN',
      'recovered 0 (40 rows, 40 updated) prices: everything comes through again, after 7 d > nothing',
      // The renamed column; the table is right again a week later.
      'failing 4 (no counts) prices: nothing came through: the configuration, a mapping or a table is to be corrected > teamsheet validate prices',
      'failing 4 (no counts) prices: still nothing comes through, for 4 d > teamsheet validate prices',
      'failing 4 (no counts) prices: still nothing comes through, for 7 d > teamsheet validate prices',
      'recovered 0 (40 rows, 40 updated) prices: everything comes through again, after 8 d > nothing',
      // The outage.
      'failing 8 (no counts) trigger: nothing came through: something that it needs did not answer > teamsheet doctor',
      'failing 8 (no counts) table: nothing came through: something that it needs did not answer > teamsheet doctor',
      'failing 8 (no counts) lineups: nothing came through: something that it needs did not answer > teamsheet doctor',
      'recovered 0 (1 rows, 1 created) trigger: everything comes through again, after 24 h > nothing',
      'recovered 0 (24 records, 24 rows) table: everything comes through again, after 22 h > nothing',
      'recovered 0 (6 records, 90 rows) lineups: everything comes through again, after 22 h > nothing',
      // The missed deadline; the push of the next week was killed and went on.
      'failing 7 (40 rows, 40 deferred) prices: nothing came through: 40 deferred of 40 rows > teamsheet runs RUN',
      'failing 7 (40 rows, 40 deferred) prices: still nothing comes through, for 2 d > teamsheet runs RUN',
      'recovered 0 (40 rows, 40 updated) prices: everything comes through again, after 5 d > nothing',
      // Line-ups that do not come; the week is read in its last hours.
      'failing 8 () table: nothing came through: something that it needs did not answer > teamsheet runs RUN',
      'failing 8 () lineups: nothing came through: something that it needs did not answer > teamsheet runs RUN',
      'failing 8 () table: still nothing comes through, for 3 d > teamsheet runs RUN',
      'failing 8 () lineups: still nothing comes through, for 3 d > teamsheet runs RUN',
      'week_missing null (6 squads, 6 missing) game week 7: 6 of 6 squads are not read, and in 5 h the service no longer shows them > teamsheet weeks read',
      'recovered 0 (42 records, 42 rows) table: everything comes through again, after 3 d > nothing',
      'recovered 0 (6 records, 90 rows) lineups: everything comes through again, after 3 d > nothing',
    ]);
  });

  it('stands in runs', async () => {
    const { runs } = (await season.json('runs', '--limit', '1000')) as { readonly runs: readonly RunLine[] };
    const members = 'users 46 rows, 46 unchanged';
    const squads = 'squads 6 rows, 6 unchanged';
    const prices = 'prices 40 rows, 40 updated';
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const ordinary = (week: number): readonly string[] => [
      `${day(startOf(week) - DAY)} sync 0 ${members}; ${prices}; ${squads}`,
      ...played(week),
    ];
    const played = (week: number): readonly string[] => [
      `${day(endOf(week) + 3 * HOUR)} sync 0 trigger 1 rows, 1 created`,
      `${day(endOf(week) + 3 * HOUR)} weeks 0`,
      `${day(endOf(week) + 3 * HOUR)} pull 0 table ${6 * week} records, ${6 * week} rows; lineups 6 records, 90 rows`,
    ];
    expect(runs.toReversed().map(runLine)).toEqual([
      '2026-08-10 sync 0 users 6 rows, 6 created; points 1 rows, 1 created; prices 40 rows, 40 created; squads 6 rows, 6 created; trigger ; table 6 records, 6 rows; lineups',
      // A price that is no number.
      `2026-08-13 sync 3 users 6 rows, 6 unchanged; prices 40 rows, 39 updated, 1 invalid; ${squads}`,
      '2026-08-17 weeks 0',
      ...played(1),
      // Killed, and gone on with.
      `2026-08-20 sync 0 users 46 rows, 40 created, 6 unchanged; ${prices}; ${squads}`,
      ...played(2),
      // The renamed column of the prices.
      `2026-08-27 sync 4 ${members}; ${squads}`,
      ...played(3),
      // The moved match.
      `2026-09-03 sync 0 ${members}; ${squads}`,
      `2026-09-04 sync 0 ${prices}`,
      // The outage.
      '2026-09-09 sync 0 trigger 1 rows, 1 created; table 24 records, 24 rows; lineups 6 records, 90 rows',
      '2026-09-09 weeks 0',
      // The reports were written before the week was read after its trigger.
      '2026-09-09 pull 0 table 24 records, 24 rows; lineups 6 records, 90 rows',
      // The missed deadline.
      `2026-09-12 sync 7 unfinished ${members}; prices 40 rows, 40 deferred; ${squads}`,
      ...played(5),
      // Killed, and gone on with.
      ...ordinary(6),
      `2026-09-24 sync 0 ${members}; ${prices}; ${squads}`,
      // Line-ups that do not come.
      '2026-09-29 sync 0 trigger 1 rows, 1 created',
      '2026-09-29 weeks 8',
      '2026-09-29 pull 8 table ; lineups',
      '2026-09-29 weeks 8 unfinished',
      `2026-10-02 sync 8 ${members}; prices 40 rows, 40 unchanged; ${squads}; table ; lineups`,
      '2026-10-02 weeks 8',
      '2026-10-02 pull 0 table 42 records, 42 rows; lineups 6 records, 90 rows',
      '2026-10-02 weeks 0',
      '2026-10-02 pull 0 table 42 records, 42 rows; lineups 6 records, 90 rows',
      ...list(WEEKS - 7, (at) => ordinary(at + 8)).flat(),
    ]);
  });

  it('wrote nothing twice, and everything once', () => {
    const { database } = season;
    expectNothingTwice({ database });
    const uploaded = list(WEEKS + 1, (week) => week).filter((week) => week !== RENAMED && week !== MISSED);
    const { prices, users, triggers } = readFacts(database);
    expect(prices).toEqual(
      uploaded
        .flatMap((week) => list(PRICED, (at) => `1/${at + 1} ${priceIn(week)}`))
        .filter((fact) => fact !== `1/1 ${priceIn(WRONG_PRICE)}`)
        .toSorted(),
    );
    expect([users.length, triggers.length]).toEqual([SQUADS + JOINED, WEEKS]);
    const counts = Map.groupBy(readEffects(database), ({ operation }) => operation);
    expect(Object.fromEntries(Array.from(counts, ([operation, all]) => [operation, all.length]))).toEqual({
      'create-users': 1 + JOINED / 10,
      'create-squad': SQUADS,
      'set-points-config': 1,
      'upload-prices': (uploaded.length * PRICED) / 10,
      'trigger-auto-substitution': WEEKS,
    });
  });

  it('is in the reports as it was', async () => {
    const table: unknown[] = [];
    for (let week = 1; week <= WEEKS; week += 1)
      for (const { squad, rank, points, total_points: total } of await season.truth(week))
        table.push({
          ...{ week: String(week), squad: squad.name, rank: String(rank) },
          ...{ points: String(points.net), total: String(total) },
        });
    expect(table).toHaveLength(WEEKS * SQUADS);
    expect(new Set(season.table('table'))).toEqual(new Set(table));
    const lineups = (await season.truth(WEEKS)).flatMap(({ squad, after }) =>
      after.map(({ player_id: player, is_starting: starts }) => ({
        ...{ week: String(WEEKS), squad: squad.name },
        ...{ player: String(player), starts: String(starts) },
      })),
    );
    expect(lineups).toHaveLength(SQUADS * 15);
    expect(new Set(season.table('lineups'))).toEqual(new Set(lineups));
  });

  it('is published week by week, and nothing is left to publish', async () => {
    const weeks = list(WEEKS, (at) => at + 1);
    const names = (pattern: string): ReadonlySet<string> =>
      new Set(globSync(pattern, { cwd: join(season.folder.path, 'public') }));
    expect(names('weeks/week-+([0-9]).html')).toEqual(
      new Set(weeks.map((week) => `weeks/week-${week}.html`)),
    );
    expect(names('recap/*.md')).toEqual(new Set(weeks.map((week) => `recap/week-${week}.md`)));
    const { sites } = (await season.json('publish')) as { readonly sites: readonly unknown[] };
    expect(sites).toMatchObject([
      {
        ...{ files_changed: 0, squads: SQUADS },
        weeks: weeks.map((week) => ({ week, state: 'final', was: 'final', changed: false })),
      },
    ]);
  });

  it('ends well', async () => {
    const { mappings, waiting } = (await season.json('alerts')) as {
      readonly mappings: readonly { readonly mapping: string; readonly state: string }[];
      readonly waiting: readonly unknown[];
    };
    expect(waiting).toEqual([]);
    expect(mappings.map(({ mapping, state }) => `${mapping} ${state}`)).toEqual(
      ['lineups', 'points', 'prices', 'squads', 'table', 'trigger', 'users'].map((name) => `${name} ok`),
    );
  });
});
