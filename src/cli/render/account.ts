import { FEATURES } from '../../contract/endpoint.ts';
import type { Account } from '../../contract/resources/account.ts';
import { windowLengthMs, type RateWindowName } from '../../model/budget.ts';
import { renderCount } from '../../model/count.ts';
import type { Style } from '../screen.ts';
import { renderBar } from './progress.ts';
import { cutText, renderColumns, renderDuration, safeText } from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

type Config = NonNullable<Account['config']>;
type Window = NonNullable<NonNullable<Config['rate_limit']>['per_minute']>;
type Quota = NonNullable<NonNullable<Config['features']>['users']>;

interface View {
  readonly style: Style;
  readonly nowMs: number;
  readonly timezone: string;
}

const LONGEST_TEXT = 60;

/** The account for people: who it is, then a bar for each rate window and each quota. What the service does not say is a dash. */
export function renderAccount(account: Account, view: View): string {
  const { style } = view;
  const { rate_limit: windows, features, pricing } = account.config ?? {};
  const head = [
    ['account', shown(account.id)],
    ['tier', shown(account.tier)],
    ['active', flag(account.is_active, style)],
    ['key active', flag(account.api_key_active, style)],
    [
      'price',
      `${shown(pricing?.per_month)} a month, ${shown(pricing?.per_year)} a year, ${shown(pricing?.currency)}`,
    ],
  ];
  const rows = [
    [style('bold', 'requests'), '', '', ''],
    windowRow('per_minute', windows?.per_minute, view),
    windowRow('per_day', windows?.per_day, view),
    [style('bold', 'records'), '', '', ''],
    ...FEATURES.map((name) => quotaRow(name, features?.[name], style)),
  ];
  return `${renderColumns(head)}\n\n${renderColumns(rows, [false, false, true, false])}`;
}

function windowRow(
  name: RateWindowName,
  window: Window | null | undefined,
  { style, nowMs, timezone }: View,
): string[] {
  const resetMs = Date.parse(window?.reset_at ?? '');
  const left = resetMs - nowMs;
  // A reset further away than the window is long is told on another clock.
  const isNear = left > 0 && left <= windowLengthMs(name, window?.window);
  const reset = Number.isNaN(resetMs)
    ? ''
    : `, new at ${renderTime(resetMs, timezone)}${isNear ? `, in ${renderDuration(left)}` : ''}`;
  return [
    `  ${name.replace('_', ' ')}`,
    usageBar(window?.used, window?.limit, style),
    usage(window?.used, window?.limit),
    `${shown(window?.remaining)} left${reset}`,
  ];
}

function quotaRow(name: string, quota: Quota | null | undefined, style: Style): string[] {
  const blocked = quota?.is_blocked === true ? style('red', ', blocked') : '';
  const state = quota?.state === null || quota?.state === undefined ? '' : `, ${shown(quota.state)}`;
  return [
    `  ${name.replaceAll('_', ' ')}`,
    usageBar(quota?.used, quota?.max, style),
    usage(quota?.used, quota?.max),
    `${shown(quota?.remaining)} left${state}${blocked}`,
  ];
}

function usageBar(used: number | null | undefined, of: number | null | undefined, style: Style): string {
  if (typeof used !== 'number' || typeof of !== 'number' || of <= 0) return '';
  const share = used / of;
  return style(share >= 0.95 ? 'red' : share >= 0.75 ? 'yellow' : 'green', renderBar(used, of));
}

const usage = (used: number | null | undefined, of: number | null | undefined): string =>
  `${shown(used)} / ${shown(of)}`;

function flag(value: boolean | null | undefined, style: Style): string {
  if (value === true) return style('green', 'yes');
  return value === false ? style('red', 'no') : '-';
}

function shown(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'number' ? renderCount(value) : cutText(safeText(value), LONGEST_TEXT);
}
