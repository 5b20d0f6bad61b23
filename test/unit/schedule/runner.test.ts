import { expect, it } from 'vitest';
import { ConfigError, EXIT, InterruptedError, UnavailableError } from '../../../src/model/error.ts';
import type { Schedule } from '../../../src/model/time/schedule.ts';
import { withoutAhead, type Done } from '../../../src/schedule/due.ts';
import {
  hasReadings,
  hasRuns,
  readDue,
  runDue,
  runOnce,
  runSchedule,
  type RunnerEvent,
  type RunnerPorts,
  type SyncEnd,
} from '../../../src/schedule/runner.ts';
import type { ReadingsDone } from '../../../src/schedule/readings.ts';
import type { ClockWeek } from '../../../src/schedule/weeks.ts';
import { virtualClock } from '../../support/clock.ts';

const HOUR = 3_600_000;
const at = (text: string): number => Date.parse(text);
const START = at('2026-08-10T00:00:00Z');
const SUNDAY = at('2026-08-16T00:00:00Z');
const WEEKS: readonly ClockWeek[] = [
  {
    id: 'w1',
    week: '1',
    startMs: at('2026-08-14T17:30:00Z'),
    endMs: at('2026-08-17T23:00:00Z'),
    kickoffMs: at('2026-08-14T18:30:00Z'),
  },
];
const KICKOFF_LESS_A_DAY: Schedule = {
  kind: 'week',
  text: 'each.kickoff - 24h',
  at: { anchor: 'kickoff', offsetMs: -24 * HOUR },
};
const DAILY: Schedule = { kind: 'cron', text: '0 6 * * *' };

/** A runner's world in virtual time that ends with a signal at `untilMs`. */
function world(
  schedules: Readonly<Record<string, Schedule>>,
  untilMs: number,
  changes: Partial<RunnerPorts> = {},
) {
  const abort = new AbortController();
  const clock = virtualClock(START);
  const done = new Map<string, Done>();
  let readings: ReadingsDone = { turnsAtEnd: false };
  const runs: string[] = [];
  const events: RunnerEvent[] = [];
  const ports: RunnerPorts = {
    clock,
    random: { next: () => 0.5 },
    signal: abort.signal,
    look: () =>
      Promise.resolve([
        {
          league: undefined,
          jobs: Object.entries(schedules).map(([mapping, schedule]) => ({
            mapping,
            timing: { schedule: [schedule], deadline: undefined },
            done: done.get(mapping),
          })),
          calendar: { weeks: WEEKS, timezone: 'UTC', aheadMs: 0 },
          readings: { weeks: WEEKS, done: readings, processedMs: new Map(), final: new Set<string>() },
        },
      ]),
    remember: (each) => {
      for (const [mapping, is] of each) done.set(mapping, is);
      return Promise.resolve();
    },
    sync: (due) => {
      runs.push(
        `${new Date(clock.now()).toISOString().slice(5, 16)} ${due.map(({ mapping }) => mapping).join(' ')}`,
      );
      return Promise.resolve({ exitCode: EXIT.done, left: new Set<string>() });
    },
    read: ({ week, why }) => {
      runs.push(`${new Date(clock.now()).toISOString().slice(5, 16)} reads week ${week.week} ${why}`);
      readings = { turnsAtEnd: false, whole: { id: week.id, atMs: clock.now() }, triedMs: clock.now() };
      return Promise.resolve(EXIT.incomplete);
    },
    idle: () => undefined,
    tell: (event) => events.push(event),
    ...changes,
  };
  /** Runs the schedules until the signal. */
  const run = (own: RunnerPorts = ports): Promise<never> => {
    const stop = (): void => abort.abort(new InterruptedError('SIGTERM', 'stopped by SIGTERM'));
    void clock.sleep(untilMs - clock.now()).then(stop);
    return clock.run(runSchedule(own));
  };
  return { ports, runs, events, done, run, pass: (ms: number) => clock.jump(ms) };
}

it.each([
  ['that goes on', runSchedule],
  ['that is called each hour', runOnce],
  ['of jobs', runDue],
])('keeps a moment for a schedule %s after a clock that was ahead', async (_, work) => {
  const { ports, runs, done } = world({ prices: KICKOFF_LESS_A_DAY }, SUNDAY);
  done.set('prices', { sinceMs: START - HOUR, cronMs: SUNDAY, weeks: ['each.kickoff - 24h w1'] });
  // What is kept is read anew at each look.
  const look: RunnerPorts['look'] = async (isDue) =>
    (await ports.look(isDue)).map((league) => ({
      ...league,
      jobs: league.jobs.map((job) => {
        const now = withoutAhead(job.done, job.timing, league.calendar, ports.clock.now());
        return { ...job, done: now, ...(now !== job.done && { isMended: true }) };
      }),
      readings: undefined,
    }));
  const abort = new AbortController();
  const own = { ...ports, look, signal: abort.signal };
  const clock = ports.clock as ReturnType<typeof virtualClock>;
  void clock.sleep(5 * 24 * HOUR).then(() => abort.abort(new InterruptedError('SIGTERM', 'stopped')));
  const hourly = async (): Promise<void> => {
    for (;;) {
      await work(own);
      await clock.sleep(HOUR, abort.signal);
    }
  };
  await expect(clock.run(hourly())).rejects.toThrow('stopped');
  expect(runs.map((run) => run.slice(0, 5))).toEqual(['08-13']);
});

it('runs each mapping at its times until a signal, what is due together in one sync', async () => {
  const { run, runs } = world({ prices: KICKOFF_LESS_A_DAY, users: DAILY, points: DAILY }, SUNDAY);
  await expect(run()).rejects.toThrow('stopped by SIGTERM');
  expect(runs).toEqual([
    '08-10T06:00 users points',
    '08-11T06:00 users points',
    '08-12T06:00 users points',
    '08-13T06:00 users points',
    '08-13T18:30 prices',
    '08-14T06:00 users points',
    '08-15T06:00 users points',
  ]);
});

it('reads a game week once it is over', async () => {
  const { run, runs } = world({ users: DAILY }, at('2026-08-19T00:00:00Z'));
  await expect(run()).rejects.toThrow('stopped by SIGTERM');
  expect(runs.slice(-3)).toEqual([
    '08-17T06:00 users',
    '08-17T23:00 reads week 1 after_end',
    '08-18T06:00 users',
  ]);
});

it('once: reads a game week that is over, with its exit code where the sync was well', async () => {
  const { ports, runs, pass } = world({ users: DAILY }, at('2026-08-19T00:00:00Z'));
  expect(await runOnce(ports)).toBe(EXIT.done);
  pass(8 * 24 * HOUR);
  expect(await runOnce(ports)).toBe(EXIT.incomplete);
  expect(await runOnce(ports)).toBeUndefined();
  expect(runs).toEqual(['08-10T00:00 users', '08-18T00:00 users', '08-18T00:00 reads week 1 after_end']);
});

it('once: of a sync with refused rows and a reading that ends early, ends with the code of the reading', async () => {
  const { ports, runs, pass } = world({ users: DAILY }, at('2026-08-19T00:00:00Z'));
  await runOnce(ports);
  pass(8 * 24 * HOUR);
  const refused = { ...ports, sync: () => Promise.resolve({ exitCode: EXIT.rows, left: new Set<string>() }) };
  expect(await runOnce(refused)).toBe(EXIT.incomplete);
  expect(runs.at(-1)).toBe('08-18T00:00 reads week 1 after_end');
});

it('a turn: what is new is due from then on, and what is due is done once', async () => {
  const { ports, runs, pass } = world({ users: DAILY }, at('2026-08-19T00:00:00Z'));
  const isAny = async (): Promise<boolean> => hasRuns(await ports.look(false), ports.clock);
  expect(await isAny()).toBe(true);
  expect(await runDue(ports)).toBeUndefined();
  expect(await isAny()).toBe(false);
  pass(7 * HOUR);
  expect(await isAny()).toBe(true);
  expect(await runDue(ports)).toBe(EXIT.done);
  expect(await runDue(ports)).toBeUndefined();
  expect(await isAny()).toBe(false);
  expect(runs).toEqual(['08-10T07:00 users']);
});

it('a turn of game weeks: reads what is due and runs nothing, and a turn of runs reads nothing', async () => {
  const { ports, runs, pass } = world({ users: DAILY }, at('2026-08-19T00:00:00Z'));
  await runDue(ports);
  pass(8 * 24 * HOUR);
  expect(hasReadings(await ports.look(false), ports.clock)).toBe(true);
  expect(await runDue(ports)).toBe(EXIT.done);
  expect(await readDue(ports)).toBe(EXIT.incomplete);
  expect(await readDue(ports)).toBeUndefined();
  expect(hasReadings(await ports.look(false), ports.clock)).toBe(false);
  expect(runs).toEqual(['08-18T00:00 users', '08-18T00:00 reads week 1 after_end']);
});

it('a turn that runs at once what is scheduled for the first time', async () => {
  const { ports, runs } = world({ users: DAILY }, at('2026-08-19T00:00:00Z'));
  expect(await runDue(ports, { atOnce: true })).toBe(EXIT.done);
  expect(runs).toEqual(['08-10T00:00 users']);
});

it('a turn that a signal ends leaves its run to whoever looks next', async () => {
  const { ports, done, pass } = world({ users: DAILY }, at('2026-08-19T00:00:00Z'));
  await runDue(ports);
  pass(7 * HOUR);
  const lost = new AbortController();
  const sync = (): Promise<SyncEnd> => {
    lost.abort();
    return Promise.resolve({ exitCode: EXIT.terminated, left: new Set() });
  };
  await runDue({ ...ports, signal: lost.signal, sync });
  expect(done.get('users')?.unfinished).toMatchObject({ mapping: 'users' });
  expect(hasRuns(await ports.look(false), ports.clock)).toBe(true);
});

it('begins nothing while a sync runs, and makes up once for what it missed meanwhile', async () => {
  const long = (ms: number) => async (): Promise<SyncEnd> => {
    slow.runs.push(new Date(slow.ports.clock.now()).toISOString().slice(5, 16));
    await slow.ports.clock.sleep(ms);
    return { exitCode: EXIT.done, left: new Set() };
  };
  const slow = world({ users: { kind: 'cron', text: '0 * * * *' } }, START + 13 * HOUR, {});
  const ports = { ...slow.ports, sync: long(5.5 * HOUR) };
  await expect(slow.run(ports)).rejects.toThrow(InterruptedError);
  // The hours from 02:00 to 06:00 passed during the first run, and are made up for by one.
  expect(slow.runs).toEqual(['08-10T01:00', '08-10T06:30', '08-10T12:00']);
});

it('reads a game week while a sync runs, which goes on meanwhile', async () => {
  const made = world({ users: { kind: 'cron', text: '0 22 17 8 *' } }, at('2026-08-18T06:00:00Z'), {
    sync: async () => {
      made.runs.push('begins');
      await made.ports.clock.sleep(5 * HOUR);
      made.runs.push('ends');
      return { exitCode: EXIT.done, left: new Set() };
    },
  });
  made.pass(at('2026-08-17T21:00:00Z') - START);
  await expect(made.run()).rejects.toThrow(InterruptedError);
  expect(made.runs).toEqual(['begins', '08-17T23:00 reads week 1 after_end', 'ends']);
});

it('ends by a mistake of one only once the other has ended what it is at', async () => {
  const made = world({ users: { kind: 'cron', text: '0 22 17 8 *' } }, at('2026-08-18T06:00:00Z'), {
    sync: async () => {
      await made.ports.clock.sleep(5 * HOUR);
      made.runs.push('ends');
      return { exitCode: EXIT.done, left: new Set() };
    },
    read: () => Promise.reject(new Error('a mistake')),
  });
  made.pass(at('2026-08-17T21:00:00Z') - START);
  await expect(made.run()).rejects.toThrow('a mistake');
  expect(made.runs).toEqual(['ends']);
});

it('goes on in an outage, tells of it once, and again after the service has answered', async () => {
  const made = world({ users: DAILY }, START + 7 * HOUR);
  let looks = 0;
  const look: RunnerPorts['look'] = (isDue) => {
    looks += 1;
    return looks % 20 < 10
      ? Promise.reject(new UnavailableError('service.unreachable', 'no network'))
      : made.ports.look(isDue);
  };
  await expect(made.run({ ...made.ports, look })).rejects.toThrow(InterruptedError);
  const told = made.events.filter(({ kind }) => kind === 'unread');
  expect(told).toHaveLength(Math.floor(looks / 20) + 1);
  expect(made.runs).toHaveLength(1);
});

it('goes on where the configuration cannot be read as a run begins or ends, or a game week is read', async () => {
  const made = world({ users: DAILY }, at('2026-08-18T00:00:00Z'));
  const unreadable = (): Promise<never> =>
    Promise.reject(new ConfigError('config.yaml', 'teamsheet.yaml: not valid YAML'));
  let remembered = 0;
  let reads = 0;
  const ports: RunnerPorts = {
    ...made.ports,
    // The first is that the mapping is there, the next that a run begins, and then that it has ended.
    remember: (done) => {
      remembered += 1;
      return [2, 4].includes(remembered) ? unreadable() : made.ports.remember(done);
    },
    read: (reading) => {
      reads += 1;
      return reads === 1 ? unreadable() : made.ports.read(reading);
    },
  };
  await expect(made.run(ports)).rejects.toThrow(InterruptedError);
  expect(made.events.filter(({ kind }) => kind === 'unread')).toHaveLength(3);
  expect(made.runs.slice(0, 3)).toEqual(['08-10T06:01 users', '08-10T06:02 users', '08-11T06:00 users']);
  expect(made.runs).toContain('08-17T23:01 reads week 1 after_end');
});

it('remembers a run before it begins, so that a killed one is made up', async () => {
  const made = world({ users: DAILY }, SUNDAY, {
    sync: () => Promise.reject(new Error('killed')),
  });
  await expect(made.run()).rejects.toThrow('killed');
  expect(made.done.get('users')).toMatchObject({
    cronMs: at('2026-08-10T06:00:15Z'),
    unfinished: { mapping: 'users', atMs: at('2026-08-10T06:00:00Z') },
  });
});

it('once: the first time everything with a schedule, then what is due, with the exit code of the sync', async () => {
  const { ports, runs, events, pass } = world({ prices: KICKOFF_LESS_A_DAY, users: DAILY }, SUNDAY);
  expect(
    await runOnce({ ...ports, sync: async (due) => ({ ...(await ports.sync(due)), exitCode: EXIT.rows }) }),
  ).toBe(EXIT.rows);
  expect(await runOnce(ports)).toBeUndefined();
  pass(24 * HOUR);
  expect(await runOnce(ports)).toBe(EXIT.done);
  expect(runs).toEqual(['08-10T00:00 prices users', '08-11T00:00 users']);
  expect(events.map(({ kind }) => kind)).toEqual(['due', 'ended', 'next', 'due', 'ended']);
});

it('tells which reading of a game week comes where no run does, and that nothing comes after the last one', async () => {
  const { run, events } = world({}, at('2026-08-19T00:00:00Z'));
  await expect(run()).rejects.toThrow('stopped by SIGTERM');
  const comes = events.flatMap((event) => (event.kind === 'next' ? [event.next] : []));
  expect(comes).toEqual([expect.objectContaining({ why: 'after_end', atMs: WEEKS[0]?.endMs }), undefined]);
});

it('tries again every quarter of an hour what an outage left, in its week, and makes nothing else of it', async () => {
  const tries: string[] = [];
  let outage = true;
  const made = world({ prices: KICKOFF_LESS_A_DAY, users: DAILY }, at('2026-08-14T12:00:00Z'), {
    sync: (due) => {
      const at = new Date(made.ports.clock.now()).toISOString().slice(5, 16);
      tries.push(`${at} ${due.map(({ mapping, week }) => `${mapping} ${week?.week}`).join(' ')}`);
      const left = new Set(outage && due.some(({ mapping }) => mapping === 'prices') ? ['prices'] : []);
      outage = tries.length < 6;
      return Promise.resolve({ exitCode: left.size > 0 ? EXIT.unavailable : EXIT.done, left });
    },
  });
  await expect(made.run()).rejects.toThrow(InterruptedError);
  expect(tries.slice(3)).toEqual([
    '08-13T06:00 users 1',
    '08-13T18:30 prices 1',
    '08-13T18:45 prices 1',
    '08-13T19:00 prices 1',
    '08-14T06:00 users 1',
  ]);
  expect(made.done.get('prices')?.unfinished).toBeUndefined();
});

it('goes on at once where the state was away, and a quarter of an hour later where it is away again', async () => {
  const tries: string[] = [];
  const made = world({ users: DAILY }, at('2026-08-10T08:00:00Z'), {
    sync: (due) => {
      tries.push(`${new Date(made.ports.clock.now()).toISOString().slice(11, 16)} ${due[0]?.mapping}`);
      const left = new Set(tries.length < 3 ? ['users'] : []);
      return Promise.resolve({ exitCode: EXIT.unavailable, left, isStateAway: true });
    },
  });
  await expect(made.run()).rejects.toThrow(InterruptedError);
  expect(tries).toEqual(['06:00 users', '06:00 users', '06:15 users']);
});

it('says of what goes on when it was begun first', async () => {
  const begun: (number | undefined)[] = [];
  const made = world({ users: DAILY }, at('2026-08-10T08:00:00Z'), {
    sync: (due) => {
      begun.push(due[0]?.begunMs);
      return Promise.resolve({ exitCode: EXIT.unavailable, left: new Set(['users']) });
    },
  });
  await expect(made.run()).rejects.toThrow(InterruptedError);
  expect(begun.length).toBeGreaterThan(3);
  expect(new Set(begun)).toEqual(new Set([undefined, at('2026-08-10T06:00:15Z')]));
});

it('tells what time brings only while nothing is due', async () => {
  const idle: number[] = [];
  const made = world({ users: DAILY }, at('2026-08-11T00:00:00Z'), {
    idle: () => idle.push(made.ports.clock.now()),
  });
  await expect(made.run()).rejects.toThrow(InterruptedError);
  expect(idle.length).toBeGreaterThan(100);
  expect(idle).not.toContain(at('2026-08-10T06:00:00Z'));
});
