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
  const record: Unread = { squads: squads.map((id) => id.toLowerCase()) };
  // The service's clock may have been set back since.
  const atMs = Math.max(nowMs, (held?.readAtMs ?? -Infinity) + 1);
  await memory.keep(scope, [keptMark(gameWeek, UNREAD, atMs, record)]);
}

/** What the last reading of a week left. */
export interface Left {
  /** Squads of which it was still to read the line-up, and that have none in the week since. */
  readonly squads: number;
  /** When it began or ended, by the service's clock. */
  readonly atMs: number;
}

/** What the last reading of a week left; undefined where none began. */
export async function unreadIn(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
): Promise<Left | undefined> {
  const mark = await unreadMark(memory, scope, gameWeek);
  if (mark === undefined) return undefined;
  // Only `markUnread` makes such a mark.
  const { squads } = mark.record as Unread;
  if (squads.length === 0) return { squads: 0, atMs: mark.readAtMs };
  const read = await memory.readAt(scope, gameWeek, 'lineup');
  return { squads: squads.filter((id) => !read.has(id)).length, atMs: mark.readAtMs };
}

async function unreadMark(memory: Memory, scope: LeagueScope, gameWeek: string): Promise<Kept | undefined> {
  for await (const kept of eachKept(memory, scope, gameWeek, 'mark')) if (kept.id === UNREAD) return kept;
  return undefined;
}
