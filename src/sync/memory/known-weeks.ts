import type { Fixture } from '../../contract/resources/fixtures.ts';
import type { Kept, KeptCount, KeptKind, LeagueScope, Memory } from '../../model/state/memory.ts';
import { isPutOff } from '../../model/time/moved-matches.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { gameWeekOf, inOrder, type GameWeek } from '../../season/game-week.ts';
import { shownText } from '../../season/week-number.ts';
import type { Processed } from '../../season/week-state.ts';

/** The kept records of a kind in a game week, one by one. */
export async function* eachKept(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
  kind: KeptKind,
): AsyncGenerator<Kept> {
  for await (const page of memory.kept(scope, gameWeek, kind)) yield* page;
}

/** The latest reading of each id of a kind in a game week, in the order of the ids. */
export async function* latestKept(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
  kind: KeptKind,
): AsyncGenerator<Kept> {
  for await (const page of memory.latest(scope, gameWeek, kind)) yield* page;
}

/** The matches of a game week as they were listed last: one that was put off to another week since is still kept in this one. */
export async function listedMatches(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
): Promise<readonly Kept[]> {
  const kept = await Array.fromAsync(latestKept(memory, scope, gameWeek, 'fixture'));
  const listedMs = Math.max(...kept.map(({ readAtMs }) => readAtMs));
  return kept.filter(({ readAtMs }) => readAtMs === listedMs);
}

/** The same without those that were put off. */
export async function awaitedMatches(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
  next: Pick<GameWeek, 'startMs'> | undefined,
): Promise<readonly Kept[]> {
  const listed = await listedMatches(memory, scope, gameWeek);
  // Only `keptOfFixtures` makes such a record.
  return listed.filter(({ record }) => !isPutOff(kickOffMsOf(record as Fixture), next));
}

const kickOffMsOf = ({ start_date }: Fixture): number => parseTimeMs(shownText(start_date));

/** The game weeks of a league that are remembered, in no order. */
export async function knownWeeks(memory: Memory, scope: LeagueScope): Promise<readonly GameWeek[]> {
  const found: GameWeek[] = [];
  const counts = await memory.weeks(scope);
  for (const { gameWeek, kind } of counts) {
    if (kind !== 'game_week') continue;
    for await (const kept of eachKept(memory, scope, gameWeek, kind)) found.push(gameWeekOf(kept));
  }
  return withoutReplaced(found, counts);
}

/** What is kept of a week alone that the service showed as one that runs. */
const OF_A_WEEK: ReadonlySet<KeptKind> = new Set(['lineup', 'squad', 'mark']);

/**
 * The weeks without those that the newest fixtures leave out although they list weeks from before and after it, such as where the service has given it another id. A week of which
 * a squad or a line-up was read stays, and so does one that was marked as the current one: all of its matches were put off.
 */
function withoutReplaced(weeks: readonly GameWeek[], counts: readonly KeptCount[]): readonly GameWeek[] {
  const listings = counts.filter(({ kind }) => kind === 'fixture').map(({ newestMs }) => newestMs);
  const listedMs = Math.max(-Infinity, ...listings);
  const starts = weeks
    .filter(({ readAtMs, startMs }) => readAtMs >= listedMs && !Number.isNaN(startMs))
    .map(({ startMs }) => startMs);
  const [fromMs, toMs] = [Math.min(...starts), Math.max(...starts)];
  const own = new Set(counts.filter(({ kind }) => OF_A_WEEK.has(kind)).map(({ gameWeek }) => gameWeek));
  return weeks.filter(
    ({ id, readAtMs, startMs }) =>
      readAtMs >= listedMs || own.has(id) || !(fromMs <= startMs && startMs <= toMs),
  );
}

/** From when on the substitutions of a game week are known to be processed. */
export async function processedIn(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
): Promise<Processed | undefined> {
  for await (const { id, readAtMs, record } of eachKept(memory, scope, gameWeek, 'mark'))
    // Only `markProcessed` makes such a mark.
    if (id === 'processed') return { atMs: readAtMs, by: (record as Pick<Processed, 'by'>).by };
  return undefined;
}

/** The ids of a game week and of those after it: a squad that was made late shows the week in which it begins, while the others show the current one. */
export async function weeksFrom(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string,
): Promise<readonly string[]> {
  const ids = inOrder(await knownWeeks(memory, scope)).map(({ id }) => id);
  const at = ids.indexOf(gameWeek);
  return at === -1 ? [gameWeek] : ids.slice(at);
}

/** The game week after one of them; undefined where none is known. */
export async function nextKnownWeek(
  memory: Memory,
  scope: LeagueScope,
  gameWeek: string | undefined,
): Promise<GameWeek | undefined> {
  const weeks = inOrder(await knownWeeks(memory, scope));
  const at = weeks.findIndex(({ id }) => id === gameWeek);
  return at === -1 ? undefined : weeks[at + 1];
}
