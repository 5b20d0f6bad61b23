import { listEffects } from '../store/effects.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { card, count, num, table, time } from '../../pages/parts.ts';
import { slicePager } from './pickers.ts';
import { PER_PAGE, link, pageOf, withQuery, type Visit } from './visit.ts';

/** What requests have changed, the newest first; `filter` is what else the address of the page says. */
export function effectsCard(visit: Visit, filter: Readonly<Record<string, string>>): Markup {
  const { store } = visit.context;
  const page = pageOf(visit);
  const total = store.count('SELECT count(*) AS n FROM effects');
  const before = Math.max(0, total - page * PER_PAGE);
  const wanted = Math.min(PER_PAGE, Math.max(0, total - (page - 1) * PER_PAGE));
  // Numbered from 1 without a gap: none is ever deleted.
  const effects = wanted === 0 ? [] : listEffects(store, before, wanted).toReversed();
  const rows = effects.map((one) => [
    one.number,
    time(one.created_at),
    markup`<code>${one.operation}</code>`,
    count(one.record_count),
    one.record_ids.slice(0, 3).join(', ') + (one.record_count > 3 ? ' …' : ''),
    typeof one.fault === 'string' ? one.fault : null,
    markup`<code title="${one.request_id}">${one.request_id.slice(0, 8)}</code>`,
  ]);
  const columns = [num('No.'), 'Applied', 'Operation', num('Records'), 'Ids', 'Fault', 'Request'];
  return card(
    'Effects',
    markup`<p class="note">Every request that changed something, with the time of the season.</p>`,
    table('Effects', columns, rows, 'No request has changed anything yet.'),
    slicePager({ rows, total }, page, (target) =>
      withQuery(link(visit, 'activity'), { ...filter, page: String(target) }),
    ),
  );
}
