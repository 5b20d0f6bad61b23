import { describe, expect, it } from 'vitest';
import type { Alert, Health, MappingState } from '../../../src/model/state/alerts.ts';
import { EXIT, type ExitCode } from '../../../src/model/error.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import type { MappingSummary, PullSummary, PushSummary } from '../../../src/model/state/store.ts';
import { outcomeCounts } from '../../../src/plan/counts.ts';
import { newsOf, type Tidings } from '../../../src/schedule/alerts.ts';
import { hasFailed, type Attempt } from '../../../src/schedule/mapping-states.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-08-20T10:00:00Z');
const USERS = { environment: 'live', name: 'users' };

function pushed(counts: Partial<Record<Outcome, number>>, name = 'users'): PushSummary {
  return {
    name,
    resource: 'users',
    direction: 'push',
    deactivated: 0,
    results: null,
    ...outcomeCounts(new Map(Object.entries(counts) as [Outcome, number][])),
  };
}

function pulled(error?: PullSummary['error']): PullSummary {
  const summary = {
    name: 'users',
    resource: 'users',
    direction: 'pull',
    records: 3,
    destination: 'x',
    rows: 9,
  } as const;
  return { ...summary, ...(error && { error }) };
}

interface Ended {
  readonly names?: readonly string[];
  readonly environment?: string;
  readonly run?: string | null;
  readonly exitCode?: ExitCode;
}

/** A command that ran `names`, and came to what there are summaries of. */
function ended(
  summaries: readonly MappingSummary[],
  { names = ['users'], environment = 'live', run = 'R1', exitCode = EXIT.done }: Ended = {},
): Attempt {
  const ends = summaries.length === 0 ? [] : [{ environment, summaries, run, exitCode }];
  return { asked: names.map((name) => ({ environment, name })), ends, exitCode };
}

/** A run that makes the mapping `ok`, `degraded` or `failing`. */
const RUNS: Readonly<Record<Health, Attempt>> = {
  ok: ended([pushed({ created: 2, unchanged: 8 })]),
  degraded: ended([pushed({ created: 7, invalid: 2, deferred: 1 })], { exitCode: EXIT.incomplete }),
  failing: ended([], { exitCode: EXIT.unavailable }),
};

/** What happens, run after run and hour after hour, to one mapping. */
function story(...steps: readonly (readonly [hour: number, tidings: Tidings])[]): {
  readonly told: readonly string[];
  readonly alerts: readonly Alert[];
  readonly states: readonly MappingState[];
} {
  let states: readonly MappingState[] = [];
  const alerts: Alert[] = [];
  const told = steps.map(([hour, tidings]) => {
    const news = newsOf(states, tidings, NOW + hour * HOUR);
    states = [
      ...states.filter(({ mapping }) => !news.states.some((each) => each.mapping === mapping)),
      ...news.states,
    ];
    alerts.push(...news.alerts);
    return news.alerts.map(({ event }) => event).join(' ');
  });
  return { told, alerts, states };
}

/** What a run makes of a mapping, of which it says this or nothing. */
const healthOf = (summary?: MappingSummary): Health | undefined =>
  newsOf([], { attempt: ended(summary === undefined ? [] : [summary]) }, NOW).states[0]?.state;

describe('what a run makes of a mapping', () => {
  it.each<[Health, Partial<Record<Outcome, number>>]>([
    ['ok', { created: 1 }],
    ['ok', {}],
    ['ok', { excluded: 3 }],
    ['ok', { unchanged: 3, excluded: 1 }],
    ['degraded', { created: 1, invalid: 1 }],
    ['degraded', { updated: 1, rejected: 1 }],
    ['degraded', { unchanged: 1, deferred: 1 }],
    ['degraded', { unchanged: 1, unknown: 1 }],
    ['degraded', { unchanged: 1, conflict: 1 }],
    ['failing', { invalid: 1 }],
    ['failing', { deferred: 5, excluded: 1 }],
  ])('is %s with %j', (health, counts) => {
    expect(healthOf(pushed(counts))).toBe(health);
  });

  it('is failing where the run never came to it, and where its report is not written', () => {
    expect(healthOf()).toBe('failing');
    expect(healthOf(pulled({ code: 'list.unstable', message: 'x', exit_code: EXIT.unavailable }))).toBe(
      'failing',
    );
    expect(healthOf(pulled())).toBe('ok');
  });
});

it('is as its table left it where a run of it went on first in one command', () => {
  const [first] = RUNS.degraded.ends;
  const [second] = RUNS.ok.ends;
  const ends = [first, second].filter((end) => end !== undefined);
  const { states, told } = story([0, { attempt: { ...RUNS.degraded, ends } }]);
  expect(states).toMatchObject([{ mapping: 'users', state: 'ok' }]);
  expect(told).toEqual(['']);
});

describe('a change of state', () => {
  it.each<[Health | 'new', Health, string]>([
    ['new', 'ok', ''],
    ['new', 'degraded', 'degraded'],
    ['new', 'failing', 'failing'],
    ['ok', 'ok', ''],
    ['ok', 'degraded', 'degraded'],
    ['ok', 'failing', 'failing'],
    ['degraded', 'ok', 'recovered'],
    ['degraded', 'degraded', ''],
    ['degraded', 'failing', 'failing'],
    ['failing', 'ok', 'recovered'],
    ['failing', 'degraded', 'degraded'],
    ['failing', 'failing', ''],
  ])('from %s to %s tells "%s"', (before, after, event) => {
    const first = before === 'new' ? [] : [[0, { attempt: RUNS[before] }] as const];
    const { told, states } = story(...first, [1, { attempt: RUNS[after] }]);
    expect(told.at(-1)).toBe(event);
    expect(states).toHaveLength(1);
    const changed = before !== after;
    expect(states[0]).toMatchObject({
      state: after,
      sinceMs: NOW + (changed ? HOUR : 0),
      ranAtMs: NOW + HOUR,
    });
  });

  it.each<ExitCode>([EXIT.interrupted, EXIT.terminated])(
    'is not made by a run that a signal ended (%i)',
    (exitCode) => {
      const cut = ended([pushed({ created: 1, deferred: 9 })], { exitCode });
      expect(newsOf([], { attempt: cut }, NOW)).toEqual({ states: [], alerts: [] });
      expect(
        story([0, { attempt: RUNS.failing }], [1, { attempt: cut }], [2, { attempt: RUNS.failing }]).told,
      ).toEqual(['failing', '', '']);
    },
  );

  it('is one of each mapping, environment and league', () => {
    const end = ended([pushed({ created: 1 }), pushed({ invalid: 1 }, 'prices')], {
      names: ['users', 'prices', 'points'],
    });
    const { states, alerts } = newsOf([], { attempt: end }, NOW);
    expect(states.map(({ mapping, state }) => `${mapping} ${state}`)).toEqual([
      'users ok',
      'prices failing',
      'points failing',
    ]);
    expect(alerts.map(({ mapping }) => mapping)).toEqual(['prices', 'points']);
    const elsewhere = ended([pushed({ invalid: 1 }, 'prices')], {
      environment: 'test',
      names: ['prices', 'points'],
    });
    const inLeagues = ended([pushed({ invalid: 1 }, 'prices@north')], {
      names: ['prices@north', 'points@south'],
    });
    const more = [elsewhere, inLeagues].flatMap((attempt) => newsOf(states, { attempt }, NOW).alerts);
    expect(
      more.map(({ environment, league, mapping, next }) => [environment, league, mapping, next]),
    ).toEqual([
      ['test', null, 'prices', 'teamsheet runs R1'],
      ['test', null, 'points', 'teamsheet doctor'],
      ['live', 'north', 'prices', 'teamsheet runs R1'],
      ['live', 'south', 'points', 'teamsheet doctor'],
    ]);
    expect(new Set([...alerts, ...more].map(({ about }) => about)).size).toBe(6);
  });

  it('is that of each account that a command came to, and of the command where it came to none', () => {
    const end = {
      environment: 'live',
      run: 'R1',
      exitCode: EXIT.done,
      summaries: [pushed({ created: 1 }, 'users@north')],
    };
    const attempt: Attempt = {
      asked: [
        { environment: 'live', name: 'users@north' },
        { environment: 'other', name: 'users@south' },
      ],
      ends: [end],
      exitCode: EXIT.access,
    };
    const { states } = newsOf([], { attempt }, NOW);
    expect(
      states.map(({ environment, league, state, run, exitCode }) => [
        environment,
        league,
        state,
        run,
        exitCode,
      ]),
    ).toEqual([
      ['live', 'north', 'ok', 'R1', 0],
      ['other', 'south', 'failing', null, 5],
    ]);
    const cut = { ...attempt, ends: [{ ...end, exitCode: EXIT.interrupted }] };
    expect(newsOf([], { attempt: cut }, NOW).states).toEqual([]);
  });

  it('says what there is to know in counts', () => {
    const { alerts } = story(
      [0, { attempt: RUNS.degraded }],
      [1, { attempt: RUNS.failing }],
      [6, { attempt: RUNS.ok }],
    );
    expect(
      alerts.map(({ message, next, run, exitCode, sinceMs }) => ({ message, next, run, exitCode, sinceMs })),
    ).toEqual([
      {
        message: 'users: not every row came through: 2 invalid, 1 deferred of 10 rows',
        ...{ next: 'teamsheet runs R1', run: 'R1', exitCode: 7, sinceMs: NOW },
      },
      {
        message: 'users: nothing came through: something that it needs did not answer',
        ...{ next: 'teamsheet doctor', run: null, exitCode: 8, sinceMs: NOW + HOUR },
      },
      {
        message: 'users: everything comes through again, after 5 h',
        ...{ next: null, run: 'R1', exitCode: 0, sinceMs: NOW + 6 * HOUR },
      },
    ]);
    expect(alerts.map(({ counts }) => counts)).toMatchObject([
      { rows: 10, created: 7, invalid: 2, deferred: 1 },
      {},
      { rows: 10 },
    ]);
    expect(alerts[1]?.counts).toBeNull();
  });

  it.each<[ExitCode, string, string]>([
    [EXIT.config, 'the configuration, a mapping or a table is to be corrected', 'teamsheet validate users'],
    [EXIT.access, 'access was refused', 'teamsheet doctor'],
    [EXIT.stopped, 'a guard or another check stopped it before it wrote', 'teamsheet plan users'],
    [EXIT.incomplete, 'the budget or a limit ended it', 'teamsheet doctor'],
  ])('says why nothing came through with exit %i', (exitCode, why, next) => {
    const [alert] = newsOf([], { attempt: ended([], { exitCode }) }, NOW).alerts;
    expect(alert).toMatchObject({ message: `users: nothing came through: ${why}`, next });
  });

  it('counts the rows of which none came through', () => {
    const end = ended([pushed({ invalid: 2, rejected: 1 })], { exitCode: EXIT.rows });
    const [alert] = newsOf([], { attempt: end }, NOW).alerts;
    expect(alert?.message).toBe('users: nothing came through: 2 invalid, 1 rejected of 3 rows');
  });
});

describe("a dead man's switch", () => {
  it.each<[string, boolean, Attempt]>([
    ['where everything came through', false, RUNS.ok],
    ['where some rows came through', false, RUNS.degraded],
    ['where nothing came through', true, RUNS.failing],
    [
      'where a command stopped before it knew its mappings',
      true,
      ended([], { names: [], exitCode: EXIT.config }),
    ],
    ['where there was nothing to run', false, ended([], { names: [] })],
  ])('is told of a failure %s: %s', (_, failed, attempt) => {
    expect(hasFailed(attempt)).toBe(failed);
  });
});

describe('a mapping that goes on failing', () => {
  it('is told of once a day, whether it runs or not', () => {
    const known = [USERS];
    const { told, alerts } = story(
      [0, { attempt: RUNS.failing, known }],
      [12, { attempt: RUNS.failing, known }],
      [23, { known }],
      [24, { known }],
      [30, { attempt: RUNS.failing, known }],
      [47, { known }],
      [49, { attempt: RUNS.failing, known }],
      [60, { attempt: RUNS.ok, known }],
      [90, { known }],
    );
    expect(told).toEqual(['failing', '', '', 'failing', '', '', 'failing', 'recovered', '']);
    expect(alerts[2]?.message).toBe('users: still nothing comes through, for 2 d');
    expect(new Set(alerts.map(({ about }) => about)).size).toBe(4);
    expect(alerts.slice(0, 3).map(({ sinceMs }) => sinceMs)).toEqual([NOW, NOW, NOW]);
  });

  it('is told of again where the clock by which it was told of was set back', () => {
    const known = [USERS];
    const { told } = story(
      [800, { attempt: RUNS.failing, known }],
      [1, { known }],
      [2, { known }],
      [26, { known }],
    );
    expect(told).toEqual(['failing', 'failing', '', 'failing']);
  });

  it('is not told of once it is no mapping any more, nor while it is degraded', () => {
    expect(
      story(
        [0, { attempt: RUNS.failing }],
        [
          48,
          {
            known: [
              { ...USERS, name: 'other' },
              { ...USERS, environment: 'test' },
            ],
          },
        ],
      ).told,
    ).toEqual(['failing', '']);
    expect(story([0, { attempt: RUNS.degraded }], [48, { known: [USERS] }]).told).toEqual(['degraded', '']);
  });
});

describe('a deadline', () => {
  const at = (hours: number, name = 'users'): Tidings => ({
    deadlines: [{ ...USERS, name, week: 9, gameWeekId: 'week-9', atMs: NOW + hours * HOUR }],
  });
  const run = { attempt: RUNS.degraded };

  it('that is near tells of rows that are invalid or deferred, 24 h and 2 h before, each once', () => {
    const { alerts } = story([0, run], ...[5, 6, 7, 27, 28, 29, 30].map((hour) => [hour, at(30)] as const));
    const near = alerts.filter(({ event }) => event === 'deadline_near');
    const told = near.filter(
      ({ about }, index) => near.findIndex((other) => other.about === about) === index,
    );
    expect(told.map(({ message }) => message)).toEqual([
      'users: 2 invalid and 1 deferred of 10 rows, and the deadline of game week 9 is in 24 h',
      'users: 2 invalid and 1 deferred of 10 rows, and the deadline of game week 9 is in 2 h',
    ]);
    expect(told[0]).toMatchObject({ run: 'R1', exitCode: 7, next: 'teamsheet runs R1', sinceMs: NOW });
  });

  it('is another one in another week', () => {
    const other = {
      deadlines: [{ ...USERS, week: 10, gameWeekId: 'week-10', atMs: NOW + 2 * HOUR }],
    };
    const { alerts } = story([0, run], [1, at(2)], [1, other]);
    expect(new Set(alerts.map(({ about }) => about)).size).toBe(3);
  });

  it.each<[string, Tidings, Tidings]>([
    ['where every row came through', { attempt: RUNS.ok }, at(1)],
    ['where the run came to no rows', { attempt: RUNS.failing }, at(1)],
    ['where it is over', run, at(-1)],
    ['where it is further away', run, at(25)],
    ['of a mapping that never ran', run, at(1, 'prices')],
  ])('tells nothing %s', (_, first, then) => {
    expect(story([0, first], [0, then]).told[1]).toBe('');
  });
});

describe('a league', () => {
  it('is told of a week that is about to be lost, once', () => {
    const missing = (count: number): Tidings => ({
      notices: [
        {
          environment: 'live',
          league: 'north',
          event: 'week_missing',
          week: 9,
          gameWeekId: 'w9',
          squads: 60,
          missing: count,
          untilMs: NOW + 5 * HOUR,
        },
      ],
    });
    const { alerts } = story([0, missing(40)], [1, missing(39)]);
    expect(alerts[0]).toMatchObject({
      message: 'game week 9: 40 of 60 squads are not read, and in 5 h the service no longer shows them',
      ...{
        mapping: null,
        run: null,
        exitCode: null,
        counts: { squads: 60, missing: 40 },
        next: 'teamsheet weeks read',
      },
    });
    expect(alerts[1]?.about).toBe(alerts[0]?.about);
  });

  it('is told of an audit that differs, again when the number changes', () => {
    const differs = (differ: number): Tidings => ({
      notices: [
        {
          environment: 'live',
          league: null,
          event: 'audit_differs',
          week: 8,
          gameWeekId: 'w8',
          squads: 60,
          differ,
        },
      ],
    });
    const { alerts } = story([0, differs(3)], [1, differs(3)], [2, differs(2)]);
    expect(alerts[0]).toMatchObject({
      message: 'game week 8: the substitutions of 3 of 60 squads differ from the rules',
      next: 'teamsheet substitutions audit --week 8',
    });
    expect(new Set(alerts.map(({ about }) => about)).size).toBe(2);
  });
});

it('quotes a name of several words in what is to be typed', () => {
  const end = ended([], { names: ['my users'], exitCode: EXIT.stopped });
  expect(newsOf([], { attempt: end }, NOW).alerts[0]?.next).toBe("teamsheet plan 'my users'");
});

it('goes on from what the state holds', () => {
  const { states } = story([0, { attempt: RUNS.failing }]);
  const kept = JSON.parse(JSON.stringify(states)) as readonly MappingState[];
  expect(newsOf(kept, { attempt: RUNS.ok }, NOW + 3 * DAY).alerts.map(({ message }) => message)).toEqual([
    'users: everything comes through again, after 3 d',
  ]);
});
