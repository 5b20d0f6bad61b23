import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/model/outcome.ts';
import type { MappingSummary, PushSummary } from '../../src/model/state/store.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { makeFolder, runCli } from '../support/cli.ts';
import type { Outcome } from '../support/cli.ts';
import { control } from '../support/control.ts';
import { settingNames } from '../support/points.ts';
import { expectNothingTwice } from '../support/season/checks.ts';
import { readEffects, readFacts } from '../support/season/facts.ts';
import type { Facts } from '../support/season/facts.ts';
import type { MappingName } from '../support/season/tables.ts';
import { runs } from '../support/long.ts';
import { runHere } from '../support/run-here.ts';

const KILLS = runs(3, 100);
/** Kills of one season: the push, and resumes of it. */
const KILLS_A_SEASON = 3;
/** Requests of a whole push, roughly. */
const REQUESTS = 34;
const ROUNDS = 6;
const shipped = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../mappings', `${name}.yaml`), 'utf8');

/** The shipped mappings by name, and what the service has of each. */
const MAPPINGS = {
  users: 'users',
  'fantasy-leagues': 'leagues',
  'mini-leagues': 'minis',
  squads: 'squads',
  prices: 'prices',
  points: 'points',
  substitutions: 'triggers',
} as const satisfies Readonly<Record<string, MappingName>>;
type ShippedName = keyof typeof MAPPINGS;
const names = Object.keys(MAPPINGS) as readonly ShippedName[];

/** Of these nothing tells what became of a write without an answer. */
const HELD: readonly MappingName[] = ['leagues', 'prices', 'points', 'triggers'];

type Cells = readonly (string | number)[];
const LEAGUE = 'Aurelian Fantasy';
const eleven = (first: number): readonly number[] => Array.from({ length: 11 }, (_, index) => first + index);
const users = Array.from({ length: 40 }, (_, n): Cells => [
  `M-${n}`,
  `Member ${n}`,
  n % 13 === 5 ? 'no' : '',
]);
const squads = Array.from({ length: 8 }, (_, n): Cells => [`M-${n}`, `Squad ${n}`, ...eleven(1 + 11 * n)]);
const minis = ['Office', 'Family', 'Pub', 'Street'];
const prices = Array.from({ length: 25 }, (_, n): Cells => [n + 1, 4 + (n % 10) / 2]);
const points = settingNames.map((name): Cells => [name, name.endsWith('_minutes') ? 60 : 3]);
/** Rows of all tables: a configuration of points, a league and a trigger are one each. */
const ROWS = users.length + squads.length + minis.length + prices.length + 3;
const csv = (header: string, rows: readonly Cells[]): string =>
  [header, ...rows.map((row) => row.join(','))].join('\n') + '\n';

/** What a line of each table asks for, as the service's facts have it. */
const WANTED: Readonly<Record<ShippedName, (cells: readonly string[]) => string>> = {
  users: ([key = '', name = '', active]) => `${key} ${name} ${active === 'no' ? 0 : 1}`,
  'fantasy-leagues': ([name = '']) => name,
  'mini-leagues': ([name = '']) => `${LEAGUE}/${name}`,
  squads: ([member = '', name = '', ...players]) =>
    `${LEAGUE}/${member}/${name} ${players.filter((player) => player !== '').join(';')}`,
  prices: ([player = '', price = '']) => `1/${player} ${Number(price).toFixed(1)}`,
  points: () =>
    `1 ${JSON.stringify(Object.fromEntries(settingNames.map((name) => [name, name.endsWith('_minutes') ? 60 : 3])))}`,
  substitutions: () => '1/1',
};

/** The same numbers in [0, 1) in every run. */
function series(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** When a command is killed: at its n-th request, as that arrives, once it is answered, or some moments later. */
interface Death {
  readonly nth: number;
  readonly when: 'arrived' | 'answered' | 'later';
  readonly laterMs: number;
}

class Season {
  readonly folder = makeFolder();
  readonly sandbox: Sandbox;
  readonly database: DatabaseSync;
  readonly #baseUrl: string;
  /** Told of each request of the command that runs, and of its answer. */
  #onRequest: (answered: Promise<void>) => void = () => undefined;

  private constructor(folder: ReturnType<typeof makeFolder>, sandbox: Sandbox, baseUrl: string) {
    this.folder = folder;
    this.sandbox = sandbox;
    this.#baseUrl = baseUrl;
    this.database = new DatabaseSync(join(folder.path, 'service.sqlite'), { readOnly: true });
    sandbox.app.server.on('request', (_request, response) =>
      this.#onRequest(new Promise((resolve) => response.on('close', resolve))),
    );
  }

  static async open(): Promise<Season> {
    const folder = makeFolder();
    const settings = { per_minute: 100_000, latency_ms: 2 };
    const sandbox = await createSandbox({ db: join(folder.path, 'service.sqlite'), settings });
    await control(sandbox, 'POST', '/play-next-week');
    const { baseUrl } = sandbox;
    const season = new Season(folder, sandbox, baseUrl);
    await season.#fill();
    return season;
  }

  async #fill(): Promise<void> {
    const { write } = this.folder;
    const answer = await this.sandbox.inject({
      method: 'GET',
      url: 'http://sandbox.test/v1/fantasy-league/1/fixtures',
      headers: { 'x-api-key': this.sandbox.apiKey },
    });
    const { data } = JSON.parse(answer.body) as { readonly data: readonly { readonly id: string }[] };
    for (const name of names)
      write(`mappings/${name}.yaml`, shipped(name).replace('batch_size: 100', 'batch_size: 10'));
    const config = [
      'version: 1',
      `environments: { sandbox: { base_url: "${this.#baseUrl}", api_key: { env: TEAMSHEET_API_KEY } } }`,
      'environment: sandbox',
      'push: { settle: 50ms, concurrency: 4 }',
      'vars: { fantasy_league_id: "1", price_type: current }',
    ];
    write('teamsheet.yaml', `${config.join('\n')}\n`);
    write('users.csv', csv('Member ID,Display name,Active', users));
    write('fantasy-leagues.csv', csv('Name,League id', [['Cup', 1]]));
    write(
      'mini-leagues.csv',
      csv(
        'Name,Type',
        minis.map((name): Cells => [name, 'classic']),
      ),
    );
    const places = Array.from({ length: 15 }, (_, index) => `P${index + 1}`).join(',');
    write(
      'squads.csv',
      csv(
        `Member ID,Squad name,${places}`,
        squads.map((row): Cells => [...row, '', '', '', '']),
      ),
    );
    write('prices.csv', csv('Player ID,Price', prices));
    write('points-config.csv', csv('Setting,Points', points));
    write('substitutions.csv', csv('Game week id', [[data[0]?.id ?? '']]));
  }

  /** A command, killed if it lives long enough. */
  run(args: readonly string[], death?: Death): Promise<Outcome> {
    const place = { cwd: this.folder.path, env: { TEAMSHEET_API_KEY: this.sandbox.apiKey } };
    this.#onRequest = () => undefined;
    if (death === undefined) return runHere(args, place);
    let requests = 0;
    return runCli(args, {
      ...place,
      started: (kill) => {
        const end = (): void => kill('SIGKILL');
        this.#onRequest = (answered) => {
          requests += 1;
          if (requests !== death.nth) return;
          if (death.when === 'arrived') end();
          if (death.when === 'answered') void answered.then(end);
          if (death.when === 'later') setTimeout(end, death.laterMs);
        };
      },
    });
  }

  async close(): Promise<void> {
    this.database.close();
    await this.sandbox.close();
    this.folder.remove();
  }
}

const reportOf = ({ stdout }: Outcome): readonly MappingSummary[] =>
  (JSON.parse(stdout) as { readonly mappings: readonly MappingSummary[] }).mappings;

/** I2 and I3: counts that add up, and rows that say what is so; `before` is what the service held when the run began. */
function expectTruth({ folder, database }: Season, outcome: Outcome, before: Facts): void {
  const facts = readFacts(database);
  for (const each of reportOf(outcome)) {
    const summary = each as PushSummary;
    const name = summary.name as ShippedName;
    const text = readFileSync(join(folder.path, summary.results ?? ''), 'utf8');
    const [, ...lines]: readonly (readonly string[])[] = parse(text);
    const rows = new Map(
      lines.map((line) => {
        const [row = '', result = ''] = line.slice(-4);
        return [row, { result, wanted: WANTED[name](line.slice(0, -4)) }];
      }),
    );
    expect([name, rows.size]).toEqual([name, summary.rows]);
    for (const kind of OUTCOMES)
      expect([name, kind, [...rows.values()].filter(({ result }) => result === kind).length]).toEqual([
        name,
        kind,
        summary[kind],
      ]);
    for (const { result, wanted } of rows.values()) {
      if (result === 'unknown') continue;
      const is = facts[MAPPINGS[name]].includes(wanted);
      const was = before[MAPPINGS[name]].includes(wanted);
      const written = ['created', 'updated', 'unchanged'].includes(result);
      // A user who was created and whose flag is still to be set stands there in another way.
      expect({ name, result, wanted, is }).toEqual({ name, result, wanted, is: written || was });
    }
  }
}

/** I4: every effect had an intent with the digest of its body. */
function expectIntents({ folder, database }: Season): void {
  const state = new DatabaseSync(join(folder.path, '.teamsheet/state.sqlite'), { readOnly: true });
  const digests = new Set(
    state
      .prepare('SELECT document FROM intent')
      .all()
      .map((row) => (JSON.parse(String(row['document'])) as { bodyDigest: string }).bodyDigest),
  );
  state.close();
  for (const { digest } of readEffects(database)) expect(digests).toContain(digest.slice(0, 32));
}

/** The newest run as the state has it. */
function newestRun({ folder }: Season): { readonly id: string; readonly phase: string } | undefined {
  const path = join(folder.path, '.teamsheet/state.sqlite');
  if (!existsSync(path)) return undefined;
  const state = new DatabaseSync(path, { readOnly: true });
  try {
    const row = state.prepare('SELECT document FROM run ORDER BY id DESC LIMIT 1').get();
    return row === undefined
      ? undefined
      : (JSON.parse(String(row['document'])) as { readonly id: string; readonly phase: string });
  } finally {
    state.close();
  }
}

/** One sentence of the next command says what is done, what is not, and what to type. */
async function expectSentence(season: Season): Promise<void> {
  const run = newestRun(season);
  const { code, stderr } = await season.run(['runs']);
  expect(code, stderr).toBe(0);
  const said = stderr.split('\n').filter((line) => line.includes('was interrupted'));
  if (run === undefined || run.phase === 'ended') {
    expect(said).toEqual([]);
    return;
  }
  expect([run, said.length]).toEqual([run, 1]);
  const [line = ''] = said;
  expect(line).toContain(`run ${run.id} (push, `);
  expect(line).toMatch(new RegExp(`teamsheet resume ${run.id} (continues|plans it again)$`));
  if (run.phase === 'planning') {
    expect(line).toContain('nothing was sent');
    return;
  }
  const [, done = '', rows = '', left = '', unclear = '0'] =
    /: (\d+) of (\d+) rows (?:is|are) done, (\d+) (?:is|are) not(?:, (\d+) (?:is|are) not known yet)?;/.exec(
      line,
    ) ?? [];
  expect({ line, rows: Number(rows) }).toEqual({ line, rows: ROWS });
  expect({ line, sum: Number(done) + Number(left) + Number(unclear) }).toEqual({ line, sum: ROWS });
}

let whole: Facts;
beforeAll(async () => {
  const season = await Season.open();
  try {
    const before = readFacts(season.database);
    const pushed = await season.run(['push', '--yes', '--json']);
    expect(pushed.code, pushed.stderr).toBe(0);
    expectTruth(season, pushed, before);
    whole = readFacts(season.database);
  } finally {
    await season.close();
  }
}, 600_000);

/** Kills a push and resumes of it; answers how many it killed. */
async function killSeason(seed: number): Promise<number> {
  const season = await Season.open();
  const chance = series(seed);
  const before = readFacts(season.database);
  let killed = 0;
  try {
    for (let turn = 0; turn < KILLS_A_SEASON; turn += 1) {
      const death: Death = {
        nth: 1 + Math.floor(chance() * (turn === 0 ? REQUESTS : REQUESTS / 2)),
        when: (['arrived', 'answered', 'later'] as const)[Math.floor(3 * chance())] ?? 'later',
        laterMs: 20 * chance(),
      };
      const { code } = await season.run([turn === 0 ? 'push' : 'resume', '--yes', '--json'], death);
      if (code === null) {
        killed += 1;
        await expectSentence(season);
      }
      expectNothingTwice(season);
      expectIntents(season);
    }
    await finish(season, before);
  } catch (cause) {
    throw new Error(`seed ${seed}`, { cause });
  } finally {
    await season.close();
  }
  return killed;
}

/** Resumes until that changes nothing, then pushes: all is there once, but for what is held. */
async function finish(season: Season, before: Facts): Promise<void> {
  const { database } = season;
  for (let round = 1; ; round += 1) {
    const effects = readEffects(database).length;
    const resumed = await season.run(['resume', '--yes', '--json']);
    expect([0, 7], resumed.stderr).toContain(resumed.code);
    expect(resumed.stderr.match(/was interrupted/g)?.length ?? 0).toBeLessThanOrEqual(1);
    expectTruth(season, resumed, before);
    if (resumed.code === 0 || readEffects(database).length === effects) break;
    expect(round).toBeLessThan(ROUNDS);
  }
  const then = readFacts(database);
  const pushed = await season.run(['push', '--yes', '--json']);
  expect([0, 7], pushed.stderr).toContain(pushed.code);
  expectTruth(season, pushed, then);
  expectNothingTwice(season);
  expectIntents(season);
  const held = reportOf(pushed).filter((each) => (each as PushSummary).deferred > 0);
  expect(
    held.map(({ name }) => MAPPINGS[name as ShippedName]).filter((name) => !HELD.includes(name)),
  ).toEqual([]);
  const facts = readFacts(database);
  for (const name of names) {
    const what = MAPPINGS[name];
    const isHeld = held.some((each) => each.name === name);
    if (isHeld) expect(whole[what]).toEqual(expect.arrayContaining([...facts[what]]));
    else expect([what, facts[what]]).toEqual([what, whole[what]]);
  }
  const effects = readEffects(database).length;
  await season.run(['push', '--yes', '--json']);
  expect(readEffects(database)).toHaveLength(effects);
}

describe(`${KILLS} kills of the program at any moment`, () => {
  it(
    'lose and double nothing',
    async () => {
      let killed = 0;
      for (let seed = 1; killed < KILLS; seed += 1) {
        killed += await killSeason(seed);
        expect(seed).toBeLessThan(KILLS);
      }
    },
    KILLS * 60_000,
  );
});
