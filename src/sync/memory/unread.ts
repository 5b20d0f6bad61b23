import type { Kept, LeagueScope, Memory } from '../../model/state/memory.ts';
import { keptMark } from '../../season/kept.ts';
import { eachKept } from './known-weeks.ts';

const UNREAD = 'unread';

/** What is kept of squads by {@link markUnread}. */
interface Unread {
  readonly squads: readonly string[];
}

/** Remembers of which squads a reading of a week has still to read the line-up: until the details of squads are read, nothing else says how many there are. */
export async function markUnread(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
  squads: readonly string[],
  nowMs: number,
): Promise<void> {
  const held = await unreadMark(memory, scope, gameWeek);
  if (held === undefined && squads.length === 0) return;
  const record: Unread = { squads: squads.map((id) => id.toLowerCase()) };
  // The service's clock may have been set back since.
  const atMs = Math.max(nowMs, (held?.readAtMs ?? -Infinity) + 1);
  await memory.keep(scope, [keptMark(gameWeek, UNREAD, atMs, record)]);
}

/** How many squads have no line-up in a week that a reading was still to read. */
export async function unreadIn(memory: Memory, scope: LeagueScope, gameWeek: string): Promise<number> {
  const mark = await unreadMark(memory, scope, gameWeek);
  // Only `markUnread` makes such a mark.
  const { squads } = (mark?.record ?? { squads: [] }) as Unread;
  if (squads.length === 0) return 0;
  const read = await memory.readAt(scope, gameWeek, 'lineup');
  return squads.filter((id) => !read.has(id)).length;
}

async function unreadMark(memory: Memory, scope: LeagueScope, gameWeek: string): Promise<Kept | undefined> {
  for await (const kept of eachKept(memory, scope, gameWeek, 'mark')) if (kept.id === UNREAD) return kept;
  return undefined;
}
