import { pullTarget, type ResourceName } from '../../contract/index.ts';
import { ListError, RefusedError, UnavailableError } from '../../model/error.ts';
import type { RecordIssue } from '../../model/service.ts';
import type { PullMapping } from '../../mapping/mapping.ts';
import type { Store } from '../../model/state/store.ts';
import { isListed, resourcePlans, type ListedName } from '../../plan/resources/index.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { ownValue } from '../../report/report.ts';
import { playerIds } from './players.ts';
import { eachRead, NAMES_NOTHING, readOne, type Read, type ReadContext } from './read.ts';
import { listRead } from './list.ts';
import { standingsRead } from './standings.ts';
import { substitutionsRead } from './substitutions.ts';
import { detailRead, filteredList, givenIds, LEFT_OUT, idList, leagueOf, lineupRead } from './squads.ts';
import { weeksRead } from './weeks.ts';

/** Records that are read at once. */
const atOnce = (name: string, read: (context: ReadContext) => Promise<readonly object[]>): Read => ({
  name,
  needs: [],
  batches: async function* (context) {
    yield await read(context);
  },
});

const MOST_READS = 3;

async function readFixtures(league: number, { service, signal }: ReadContext) {
  for (let read = 1; ; read += 1) {
    const { records, issues } = await service.get('get-fixtures', { id: league, signal });
    const lost = issues.filter(({ kept }) => kept === undefined);
    const [first] = lost;
    if (first !== undefined && read < MOST_READS) continue;
    if (first !== undefined)
      throw new ListError(`game week ${first.index + 1} cannot be read (${first.message})`, {
        leftOut: lost.length,
        next: 'ask your provider about that game week',
      });
    return inOrder(records, issues).flatMap((week) =>
      (week.fixtures ?? []).map((fixture) => ({ ...week, fixtures: [fixture] })),
    );
  }
}

/** The records of an answer with those that were kept as they came, in the order of the answer. */
function inOrder<T>(records: readonly T[], issues: readonly RecordIssue[]): readonly T[] {
  const all = [...records];
  for (const { index, kept } of issues) all.splice(index, 0, kept as T);
  return all;
}

interface Candidate {
  readonly id: string | number;
  readonly by: string;
}

type PointsContext = Pick<ReadContext, 'service' | 'account' | 'emit' | 'signal' | 'mapping'> & {
  readonly store: Pick<Store, 'fact'>;
};

/**
 * The ids that may name a league's points configuration, the likeliest first; the interface does not show which id the operation wants. Returns whether
 * anything says that there is one: an upload that this state remembers, or the league's own record.
 */
async function* pointsConfigIds(league: number, context: PointsContext): AsyncGenerator<Candidate, boolean> {
  const remembered = await context.store.fact(context.account, `points_config_id:${league}`);
  if (remembered !== undefined) yield { id: remembered.value, by: 'the id remembered from its upload' };
  yield { id: league, by: 'the number of the league' };
  const { points_config: shown } = await readOne('get-fantasy-league', league, context);
  const id = ownValue(shown, 'id');
  if (typeof id === 'string' || typeof id === 'number') yield { id, by: 'the id that the league shows' };
  return remembered !== undefined || !isEmpty(shown);
}

const isEmpty = (shown: unknown): boolean =>
  shown === undefined || shown === null || (typeof shown === 'object' && Object.keys(shown).length === 0);

/** Codes of answers that show no configuration, whatever else they may mean: an id that names none may be answered in any way. */
export const SHOWS_NONE: ReadonlySet<string> = new Set([
  'service.no_envelope',
  'service.html',
  'service.error',
  'service.record',
]);

/**
 * The points configuration of a league, found by the id remembered from its upload, else by the league's number, else by the id that stands in
 * the league's own record; `by` says which one it was.
 * Errors: that of an id which was answered with nothing to use, where no other id names it; UnavailableError `points_config.none` where nothing says that there is one, `points_config.not_found`, `points_config.other_league`.
 */
export async function readPointsConfig(league: number, context: PointsContext) {
  let code = 'points_config.none';
  let reason = '';
  let unread: UnavailableError | undefined;
  const ids = pointsConfigIds(league, context);
  let next = await ids.next();
  for (; next.done !== true; next = await ids.next()) {
    const { id, by } = next.value;
    try {
      const record = await readOne('get-points-config', id, context);
      const answered = record.fantasy_league_id ?? league;
      if (answered === league) return { record, id, by };
      code = 'points_config.other_league';
      reason = `points configuration ${id} is that of fantasy league ${answered}`;
    } catch (error) {
      if (error instanceof UnavailableError && SHOWS_NONE.has(error.code)) {
        unread ??= error;
        continue;
      }
      if (!(error instanceof RefusedError)) throw error;
      if (code === 'points_config.none' && !NAMES_NOTHING.includes(error.status))
        code = 'points_config.not_found';
      reason = error.message;
    }
  }
  if (unread !== undefined) throw unread;
  if (code === 'points_config.none' && next.value) code = 'points_config.not_found';
  throw new UnavailableError(
    code,
    `the points configuration of fantasy league ${league} was not found: ${reason}`,
    {
      next: 'Push the points configuration once, so that its id is remembered.',
    },
  );
}

/** A report of a league that has no points configuration yet is empty. */
async function pointsReport(league: number, context: ReadContext) {
  const { emit, mapping } = context;
  try {
    const { record, id, by } = await readPointsConfig(league, context);
    emit({ kind: 'note', message: `${mapping}: points configuration found by ${by} (${id})` });
    return [record];
  } catch (error) {
    if (!(error instanceof UnavailableError) || error.code !== 'points_config.none') throw error;
    emit({
      kind: 'note',
      message: `${mapping}: fantasy league ${league} has no points configuration yet, so the report is empty`,
    });
    return [];
  }
}

/** What lists show, or the records that a mapping names by their ids. */
function listedRead({ operation, byId, one }: ListedResource, where: PullMapping['where']): Read {
  const ids = givenIds(where);
  return ids === undefined || byId === undefined
    ? filteredList(operation, where)
    : eachRead(idList(ids), { operation: byId, noun: one, absent: LEFT_OUT });
}

/** How the records are read that no list of a push shows. */
const readers: Readonly<Record<Exclude<ResourceName, ListedName>, (mapping: PullMapping) => Read>> = {
  account: () => atOnce('account', async ({ service }) => [await service.account()]),
  prices: () => listRead('list-prices', {}),
  points_config: ({ where }) =>
    atOnce(`points-config ${leagueOf(where)}`, (context) => pointsReport(leagueOf(where), context)),
  fantasy_leagues: ({ where }) =>
    atOnce(`fantasy-league ${leagueOf(where)}`, async (context) => [
      await readOne('get-fantasy-league', leagueOf(where), context),
    ]),
  lineups: ({ where }) => lineupRead(where),
  standings: standingsRead,
  players: ({ where, ids }) => {
    const league = leagueOf(where);
    const given = givenIds(where);
    const ranges = ids?.kind === 'ranges' ? ids.ranges : undefined;
    const source = given === undefined ? playerIds(league, ranges) : idList(given);
    return eachRead(source, {
      operation: 'get-player',
      query: { fantasy_league_id: league },
      noun: 'player',
      absent: NAMES_NOTHING,
      guessed: given === undefined && ranges !== undefined,
    });
  },
  fixtures: ({ where }) =>
    atOnce(`fixtures ${leagueOf(where)}`, (context) => readFixtures(leagueOf(where), context)),
  auto_substitutions: substitutionsRead,
};

/** Squads named by their ids are read one by one, so they come with their detail. */
export function wantsDetail({ resource, detail, where }: PullMapping): boolean {
  return pullTarget(resource)?.hasDetail === true && (detail || where.id !== undefined);
}

/** What a mapping reads: what the service shows, or what is remembered of the game weeks that it asks for. */
export function readOf(mapping: PullMapping): Read {
  const { resource, where, weeks } = mapping;
  const byWeek = pullTarget(resource)?.byWeek;
  if (weeks !== undefined && (byWeek === 'lineup' || byWeek === 'squad'))
    return weeksRead(mapping, weeks, byWeek);
  if (wantsDetail(mapping)) return detailRead(where);
  return isListed(resource) ? listedRead(resourcePlans[resource].listed, where) : readers[resource](mapping);
}
