import type { Kept, LeagueScope, Memory } from '../../model/state/memory.ts';
import { keptMark } from '../../season/kept.ts';
import { eachKept } from './known-weeks.ts';

const UNREAD = 'unread';

/** What is kept of a reading by {@link markUnread}, and by {@link partMark}. */
interface Unread {
  readonly isPart?: true;
}

/**
 * Remembers of which squads a reading of a week has still to read the line-up: until the details of squads are read, nothing else says how many there are. Each squad is kept as a record of
 * its own, with the time of the mark, so that it goes with its member; those with an earlier time are of an earlier reading.
 */
export async function markUnread(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
  squads: readonly string[],
  nowMs: number,
): Promise<void> {
  const held = await unreadMark(memory, scope, gameWeek);
  // The service's clock may have been set back since.
  const atMs = Math.max(nowMs, (held?.readAtMs ?? -Infinity) + 1);
  const unread = squads.map((id) => unreadSquad(gameWeek, id.toLowerCase(), atMs));
  await memory.keep(scope, [keptMark(gameWeek, UNREAD, atMs, {} satisfies Unread), ...unread]);
}

const unreadSquad = (gameWeek: string, squad: string, readAtMs: number): Kept => ({
  ...{ gameWeek, kind: UNREAD, id: squad, variant: '', readAtMs, squad, record: {} },
});

/** That a line-up of a week was read, perhaps alone: whatever a reading of the whole league remembers is later. */
export function partMark(gameWeek: string): Kept {
  const record: Unread = { isPart: true };
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
  const { isPart = false } = mark.record as Unread;
  const left = [...(await memory.readAt(scope, gameWeek, UNREAD))].filter(
    ([, atMs]) => atMs === mark.readAtMs,
  );
  const read = left.length === 0 ? undefined : await memory.readAt(scope, gameWeek, 'lineup');
  return {
    squads: left.filter(([id]) => read?.has(id) !== true).length,
    isPart,
    atMs: mark.readAtMs,
  };
}

/** The squads of which readings of a week wanted the line-up, whether they were shown or not. */
export async function squadsAskedFor(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
): Promise<Iterable<string>> {
  return (await memory.readAt(scope, gameWeek, UNREAD)).keys();
}

async function unreadMark(memory: Memory, scope: LeagueScope, gameWeek: string): Promise<Kept | undefined> {
  for await (const kept of eachKept(memory, scope, gameWeek, 'mark')) if (kept.id === UNREAD) return kept;
  return undefined;
}
