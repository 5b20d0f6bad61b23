import { markup, type Markup } from '../markup.ts';
import { bar, card, count, named, num, table } from '../parts.ts';
import type { AccountReading, Usage } from '../../model/account-reading.ts';
import type { DayRequests } from './values.ts';
import { moment, roughly, type Watch } from './words.ts';

/** What an account said of itself. */
export interface AccountBudget {
  /** The address of its service. */
  readonly service: string;
  /** As it was last seen on each day, the newest first. */
  readonly readings: readonly AccountReading[];
}

/** What is known of the budgets. */
export interface Budget {
  /** Days with runs, the newest first. */
  readonly days: readonly DayRequests[];
  readonly accounts: readonly AccountBudget[];
}

/** Windows and quotas as each account last said, and both over time. */
export function budgetBody({ days, accounts }: Budget, watch: Watch): Markup {
  const read = accounts.filter(({ readings }) => readings.length > 0);
  const isOne = accounts.length < 2;
  return markup`${
    read.length === 0
      ? card(
          'Windows and quotas',
          markup`<p class="empty">The account has not been read since this version keeps what it says. The next command that uses the service does so.</p>`,
        )
      : read.map((each) => accountPart(each, isOne, watch))
  }
  ${card('Requests by day', requestChart(days), requestTable(days))}`;
}

function accountPart({ service, readings }: AccountBudget, isOne: boolean, watch: Watch): Markup {
  const [newest] = readings;
  if (newest === undefined) return markup``;
  return markup`${isOne ? null : markup`<h2>${named(service)}</h2>`}
    <div class="columns">${usageCard('Requests', newest.windows, newest, watch)}${usageCard('Records', newest.quotas, newest, watch)}</div>
    ${readings.length < 2 ? null : card('Quotas by day', quotaTable(readings))}`;
}

function usageCard(
  heading: string,
  usages: readonly Usage[],
  { atMs }: AccountReading,
  watch: Watch,
): Markup {
  const bars = usages.map(({ name, used, most, isBlocked }) => {
    const label = markup`${name}${isBlocked ? markup` <span class="badge bad">blocked</span>` : null}`;
    return used === null ? markup`<p class="note">${label}: not said</p>` : bar(label, used, limitOf(most));
  });
  return card(heading, bars, markup`<p class="note">As the account said at ${moment(atMs, watch)}.</p>`);
}

/** A limit that is missing, 0 or negative reads as unlimited. */
const limitOf = (most: number | null): number => (most === null || most <= 0 ? -1 : most);

const WIDTH = 400;
const HEIGHT = 120;
const MOST_DAYS = 31;

/** A column for each day with requests; the table below says the same in numbers. */
function requestChart(days: readonly DayRequests[]): Markup | null {
  const shown = days.slice(0, MOST_DAYS).toReversed();
  if (shown.length < 2) return null;
  const most = Math.max(1, ...shown.map(({ sent }) => sent));
  const step = WIDTH / shown.length;
  const columns = shown.map(({ day, sent }, index) => {
    const height = Math.max(sent > 0 ? 1 : 0, (HEIGHT * sent) / most);
    return markup`<rect class="column" x="${(index * step + step * 0.15).toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${(step * 0.7).toFixed(1)}" height="${height.toFixed(1)}" rx="1.5"><title>${day}: ${count(sent)} requests</title></rect>`;
  });
  return markup`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Requests by day, at most ${count(most)}">${columns}</svg>`;
}

function requestTable(days: readonly DayRequests[]): Markup {
  return table(
    'Requests by day',
    ['Day', num('Sent'), num('Throttled'), num('Pauses')],
    days
      .slice(0, MOST_DAYS)
      .map(({ day, sent, throttled, waitedMs }) => [
        day,
        count(sent),
        count(throttled),
        waitedMs === 0 ? '–' : roughly(waitedMs),
      ]),
    'No run that has ended is kept.',
  );
}

function quotaTable(readings: readonly AccountReading[]): Markup {
  const names = [...new Set(readings.flatMap(({ quotas }) => quotas.map(({ name }) => name)))];
  return table(
    'Quotas by day',
    ['Day', ...names.map(num)],
    readings
      .slice(0, MOST_DAYS)
      .map(({ day, quotas }) => [
        day,
        ...names.map((name) => usedOf(quotas.find((quota) => quota.name === name))),
      ]),
  );
}

function usedOf(usage: Usage | undefined): string {
  if (usage === undefined) return '–';
  const most = limitOf(usage.most);
  return most < 0 ? count(usage.used) : `${count(usage.used)} of ${count(most)}`;
}
