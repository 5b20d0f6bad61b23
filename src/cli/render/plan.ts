import { pushTarget } from '../../contract/index.ts';
import type { FieldValue } from '../../model/tables/cell.ts';
import type { Forecast, ForecastLimit } from '../../model/budget.ts';
import { renderCount, renderCountOf } from '../../model/count.ts';
import type { PlannedPush } from '../../sync/ports.ts';
import type { PlannedChange } from '../../plan/saved/push-plan.ts';
import type { Style } from '../screen.ts';
import { renderMissing, renderQuotas, renderSum, renderToSend, sumOf } from './plan-sum.ts';
import { renderOutcomeTable } from './report.ts';
import {
  cutText,
  renderColumns,
  renderDuration,
  renderMoreRows,
  safeText,
  renderReadsAndWrites,
} from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

interface View {
  readonly style: Style;
  readonly nowMs: number;
  readonly timezone: string;
  /** A trigger has one game week and no table. */
  readonly command?: string | undefined;
}

const SHOWN_FIELDS = 4;
const LONGEST_VALUE = 40;

/** A plan for people: counts for each mapping, the first changed rows with before and after, requests, pauses and the finish time. */
export function renderPlan(planned: PlannedPush, sample: readonly PlannedChange[], view: View): string {
  const { style } = view;
  const isTrigger = view.command === 'substitutions';
  const table = isTrigger ? renderWeeks(planned) : renderTable(planned, style);
  const compared = planned.mappings.map(({ mapping, comparedWith }) =>
    style('dim', safeText(`${mapping.name}: ${comparedWith}`)),
  );
  const parts = [
    planned.mappings.length === 0
      ? 'No mapping pushes: there is nothing to send.'
      : `${table}\n${compared.join('\n')}`,
  ];
  const isTold = ({ kind }: PlannedChange): boolean => isTrigger && kind === 'create';
  const shown = sample.filter((change) => !isTold(change));
  if (shown.length > 0) parts.push(renderSample(planned, shown, style));
  parts.push(renderCost(planned, view));
  return parts.join('\n\n');
}

function renderTable({ mappings }: PlannedPush, style: Style): string {
  const rows = mappings.map(({ mapping, resource, outcomes, deactivated }) => ({
    name: mapping.name,
    resource,
    ...outcomes,
    deactivated,
  }));
  return renderOutcomeTable(rows, style);
}

const renderWeeks = ({ mappings }: PlannedPush): string =>
  mappings
    .map(({ mapping, outcomes: { created } }) =>
      safeText(`${mapping.source.origin} ${created > 0 ? 'would be processed' : 'stays as it is'}`),
    )
    .join('\n');

function renderSample(planned: PlannedPush, sample: readonly PlannedChange[], style: Style): string {
  const all = planned.mappings.reduce(
    (sum, { outcomes: { created, updated, invalid, deferred, conflict }, toWrite: { create, update } }) =>
      sum + Math.min(created + updated, create + update) + invalid + deferred + conflict,
    0,
  );
  const keyFields = new Map(
    planned.mappings.map(({ mapping, resource }) => [mapping.name, pushTarget(resource)?.key ?? []]),
  );
  // Columns of their own for each mapping: keys are short in one and long in another.
  const blocks = [...Map.groupBy(sample, ({ mapping }) => mapping)].map(([mapping, changes]) =>
    renderColumns(
      changes.map((change) => [
        MARKS[change.kind](style),
        `${safeText(mapping)} row ${change.row}`,
        safeText(change.key ?? ''),
        renderChange(change, keyFields.get(mapping) ?? [], style),
      ]),
    ),
  );
  const more = all > sample.length ? `\n${style('dim', renderMoreRows(all - sample.length))}` : '';
  return blocks.join('\n') + more;
}

const MARKS: Readonly<Record<PlannedChange['kind'], (style: Style) => string>> = {
  create: (style) => style('green', '+'),
  update: (style) => style('yellow', '~'),
  invalid: (style) => style('red', '✗'),
  deferred: (style) => style('yellow', '…'),
  unchanged: () => ' ',
  excluded: () => ' ',
};

function renderChange(change: PlannedChange, keyFields: readonly string[], style: Style): string {
  const { kind, fields, waits } = change;
  if (kind === 'invalid' || kind === 'deferred') return safeText(change.beside);
  // What the key says already is not said again, but that a part of it is still to come is.
  const told = Object.entries(fields).filter(([name]) => !keyFields.includes(name) || waits.includes(name));
  const changed = told.slice(0, SHOWN_FIELDS);
  const shown = changed.map(([name, { before, after }]) =>
    kind === 'update'
      ? `${name}: ${style('red', renderValue(before))} → ${style('green', renderValue(after))}`
      : `${name}: ${renderValue(after)}`,
  );
  const more = told.length - changed.length;
  const fieldsShown = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  // What is said of a row that goes on is a warning about one of its cells.
  if (change.beside === '') return fieldsShown;
  return `${fieldsShown}  ${style('yellow', '!')} ${safeText(change.beside)}`;
}

function renderValue(value: FieldValue | null): string {
  if (value === null) return '?';
  if (value === '') return '""';
  return cutText(safeText(typeof value === 'object' ? value.join(' ') : String(value)), LONGEST_VALUE);
}

function renderCost(planned: PlannedPush, { nowMs, timezone, style }: View): string {
  const { forecast, mappings } = planned;
  const asked = sumOf(mappings, ({ writes, reads }) => writes + reads);
  // One mapping's table says already what would be done.
  const sum = mappings.length > 1 ? renderSum(planned, nowMs) : undefined;
  const lines = [
    ...(sum === undefined ? [] : [style('bold', sum)]),
    ...renderMissing(planned).map((line) => style('yellow', safeText(line))),
    ...renderQuotas(planned).map((line) => style('yellow', safeText(line))),
    asked === 0
      ? 'nothing to write'
      : `${renderToSend(planned)} to send, ${renderFinish(forecast, nowMs, timezone)}`,
  ];
  if (forecast.finishByMs !== undefined)
    lines.push(`  no request is sent that would end after ${renderDeadline(forecast.finishByMs, timezone)}`);
  const [worstReads, worstWrites] = [
    sumOf(mappings, ({ worst }) => worst.reads),
    sumOf(mappings, ({ worst }) => worst.writes),
  ];
  if (worstReads + worstWrites > asked) {
    const most = renderReadsAndWrites(worstReads, worstWrites);
    lines.push(style('dim', `  if a batch is refused, its rows go one by one: at most ${most}`));
  }
  for (const pause of forecast.pauses.slice(0, 3)) {
    lines.push(
      style(
        'yellow',
        safeText(
          `  pause of ${renderDuration(pause.seconds * 1000)} until ${renderTime(pause.untilMs, timezone)}: ${pause.reason}`,
        ),
      ),
    );
  }
  if (forecast.pauses.length > 3)
    lines.push(`  … and ${renderCountOf(forecast.pauses.length - 3, 'more pause')}`);
  if (forecast.limitedBy !== undefined && asked > 0)
    lines.push(style('yellow', renderFits(forecast, timezone)));
  return lines.join('\n');
}

function renderFinish({ finishesAtMs, atTheLatest }: Forecast, nowMs: number, timezone: string): string {
  const left = finishesAtMs - nowMs;
  if (left < 5_000) return 'finished in a few seconds';
  const when = `about ${renderTime(finishesAtMs, timezone)} (in ${renderDuration(left)})`;
  return atTheLatest
    ? `finished at the latest ${when}: the account does not show yet how its windows count`
    : `finished ${when}`;
}

/** `Sunday 2026-11-22 17:30:00`. */
function renderDeadline(ms: number, timezone: string): string {
  const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: timezone }).format(ms);
  return `${weekday} ${renderTime(ms, timezone)}`;
}

function renderFits({ fits, fittingRows, limitedBy, finishByMs }: Forecast, timezone: string): string {
  const before: Readonly<Record<ForecastLimit, string>> = {
    max_wait: 'before a pause longer than max_wait',
    max_requests: 'into --max-requests',
    finish_by: `before ${renderDeadline(finishByMs ?? 0, timezone)}`,
    reserve: 'beside the reserve',
  };
  const rows = renderCountOf(fittingRows, 'row');
  return `  ${renderCount(fits)} of them (${rows}) fit ${before[limitedBy ?? 'max_wait']}; the rest is deferred`;
}
