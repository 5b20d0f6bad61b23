import type { Letter } from '../model/state/alerts.ts';
import type { Alerts } from '../pages/dashboard/alerts.ts';
import type { AlertLine } from '../pages/dashboard/values.ts';
import { addressesOf } from '../runtime/config/alert-addresses.ts';
import type { Desk } from './desk.ts';
import { slice } from './sheets.ts';

/** Alerts that ended are kept for a while; no page shows more of them. */
const MOST = 1000;

/** What the state holds of alerts. */
export async function readAlerts({ store, config }: Desk, query: URLSearchParams): Promise<Alerts> {
  const { webhooks, pings } = addressesOf(config);
  return {
    waiting: (await store.alerts.waiting()).map(alertLine),
    ended: slice((await store.alerts.ended(MOST)).map(alertLine), query),
    addresses: [...webhooks, ...pings].map(({ to }) => to),
  };
}

function alertLine({ to, alert, createdAtMs, tries, last, end }: Letter): AlertLine {
  const { event, mapping, league, message } = alert;
  const lastTry = last === null ? '' : last.status === null ? (last.fault ?? '') : `answered ${last.status}`;
  return { event, mapping, league, to, message, createdAtMs, tries, end: end ?? 'waiting', lastTry };
}
