import type { Kept, LeagueScope, Memory } from '../../model/state/memory.ts';
import { keptMark } from '../../season/kept.ts';
import { eachKept } from './known-weeks.ts';

const UNREAD = 'unread';

/** What is kept of squads by {@link markUnread}, and by {@link partMark}. */
interface Unread {
  readonly squads: readonly string[];
  readonly isPart?: true;
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

/** That a line-up of a week was read, perhaps alone: whatever a reading of the whole league remembers is later. */
export function partMark(gameWeek: string): Kept {
  const record: Unread = { squads: [], isPart: true };
  return keptMark(gameWeek, UNREAD, 0, record);
}

/** What the last reading of a week left. */
export interface Left {
  /** Squads of which it was still to read the line-up, and that have none in the week since. */
  readonly squads: number;
  /** None was of the whole week. */
  readonly isPart: boolean;
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
  // Only `markUnread` and `partMark` make such a mark.
  const { squads, isPart = false } = mark.record as Unread;
  const read = squads.length === 0 ? undefined : await memory.readAt(scope, gameWeek, 'lineup');
  return {
    squads: squads.filter((id) => read?.has(id) !== true).length,
    isPart,
    atMs: mark.readAtMs,
  };
}

async function unreadMark(memory: Memory, scope: LeagueScope, gameWeek: string): Promise<Kept | undefined> {
  for await (const kept of eachKept(memory, scope, gameWeek, 'mark')) if (kept.id === UNREAD) return kept;
  return undefined;
}
