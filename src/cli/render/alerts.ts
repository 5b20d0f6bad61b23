import type { Letter, MappingState } from '../../model/state/alerts.ts';
import { renderCountOf } from '../../model/count.ts';
import type { addressesOf } from '../../runtime/config/alert-addresses.ts';
import type { TestResult } from '../../runtime/tell-alerts.ts';
import { resultText } from '../../schedule/alert-texts.ts';
import type { Style } from '../screen.ts';
import { renderColumns, safeText } from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

interface View {
  readonly style: Style;
  readonly timezone: string;
}

const COLOURS = { ok: 'green', degraded: 'yellow', failing: 'red' } as const;

/** Who is told of what, by what the configuration calls the addresses. */
export function renderAddresses({ webhooks, pings }: ReturnType<typeof addressesOf>): string {
  if (webhooks.length + pings.length === 0) return 'nobody is told: teamsheet.yaml has no alerts';
  return renderColumns([
    ...webhooks.map(({ to, on }) => [safeText(to), [...on].join(', ')]),
    ...pings.map(({ to }) => [safeText(to), 'every run']),
  ]);
}

/** What the state holds of alerts. */
export interface AlertsHeld {
  readonly states: readonly MappingState[];
  readonly waiting: readonly Letter[];
  readonly ended: readonly Letter[];
}

/** The state of each mapping, then the alerts: those that wait, and the last ones, the newest first. */
export function renderAlerts({ states, waiting, ended }: AlertsHeld, view: View): string {
  const parts = [
    states.length === 0 ? 'no mapping has run by itself yet' : renderStates(states, view),
    ...(waiting.length === 0 ? [] : [renderLetters('waiting', waiting, view)]),
    ...(ended.length === 0 ? [] : [renderLetters('last alerts', ended, view)]),
  ];
  return parts.join('\n\n');
}

function renderStates(states: readonly MappingState[], { style, timezone }: View): string {
  const isMany = new Set(states.map(({ environment }) => environment)).size > 1;
  const head = ['mapping', 'state', 'since', 'last run', 'exit'].map((text) => style('dim', text));
  return renderColumns([
    head,
    ...states.map(({ environment, league, mapping, state, sinceMs, ranAtMs, exitCode }) => [
      style(
        'bold',
        safeText([...(isMany ? [environment] : []), ...(league === null ? [] : [league]), mapping].join(' ')),
      ),
      style(COLOURS[state], state),
      renderTime(sinceMs, timezone),
      renderTime(ranAtMs, timezone),
      String(exitCode),
    ]),
  ]);
}

function renderLetters(title: string, letters: readonly Letter[], { style, timezone }: View): string {
  const rows = letters.map(({ to, alert, createdAtMs, tries, last, end }) => [
    `  ${renderTime(createdAtMs, timezone)}`,
    alert.event,
    safeText(alert.mapping ?? alert.league ?? ''),
    safeText(to),
    [
      end === 'given_up' ? style('red', 'given up') : (end ?? 'waiting'),
      ...(tries === 0 ? [] : [renderCountOf(tries, 'try', 'tries')]),
      ...(last === null ? [] : [resultText(last)]),
    ].join(', '),
  ]);
  return `${style('bold', title)}\n${renderColumns(rows)}`;
}

/** A line for each address: whether it was told, and what came back. */
export function renderTests(results: readonly TestResult[], style: Style): string {
  return renderColumns(
    results.map((result) => [
      result.ok ? style('green', '✓') : style('red', '✗'),
      safeText(result.to),
      resultText(result),
    ]),
  );
}
