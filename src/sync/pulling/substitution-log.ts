import type { AutoSubstitution } from '../../contract/resources/auto-substitutions.ts';
import { RefusedError } from '../../model/error.ts';
import type { LeagueScope } from '../../model/state/memory.ts';
import type { SyncPorts } from '../ports.ts';
import { listRead } from './list.ts';
import type { Read } from './read.ts';

/** The whole log of substitutions of a league, as the service shows it. */
export const wholeLog = (league: number): Read<AutoSubstitution> =>
  listRead('list-auto-substitutions', { fantasy_league_id: league });

/** The records of the log that are not kept yet: it is read from where it was left, and whole where that does not add up. */
export function newInLog(league: number): Read<AutoSubstitution> {
  const whole = wholeLog(league);
  return {
    name: `new in ${whole.name}`,
    needs: [],
    batches: async function* (context) {
      const fresh = await readNew(context, { account: context.account, league });
      if (fresh === undefined) yield* whole.batches(context);
      else yield fresh;
    },
  };
}

/** How many pages of the log {@link newInLog} reads; only the first one is asked for. None where the service refuses to show it. */
export async function logPages({ service, signal, store }: LogPorts, scope: LeagueScope): Promise<number> {
  const query = { fantasy_league_id: scope.league };
  try {
    const { records, paging } = await service.get('list-auto-substitutions', { query, signal });
    const size = Math.max(1, records.length);
    const total = Math.max(paging?.total ?? 0, records.length);
    const kept = await store.memory.readAt(scope, '', 'substitution');
    const pages = Math.max(1, Math.ceil((total - kept.size) / size));
    // Where the newest stand last, the first page tells only that.
    const isFound = kept.size === 0 || records.some(({ id }) => !kept.has(id.toLowerCase()));
    return isFound || total <= kept.size ? pages : 1 + pages;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return 0;
  }
}

type LogPorts = Pick<SyncPorts, 'service' | 'signal'> & {
  readonly store: Pick<SyncPorts['store'], 'memory'>;
};

/**
 * The records of the log that are not kept: none of what is kept is read again but for one page. A log only grows, so that what is kept and what is new must be as many as
 * the service states; which end is the newer one, the first page tells. Undefined where nothing is kept, or where it does not add up.
 */
export async function readNew(
  { service, signal, store }: LogPorts,
  scope: LeagueScope,
): Promise<readonly AutoSubstitution[] | undefined> {
  const kept = await store.memory.readAt(scope, '', 'substitution');
  if (kept.size === 0) return undefined;
  const fresh = new Map<string, AutoSubstitution>();
  /** How many records of a page are new; undefined where it cannot be read whole. */
  const read = async (page: number) => {
    const query = { fantasy_league_id: scope.league, page };
    const { records, issues, paging } = await service.get('list-auto-substitutions', { query, signal });
    if (issues.length > 0 || typeof paging?.total !== 'number') return undefined;
    const before = fresh.size;
    for (const record of records)
      if (!kept.has(record.id.toLowerCase())) fresh.set(record.id.toLowerCase(), record);
    return { total: paging.total, size: records.length, found: fresh.size - before };
  };
  const first = await read(1);
  if (first === undefined || first.size === 0) return undefined;
  const { total, size, found } = first;
  const last = Math.ceil(total / size);
  const isNewestFirst = found > 0;
  for (let turn = 1; kept.size + fresh.size < total; turn += 1) {
    const page = isNewestFirst ? 1 + turn : last + 1 - turn;
    if (page < 2 || page > last) return undefined;
    const next = await read(page);
    // Another upload meanwhile, or a page without anything new before all are found: nothing is to be guessed.
    if (next?.total !== total || next.found === 0) return undefined;
  }
  return kept.size + fresh.size === total ? [...fresh.values()] : undefined;
}
