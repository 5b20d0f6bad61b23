import { expect, it } from 'vitest';
import type { LeagueScope } from '../../../../src/model/state/memory.ts';
import { keptOfLineup, keptOfSquad } from '../../../../src/season/kept.ts';
import { unknownMembers } from '../../../../src/sync/memory/group-members.ts';
import { MemoryWeeks, WeeksData } from '../../../simulation/memory-weeks.ts';

const ACCOUNT = { baseUrl: 'http://127.0.0.1:1', accountId: 'a' };
const scopeOf = (league: number): LeagueScope => ({ account: ACCOUNT, league });
const weekOf = (week: number) => ({
  game_week: { id: `week-${week}`, week: String(week), start_date: `2026-09-0${week}T12:00:00Z` },
});

/** Of league 7, ann in the first week and bob's line-up in the second; of league 8 cat. */
async function read(): Promise<MemoryWeeks> {
  const memory = new MemoryWeeks(new WeeksData());
  const squad = (member: string, week: number) => ({
    ...{ id: `squad-${member}`, user: { external_id: member }, ...weekOf(week) },
  });
  await memory.keep(scopeOf(7), keptOfSquad(squad('ann', 1), 1));
  await memory.keep(scopeOf(7), keptOfLineup(squad('bob', 2), 'squad-bob', 1));
  await memory.keep(scopeOf(8), keptOfSquad(squad('cat', 1), 1));
  return memory;
}

it('names members of groups of whom no league has a squad, in whichever week', async () => {
  const memory = await read();
  const say = (...members: readonly string[]) => unknownMembers(memory, scopeOf(7), members, 'groups');
  expect(await say('ann', 'bob', 'cat')).toBeUndefined();
  expect(await say('ann', 'Bob')).toMatch(/^season\.groups: no squad is known of the member "Bob": /);
  expect(await say('dan', 'ann', 'eve', 'dan')).toContain('the members "dan", "eve": ');
});

it('says nothing of a league of which no squad was read, and of forgotten members', async () => {
  const memory = await read();
  expect(await unknownMembers(memory, scopeOf(9), ['dan'], 'groups')).toBeUndefined();
  await memory.forget(ACCOUNT, 'bob');
  expect(await unknownMembers(memory, scopeOf(7), ['bob'], 'groups')).toBeUndefined();
});
