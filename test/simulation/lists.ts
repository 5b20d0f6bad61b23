import { keptName, spelled, type Habits } from './habits.ts';
import { asOf, type Held, type Kind, type Values } from './records.ts';
import { refuse, type Reply } from './reply.ts';

/** One page of a list, as this service numbers, orders and states its pages. */
export function listRecords(
  habits: Habits,
  records: readonly Held[],
  kind: Kind,
  query: URLSearchParams,
  nowMs: number,
): Reply {
  const { userPage, filters, listOrder, listLagMs, logLagMs, pageSize, pastTheEnd } = habits;
  const asked = query.get('page');
  const way = kind === 'users' ? userPage : 'obeyed';
  if (asked !== null && way === 'refused') return refuse(400, 'page is not known');
  const seenMs = nowMs - (kind === 'prices' ? logLagMs : listLagMs);
  const wanted = [...query].filter(([name]) => name !== 'page' && filters === 'obeyed');
  const shown = records.flatMap((held) => {
    const values = asOf(held, seenMs);
    if (values === undefined) return [];
    const fits = wanted.every(([name, value]) => String(values[name]) === value);
    const changedMs = held.versions.findLast(({ atMs }) => atMs <= seenMs)?.atMs ?? 0;
    return fits ? [{ record: listed(habits, kind, held, values), changedMs }] : [];
  });
  const sorted = listOrder === 'age' ? shown : shown.toSorted((a, b) => b.changedMs - a.changedMs);
  const all = sorted.map(({ record }) => record);
  const pages = Math.max(1, Math.ceil(all.length / pageSize));
  let page = way === 'obeyed' ? Number(asked ?? 1) : 1;
  if (page > pages && pastTheEnd === 'not_found') return refuse(404, 'no such page');
  if (page > pages && pastTheEnd === 'last_again') page = pages;
  const part = way === 'ignored' ? all : all.slice((page - 1) * pageSize, page * pageSize);
  return {
    status: 200,
    message: 'ok',
    data: part,
    paging: pagingOf(habits, page, pages, part.length, all.length),
  };
}

/** What a page says of its list. */
export function pagingOf(
  { paging, pageSize }: Pick<Habits, 'paging' | 'pageSize'>,
  page: number,
  pages: number,
  count: number,
  total: number,
): unknown {
  const stated = { page, page_total: pages, per_page: pageSize, current: page };
  switch (paging) {
    case 'none':
      return undefined;
    case 'no_total':
      return { page, per_page: pageSize };
    case 'words':
      return { page: 'one of many', total: 'many' };
    case 'right':
      return { ...stated, total };
    case 'total_is_pages':
      return { ...stated, total: pages };
    case 'total_is_count':
      return { ...stated, total: count };
  }
}

/** A record as its list shows it. */
function listed(habits: Habits, kind: Kind, held: Held, values: Values): Values {
  const { id } = held;
  const { spelling } = habits;
  const shown = (name: string): string => spelled(String(values[name]), spelling, 'lists');
  switch (kind) {
    case 'users':
      return {
        id,
        ...values,
        external_id: shown('external_id'),
        display_name: keptName(values['display_name'], habits),
      };
    case 'mini_leagues':
      return { id: Number(id), name: shown('name'), fantasy_league: { id: values['fantasy_league_id'] } };
    case 'squads':
      return {
        id,
        name: shown('name'),
        user: { user_id: values['user_id'] },
        fantasy_league: { id: values['fantasy_league_id'] },
      };
    case 'prices':
      return {
        id,
        txn_ref: values['txn_ref'],
        fantasy_league_id: values['fantasy_league_id'],
        txn_type: values['type'],
        player: { id: values['player_id'] },
      };
    default:
      return { id, txn_ref: `sub-${id}`, squad: { id: '1', name: 'Hill XI' } };
  }
}
