import { parseDuration } from '../../model/time/duration.ts';
import type { Schedule, Timing, WeekMoment } from '../../model/time/schedule.ts';
import type { Drafting } from './drafting.ts';
import type { PullInput } from './pull-schema.ts';
import type { PushInput, TriggerInput } from './push-schema.ts';
import { show } from '../show.ts';

/** When a mapping runs by itself. */
export function parseTiming(
  { schedule, deadline }: Pick<PushInput | PullInput | TriggerInput, 'schedule' | 'deadline'>,
  draft: Drafting,
): Timing | undefined {
  if (schedule === undefined && deadline === undefined) return undefined;
  const written = schedule === undefined ? [] : Array.isArray(schedule) ? schedule : [schedule];
  return {
    schedule: written.flatMap((each, index): readonly Schedule[] => {
      const path = Array.isArray(schedule) ? ['schedule', index] : ['schedule'];
      if (typeof each === 'string') {
        draft.checkCron(each, path);
        return [{ kind: 'cron', text: each }];
      }
      const at = parseMoment(each.at);
      if (at !== undefined) return [{ kind: 'week', text: each.at, at }];
      draft.note([...path, 'at'], notUnderstood(each.at));
      return [];
    }),
    deadline: deadline === undefined ? undefined : readDeadline(deadline, draft),
  };
}

function readDeadline(deadline: string, draft: Drafting): WeekMoment | undefined {
  const moment = parseMoment(deadline);
  if (moment === undefined) draft.note(['deadline'], notUnderstood(deadline));
  return moment;
}

const notUnderstood = (text: string): string =>
  `${show(text)} is not understood; write each.start, each.end or each.kickoff, with + or - and a duration, such as each.kickoff - 24h`;

/** The moment that `each.kickoff - 24h` names; undefined for anything else. */
function parseMoment(text: string): WeekMoment | undefined {
  const found = /^\s*each\.(start|end|kickoff)\s*(?:([+-])\s*(\S+))?\s*$/.exec(text);
  if (found === null) return undefined;
  const [, anchor, sign, duration] = found;
  const ms = duration === undefined ? 0 : parseDuration(duration);
  if (ms === undefined) return undefined;
  return { anchor: anchor as WeekMoment['anchor'], offsetMs: sign === '-' ? -ms : ms };
}
