import { describe, expect, it } from 'vitest';
import { Observer } from '../../src/client/observe/observe.ts';
import { TeamsheetError } from '../../src/model/error.ts';
import type { Service } from '../../src/model/service.ts';
import { PROFILES, profileSettings } from '../../src/sandbox/index.ts';
import type { Settings } from '../../src/sandbox/index.ts';
import { keepLearnt, readLearnt } from '../../src/sync/runs/learn.ts';
import { mappingsOf } from '../support/builders.ts';
import { settingNames } from '../support/points.ts';
import { clientOn, withSandboxEngine } from '../support/sandbox-engine.ts';

/** In the middle of a minute: a fixed window then ends while its requests are young, which tells it from a sliding one. */
const START_MS = Date.UTC(2026, 8, 22, 12, 0, 30);
const LEAGUE = 1;

const MAPPINGS = mappingsOf(`
- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: auto }
- { version: 1, name: prices, push: prices, source: { csv: prices.csv }, operation: append, compare: snapshot, columns: auto }
- { version: 1, name: points, push: points_config, source: { csv: points.csv }, operation: set, columns: auto }
- { version: 1, name: minis, push: mini_leagues, source: { csv: minis.csv }, operation: create, columns: auto }
`);

const minutes = (name: string): string => (name.endsWith('_minutes') ? '60' : '2');
const TABLES = new Map([
  [
    'users.csv',
    [['external_id', 'display_name'], ...Array.from({ length: 70 }, (_, n) => [`M-${n}`, `Person ${n}`])],
  ],
  [
    'prices.csv',
    [
      ['fantasy_league_id', 'player_id', 'price', 'type'],
      ...Array.from({ length: 60 }, (_, n) => [String(LEAGUE), String(n + 1), '4.5', 'current']),
    ],
  ],
  [
    'points.csv',
    [
      ['fantasy_league_id', ...settingNames],
      [String(LEAGUE), ...settingNames.map(minutes)],
    ],
  ],
  [
    'minis.csv',
    [
      ['fantasy_league_id', 'name', 'type'],
      [String(LEAGUE), 'Office', 'classic'],
    ],
  ],
]);

/** What a service refuses or cannot list is learnt from too. */
async function tolerate(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof TeamsheetError)) throw error;
  });
}

async function readEverything(service: Service): Promise<void> {
  await service.account();
  const squads = await Array.fromAsync(service.list('list-squads', { fantasy_league_id: LEAGUE }));
  const id = squads.flat()[0]?.id ?? '';
  await service.get('get-squad', { id });
  await service.get('get-lineup', { id });
  await service.get('get-player', { id: 1, query: { fantasy_league_id: LEAGUE } });
  await service.get('get-fixtures', { id: LEAGUE });
  await service.get('get-fantasy-league', { id: LEAGUE });
  await tolerate(service.get('get-points-config', { id: LEAGUE }));
  await Array.fromAsync(service.list('list-prices'));
  await Array.fromAsync(service.list('list-mini-leagues'));
  await Array.fromAsync(service.list('list-auto-substitutions', { fantasy_league_id: LEAGUE }));
  await tolerate(Array.fromAsync(service.list('list-users')));
  await service.account();
  await service.account();
}

/** Pushes, reads everything past the end of a minute window, and answers what was learnt: the values by `topic subject`. */
async function learnFrom(settings: Partial<Settings>): Promise<Readonly<Record<string, readonly string[]>>> {
  return withSandboxEngine(
    START_MS,
    () => ({ seed: 'demo', settings }),
    async (own) => {
      const { sandbox, clock, engine } = own;
      // A season that starts at another time than its seed is played anew for each sandbox.
      await sandbox.control('POST', '/clock', { now: new Date(START_MS).toISOString() });
      const observer = new Observer();
      const service = clientOn(engine, own, observer);
      for (const [name, table] of TABLES) engine.tables.set(name, table);
      await tolerate(own.push(MAPPINGS, service));
      if (observer.accountId !== undefined) await clock.drive(readEverything(service));
      const account = { baseUrl: engine.ports.baseUrl, accountId: observer.accountId ?? '' };
      await keepLearnt(engine.store, account, observer.take(), clock.now());
      const learnt = await readLearnt(engine.store, account);
      return Object.fromEntries(
        learnt.map(({ topic, subject, values }) => [
          `${topic} ${subject}`,
          values.map(({ value }) => value).toSorted(),
        ]),
      );
    },
  );
}

type Expected = readonly string[] | undefined;

/** These values and perhaps others. */
const holding = (...values: readonly string[]): Expected =>
  expect.arrayContaining([...values]) as readonly string[];
/** Not compared. */
const ANY: Expected = [];
/** How batches are divided when they are refused is the engine's matter. */
const ANY_BATCH: Readonly<Record<string, Expected>> = {
  ...{ 'batch_taken create-users': ANY, 'batch_answer create-users': ANY, 'status create-users': ANY },
  ...{
    'batch_taken upload-prices': ANY,
    'price_count upload-prices': ANY,
    'price_reference upload-prices': ANY,
  },
  ...{ 'value price txn_type': ANY, 'value price type, as sent': ANY },
};

/** What the common service shows. */
const COMMON: Readonly<Record<string, Expected>> = {
  'page_size list-users': ['50'],
  'page list-users': ['honoured'],
  'paging list-users': [
    'current: the records of this page',
    'page: the number of the page',
    'page_total: the number of pages',
    'per_page: the records of a full page',
    'total: the records of the whole list',
  ],
  'list list-users': ['added up'],
  'account_call get-account': holding('takes a request'),
  'window_kind per_minute': ['fixed'],
  'window_limit per_minute': ['20 in 60 s'],
  'reset_at per_minute': ['within the window'],
  'status create-users': ['201'],
  'batch_taken create-users': ['70'],
  'batch_answer create-users': ['in the order sent'],
  'batch_taken upload-prices': ['60'],
  'price_count upload-prices': ['as sent'],
  'price_reference upload-prices': ['is the txn_ref of its records'],
  'points_config_id get-points-config': ['a number is refused with 404', 'its own id'],
  'refusal get-points-config': ['404, the envelope'],
  'time_format timestamps': ['3 decimals of a second, Z'],
  'value account tier': ['sandbox'],
  'value account state': ['available'],
  'value account window': ['1d', '60s'],
  'value mini-league rank_system': ['total_points'],
  'value mini-league style': ['classic'],
  'value mini-league type, as sent': ['classic'],
  'value fixtures status': ['finished', 'scheduled'],
  'value player result': ['D #-#', 'L #-#', 'W #-#'],
  'value price txn_type': ['current'],
  'value price type, as sent': ['current'],
  'value auto-substitution txn_type': ['auto_substitution'],
  'value auto-substitution action': ['in', 'out'],
  'value squad chip': ['bench_boost', 'free_hit', 'triple_captain', 'wildcard'],
};

const PAGE_RECORDS = [
  'current: the number of the page',
  'page: the number of the page',
  'page_total: the records of this page',
  'per_page: the records of a full page',
  'total: the records of the whole list',
];

/** What each profile shows beside or instead; undefined: nothing of it is learnt. */
const OWN: Readonly<Record<keyof typeof PROFILES, Readonly<Record<string, Expected>>>> = {
  default: {
    'field get-fixtures fixtures[].goals.home': ['null'],
    'extra_field list-users': undefined,
    'field list-users created_at': undefined,
  },
  strict: {
    'account_call get-account': holding('is free'),
    'refusal create-users': ['413, the envelope'],
    'refusal set-points-config': ['409, the envelope'],
    'batch_refused create-users': [expect.stringMatching(/^(?:2[6-9]|[3-7]\d)$/)],
    'batch_taken create-users': [expect.stringMatching(/^(?:\d|1\d|2[0-5])$/)],
    'batch_taken upload-prices': [expect.stringMatching(/^(?:\d|1\d|2[0-5])$/)],
  },
  terse: {
    'paging list-users': [
      'current: the records of this page',
      'page: the number of the page',
      'per_page: the records of a full page',
    ],
    'past_end list-users': ['empty'],
    'status create-users': ['200'],
    'refusal get-points-config': ['404, JSON with message'],
    'time_format timestamps': ['whole seconds, Z'],
    'field create-users created_at': ['absent'],
    'field list-users paging.total': ['null'],
  },
  'laravel-like': {
    'page_size list-users': ['15'],
    'paging list-users': ['current: the number of the page', ...(COMMON['paging list-users'] ?? []).slice(1)],
    'refusal get-points-config': ['404, JSON with message'],
    'time_format timestamps': ['6 decimals of a second, Z'],
  },
  'rails-like': {
    'page_size list-users': ['25'],
    'points_config_id get-points-config': ['the number of its league'],
    'refusal get-points-config': undefined,
    'extra_field list-users': ['_links', 'revision'],
    'extra_field get-player': holding('stats_total.revision', 'weekly_stats[].revision'),
  },
  'problem-details': {
    ...ANY_BATCH,
    'points_config_id get-points-config': ['the number of its league'],
    'refusal get-points-config': undefined,
    'refusal create-users': ['413, JSON with status, title, type'],
    'batch_refused create-users': [expect.stringMatching(/^(?:5[1-9]|[67]\d)$/)],
  },
  legacy: {
    ...ANY_BATCH,
    'paging list-users': PAGE_RECORDS,
    'refusal create-users': ['200, the envelope saying 400'],
    'refusal get-points-config': ['200, the envelope saying 404'],
    'time_format timestamps': ['3 decimals of a second, an offset'],
    'field list-users user_id': ['a number as text'],
  },
  sliding: { 'window_kind per_minute': ['sliding'] },
  'counts-everything': {
    'window_kind per_minute': undefined,
    'reset_at per_minute': holding('further away than the window is long'),
  },
  lagging: {},
  queued: { 'status create-users': ['200'] },
  'no-paging': {
    'page_size list-users': undefined,
    'page list-users': ['page 2 is page 1 again: ignored, or past the end'],
    'paging list-users': undefined,
    'past_end list-squads': ['records of an earlier page again'],
    'field list-users paging': ['absent'],
  },
  'page-blind': {
    ...ANY_BATCH,
    'page_size list-users': ['50, as per_page states'],
    'page list-users': ['page 2 is page 1 again: ignored, or past the end'],
    'paging list-users': undefined,
    'paging list-squads': [...PAGE_RECORDS.slice(0, -1), 'total: the number of pages'],
  },
  merging: { 'status create-users': ['200'], 'batch_answer create-users': ['in another order'] },
  'closed-account': { 'refusal get-account': ['403, the envelope'] },
  hostile: {
    'account_call get-account': holding('is free'),
    'page_size list-users': ['7'],
    'paging list-users': PAGE_RECORDS,
    'batch_answer create-users': ['in the order sent', 'others beside those sent'],
    'price_count upload-prices': ['fewer than sent'],
    'price_reference upload-prices': ['is in no record of the log that was read after it'],
    'points_config_id get-points-config': ['the number of its league'],
    'refusal get-points-config': undefined,
    'value account tier': ['x_sandbox'],
    'value account state': ['x_available'],
    'value account window': ['x_1d', 'x_60s'],
    'value mini-league rank_system': ['x_total_points'],
    'value mini-league style': ['x_classic'],
    'value fixtures status': ['x_finished', 'x_scheduled'],
    'value player result': ['x_D #-#', 'x_L #-#', 'x_W #-#'],
    'value price txn_type': ['x_current'],
    'value auto-substitution txn_type': ['x_auto_substitution'],
    'value auto-substitution action': ['x_in', 'x_out'],
    'value squad chip': ['x_bench_boost', 'x_free_hit', 'x_triple_captain', 'x_wildcard'],
    'field list-users user_id': ['a number as text'],
    'extra_field list-users': ['_links', 'revision'],
  },
};

const learnt = (name: keyof typeof PROFILES): ReturnType<typeof learnFrom> =>
  learnFrom({ ...profileSettings(name), per_minute: 20 });
const names = Object.keys(PROFILES) as readonly (keyof typeof PROFILES)[];

describe('a push and reads of everything', () => {
  it.each(names.filter((name) => name !== 'closed-account'))('learn what %s does', async (name) => {
    const found = await learnt(name);
    const expected = { ...COMMON, ...OWN[name] };
    const compared = Object.entries(expected).filter(([, values]) => values !== ANY);
    expect(Object.fromEntries(compared.map(([fact]) => [fact, found[fact]]))).toEqual(
      Object.fromEntries(compared),
    );
  });

  it('learn from closed-account no more than that it is closed', async () => {
    expect(await learnt('closed-account')).toEqual(OWN['closed-account']);
  });

  it('learn that GET /user takes no page', async () => {
    const found = await learnFrom({ users_page: 'refused', per_minute: 20 });
    expect(found['page list-users']).toEqual(['refused with 400']);
    expect(found['refusal list-users']).toEqual(['400, the envelope']);
  });

  it('learn the same from an equal service', async () => {
    expect(await learnt('hostile')).toEqual(await learnt('hostile'));
  });
});
