import type { Kept, LeagueScope, Memory } from '../../model/state/memory.ts';
import type { EntryValues, PlayerValues, SquadValues, WeekValues } from '../../season/week-values.ts';
import { eachKept } from '../memory/known-weeks.ts';

/** The id of what is kept of a whole week, or of the whole league; squads have theirs. */
const WHOLE = '';

/** Another number where weeks are kept or their numbers made otherwise: one that was kept so is published anew. */
const FORMAT = 5;

/** What is kept of a published week beside its squads. */
type Head = Omit<WeekValues, 'gameWeek' | 'players' | 'squads' | 'kickOffMs'> & {
  readonly format: number;
  readonly players: readonly PlayerValues[];
  /** JSON has no NaN. */
  readonly kickOffMs: number | null;
};

/** A week as it was published last; undefined where it was not. */
export async function publishedWeek(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
): Promise<WeekValues | undefined> {
  let head: Head | undefined;
  const squads: KeptSquad[] = [];
  for await (const { id, record } of eachKept(memory, scope, gameWeek, 'published')) {
    // Only `keepPublished` makes such records.
    if (id === WHOLE) head = record as Head;
    else squads.push(record as KeptSquad);
  }
  if (head?.format !== FORMAT) return undefined;
  const { format: _format, players, kickOffMs, ...rest } = head;
  const time = kickOffMs ?? Number.NaN;
  return {
    ...rest,
    gameWeek,
    kickOffMs: time,
    players: new Map(players.map((player) => [player.id, player])),
    squads: squads.map(({ entries, ...squad }) => ({ ...squad, entries: entries?.map(entryOf) })),
  };
}

/** A player in a line-up as he is kept: id, points, minutes, and a letter for each thing that he is, in a third of the text. */
type KeptEntry = readonly [player: string, points: number | null, minutes: number | null, is: string];
type KeptSquad = Omit<SquadValues, 'entries'> & { readonly entries?: readonly KeptEntry[] | undefined };

const keptEntry = (entry: EntryValues): KeptEntry => [
  entry.player,
  entry.points ?? null,
  entry.minutes ?? null,
  `${entry.isStarting ? 'S' : ''}${entry.isCaptain ? 'C' : ''}${entry.isViceCaptain ? 'V' : ''}`,
];
const entryOf = ([player, points, minutes, is]: KeptEntry): EntryValues => ({
  ...{ player, points: points ?? undefined, minutes: minutes ?? undefined },
  isStarting: is.includes('S'),
  isCaptain: is.includes('C'),
  isViceCaptain: is.includes('V'),
});

/** So many records are kept in one transaction. */
const TOGETHER = 5_000;

/** Remembers weeks as they were published. Whoever is forgotten is not in them from then on. */
export async function keepPublished(
  memory: Memory,
  scope: LeagueScope,
  weeks: readonly WeekValues[],
  nowMs: number,
): Promise<void> {
  const counts = await memory.weeks(scope);
  const records = weeks.flatMap(({ gameWeek, players, squads, kickOffMs, ...rest }): readonly Kept[] => {
    // The service's clock may have been set back since.
    const { newestMs = -Infinity } =
      counts.find((each) => each.gameWeek === gameWeek && each.kind === 'published') ?? {};
    const readAtMs = Math.max(nowMs, newestMs + 1);
    const own = { gameWeek, kind: 'published', variant: '', readAtMs } as const;
    const time = Number.isNaN(kickOffMs) ? null : kickOffMs;
    const head: Head = { ...rest, format: FORMAT, kickOffMs: time, players: [...players.values()] };
    return [
      ...squads.map((squad): Kept => {
        const record: KeptSquad = { ...squad, entries: squad.entries?.map(keptEntry) };
        return { ...own, ...about(squad), record };
      }),
      // The head is kept last: a week without one was not published.
      { ...own, id: WHOLE, record: head },
    ];
  });
  for (let at = 0; at < records.length; at += TOGETHER)
    await memory.keep(scope, records.slice(at, at + TOGETHER));
}

const about = ({ squad, member }: SquadValues): Pick<Kept, 'id' | 'squad' | 'member'> => ({
  id: squad,
  squad,
  ...(member !== undefined && { member }),
});

/**
 * The number of each squad, the same all season: those that have none get the next ones, in the order of their ids, and are kept with them. The number of somebody who is forgotten is
 * not given again.
 */
export async function squadNumbers(
  memory: Memory,
  scope: LeagueScope,
  squads: readonly SquadValues[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  let next = 1;
  let keptAtMs = -Infinity;
  for await (const { id, record, readAtMs } of eachKept(memory, scope, '', 'published')) {
    // Only this function makes such records.
    const { number } = record as { readonly number: number };
    if (id === WHOLE) [next, keptAtMs] = [number, readAtMs];
    else numbers.set(id, number);
  }
  const fresh = new Map(squads.filter(({ squad }) => !numbers.has(squad)).map((each) => [each.squad, each]));
  if (fresh.size === 0) return numbers;
  // The service's clock may have been set back since.
  const readAtMs = Math.max(nowMs, keptAtMs + 1);
  const own = { gameWeek: '', kind: 'published', variant: '', readAtMs } as const;
  const records: Kept[] = [];
  for (const [id, squad] of [...fresh].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    numbers.set(id, next);
    records.push({ ...own, ...about(squad), record: { number: next } });
    next += 1;
  }
  await memory.keep(scope, [{ ...own, id: WHOLE, record: { number: next } }, ...records]);
  return numbers;
}
