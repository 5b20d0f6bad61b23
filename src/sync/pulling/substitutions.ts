import type { RecordOf } from '../../contract/index.ts';
import { renderCountOf } from '../../model/count.ts';
import type { PullMapping } from '../../mapping/mapping.ts';
import type { WeekChoice } from '../../mapping/week-choice.ts';
import { keptLog, keptWeeks } from '../memory/league-records.ts';
import { listRead } from './list.ts';
import type { Read } from './read.ts';
import { leagueOf } from './squads.ts';
import { chosenWeeks, readLive, readShownWeek, tellMissing } from './weeks.ts';

type Substitution = RecordOf<'list-auto-substitutions'>;

/**
 * The records of the substitution log that are of the game weeks that a mapping asks for, week by week. The log names no week: a record whose week cannot be told is in no week, and those are
 * counted in one line.
 */
export function substitutionWeeksRead(mapping: PullMapping, choice: WeekChoice): Read<Substitution> {
  const league = leagueOf(mapping.where);
  const log = listRead('list-auto-substitutions', { fantasy_league_id: league });
  const name = `${JSON.stringify(choice)} of ${log.name}`;
  return {
    name,
    needs: [log],
    batches: async function* (context) {
      const { memory } = context.store;
      const scope = { account: context.account, league };
      if (!context.offline) await readShownWeek(league, context);
      const stop = context.offline ? undefined : await readLive(log, context);
      const { weeks, missing } = await chosenWeeks(choice, scope, context);
      const { records, weekOf } = await keptLog(memory, scope, await keptWeeks(memory, scope, choice));
      const byWeek = Map.groupBy(records, ({ id }) => weekOf.get(id));
      for (const { week } of weeks) yield (byWeek.get(week.id) ?? []).toSorted(byTime);
      const untold = byWeek.get(undefined)?.length ?? 0;
      if (untold > 0)
        context.emit({
          kind: 'warning',
          message: `${context.mapping}: ${renderCountOf(untold, 'record')} of the substitution log of fantasy league ${league} left out: nothing tells the game week`,
        });
      tellMissing(missing, league, name, context);
      if (stop !== undefined) throw stop;
    },
  };
}

/** Times of the service are of one form; those that are equal keep the order of the ids. */
function byTime(one: Substitution, other: Substitution): number {
  const [first, second] = [one.created_at ?? '', other.created_at ?? ''];
  return first < second ? -1 : Number(first > second);
}
