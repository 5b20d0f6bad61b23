import { expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../src/model/error.ts';
import type { Schedule, Timing, WeekMoment } from '../../src/model/time/schedule.ts';
import type { Done } from '../../src/schedule/due.ts';
import { runOnce, runSchedule, type DueRun, type RunnerPorts } from '../../src/schedule/runner.ts';
import { momentMs, type ClockWeek } from '../../src/schedule/weeks.ts';
import { dice, type Dice } from '../simulation/dice.ts';
import { virtualClock } from '../support/clock.ts';
import { runs } from '../support/long.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SEEDS = runs(4, 4_000);
const TOGETHER = 4;
const FROM = Number(process.env['TEAMSHEET_SEED'] ?? 1);
/** A look a minute, half a minute of jitter, and a look again. */
const NOTICED_MS = 2 * MINUTE;
const RETRY_MS = 15 * MINUTE;

/** A cron text, and whether a local time is one of its times; `fixed`: its times are those of a clock on the wall. */
interface Cron {
  readonly text: string;
  readonly fixed: boolean;
  readonly is: (time: {
    readonly minute: number;
    readonly hour: number;
    readonly weekday: string;
  }) => boolean;
}
const CRONS: readonly Cron[] = [
  { text: '0 6 * * *', fixed: true, is: ({ minute, hour }) => hour === 6 && minute === 0 },
  { text: '30 1 * * *', fixed: true, is: ({ minute, hour }) => hour === 1 && minute === 30 },
  { text: '15 2 * * *', fixed: true, is: ({ minute, hour }) => hour === 2 && minute === 15 },
  {
    text: '5,35 2,3 * * *',
    fixed: true,
    is: ({ minute, hour }) => [2, 3].includes(hour) && [5, 35].includes(minute),
  },
  {
    text: '*/15 8-22 * * *',
    fixed: false,
    is: ({ minute, hour }) => minute % 15 === 0 && hour >= 8 && hour <= 22,
  },
  { text: '*/20 * * * *', fixed: false, is: ({ minute }) => minute % 20 === 0 },
  { text: '0 */6 * * *', fixed: false, is: ({ minute, hour }) => minute === 0 && hour % 6 === 0 },
  {
    text: '0 9 * * MON',
    fixed: true,
    is: ({ minute, hour, weekday }) => weekday === 'Mon' && hour === 9 && minute === 0,
  },
];
const MOMENTS: readonly Schedule[] = [
  { kind: 'week', text: 'each.kickoff - 24h', at: { anchor: 'kickoff', offsetMs: -DAY } },
  { kind: 'week', text: 'each.end + 3h', at: { anchor: 'end', offsetMs: 3 * HOUR } },
  { kind: 'week', text: 'each.start', at: { anchor: 'start', offsetMs: 0 } },
];
const KICKOFF: WeekMoment = { anchor: 'kickoff', offsetMs: 0 };

/** Each begins some days before its clocks change, or nowhere near it. */
const PLACES = [
  ['Europe/Berlin', '2026-03-27T00:00:00Z'],
  ['Europe/London', '2026-10-23T00:00:00Z'],
  ['America/New_York', '2026-10-30T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-02T00:00:00Z'],
  ['UTC', '2026-08-10T00:00:00Z'],
] as const;

/** The times of a cron text by a clock on the wall: minute by minute, as somebody with a calendar would find them. */
function timesOf({ is, fixed }: Cron, timezone: string, fromMs: number, untilMs: number): readonly number[] {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    ...({ hourCycle: 'h23', weekday: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const),
  });
  const local = (ms: number) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const [minute, hour] = [Number(parts.get('minute')), Number(parts.get('hour'))];
    return { minute, hour, weekday: parts.get('weekday') ?? '', day: parts.get('day') ?? '' };
  };
  const found: number[] = [];
  const seen = new Set<string>();
  let before = local(fromMs - MINUTE);
  for (let ms = fromMs; ms <= untilMs; ms += MINUTE) {
    const now = local(ms);
    // The minutes that a change of clocks leaves out are those between two that follow each other.
    const step = (now.hour - before.hour) * 60 + now.minute - before.minute;
    const isGap = step > 1 && now.day === before.day;
    const left = Array.from({ length: isGap ? step - 1 : 0 }, (_, at) => {
      const minutes = before.hour * 60 + before.minute + at + 1;
      return { ...now, hour: Math.floor(minutes / 60), minute: minutes % 60 };
    });
    const name = `${now.day} ${now.hour}:${now.minute}`;
    const isTime = is(now) && !(fixed && seen.has(name));
    if (isTime || (fixed && left.some(is))) found.push(ms);
    seen.add(name);
    before = now;
  }
  return found;
}

/** A mapping with its schedules, as it was drawn. */
interface Job {
  readonly mapping: string;
  readonly timing: Timing;
  readonly crons: readonly Cron[];
}

/** What became of a mapping in one sync. */
interface Attempt {
  readonly atMs: number;
  /** It ended by itself, and no outage ended it. */
  isWhole: boolean;
}

class Schedules {
  readonly timezone: string;
  readonly beginMs: number;
  readonly untilMs: number;
  readonly jobs: readonly Job[];
  /** The fixtures from a time on. */
  readonly fixtures: readonly { readonly fromMs: number; readonly weeks: readonly ClockWeek[] }[];
  readonly attempts = new Map<string, Attempt[]>();
  readonly since = new Map<string, number>();
  /** The weeks that something ran for, by mapping. */
  readonly served = new Map<string, Set<string>>();
  readonly lies: string[] = [];
  readonly #times: ReadonlyMap<string, readonly number[]>;

  constructor(roll: Dice) {
    const [timezone, begin] = roll.pick(PLACES);
    this.timezone = timezone;
    this.beginMs = Date.parse(begin) + roll.int(0, 86_399_999);
    this.untilMs = this.beginMs + roll.int(1, 3) * DAY;
    this.jobs = Array.from({ length: roll.int(1, 3) }, (_, at): Job => {
      const crons = roll.chance(0.7) ? [roll.pick(CRONS)] : [];
      const moments = crons.length === 0 || roll.chance(0.3) ? [roll.pick(MOMENTS)] : [];
      const schedule = [...crons.map(({ text }): Schedule => ({ kind: 'cron', text })), ...moments];
      return {
        mapping: `m${at}`,
        crons,
        timing: { schedule, deadline: roll.chance(0.3) ? KICKOFF : undefined },
      };
    });
    this.fixtures = this.#drawFixtures(roll);
    this.#times = new Map(
      this.jobs
        .flatMap(({ crons }) => crons)
        .map((cron) => [cron.text, timesOf(cron, timezone, floor(this.beginMs), this.untilMs + 5 * DAY)]),
    );
    for (const { mapping } of this.jobs) {
      this.attempts.set(mapping, []);
      this.served.set(mapping, new Set());
    }
  }

  /** Weeks of two or three days; now and then, one that has not begun is put off or brought forward. */
  #drawFixtures(roll: Dice) {
    let startMs = this.beginMs + roll.int(-30, 30) * HOUR;
    let weeks: readonly ClockWeek[] = Array.from({ length: roll.int(0, 3) }, (_, at): ClockWeek => {
      const endMs = startMs + roll.int(20, 40) * HOUR;
      const week = {
        id: `w${at + 1}`,
        week: String(at + 1),
        startMs,
        endMs,
        kickoffMs: startMs + roll.int(0, 3) * HOUR,
      };
      startMs = endMs + roll.int(1, 20) * HOUR;
      return week;
    });
    const all = [{ fromMs: -Infinity, weeks }];
    for (let fromMs = this.beginMs; fromMs < this.untilMs; fromMs += roll.int(10, 60) * HOUR) {
      const moved = roll.chance(0.5) ? roll.pick([-5, -1, 1, 5, 20]) * HOUR : 0;
      const at = weeks.findIndex((week) => (week.startMs ?? 0) > fromMs + 6 * HOUR);
      if (at === -1 || moved === 0) continue;
      weeks = weeks.map((week, index) =>
        index < at
          ? week
          : {
              ...week,
              startMs: (week.startMs ?? 0) + moved,
              endMs: (week.endMs ?? 0) + moved,
              kickoffMs: (week.kickoffMs ?? 0) + moved,
            },
      );
      all.push({ fromMs, weeks });
    }
    return all;
  }

  weeksAt(ms: number): readonly ClockWeek[] {
    return this.fixtures.findLast(({ fromMs }) => fromMs <= ms)?.weeks ?? [];
  }

  /** What of a mapping came after `fromMs` and up to `untilMs`, by the fixtures as they are at a time: times by cron, and weeks of which nothing ran. */
  came({ mapping, timing, crons }: Job, fromMs: number, untilMs: number, atMs: number) {
    const weeks = this.weeksAt(atMs);
    const { deadline } = timing;
    const hasWeek = (ms: number): boolean =>
      deadline === undefined || weeks.some((week) => (momentMs(week, deadline) ?? 0) > ms);
    const since = this.since.get(mapping) ?? Infinity;
    return {
      times: crons
        .flatMap(({ text }) => this.#times.get(text) ?? [])
        .filter((ms) => ms > Math.max(fromMs, since) && ms <= untilMs && hasWeek(ms)),
      weeks: this.#weeksUntil(timing, untilMs, weeks)
        .filter(({ ms, week }) => ms > since && this.served.get(mapping)?.has(week.id) !== true)
        .map(({ week }) => week),
    };
  }

  #weeksUntil({ schedule }: Timing, untilMs: number, weeks: readonly ClockWeek[]) {
    return schedule
      .flatMap((each) => (each.kind === 'week' ? [each.at] : []))
      .flatMap((moment) => weeks.map((week) => ({ week, ms: momentMs(week, moment) ?? Infinity })))
      .filter(({ ms }) => ms <= untilMs);
  }

  says(atMs: number, what: string): void {
    if (this.lies.length === 0) this.lies.push(`${new Date(atMs).toISOString()} ${what}`);
  }

  /** The process ends between what it remembers and what it does. */
  isCut(done: ReadonlyMap<string, Done>, atMs: number): void {
    for (const [mapping, { unfinished }] of done) {
      const job = this.jobs.find((each) => each.mapping === mapping);
      if (job === undefined || unfinished === undefined) continue;
      this.attempts.get(mapping)?.push({ atMs, isWhole: false });
      this.#serves(job, atMs);
    }
  }

  #serves({ mapping, timing }: Job, atMs: number): void {
    for (const { week } of this.#weeksUntil(timing, atMs, this.weeksAt(atMs)))
      this.served.get(mapping)?.add(week.id);
  }

  /** A sync begins: each of its runs has a reason. */
  begins(
    dues: readonly DueRun[],
    atMs: number,
    isFirst: boolean,
  ): readonly (Attempt & { readonly mapping: string })[] {
    return dues.map((run) => {
      const job = this.jobs.find(({ mapping }) => mapping === run.mapping);
      const own = this.attempts.get(run.mapping);
      if (job === undefined || own === undefined) throw new Error('a mapping that is none');
      const last = own.at(-1);
      const came = this.came(job, last?.atMs ?? -Infinity, atMs, atMs);
      const isAgain = last?.isWhole === false;
      const isNew = isFirst && own.length === 0;
      if (came.times.length === 0 && came.weeks.length === 0 && !isAgain && !isNew)
        this.says(atMs, `${run.mapping} runs for nothing: ${JSON.stringify({ run, last })}`);
      this.#checkWeek(run, job, atMs);
      const its = new Set([run.week, ...(run.missed ?? [])].map((week) => week?.id));
      for (const { id } of came.weeks)
        if (!its.has(id)) this.says(atMs, `${run.mapping} runs without week ${id}: ${JSON.stringify(run)}`);
      this.#serves(job, atMs);
      const attempt = { atMs, isWhole: false, mapping: run.mapping };
      own.push(attempt);
      if (!this.since.has(run.mapping)) this.since.set(run.mapping, atMs);
      return attempt;
    });
  }

  #checkWeek({ mapping, week, deadlineMs }: DueRun, { timing: { deadline } }: Job, atMs: number): void {
    if (week === undefined || deadline === undefined) return;
    const all = this.fixtures.flatMap(({ weeks }) => weeks.filter(({ id }) => id === week.id));
    if (!all.some((each) => momentMs(each, deadline) === deadlineMs))
      this.says(atMs, `${mapping} has a deadline that week ${week.week} never had: ${deadlineMs}`);
  }

  /** Nothing is due: whatever came was carried out. */
  isIdle(atMs: number): void {
    for (const job of this.jobs) {
      const own = this.attempts.get(job.mapping) ?? [];
      const last = own.at(-1);
      const came = this.came(job, last?.atMs ?? -Infinity, atMs - NOTICED_MS, atMs);
      if (came.times.length > 0)
        this.says(atMs, `${job.mapping} has missed ${came.times.map(iso).join(' ')}`);
      if (came.weeks.length > 0)
        this.says(atMs, `${job.mapping} has missed week ${came.weeks.map(({ week }) => week).join(' ')}`);
      if (last?.isWhole === false && last.atMs < atMs - RETRY_MS - NOTICED_MS)
        this.says(atMs, `${job.mapping} is not tried again after ${iso(last.atMs)}`);
    }
  }
}

const floor = (ms: number): number => Math.floor(ms / MINUTE) * MINUTE;
const iso = (ms: number): string => new Date(ms).toISOString();

/** What ends a process in the middle. */
class Killed extends Error {}

async function live(seed: number): Promise<readonly string[]> {
  const roll = dice(seed, 'schedule');
  const schedules = new Schedules(roll);
  const clock = virtualClock(schedules.beginMs);
  const kept = new Map<string, string>();
  let isSyncing = false;
  while (clock.now() < schedules.untilMs && schedules.lies.length === 0) {
    const endsMs = clock.now() + roll.pick([MINUTE, 5 * HOUR, DAY, 3 * DAY]);
    const isKilled = roll.chance(0.5);
    const isOnce = roll.chance(0.3);
    const ending = new AbortController();
    const stop = new AbortController();
    const alive = <T>(value: T): Promise<T> =>
      ending.signal.aborted ? Promise.reject(new Killed()) : Promise.resolve(value);
    const ports: RunnerPorts = {
      clock: {
        ...clock,
        sleep: (ms, signal) =>
          clock.sleep(ms, signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal])),
      },
      random: roll,
      signal: stop.signal,
      look: () => {
        const weeks = schedules.weeksAt(clock.now());
        const jobs = schedules.jobs.map(({ mapping, timing }) => {
          const done = kept.get(mapping);
          return { mapping, timing, done: done === undefined ? undefined : (JSON.parse(done) as Done) };
        });
        const calendar = { weeks, timezone: schedules.timezone, aheadMs: 0 };
        return alive([{ league: undefined, jobs, calendar, readings: undefined }]);
      },
      remember: async (done) => {
        await alive(undefined);
        for (const [mapping, each] of done) {
          kept.set(mapping, JSON.stringify(each));
          if (!schedules.since.has(mapping)) schedules.since.set(mapping, each.sinceMs);
        }
        if (!roll.chance(0.03)) return;
        schedules.isCut(done, clock.now());
        ending.abort(new Killed());
        await alive(undefined);
      },
      sync: async (dues) => {
        await alive(undefined);
        if (isSyncing) schedules.says(clock.now(), 'two syncs at once');
        isSyncing = true;
        try {
          const attempts = schedules.begins(dues, clock.now(), isOnce);
          await clock.sleep(
            roll.pick([0, MINUTE, 20 * MINUTE, 3 * HOUR]),
            AbortSignal.any([stop.signal, ending.signal]),
          );
          const left = roll.chance(0.15) ? roll.some(attempts) : [];
          for (const attempt of attempts) attempt.isWhole = !left.includes(attempt);
          return { exitCode: EXIT.done, left: new Set(left.map(({ mapping }) => mapping)) };
        } catch (error) {
          if (ending.signal.aborted) throw error;
          return { exitCode: 143, left: new Set<string>() };
        } finally {
          isSyncing = false;
        }
      },
      read: () => Promise.reject(new Error('no game week is read')),
      idle: () => schedules.isIdle(clock.now()),
      tell: () => undefined,
    };
    const end = (): void =>
      isKilled
        ? ending.abort(new Killed())
        : stop.abort(new InterruptedError('SIGTERM', 'stopped by SIGTERM'));
    const life = isOnce ? runOnce(ports) : runSchedule(ports);
    void clock.sleep(endsMs - clock.now(), ending.signal).then(end, () => undefined);
    await clock.run(
      life.catch((error: unknown) => {
        if (!(error instanceof Killed || error instanceof InterruptedError)) throw error;
      }),
    );
    ending.abort(new Killed());
    await clock.advance(roll.pick([0, MINUTE, HOUR, 30 * HOUR]));
  }
  return schedules.lies.map((lie) => `seed ${seed}: ${lie}`);
}

it.each(Array.from({ length: Math.ceil(SEEDS / TOGETHER) }, (_, at) => FROM + at * TOGETHER))(
  'everything runs at its times, once, and what was missed is made up, whatever ends the schedule (seeds from %i)',
  async (from) => {
    const lies: string[] = [];
    for (let seed = from; seed < from + TOGETHER; seed += 1) lies.push(...(await live(seed)));
    expect(lies).toEqual([]);
  },
);
