import { endpoints, type PagedOperationId, type QueryOf, type RecordOf } from '../../contract/index.ts';
import type { PullMapping } from '../../mapping/mapping.ts';
import { eachRead, take, type Ids, type Read, type ReadContext } from './read.ts';
import { listRead } from './list.ts';
import { leagueWatch } from './lineup-watch.ts';
import { readBefore, type Reusable } from './reuse.ts';

type Where = PullMapping['where'];

/** Statuses that say that one record cannot be had: a squad may be deleted, be closed to us or have no line-up yet, while the others are read. */
export const LEFT_OUT = [403, 404, 410];

/** The value of a filter that is one number. */
function numberOf(where: Where, name: string): number | undefined {
  const value = where[name];
  return value === undefined ? undefined : Number(value);
}

/** The league of a mapping whose resource requires one. */
export const leagueOf = (where: Where): number => numberOf(where, 'fantasy_league_id') ?? NaN;

/** The ids that a `where` names; undefined when it names none. */
export function givenIds(where: Where): readonly (string | number)[] | undefined {
  const ids = where.id;
  if (ids === undefined) return undefined;
  return typeof ids === 'object' ? ids : [ids];
}

/** Ids that are known beforehand. */
export const idList = (values: readonly (string | number)[]): Ids => ({
  name: JSON.stringify(values),
  needs: [],
  values: () => values,
});

/** The records of a list that a `where` names by the filters of its operation. */
export function filteredList<Id extends PagedOperationId>(operation: Id, where: Where): Read<RecordOf<Id>> {
  const filters = Object.keys(endpoints[operation].query.shape).flatMap((name) => {
    const value = numberOf(where, name);
    return value === undefined ? [] : [[name, value]];
  });
  return listRead(operation, Object.fromEntries(filters) as QueryOf<Id>);
}

/** The ids of the squads that a `where` names, by themselves or by the filters of GET /squad. */
function squadIds(where: Where): Ids {
  const given = givenIds(where);
  if (given !== undefined) return idList(given);
  const list = filteredList('list-squads', where);
  return {
    name: list.name,
    needs: [list],
    values: async function* (context) {
      for await (const page of take(list, context)) for (const squad of page) yield squad.id;
    },
  };
}

/** Watches a reading of the line-ups of a whole league. */
function watchOf(where: Where) {
  const league = numberOf(where, 'fantasy_league_id');
  const isOfAll = givenIds(where) === undefined && numberOf(where, 'user_id') === undefined;
  if (league === undefined || !isOfAll) return undefined;
  return (context: ReadContext, ids: readonly string[]) =>
    ids.length < context.limit ? leagueWatch(league, context, ids) : undefined;
}

/** The line-ups of the squads that a `where` names. */
export const lineupRead = (where: Where, reusable?: Reusable<'get-lineup'>) =>
  eachRead(squadIds(where), {
    operation: 'get-lineup',
    noun: 'line-up',
    absent: LEFT_OUT,
    watch: watchOf(where),
    reusable: reusable ?? readBefore(numberOf(where, 'fantasy_league_id'), 'lineup'),
  });

/** The squads that a `where` names, with their detail. */
export const detailRead = (where: Where, reusable?: Reusable<'get-squad'>) =>
  eachRead(squadIds(where), {
    operation: 'get-squad',
    noun: 'squad',
    absent: LEFT_OUT,
    reusable: reusable ?? readBefore(numberOf(where, 'fantasy_league_id'), 'squad'),
  });
