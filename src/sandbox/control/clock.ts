import * as z from 'zod';
import type { Context } from '../context.ts';
import { advance } from '../game/play.ts';
import { Refusal } from '../refusal.ts';
import { LAST_TIME_MS, parseDurationMs, parseTime } from '../time.ts';
import { nextToPlay } from '../game/weeks.ts';
import { hidden, success, type Control } from './answer.ts';
import { stateOf } from './state.ts';

const clockBody = z.strictObject({ now: z.string().optional(), advance: z.string().optional() });
type ClockBody = z.infer<typeof clockBody>;

/** POST /clock and POST /play-next-week. Both play what has ended then, with the move of the clock or not at all. */
export function addClockRoutes(control: Control, context: Context): void {
  const { store, season } = context;
  const playUntil = (message: string, time: string) => {
    const played = season.moveTo(time, () => advance(context, season.now())).map(String);
    return success(message, { played, ...stateOf(context) });
  };
  control.post('/clock', hidden({ body: clockBody }), ({ body }) =>
    playUntil('The clock was moved', targetOf(body, season.now())),
  );
  control.post('/play-next-week', hidden(), () => {
    const week = nextToPlay(store);
    if (week === undefined) throw new Refusal(409, 'the season is over: every game week has been played');
    return playUntil(`Game week ${week.number} was played`, week.endDate);
  });
}

function targetOf(body: ClockBody, now: string): string {
  if (body.now !== undefined && body.advance === undefined) return laterTime(body.now, now);
  if (body.advance !== undefined && body.now === undefined) return timeAfter(body.advance, now);
  throw new Refusal(400, 'now, advance: give exactly one of them');
}

function laterTime(text: string, now: string): string {
  const time = parseTime(text);
  if (time === undefined) {
    throw new Refusal(400, 'now: must be an ISO 8601 time with its zone, such as 2026-09-22T12:00:00Z');
  }
  if (time < now) throw new Refusal(422, `now: the clock goes forward only, and it is ${now}`);
  return time;
}

function timeAfter(duration: string, now: string): string {
  const byMs = parseDurationMs(duration);
  if (byMs === undefined) throw new Refusal(400, 'advance: must be a duration such as 90s, 15m, 12h or 7d');
  const target = Date.parse(now) + byMs;
  if (target > LAST_TIME_MS) throw new Refusal(422, 'advance: leads beyond the year 9998');
  return new Date(target).toISOString();
}
