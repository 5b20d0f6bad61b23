import { describe, expect, it } from 'vitest';
import type { Schedule, WeekMoment } from '../../../src/model/time/schedule.ts';
import {
  doneBy,
  dueRun,
  ended,
  firstRun,
  idleBecause,
  leftOver,
  nextRuns,
  type Calendar,
  type Done,
  type Scheduled,
  withAgain,
  withoutAhead,
} from '../../../src/schedule/due.ts';
import type { ClockWeek } from '../../../src/schedule/weeks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 16);

/** A season of `count` weeks from a Friday evening on, a kick-off one hour after the start. */
function season(count: number): readonly ClockWeek[] {
  return Array.from({ length: count }, (_, index) => {
    const startMs = at('2026-08-14T17:30:00Z') + index * 7 * DAY;
    return {
      id: `w${index + 1}`,
      week: `${index + 1}`,
      startMs,
      endMs: startMs + 3 * DAY,
      kickoffMs: startMs + HOUR,
    };
  });
}
const cron = (text: string): Schedule => ({ kind: 'cron', text });
const each = (anchor: WeekMoment['anchor'], hours = 0): Schedule => ({
  kind: 'week',
  text: `each.${anchor} ${hours}h`,
  at: { anchor, offsetMs: hours * HOUR },
});
const job = (schedule: readonly Schedule[], sinceMs: number, deadline?: WeekMoment): Scheduled => ({
  mapping: 'prices',
  timing: { schedule, deadline },
  done: { sinceMs },
});
const calendar = (weeks: readonly ClockWeek[], timezone = 'UTC'): Calendar => ({
  weeks,
  timezone,
  aheadMs: 0,
});

/** What is done of a mapping once whatever is due of it has run. */
function carriedOut(job: Scheduled, now: Calendar, nowMs: number): Done {
  return ended(doneBy(job, dueRun(job, now, nowMs) ?? firstRun(job, now, nowMs), now, nowMs));
}

/** Every run that a scheduler which looks every `stepMs` carries out from `fromMs` to `toMs`; `weeksAt` are the fixtures as they stand then. */
function live(
  start: Scheduled,
  fromMs: number,
  toMs: number,
  stepMs: number,
  weeksAt: (nowMs: number) => Calendar,
): readonly string[] {
  const told: string[] = [];
  let current = start;
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += stepMs) {
    const now = weeksAt(nowMs);
    const due = dueRun(current, now, nowMs);
    if (due === undefined) continue;
    told.push(`${iso(due.atMs)} week ${due.week?.week ?? '-'}`);
    current = { ...current, done: carriedOut(current, now, nowMs) };
  }
  return told;
}

describe('a whole season in virtual time', () => {
  it('runs once in each of 38 weeks, a day before the first match', () => {
    const weeks = season(38);
    const fromMs = at('2026-08-01T00:00:00Z');
    const told = live(job([each('kickoff', -24)], fromMs), fromMs, at('2027-07-01T00:00:00Z'), HOUR, () =>
      calendar(weeks),
    );
    expect(told).toEqual(weeks.map((week) => `${iso((week.kickoffMs ?? 0) - DAY)} week ${week.week}`));
  });

  it('runs what was missed once, the latest of it, with the week that it belongs to', () => {
    const weeks = season(38);
    const start = job([each('kickoff', -24)], at('2026-08-01T00:00:00Z'));
    const due = dueRun(start, calendar(weeks), at('2026-09-10T00:00:00Z'));
    expect(due?.week?.week).toBe('4');
    expect(due?.missed?.map(({ week }) => week)).toEqual(['3', '2', '1']);
    const after = { ...start, done: carriedOut(start, calendar(weeks), at('2026-09-10T00:00:00Z')) };
    expect(dueRun(after, calendar(weeks), at('2026-09-10T01:00:00Z'))).toBeUndefined();
    expect(nextRuns(after, calendar(weeks), at('2026-09-10T01:00:00Z'), 1)[0]?.week?.week).toBe('5');
  });

  it('re-times a run whose fixture moves before it ran, and repeats none whose fixture moves afterwards', () => {
    const weeks = season(4);
    const movedMs = 2 * DAY;
    const moved = weeks.map((week) =>
      week.week === '2' || week.week === '3' ? { ...week, kickoffMs: (week.kickoffMs ?? 0) + movedMs } : week,
    );
    const fromMs = at('2026-08-01T00:00:00Z');
    // The fixtures of weeks 2 and 3 move when week 2 has run and week 3 has not.
    const movesAtMs = (weeks[1]?.kickoffMs ?? 0) - DAY + HOUR;
    const told = live(
      job([each('kickoff', -24)], fromMs),
      fromMs,
      at('2026-10-01T00:00:00Z'),
      HOUR,
      (nowMs) => calendar(nowMs < movesAtMs ? weeks : moved),
    );
    expect(told).toEqual([
      '2026-08-13T18:30 week 1',
      '2026-08-20T18:30 week 2',
      '2026-08-29T18:30 week 3',
      '2026-09-03T18:30 week 4',
    ]);
  });

  it('runs at once where a fixture moves so near that its time is over', () => {
    const weeks = season(2);
    const fromMs = at('2026-08-12T00:00:00Z');
    const start = job([each('kickoff', -24)], fromMs);
    const done = { ...start, done: carriedOut(start, calendar(weeks), at('2026-08-14T00:00:00Z')) };
    const early = weeks.map((week) => ({ ...week, kickoffMs: (week.kickoffMs ?? 0) - 6 * DAY }));
    expect(dueRun(done, calendar(early), at('2026-08-15T00:00:00Z'))?.week?.week).toBe('2');
  });

  it('has nothing due after the last week, and says why', () => {
    const weeks = season(3);
    const start = job([each('end', 3)], at('2026-08-01T00:00:00Z'));
    const laterMs = at('2026-12-01T00:00:00Z');
    const done = { ...start, done: carriedOut(start, calendar(weeks), laterMs) };
    expect(nextRuns(done, calendar(weeks), laterMs, 10)).toEqual([]);
    expect(idleBecause(done, calendar(weeks))).toBe('season_over');
    expect(idleBecause(done, calendar([]))).toBe('no_game_weeks');
    const untimed = weeks.map((week) => ({ ...week, endMs: undefined }));
    expect(idleBecause(done, calendar(untimed))).toBe('no_times');
  });

  it('looks at nothing that came before it began in mid-season', () => {
    const weeks = season(38);
    const sinceMs = at('2026-12-01T12:00:00Z');
    expect(dueRun(job([each('kickoff', -24)], sinceMs), calendar(weeks), sinceMs)).toBeUndefined();
  });
});

describe('a run by cron', () => {
  const deadline: WeekMoment = { anchor: 'kickoff', offsetMs: 0 };

  it('belongs to the first week whose deadline had not come, also when it is made up for later', () => {
    const weeks = season(3);
    const start = job([cron('0 12 * * 5')], at('2026-08-10T00:00:00Z'), deadline);
    const due = dueRun(start, calendar(weeks), at('2026-08-16T00:00:00Z'));
    expect(due).toMatchObject({ atMs: at('2026-08-14T12:00:00Z'), deadlineMs: weeks[0]?.kickoffMs });
    expect(due?.week?.week).toBe('1');
  });

  it('is made up for after the last deadline, where that came while nothing ran', () => {
    const weeks = season(1);
    const daily = job([cron('0 6 * * *')], at('2026-08-12T07:00:00Z'), deadline);
    // The deadline was on the 14th at 18:30; of the times after it, none has a week.
    const nowMs = at('2026-08-17T07:00:00Z');
    const due = dueRun(daily, calendar(weeks), nowMs);
    expect(due).toMatchObject({ atMs: at('2026-08-14T06:00:00Z'), week: { id: 'w1' } });
    const after = { ...daily, done: carriedOut(daily, calendar(weeks), nowMs) };
    expect(dueRun(after, calendar(weeks), nowMs + DAY)).toBeUndefined();
  });

  it('with a deadline is not due after the last week; without one it goes on', () => {
    const weeks = season(1);
    const sinceMs = at('2026-09-01T00:00:00Z');
    const nowMs = at('2026-09-02T12:00:00Z');
    expect(dueRun(job([cron('0 6 * * *')], sinceMs, deadline), calendar(weeks), nowMs)).toBeUndefined();
    expect(dueRun(job([cron('0 6 * * *')], sinceMs), calendar(weeks), nowMs)?.week).toBeUndefined();
    expect(dueRun(job([cron('0 6 * * *')], sinceMs), calendar([]), nowMs)?.atMs).toBe(
      at('2026-09-02T06:00:00Z'),
    );
  });

  it('is due at its very minute, and once', () => {
    const start = job([cron('30 6 * * *')], at('2026-09-01T00:00:00Z'));
    const nowMs = at('2026-09-01T06:30:00Z');
    expect(dueRun(start, calendar([]), nowMs - 1)).toBeUndefined();
    expect(dueRun(start, calendar([]), nowMs)?.atMs).toBe(nowMs);
    const after = { ...start, done: carriedOut(start, calendar([]), nowMs) };
    expect(dueRun(after, calendar([]), nowMs + 60_000)).toBeUndefined();
  });

  it.each([
    // The clock goes forward on 28 March 2027 at 02:00, and back on 25 October 2026 at 03:00.
    ['2027-03-27', '30 2 * * *', ['2027-03-27T01:30', '2027-03-28T01:00', '2027-03-29T00:30']],
    ['2026-10-24', '30 2 * * *', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
  ])('on a change of the clock from %s runs a fixed time once a day', (day, text, times) => {
    const fromMs = at(`${day}T00:00:00Z`) - HOUR;
    const start = job([cron(text)], fromMs);
    const told = live(start, fromMs, fromMs + 3 * DAY, 60_000, () => calendar([], 'Europe/Berlin'));
    expect(told).toEqual(times.map((time) => `${time} week -`));
  });

  it('in steps follows real time through both changes of the clock', () => {
    for (const day of ['2027-03-28', '2026-10-25']) {
      const fromMs = at(`${day}T00:00:00Z`) - 1;
      const start = job([cron('*/15 * * * *')], fromMs);
      const told = live(start, fromMs, fromMs + 4 * HOUR, 60_000, () => calendar([], 'Europe/Berlin'));
      expect(told).toHaveLength(16);
    }
  });
});

describe('a run that did not end', () => {
  it('is due again with its week and its deadline, and before a later one', () => {
    const weeks = season(2);
    const sinceMs = at('2026-08-13T00:00:00Z');
    const start = job([each('kickoff', -24)], sinceMs, { anchor: 'kickoff', offsetMs: 0 });
    const nowMs = at('2026-08-13T19:00:00Z');
    const run = dueRun(start, calendar(weeks), nowMs);
    if (run === undefined) throw new Error('nothing is due');
    const killed = { ...start, done: doneBy(start, run, calendar(weeks), nowMs) };
    // The next process looks after the deadline: the run keeps its week.
    expect(dueRun(killed, calendar(weeks), at('2026-08-16T00:00:00Z'))).toEqual({ ...run, begunMs: nowMs });
    const later = dueRun(killed, calendar(weeks), at('2026-08-21T00:00:00Z'));
    expect(later).toMatchObject({ week: { week: '2' }, begunMs: nowMs, isLater: true });
    const over = { ...killed, done: ended(killed.done) };
    expect(dueRun(over, calendar(weeks), at('2026-08-16T00:00:00Z'))).toBeUndefined();
  });
});

describe('a game week that is to be carried out again', () => {
  const weeks = season(2);
  const start = job([each('kickoff', -24)], at('2026-08-13T00:00:00Z'));
  const ranMs = at('2026-08-13T19:00:00Z');
  const [week] = weeks;
  const ran = carriedOut(start, calendar(weeks), ranMs);
  const due = (done: Done | undefined): string | undefined =>
    dueRun({ ...start, done }, calendar(weeks), ranMs + 2 * HOUR)?.week?.week;

  it('is due, also where a run of it had begun before and ends only now', () => {
    const again = { week: week?.id ?? '', sinceMs: ranMs + HOUR };
    expect(due(ran)).toBeUndefined();
    expect(due(withAgain(ran, start.timing, again, ranMs + 2 * HOUR))).toBe('1');
  });

  it('is not due where a run has begun since, where another week is meant, or nothing ever ran', () => {
    const after = (done: Done | undefined, id: string, sinceMs: number): Done | undefined =>
      withAgain(done, start.timing, { week: id, sinceMs }, ranMs + 2 * HOUR);
    expect(due(after(ran, week?.id ?? '', ranMs))).toBeUndefined();
    expect(due(after(ran, 'other', ranMs + HOUR))).toBeUndefined();
    expect(after(undefined, week?.id ?? '', ranMs)).toBeUndefined();
    // By a clock that was set back since, every run would begin before it.
    expect(due(after(ran, week?.id ?? '', ranMs + 3 * HOUR))).toBeUndefined();
  });
});

describe('a clock that was ahead and is set back', () => {
  const weeks = season(10);
  const now = calendar(weeks);
  const fromMs = at('2026-08-12T06:00:00Z');
  const aheadMs = fromMs + 30 * DAY;
  /** What is due once the clock is right, of a mapping whose runs by the wrong one came to nothing in an outage. */
  const after = (schedule: Schedule, start = job([schedule], fromMs)): readonly string[] => {
    const run = dueRun(start, now, aheadMs) ?? firstRun(start, now, aheadMs);
    const done = leftOver(doneBy(start, run, now, aheadMs));
    const right = {
      ...start,
      done: withoutAhead(done, start.timing, now, fromMs + HOUR) ?? { sinceMs: fromMs },
    };
    return live(right, fromMs + HOUR, fromMs + 4 * DAY, HOUR, () => now);
  };

  it('does not keep a mapping from its runs until then', () => {
    const days = ['2026-08-12T07:00', '2026-08-13T07:00', '2026-08-14T07:00', '2026-08-15T07:00'];
    expect(after(cron('0 7 * * *'))).toEqual(days.map((time) => `${time} week 1`));
    expect(after(each('kickoff', -24))).toEqual(['2026-08-13T18:30 week 1']);
  });

  it('does not keep one that it saw first', () => {
    const start = { ...job([cron('30 7 * * *')], aheadMs), done: undefined };
    expect(after(cron(''), start)[0]).toBe('2026-08-12T07:30 week 1');
  });

  it('leaves what was carried out before as it is', () => {
    const start = job([each('start', -24)], fromMs - 2 * DAY);
    const ranMs = at('2026-08-13T18:00:00Z');
    const ran = { ...start, done: carriedOut(start, now, ranMs) };
    expect(withoutAhead(ran.done, start.timing, now, ranMs)).toBe(ran.done);
    const wrong = carriedOut(ran, now, aheadMs);
    expect(withoutAhead(wrong, start.timing, now, ranMs)?.weeks).toEqual(ran.done.weeks);
  });
});

describe('several schedules of one mapping', () => {
  it('are due together once', () => {
    const weeks = season(1);
    const sinceMs = at('2026-08-13T00:00:00Z');
    const start = job([cron('0 * * * *'), each('kickoff', -2)], sinceMs);
    const nowMs = at('2026-08-14T17:00:00Z');
    expect(dueRun(start, calendar(weeks), nowMs)?.schedule).toBe('0 * * * *');
    const after = { ...start, done: carriedOut(start, calendar(weeks), nowMs) };
    expect(dueRun(after, calendar(weeks), nowMs + 60_000)).toBeUndefined();
  });
});
