import { show } from '../../mapping/show.ts';
import { listed } from '../../model/listed.ts';
import type { LeagueScope, Memory } from '../../model/state/memory.ts';
import { inOrder } from '../../season/game-week.ts';
import type { GroupMember } from '../../season/standings.ts';
import { knownWeeks } from './known-weeks.ts';
import { WeekFacts } from './week-facts.ts';

/** What there is to say of members in groups of whom no squad is remembered, in this league or, because leagues may share a table, in another one; undefined where there are none, or nothing was read yet. */
export async function unknownMembers(
  memory: Memory,
  scope: LeagueScope,
  groups: readonly GroupMember[],
): Promise<string | undefined> {
  const forgotten = new Set(await memory.forgotten(scope.account));
  const members = groups.map(({ member }) => member).filter((member) => !forgotten.has(member));
  let left = await withoutSquad(memory, scope, new Set(members));
  if (left === undefined) return undefined;
  for (const other of await memory.scopes()) left = (await withoutSquad(memory, other, left)) ?? left;
  if (left.size === 0) return undefined;
  const ids = listed([...left].map(show));
  return `season.groups: no squad is known of ${left.size === 1 ? 'the member' : 'the members'} ${ids}: correct the ids in the table, where they are not those of members who have no squad yet`;
}

/** Those of the members of whom a league that is remembered has no squad; undefined where it has none at all. */
async function withoutSquad(
  memory: Memory,
  scope: LeagueScope,
  members: ReadonlySet<string>,
): Promise<ReadonlySet<string> | undefined> {
  const left = new Set(members);
  const facts = await WeekFacts.open(memory, scope);
  let isRead = false;
  for (const { id } of inOrder(await knownWeeks(memory, scope)).toReversed()) {
    if (left.size === 0) break;
    const [squads, lineups] = [await facts.squads(id), await facts.lineups(id)];
    isRead ||= squads.size + lineups.size > 0;
    for (const { user } of [...squads.values(), ...lineups.values()]) left.delete(user?.external_id ?? '');
  }
  return isRead ? left : undefined;
}
