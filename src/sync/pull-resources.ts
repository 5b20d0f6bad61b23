import type { ResourceName } from '../contract/resource.ts';
import { RefusedError, UnavailableError } from '../model/error.ts';
import type { PullMapping } from '../mapping/mapping.ts';
import type { Store } from '../model/store.ts';
import { ownValue } from '../report/report.ts';
import { playerIds } from './pull-players.ts';
import type { Read, ReadContext } from './pull-read.ts';
import { eachRead, listRead, readOne } from './pull-read.ts';
import {
  givenIds,
  LEFT_OUT,
  idList,
  leagueOf,
  lineupRead,
  numberOf,
  squadIds,
  squadList,
} from './pull-squads.ts';

/** A player id that the service does not know may be answered by any of these: the interface does not show it. */
export const NO_PLAYER = [400, 404, 410, 422];

async function* inOneBatch<T>(records: Promise<readonly T[]>): AsyncGenerator<readonly T[]> {
  yield await records;
}

async function readFixtures(league: number, { service, signal, emit, mapping }: ReadContext) {
  const { records, issues } = await service.get('get-fixtures', { id: league, signal });
  for (const { index, message } of issues)
    emit({ kind: 'warning', message: `${mapping}: game week ${index + 1} left out: ${message}` });
  return records.flatMap((week) =>
    (week.fixtures ?? []).map((fixture) => ({ ...week, fixtures: [fixture] })),
  );
}

interface Candidate {
  readonly id: string | number;
  readonly by: string;
}

type PointsContext = Pick<ReadContext, 'service' | 'account' | 'emit' | 'signal' | 'mapping'> & {
  readonly store: Pick<Store, 'fact'>;
};

/** The ids that may name a league's points configuration, the likeliest first; the interface does not show which id the operation wants. */
async function* pointsConfigIds(league: number, context: PointsContext): AsyncGenerator<Candidate> {
  const remembered = await context.store.fact(context.account, `points_config_id:${league}`);
  if (remembered !== undefined) yield { id: remembered.value, by: 'the id remembered from its upload' };
  yield { id: league, by: 'the number of the league' };
  const { points_config: shown } = await readOne('get-fantasy-league', league, context);
  const id = ownValue(shown, 'id');
  if (typeof id === 'string' || typeof id === 'number') yield { id, by: 'the id that the league shows' };
}

/**
 * The points configuration of a league, found by the id remembered from its upload, else by the league's number, else by the id that stands in
 * the league's own record; a note says by which.
 * Errors: UnavailableError `points_config.not_found`, `points_config.other_league`.
 */
export async function readPointsConfig(league: number, context: PointsContext) {
  const { emit, mapping } = context;
  let code = 'points_config.not_found';
  let reason = '';
  for await (const { id, by } of pointsConfigIds(league, context)) {
    try {
      const record = await readOne('get-points-config', id, context);
      const answered = record.fantasy_league_id ?? league;
      if (answered === league) {
        emit({ kind: 'note', message: `${mapping}: points configuration found by ${by} (${id})` });
        return [record];
      }
      code = 'points_config.other_league';
      reason = `points configuration ${id} is that of fantasy league ${answered}`;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      reason = error.message;
    }
  }
  throw new UnavailableError(
    code,
    `the points configuration of fantasy league ${league} was not found: ${reason}`,
    {
      next: 'Push the points configuration once, so that its id is remembered.',
    },
  );
}

const readers: Readonly<Record<ResourceName, (mapping: PullMapping) => Read>> = {
  account: () => ({
    name: 'account',
    needs: [],
    batches: ({ service }) => inOneBatch(service.account().then((account) => [account])),
  }),
  users: () => listRead('list-users', {}),
  prices: () => listRead('list-prices', {}),
  points_config: ({ where }) => ({
    name: `points-config ${leagueOf(where)}`,
    needs: [],
    batches: (context) => inOneBatch(readPointsConfig(leagueOf(where), context)),
  }),
  fantasy_leagues: ({ where }) => ({
    name: `fantasy-league ${leagueOf(where)}`,
    needs: [],
    batches: (context) =>
      inOneBatch(readOne('get-fantasy-league', leagueOf(where), context).then((record) => [record])),
  }),
  mini_leagues: ({ where }) => {
    const ids = givenIds(where);
    if (ids !== undefined)
      return eachRead(idList(ids), { operation: 'get-mini-league', noun: 'mini league', absent: LEFT_OUT });
    const league = numberOf(where, 'fantasy_league_id');
    return listRead('list-mini-leagues', league === undefined ? {} : { fantasy_league_id: league });
  },
  squads: (mapping) =>
    wantsDetail(mapping)
      ? eachRead(squadIds(mapping.where), { operation: 'get-squad', noun: 'squad', absent: LEFT_OUT })
      : squadList(mapping.where),
  lineups: ({ where }) => lineupRead(where),
  players: ({ where, ids }) => {
    const league = leagueOf(where);
    const given = givenIds(where);
    const ranges = ids?.kind === 'ranges' ? ids.ranges : undefined;
    const source = given === undefined ? playerIds(league, ranges) : idList(given);
    return eachRead(source, {
      operation: 'get-player',
      query: { fantasy_league_id: league },
      noun: 'player',
      absent: NO_PLAYER,
      guessed: given === undefined && ranges !== undefined,
    });
  },
  fixtures: ({ where }) => ({
    name: `fixtures ${leagueOf(where)}`,
    needs: [],
    batches: (context) => inOneBatch(readFixtures(leagueOf(where), context)),
  }),
  auto_substitutions: ({ where }) =>
    listRead('list-auto-substitutions', { fantasy_league_id: leagueOf(where) }),
};

/** Squads named by their ids are read one by one, so they come with their detail. */
export function wantsDetail({ resource, detail, where }: PullMapping): boolean {
  return resource === 'squads' && (detail || where.id !== undefined);
}

/** What a mapping reads. */
export const readOf = (mapping: PullMapping): Read => readers[mapping.resource](mapping);
