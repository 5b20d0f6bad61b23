import { show } from '../../mapping/show.ts';
import { listed } from '../../model/listed.ts';
import type { LeagueScope, Memory } from '../../model/state/memory.ts';
import { inOrder } from '../../season/game-week.ts';
import { knownWeeks } from './known-weeks.ts';
import { WeekFacts } from './week-facts.ts';

/** What names the members, and what to do about it. */
const SAID = {
  groups: { head: 'season.groups: no squad is known of', next: 'correct the ids in the table' },
  hide: { head: 'publish.hide: no squad is known of', next: 'correct the ids in teamsheet.yaml' },
} as const;

/** What there is to say of named members of whom no squad is remembered, in this league or, because leagues may share their names, in another one; undefined where there are none, or nothing was read yet. */
export async function unknownMembers(
  memory: Memory,
  scope: LeagueScope,
  members: Iterable<string>,
  by: keyof typeof SAID,
): Promise<string | undefined> {
  const forgotten = new Set(await memory.forgotten(scope.account));
  let left = await withoutSquad(memory, scope, new Set(members).difference(forgotten));
  if (left === undefined) return undefined;
  for (const other of await memory.scopes()) left = (await withoutSquad(memory, other, left)) ?? left;
  if (left.size === 0) return undefined;
  const ids = listed([...left].map(show));
  const { head, next } = SAID[by];
  return `${head} ${left.size === 1 ? 'the member' : 'the members'} ${ids}: ${next}, where they are not those of members who have no squad yet`;
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
