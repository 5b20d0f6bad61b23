import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderAccount } from '../../../src/cli/render/account.ts';
import { renderCheck } from '../../../src/cli/render/checks.ts';
import { renderPlan } from '../../../src/cli/render/plan.ts';
import { createReporter, renderBar } from '../../../src/cli/render/progress.ts';
import { nextAfter, renderReasons, renderReport, renderTrigger } from '../../../src/cli/render/report.ts';
import { renderCases } from '../../../src/cli/render/resolve.ts';
import {
  nextAfterStop,
  renderNextLine,
  renderStop,
  stopDocument,
  UnapprovedError,
} from '../../../src/cli/render/stop.ts';
import type { Style } from '../../../src/cli/screen.ts';
import { exitCodesOf } from '../../../src/runtime/pull-reports.ts';
import {
  AccessError,
  ConfigError,
  IncompleteError,
  InternalError,
  UnavailableError,
} from '../../../src/model/error.ts';
import type { Forecast } from '../../../src/model/budget.ts';
import type { Outcome, OutcomeCounts } from '../../../src/model/outcome.ts';
import type { PushSummary } from '../../../src/model/state/store.ts';
import { worstExit } from '../../../src/model/worst-exit.ts';
import type { OpenCase } from '../../../src/sync/reconcile/open-cases.ts';
import type { PlannedPush } from '../../../src/sync/ports.ts';
import type { PlannedChange } from '../../../src/plan/saved/push-plan.ts';
import { fakeScreen, plain } from '../../support/screen.ts';
import { renderSite } from '../../../src/cli/render/publish.ts';
import type { PublishedLeague } from '../../../src/runtime/publish/publish-all.ts';

const tagged: Style = (format, text) => `<${String(format)}>${text}</>`;

const FORECAST: Forecast = {
  pauses: [],
  finishesAtMs: 0,
  requests: 0,
  fits: 0,
  fittingRows: 0,
  limitedBy: undefined,
  finishByMs: undefined,
  atTheLatest: false,
};

const NONE: OutcomeCounts = {
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  invalid: 0,
  rejected: 0,
  excluded: 0,
  deferred: 0,
  unknown: 0,
  conflict: 0,
};

it('a site says of a week what its state was, or that what is kept of it has changed', () => {
  const week = { gameWeek: 'w', changed: true, state: 'final_by_totals' } as const;
  const weeks = [
    { ...week, week: 1, was: undefined },
    { ...week, week: 2, was: 'provisional' as const },
    { ...week, week: 3, was: 'final_by_totals' as const },
  ];
  const site = { files: 3, changedFiles: 3, squads: 2, weeks, waiting: [] };
  const league = { settings: { shownOut: 'public' }, site, posted: undefined } as unknown as PublishedLeague;
  expect(renderSite(league).split('\n').slice(1)).toEqual([
    '  game week 1: new, final by totals',
    '  game week 2: final by totals, was provisional',
    '  game week 3: final by totals, and what is kept of it has changed',
  ]);
});

describe('the end of a command', () => {
  const error = new ConfigError('header.missing', 'users.csv row 1: no column\nis called "\u001b[31mName"', {
    file: 'users.csv',
    line: 1,
    next: 'plan users',
  });

  it('says what happened and what to type, with data spelled out', () => {
    expect(renderStop(error, { screen: fakeScreen().screen, name: 'npx teamsheet', typed: ['plan'] })).toBe(
      '✗ users.csv row 1: no column\nis called "\\u{1b}[31mName"\n  next: npx teamsheet plan users',
    );
  });

  it('names commands as the program was started', () => {
    const { screen } = fakeScreen();
    const held = new IncompleteError(
      'x',
      'teamsheet resume 01J sends it, teamsheet.yaml and teamsheet itself do not',
      {
        next: 'resume 01J',
      },
    );
    expect(renderStop(held, { screen, name: 'npx teamsheet', typed: [] })).toBe(
      '✗ npx teamsheet resume 01J sends it, teamsheet.yaml and teamsheet itself do not\n  next: npx teamsheet resume 01J',
    );
  });

  it('is one document for programs', () => {
    expect(stopDocument('plan', error, { name: 'teamsheet', typed: ['plan'] })).toEqual({
      command: 'plan',
      exit_code: 4,
      error: {
        code: 'header.missing',
        message: error.message,
        file: 'users.csv',
        line: 1,
        column: null,
        next: 'teamsheet plan users',
      },
    });
  });

  it('is that of runs prune where that was typed, and holds what was to be approved', () => {
    const unapproved = new UnapprovedError('approval.missing', 'nothing was removed', undefined, {
      cases: [1],
    });
    const program = { name: 'teamsheet', typed: ['runs', 'prune', '--json'] };
    expect(stopDocument('runs', unapproved, program)).toMatchObject({
      command: 'runs prune',
      exit_code: 6,
      cases: [1],
      error: { code: 'approval.missing' },
    });
  });

  it('shows where an unexpected error arose only with --verbose', () => {
    const internal = new InternalError('internal.unexpected', 'unexpected failure: boom', {
      cause: new TypeError('boom'),
    });
    const at = (verbose: boolean): string =>
      renderStop(internal, {
        screen: fakeScreen({ verbose }).screen,
        name: 'teamsheet',
        typed: ['push', 'a b'],
      });
    expect(at(false)).toBe("✗ unexpected failure: boom\n  next: teamsheet push 'a b'");
    expect(at(true)).toMatch(/caused by TypeError: boom\n\s+at /);
  });

  it.each([
    [
      'Wait until it ends, then run the command again.',
      'Wait until it ends, then run the command again (X).',
    ],
    ['type the same command again later', 'type the same command again later (X)'],
    [
      'run the command again later, or raise push.timeout',
      'run the command again later (X), or raise push.timeout',
    ],
  ])('names the command where it says %s', (next, told) => {
    const error = new UnavailableError('service.error', 'it is down', { next });
    const again = "teamsheet push users --var 'a b'";
    const program = { name: 'teamsheet', typed: ['push', 'users', '--var', 'a b'] };
    expect(nextAfterStop(error, program)).toBe(told.replace('X', again));
  });

  it('proposes to go on with a run, or the command again where the budget leaves none', () => {
    const program = { name: 'teamsheet', typed: ['account', '--max-wait', '1s'] };
    const spent = new IncompleteError('budget.exhausted', 'the minute is used up');
    const most = new IncompleteError('budget.max_requests', 'the limit of 1 request is reached');
    expect(nextAfterStop(spent, program)).toBe('after that time, type: teamsheet account --max-wait 1s');
    expect(nextAfterStop(most, program)).toBe('type the same command again with a higher --max-requests');
    expect(nextAfterStop(spent, program, 'resume 01J')).toBe('teamsheet resume 01J');
  });

  it('names the run to go on with after what corrects a refused access', () => {
    const program = { name: 'npx teamsheet', typed: ['push'] };
    const refused = new AccessError('service.access', 'the API key was refused', { next: 'doctor' });
    expect(nextAfterStop(refused, program)).toBe('npx teamsheet doctor');
    expect(nextAfterStop(refused, program, 'resume 01J')).toBe(
      'npx teamsheet doctor, then: npx teamsheet resume 01J',
    );
  });

  it('puts the name of the program before commands and flags alone', () => {
    const { screen } = fakeScreen();
    const lines = ['resume', '--help', 'resume 01J', 'ask your provider'].map((next) =>
      renderNextLine(next, { screen, name: 'teamsheet' }),
    );
    expect(lines).toEqual([
      'next: teamsheet resume',
      'next: teamsheet --help',
      'next: teamsheet resume 01J',
      'next: ask your provider',
    ]);
  });

  it('names the configuration that was typed, and the mappings where they are read', () => {
    const setting = ['--config', 'my conf.yaml', '--env', 'two', '--var', 'a=1', '--var', 'b=2'];
    const program = { screen: fakeScreen().screen, name: 'teamsheet', setting };
    const next = (line: string): string => renderNextLine(line, program).replace('next: teamsheet ', '');
    const both = "--config 'my conf.yaml' --env two";
    expect(['resume 01J', 'runs 01J', 'resolve', 'doctor', 'account'].map(next)).toEqual(
      ['resume 01J', 'runs 01J', 'resolve', 'doctor', 'account'].map((line) => `${line} ${both}`),
    );
    expect(['push users', 'retry 01J', 'pull x'].map(next)).toEqual(
      ['push users', 'retry 01J', 'pull x'].map((line) => `${line} ${both} --var a=1 --var b=2`),
    );
    // What says it already says it once, and where nothing of it is read, nothing is said.
    expect(next('push --env=two --var a=1 --yes')).toBe(
      "push --env=two --var a=1 --yes --config 'my conf.yaml'",
    );
    expect(next('init')).toBe('init');
    expect(next('--help')).toBe('--help');
    expect(next('resume 01J; then look')).toBe(`resume 01J ${both}; then look`);
  });
});

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const clock = { nowMs: 0, monotonic: () => clock.nowMs };
  const pass = (ms: number): void => {
    clock.nowMs += ms;
    vi.advanceTimersByTime(ms);
  };

  it('is one line with count, rate and time left on a terminal, and a countdown in a pause', () => {
    const { screen, redrawn } = fakeScreen({ live: true, columns: 200 });
    const reporter = createReporter(screen, clock);
    reporter.emit({ kind: 'progress', mapping: 'users', done: 0, total: 40, unit: 'requests' });
    pass(4000);
    reporter.emit({ kind: 'progress', mapping: 'users', done: 10, total: 40, unit: 'requests' });
    pass(100);
    expect(redrawn.at(-1)).toBe('█████░░░░░░░░░░░░░░░ users: 10/40 requests · 2.5/s · about 10 s left');
    reporter.emit({ kind: 'pause', seconds: 90, untilMs: 0, reason: 'the minute window is used up' });
    pass(10_000);
    expect(redrawn.at(-1)).toContain('· pause 1:20: the minute window is used up');
    pass(81_000);
    expect(redrawn.at(-1)).not.toContain('pause');
    reporter.stop();
    expect(redrawn.at(-1)).toBeUndefined();
    const drawn = redrawn.length;
    pass(5000);
    expect(redrawn).toHaveLength(drawn);
  });

  it('counts one row as one', () => {
    const { screen, lines } = fakeScreen();
    const { emit } = createReporter(screen, clock);
    for (const done of [1, 1200]) {
      pass(5_000);
      emit({ kind: 'reading', mapping: 'users', done });
    }
    expect(lines).toEqual(['users: 1 row read', 'users: 1,200 rows read']);
  });

  it('never draws past the edge of the terminal', () => {
    const { screen, redrawn } = fakeScreen({ live: true, columns: 30 });
    const reporter = createReporter(screen, clock);
    reporter.emit({ kind: 'reading', mapping: 'a-mapping-with-a-long-name', done: 1_234_567 });
    pass(100);
    reporter.stop();
    expect(redrawn[0]).toHaveLength(27);
  });

  it('is a plain line now and then elsewhere, and every pause', () => {
    const { screen, lines } = fakeScreen();
    const { emit } = createReporter(screen, clock);
    for (let done = 0; done <= 100; done += 1) {
      emit({ kind: 'progress', mapping: 'users', done, total: 100, unit: 'requests' });
      pass(100);
    }
    emit({ kind: 'pause', seconds: 12, untilMs: 0, reason: 'the minute window is used up' });
    expect(lines).toEqual([
      'users: 50/100 requests · 10/s',
      'users: 100/100 requests · 10/s',
      'pause of 12 s: the minute window is used up',
    ]);
  });

  it.each<readonly [string, number, number, number | undefined, string]>([
    ['no rate before it was seen for a while', 2_900, 10, 40, 'users: 10/40 records'],
    ['no total that is not known', 5_000, 1_000, undefined, 'users: 1,000 records · 200/s'],
    ['no time that is over before it is read', 5_000, 1_000, 2_900, 'users: 1,000/2,900 records · 200/s'],
    ['one of one', 1_000, 1, 1, 'users: 1/1 record'],
    ['steps of 5 s', 5_000, 1_000, 5_700, 'users: 1,000/5,700 records · 200/s · about 25 s left'],
    ['half minutes', 5_000, 1_000, 18_600, 'users: 1,000/18,600 records · 200/s · about 1 min 30 s left'],
    ['minutes', 5_000, 1_000, 200_000, 'users: 1,000/200,000 records · 200/s · about 17 min left'],
  ])('tells what a person believes: %s', (_what, ms, done, total, line) => {
    const { screen, redrawn } = fakeScreen({ live: true, columns: 200 });
    const { emit, stop } = createReporter(screen, clock);
    const known = total === undefined ? {} : { total };
    emit({ kind: 'progress', mapping: 'users', done: 0, ...known, unit: 'records' });
    pass(ms);
    emit({ kind: 'progress', mapping: 'users', done, ...known, unit: 'records' });
    pass(100);
    expect(redrawn.at(-1)?.replace(/^[█░]+ /, '')).toBe(line);
    stop();
  });

  it('begins its rate again where a list is read again', () => {
    const { screen, redrawn } = fakeScreen({ live: true, columns: 200 });
    const { emit, stop } = createReporter(screen, clock);
    for (const done of [0, 500, 100]) {
      emit({ kind: 'progress', mapping: 'users', done, unit: 'records' });
      pass(4_000);
    }
    expect(redrawn.at(-1)).toBe('users: 100 records');
    stop();
  });

  it('begins with the first request that goes out, on a terminal alone', () => {
    const first = { kind: 'progress', mapping: 'users', done: 0, total: 3, unit: 'requests' } as const;
    const live = fakeScreen({ live: true, columns: 200 });
    const plainly = fakeScreen();
    const reporters = [live, plainly].map(({ screen }) => createReporter(screen, clock));
    pass(6000);
    for (const { emit } of reporters) emit(first);
    pass(100);
    expect(live.redrawn.at(-1)).toBe('░░░░░░░░░░░░░░░░░░░░ users: 0/3 requests');
    expect(plainly.lines).toEqual([]);
    for (const { stop } of reporters) stop();
  });

  it('tells warnings, notes and retries at once, and outcomes with --verbose', () => {
    const told = (verbose: boolean): readonly string[] => {
      const { screen, lines } = fakeScreen({ verbose });
      const { emit } = createReporter(screen, clock);
      emit({ kind: 'warning', message: 'look' });
      emit({ kind: 'note', message: 'so\u0007' });
      emit({ kind: 'retry', operation: 'GET /v1/user', attempt: 1, waitMs: 300, reason: 'no answer' });
      emit({ kind: 'outcome', mapping: 'users', rowNumber: 7, outcome: 'rejected', message: 'taken' });
      return lines;
    };
    const always = ['! look', 'so\\u{7}', 'GET /v1/user: no answer; attempt 2 in 300 ms'];
    expect(told(false)).toEqual(always);
    expect(told(true)).toEqual([...always, 'users row 7: rejected, taken']);
  });
});

it('draws shares as bars within their width', () => {
  expect([renderBar(0, 0, 4), renderBar(1, 4, 4), renderBar(9, 4, 4), renderBar(-1, 4, 4)]).toEqual([
    '░░░░',
    '█░░░',
    '████',
    '░░░░',
  ]);
});

describe('the account', () => {
  const view = { style: plain, nowMs: Date.UTC(2026, 7, 14, 12, 0, 0), timezone: 'Europe/London' };

  it('shows windows and quotas as bars, and what is nearly gone in red', () => {
    const window = { limit: 100, window: '1m', used: 96, remaining: 4, reset_at: '2026-08-14T12:00:30Z' };
    const text = renderAccount(
      {
        id: 'a1',
        tier: 'gold\u202e',
        is_active: true,
        api_key_active: false,
        config: {
          rate_limit: { per_minute: window, per_day: { limit: 1000, used: 10 } },
          features: { users: { max: 10, used: 8, remaining: 2, state: 'ok', is_blocked: true } },
        },
      },
      { ...view, style: tagged },
    );
    expect(text).toContain('gold\\u{202e}');
    expect(text).toMatch(
      /per minute +<red>█{19}░<\/> +96 \/ 100 {2}4 left, new at 2026-08-14 13:00:30, in 30 s/,
    );
    expect(text).toMatch(/per day +<green>░{20}<\/> +10 \/ 1,000 {2}- left/);
    expect(text).toMatch(/users +<yellow>█{16}░{4}<\/> +8 \/ 10 {2}2 left, ok<red>, blocked<\/>/);
  });

  it('says no time until a reset that is told on another clock', () => {
    const window = { limit: 100, window: '1m', used: 0, remaining: 100, reset_at: '2026-10-01T12:00:00Z' };
    const text = renderAccount({ id: 'a1', config: { rate_limit: { per_minute: window } } }, view);
    expect(text).toMatch(/100 left, new at 2026-10-01 13:00:00$/m);
  });

  it('survives a service that says next to nothing', () => {
    expect(renderAccount({ id: 'a1' }, view)).toContain('tier        -');
  });
});

it('marks checks and says the fix below', () => {
  expect(renderCheck({ level: 'bad', name: 'key', found: 'refused', fix: 'npx teamsheet init' }, plain)).toBe(
    '✗ key           refused\n                fix: npx teamsheet init',
  );
});

describe('an open case', () => {
  it('names its run and mapping, and counts the rows of a write, not of a conflict', () => {
    const open: OpenCase = {
      id: '01J:users:2',
      kind: 'conflict',
      // Only its id is rendered.
      run: { id: '01J' } as OpenCase['run'],
      mapping: 'users',
      operation: 'upsert',
      rows: [{ rowNumber: 2, key: 'A', fields: null }],
      sentAtMs: null,
      reason: [{ code: 'text', text: 'the service has 2 records for "A"' }],
    };
    expect(renderCases([open], 'UTC', plain).split('\n').slice(2, 4)).toEqual([
      '    run 01J, users (upsert)',
      '    row 2 "A"',
    ]);
    const write = renderCases([{ ...open, kind: 'unknown' }], 'UTC', plain);
    expect(write.split('\n')[2]).toBe('    run 01J, users (upsert), 1 row');
  });
});

describe('a plan', () => {
  const change = (
    kind: PlannedChange['kind'],
    row: number,
    more: Partial<PlannedChange> = {},
  ): PlannedChange => ({
    mapping: 'users',
    row,
    key: `M${row}`,
    kind,
    message: '',
    beside: '',
    waits: [],
    fields: {},
    ...more,
  });

  const users = {
    mapping: { name: 'users' },
    resource: 'users',
    outcomes: { ...NONE, rows: 40, created: 20, updated: 1, invalid: 1, unchanged: 18 },
    changes: { create: 20, update: 1, invalid: 1 },
    toWrite: { create: 20, update: 1 },
    writes: 2,
    reads: 0,
    worst: { writes: 39, reads: 12 },
    comparedWith: 'compared with 20 users read now',
    overQuota: 0,
    deactivated: 0,
    missing: [],
  };
  const prices = { ...users, mapping: { name: 'prices' }, resource: 'prices' };
  const squads = { ...users, mapping: { name: 'squads' }, resource: 'squads' };

  const shown = (
    sample: readonly PlannedChange[],
    mappings: readonly unknown[] = [users],
    forecast: Partial<Forecast> = { finishesAtMs: 1000, requests: 2, fits: 2 },
  ): string => {
    // Only what is rendered is built.
    const planned = {
      mappings,
      stops: [],
      requests: { planned: 5, sent: 3, reads: 3, writes: 0, throttled: 0, waited_ms: 0 },
      forecast: { ...FORECAST, ...forecast },
    } as unknown as PlannedPush;
    return renderPlan(planned, sample, { style: plain, nowMs: 0, timezone: 'UTC' });
  };

  it('of nothing says so, without a table', () => {
    const text = shown([], []);
    expect(text.split('\n\n')[0]).toBe('No mapping pushes: there is nothing to send.');
    expect(text).not.toContain('created');
  });

  it('says what refusals would cost at most, where they would cost more', () => {
    expect(shown([])).toContain('if a batch is refused, its rows go one by one: at most 12 reads, 39 writes');
    expect(shown([], [{ ...users, worst: { writes: 2, reads: 0 } }])).not.toContain('at most');
  });

  it('counts a deferred row once among the rows that it does not show', () => {
    const outcomes = { ...NONE, rows: 20, created: 12, deferred: 8 };
    expect(shown([change('create', 2)], [{ ...users, outcomes }])).toContain('… and 19 more rows');
  });

  it('does not count what a resumed run has written before among the rows to come', () => {
    const resumed = { ...users, toWrite: { create: 4, update: 1 } };
    expect(shown([change('create', 20)], [resumed])).toContain('… and 5 more rows');
  });

  it('shows before and after of the rows that it is given, and how many more there are', () => {
    const text = shown([
      change('update', 3, {
        fields: {
          display_name: { before: 'Ann', after: 'Anna\u001b[2J' },
          is_active: { before: null, after: '' },
        },
      }),
      change('invalid', 4, { beside: '61 characters, at most 50' }),
      change('create', 14, { fields: { external_id: { before: null, after: 'M14' } } }),
    ]);
    expect(text).toContain('~  users row 3   M3   display_name: Ann → Anna\\u{1b}[2J, is_active: ? → ""');
    expect(text).toContain('✗  users row 4   M4   61 characters, at most 50');
    expect(text).toContain('+  users row 14  M14');
    expect(text).toContain('… and 19 more rows');
    expect(text).toContain('2 writes to send, finished in a few seconds');
  });

  it('spells out what hides in a key', () => {
    expect(shown([change('create', 15, { key: '1/Off\u200bice' })])).toContain(
      '+  users row 15  1/Off\\u{200b}ice',
    );
  });

  it('says nothing twice that the key says, and sets each mapping in columns of its own', () => {
    const fields = {
      fantasy_league_id: { before: null, after: 1 },
      player_id: { before: null, after: 7 },
      price: { before: null, after: 5.5 },
      type: { before: null, after: 'current' },
    };
    const sample = [
      change('create', 2, { fields: { display_name: { before: null, after: 'Ann' } } }),
      change('create', 14, { mapping: 'prices', key: '1/7/current', fields }),
    ];
    expect(shown(sample, [users, prices])).toContain(
      '+  users row 2  M2  display_name: Ann\n+  prices row 14  1/7/current  price: 5.5\n',
    );
  });

  it('names the row that a value is known after, also where the value is part of the key', () => {
    const fields = {
      name: { before: null, after: 'Rovers' },
      user_id: { before: null, after: 'known after users[M-041]' },
      players_in: { before: null, after: [1, 2] },
      fantasy_league_id: { before: null, after: 1 },
    };
    const sample = [
      change('create', 42, { mapping: 'squads', key: '1/users[M-041]/Rovers', fields, waits: ['user_id'] }),
    ];
    expect(shown(sample, [users, squads])).toContain(
      '+  squads row 42  1/users[M-041]/Rovers  user_id: known after users[M-041], players_in: 1 2\n',
    );
  });

  it('sums up what is still to be written, not what a resumed run has written before', () => {
    const outcomes = { ...NONE, rows: 20, created: 20 };
    const written = { outcomes, toWrite: { create: 0, update: 0 } };
    const begun = { outcomes, toWrite: { create: 3, update: 0 } };
    expect(
      shown(
        [],
        [
          { ...users, ...written },
          { ...squads, ...begun },
        ],
      ),
    ).toContain('\n\nset up 3 squads: ');
    expect(
      shown(
        [],
        [
          { ...users, ...written },
          { ...squads, ...written },
        ],
      ),
    ).not.toContain('set up');
  });

  it('shows the warning of a row that goes on', () => {
    const beside = 'column "Member ID": the blanks around " M3 " were left out';
    const fields = { display_name: { before: null, after: 'Ann' } };
    expect(shown([change('create', 3, { beside, fields })])).toContain(
      `+  users row 3  M3  display_name: Ann  ! ${beside}`,
    );
  });

  it('shows pauses, the finish time and what does not fit', () => {
    const pauses = [1, 2, 3, 4].map((minute) => ({
      untilMs: minute * 60_000,
      seconds: 60,
      reason: 'minute window',
    }));
    const text = shown([], [users], {
      pauses,
      finishesAtMs: 240_000,
      requests: 6,
      fits: 1,
      fittingRows: 12,
      limitedBy: 'max_wait',
    });
    expect(text).toContain('finished about 1970-01-01 00:04:00 (in 4 min)');
    expect(text).toContain('  pause of 1 min until 1970-01-01 00:01:00: minute window');
    expect(text).toContain('… and 1 more pause');
    expect(text).toContain(
      '1 of them (12 rows) fit before a pause longer than max_wait; the rest is deferred',
    );
  });

  it.each([
    ['max_requests', '1 of them (12 rows) fit into --max-requests; the rest is deferred'],
    ['finish_by', '1 of them (12 rows) fit before Sunday 2026-11-22 17:30:00; the rest is deferred'],
    ['reserve', '1 of them (12 rows) fit beside the reserve; the rest is deferred'],
  ] as const)('names %s where it keeps something back', (limitedBy, line) => {
    const finishByMs = Date.parse('2026-11-22T17:30:00Z');
    const text = shown([], [users], { requests: 1, fits: 1, fittingRows: 12, limitedBy, finishByMs });
    expect(text).toContain(line);
    expect(text).toContain('no request is sent that would end after Sunday 2026-11-22 17:30:00');
  });

  it('says where the end is only the latest possible', () => {
    expect(shown([], [users], { finishesAtMs: 240_000, atTheLatest: true })).toContain(
      'finished at the latest about 1970-01-01 00:04:00 (in 4 min): the account does not show yet',
    );
  });

  it('says that there is nothing to write', () => {
    expect(shown([], [{ ...users, writes: 0 }])).toContain('nothing to write');
  });
});

describe('a report', () => {
  it('has a column for each outcome that occurs, and names what failed', () => {
    const text = renderReport(
      {
        run: '01J',
        command: 'sync',
        exit_code: 8,
        mappings: [
          {
            ...NONE,
            name: 'users',
            resource: 'users',
            direction: 'push',
            deactivated: 2,
            results: null,
            rows: 1234,
            created: 1000,
            conflict: 234,
          },
          {
            name: 'squads',
            resource: 'squads',
            direction: 'pull',
            records: 60,
            rows: 900,
            destination: 'out/squads.csv',
          },
          {
            name: 'players',
            resource: 'players',
            direction: 'pull',
            records: 0,
            rows: 0,
            destination: 'out/p.csv',
            error: { code: 'list.unstable', message: 'short read', exit_code: 8 },
          },
        ],
        requests: { planned: 9, sent: 9, reads: 1, writes: 8, throttled: 1, waited_ms: 61_000 },
      },
      plain,
    );
    expect(text).toBe(`        rows  created  updated  unchanged  conflict  deactivated
users  1,234    1,000        0          0       234            2

✓  squads   60 records, 900 rows  out/squads.csv
✗  players  failed                short read

9 requests (1 read, 8 writes), 1 refused for the budget, waited 1 min 1 s · run 01J`);
  });

  it('says of triggers that they went out, in a column of their own', () => {
    const pushed = { ...NONE, direction: 'push', deactivated: 0, results: null } as const;
    const [text] = renderReport(
      {
        run: null,
        command: 'push',
        exit_code: 0,
        mappings: [
          { ...pushed, name: 'users', resource: 'users', rows: 7, created: 7 },
          { ...pushed, name: 'weeks', resource: 'auto_substitutions', rows: 3, created: 2, unchanged: 1 },
        ],
        requests: { planned: 0, sent: 0, reads: 0, writes: 0, throttled: 0, waited_ms: 0 },
      },
      plain,
    ).split('\n\n');
    expect(text).toBe(`       rows  created  triggered  updated  unchanged
users     7        7          0        0          0
weeks     3        0          2        0          1`);
  });

  it('knows what to do next', () => {
    const pushed = {
      ...NONE,
      name: 'users',
      resource: 'users',
      direction: 'push',
      deactivated: 0,
      results: null,
    } as const;
    const pulled = {
      name: 'p',
      resource: 'players',
      direction: 'pull',
      records: 0,
      rows: 0,
      destination: 'x',
    } as const;
    const failed = {
      ...pulled,
      error: { code: 'c', message: 'm', exit_code: 8, next: 'close the file' },
    } as const;
    expect(nextAfter({ command: 'push', exit_code: 0, run: '01J', mappings: [pushed] }, false)).toEqual([]);
    const waiting = { ...pushed, deferred: 1 };
    expect(nextAfter({ command: 'push', exit_code: 7, run: '01J', mappings: [waiting] }, false)).toEqual([
      'resume 01J',
    ]);
    expect(nextAfter({ command: 'push', exit_code: 7, run: '01J', mappings: [pushed] }, true)).toEqual([
      'resume 01J',
    ]);
    const held = { ...waiting, resource: 'prices' } as const;
    const next = (
      mappings: readonly PushSummary[],
      needsResolve = false,
      command = 'push',
    ): readonly string[] => nextAfter({ command, exit_code: 7, run: '01J', mappings }, false, needsResolve);
    expect(next([held])).toEqual(['resume 01J']);
    // Prices wait for a write of another run, or for one of this run that no list shows.
    expect(next([held], true)).toEqual(['resolve']);
    expect(next([{ ...held, unknown: 1 }])).toEqual(['resolve']);
    expect(next([{ ...held, deferred: 0, unknown: 1 }, held])).toEqual(['resolve']);
    expect(next([pushed, { ...held, name: 'second', stale: 1 }])).toEqual(['push users second']);
    expect(next([{ ...held, stale: 1 }], false, 'import')).toEqual(['Import the whole file again.']);
    expect(
      nextAfter({ command: 'push', exit_code: 8, run: null, mappings: [failed, failed] }, false),
    ).toEqual(['close the file']);
    expect(nextAfter({ command: 'push', exit_code: 3, run: '01J', mappings: [pushed] }, false)).toEqual([
      'correct the rows in their table',
      'retry 01J',
    ]);
    expect(
      nextAfter({ command: 'substitutions', exit_code: 3, run: '01J', mappings: [pushed] }, false),
    ).toEqual(['runs 01J']);
    expect(nextAfter({ command: 'import', exit_code: 3, run: '01J', mappings: [pushed] }, false)).toEqual([
      expect.stringContaining('import that file with the same flags'),
    ]);
  });

  it('says why rows were refused or are left, three times at most for each outcome', () => {
    const reason = {
      mapping: 'users',
      outcome: 'deferred',
      message: 'users.csv row 3: no room',
      said: 'no room',
      rows: 1,
    } as const;
    expect(
      renderReasons(
        [
          { ...reason, rows: 3 },
          { ...reason, outcome: 'unknown' },
        ],
        '01J',
      ),
    ).toEqual([
      'deferred: users.csv row 3: no room (2 more rows like it)',
      'unknown: users.csv row 3: no room',
    ]);
    expect(renderReasons([reason, reason, reason, reason], '01J').slice(3)).toEqual([
      '… and others: teamsheet runs 01J shows them',
    ]);
    const rejected = { ...reason, outcome: 'rejected', message: 'no \u001b[31m such user' } as const;
    expect(renderReasons([reason, reason, reason, rejected], '01J').slice(3)).toEqual([
      'rejected: no \\u{1b}[31m such user',
    ]);
  });

  it('says of a trigger what became of its game week, and counts no rows', () => {
    const requests = { planned: 2, sent: 2, reads: 1, writes: 1, throttled: 0, waited_ms: 0 };
    const summary: PushSummary = {
      name: 'substitutions',
      resource: 'auto_substitutions',
      direction: 'push',
      ...{ ...NONE, rows: 1, deactivated: 0, results: null },
    };
    const reason = { mapping: 'substitutions', message: '', said: 'done (OK, 24 events)', rows: 1 } as const;
    const told = (counts: Partial<OutcomeCounts>, outcome?: Outcome): string | undefined =>
      renderTrigger(
        { week: 'game week 6', lines: [] },
        {
          report: {
            ...{ run: '01J', command: 'substitutions', exit_code: 0, requests },
            mappings: [{ ...summary, ...counts }],
          },
          reasons: outcome === undefined ? [] : [{ ...reason, outcome }],
        },
      );
    const end = '\n\n2 requests (1 read, 1 write) · run 01J';
    expect(told({ created: 1 }, 'created')).toBe(
      `game week 6: the service answered: done (OK, 24 events)${end}`,
    );
    expect(told({ unknown: 1 }, 'unknown')).toBe(`game week 6: unknown: done (OK, 24 events)${end}`);
    expect(told({ unchanged: 1 })).toBe(`game week 6: triggered before, so nothing was sent${end}`);
    expect(told({ created: 1 })).toBe(`game week 6: the service accepted the trigger without details${end}`);
  });

  it('ends with the most important exit code', () => {
    expect([worstExit([]), worstExit([0, 3, 7]), worstExit([7, 5, 8]), worstExit([8, 130])]).toEqual([
      0, 7, 8, 130,
    ]);
    expect(
      exitCodesOf([
        {
          name: 'a',
          resource: 'users',
          direction: 'pull',
          records: 0,
          rows: 0,
          destination: 'x',
          error: { code: 'c', message: 'm', exit_code: 5 },
        },
      ]),
    ).toEqual([5]);
  });
});
