import type { PullMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { renderCountOf } from '../../model/count.ts';
import { unknownMembers } from '../memory/group-members.ts';
import { keptStandings } from '../memory/kept-standings.ts';
import { leagueWeeks } from '../memory/league-weeks.ts';
import { serviceNow } from '../memory/service-time.ts';
import { unlimited, type Read, type ReadContext } from './read.ts';
import { tellDaysOfWeeks } from './reuse.ts';
import { detailRead, leagueOf, lineupRead } from './squads.ts';
import { readChosen, stillNew, tellMissing } from './weeks.ts';

/** The group that a mapping asks for, written as tables of groups are read. */
export const groupOf = ({ group }: PullMapping['where']): string | undefined =>
  group === undefined ? undefined : String(group).trim().normalize('NFC');

/**
 * The standings of the game weeks that a mapping asks for, all of them where it names none, made of what is remembered; what the week that the service shows needs is read first.
 */
export function standingsRead(mapping: PullMapping): Read {
  const { weeks: choice = { kind: 'all' } as const, where } = mapping;
  const league = leagueOf(where);
  const ofLeague = { fantasy_league_id: league };
  const lineups = lineupRead(ofLeague, stillNew(league, 'lineup'));
  const details = detailRead(ofLeague, stillNew(league, 'squad'));
  const group = groupOf(where);
  const name = `standings ${league} ${JSON.stringify([choice, group])}`;
  return {
    name,
    needs: [lineups, details],
    hasGroups: true,
    batches: async function* (context) {
      const { store, account, groups } = context;
      const scope = { account, league };
      const reads = [lineups, details];
      const { weeks: chosen, missing, stop } = await readChosen(choice, scope, unlimited(context), reads);
      const season = await leagueWeeks(store.memory, scope, await serviceNow(context, account));
      const ids = new Set(chosen.map(({ week }) => week.id));
      const none = new Set(missing);
      const members = groups.map(({ member }) => member);
      const unknown = await unknownMembers(store.memory, scope, members, 'groups');
      if (unknown !== undefined) context.emit({ kind: 'warning', message: unknown });
      const kept = keptStandings(store.memory, scope, season, ids, { groups, group });
      for await (const { week, rows, unseen, hasWholeRanks } of kept) {
        if (rows !== undefined && !hasWholeRanks && unseen > 0) tellUnseen(unseen, week.text, context);
        if (rows !== undefined) yield rows;
        else if (week.number !== undefined) none.add(week.number);
      }
      // Where nobody asks for weeks, they are those that are remembered.
      if (mapping.weeks !== undefined) tellMissing([...none], league, name, context);
      await tellDaysOfWeeks(name, scope, [...ids], context);
      if (stop !== undefined) throw stop;
    },
  };
}

function tellUnseen(unseen: number, week: string, { mapping, emit }: ReadContext): void {
  const squads = renderCountOf(unseen, 'squad', 'squads');
  const message = `${mapping}: nothing was shown of ${squads} in game week ${show(week)}: ranks are those of the others`;
  emit({ kind: 'warning', message });
}
