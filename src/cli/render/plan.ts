import type { FieldValue } from '../../model/cell.ts';
import type { PlannedChange, PlannedPush } from '../../sync/sync.ts';
import type { Style } from '../screen.ts';
import { renderMissing, renderQuotas, renderSum } from './plan-sum.ts';
import { renderOutcomeTable } from './report.ts';
import {
  cutText,
  renderColumns,
  renderCount,
  renderCountOf,
  renderDuration,
  renderTime,
  safeText,
} from './text.ts';

interface View {
  readonly style: Style;
  readonly nowMs: number;
  readonly timezone: string;
}

/** Rows of a plan that are shown one by one; the counts stand for the rest. */
const SHOWN_CHANGES = 12;
const SHOWN_FIELDS = 4;
const LONGEST_VALUE = 40;

/** The first rows worth a look: what would be written and what is invalid; and how many more there are. */
export async function sampleChanges(
  changes: AsyncIterable<PlannedChange>,
): Promise<readonly PlannedChange[]> {
  const sample: PlannedChange[] = [];
  for await (const change of changes) {
    if (change.kind === 'unchanged' || change.kind === 'excluded') continue;
    sample.push(change);
    if (sample.length >= SHOWN_CHANGES) break;
  }
  return sample;
}

/** Writing requests of a plan. */
export function countWrites({ mappings }: PlannedPush): number {
  return mappings.reduce((sum, { writes }) => sum + writes, 0);
}

/** A plan for people: counts for each mapping, the first changed rows with before and after, requests, pauses and the finish time. */
export function renderPlan(planned: PlannedPush, sample: readonly PlannedChange[], view: View): string {
  const { style } = view;
  const table = renderOutcomeTable(
    planned.mappings.map(({ mapping, outcomes, deactivated }) => ({
      name: mapping.name,
      ...outcomes,
      deactivated,
    })),
    style,
  );
  const compared = planned.mappings.map(({ mapping, comparedWith }) =>
    style('dim', safeText(`${mapping.name}: ${comparedWith}`)),
  );
  const parts = [
    planned.mappings.length === 0
      ? 'No mapping pushes: there is nothing to send.'
      : `${table}\n${compared.join('\n')}`,
  ];
  if (sample.length > 0) parts.push(renderSample(planned, sample, style));
  parts.push(renderCost(planned, view));
  return parts.join('\n\n');
}

function renderSample(planned: PlannedPush, sample: readonly PlannedChange[], style: Style): string {
  const all = planned.mappings.reduce(
    (sum, { outcomes }) => sum + outcomes.created + outcomes.updated + outcomes.invalid + outcomes.deferred,
    0,
  );
  const rows = sample.map((change) => [
    MARKS[change.kind](style),
    `${safeText(change.mapping)} row ${change.row}`,
    safeText(change.key ?? ''),
    renderChange(change, style),
  ]);
  const more =
    all > sample.length
      ? `\n${style('dim', `… and ${renderCountOf(all - sample.length, 'more row', 'more rows')}`)}`
      : '';
  return renderColumns(rows) + more;
}

const MARKS: Readonly<Record<PlannedChange['kind'], (style: Style) => string>> = {
  create: (style) => style('green', '+'),
  update: (style) => style('yellow', '~'),
  invalid: (style) => style('red', '✗'),
  deferred: (style) => style('yellow', '…'),
  unchanged: () => ' ',
  excluded: () => ' ',
};

function renderChange(change: PlannedChange, style: Style): string {
  const { kind, key, fields } = change;
  if (kind === 'invalid' || kind === 'deferred') return safeText(messageWithoutPlace(change));
  // What the key says already is not said again.
  const told = Object.entries(fields).filter(([, { after }]) => after === null || String(after) !== key);
  const changed = told.slice(0, SHOWN_FIELDS);
  const shown = changed.map(([name, { before, after }]) =>
    kind === 'update'
      ? `${name}: ${style('red', renderValue(before))} → ${style('green', renderValue(after))}`
      : `${name}: ${renderValue(after)}`,
  );
  const more = told.length - changed.length;
  const fieldsShown = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  // What is said of a row that goes on is a warning about one of its cells.
  if (change.message === '') return fieldsShown;
  return `${fieldsShown}  ${style('yellow', '!')} ${safeText(messageWithoutPlace(change))}`;
}

/** The row stands in a column of its own already: `users.csv row 4, column "Active": …` loses its first words. */
function messageWithoutPlace({ row, message }: PlannedChange): string {
  const at = message.indexOf(` row ${row}`);
  const rest = at === -1 ? '' : message.slice(at + ` row ${row}`.length);
  return /^[,:] /.test(rest) && !message.slice(0, at).includes('"') ? rest.slice(2) : message;
}

function renderValue(value: FieldValue | null): string {
  if (value === null) return '?';
  if (value === '') return '""';
  return cutText(safeText(typeof value === 'object' ? value.join(' ') : String(value)), LONGEST_VALUE);
}

function renderCost(planned: PlannedPush, { nowMs, timezone, style }: View): string {
  const { requests, forecast, mappings } = planned;
  const left = requests.planned - requests.sent;
  const asked = mappings.reduce((sum, { writes, reads }) => sum + writes + reads, 0);
  // One mapping's table says already what would be done.
  const sum = mappings.length > 1 ? renderSum(planned, nowMs) : undefined;
  const lines = [
    ...(sum === undefined ? [] : [style('bold', sum)]),
    ...renderMissing(planned).map((line) => style('yellow', safeText(line))),
    ...renderQuotas(planned).map((line) => style('yellow', safeText(line))),
    left <= 0
      ? 'nothing to write'
      : `${renderCountOf(left, 'request')} to send, finished ${renderFinish(forecast.finishesAtMs, nowMs, timezone)}`,
  ];
  const worst = mappings.reduce((sum, each) => sum + each.worst.writes + each.worst.reads, 0);
  if (worst > asked) {
    const most = renderCountOf(worst, 'request');
    lines.push(
      style('dim', `  at most ${most}, should the service refuse every row that goes out with others`),
    );
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
  if (forecast.fits < asked)
    lines.push(
      style(
        'yellow',
        `  ${renderCount(forecast.fits)} of them fit before a pause longer than max_wait; the rest is deferred`,
      ),
    );
  return lines.join('\n');
}

function renderFinish(finishesAtMs: number, nowMs: number, timezone: string): string {
  const left = finishesAtMs - nowMs;
  return left < 5_000
    ? 'in a few seconds'
    : `about ${renderTime(finishesAtMs, timezone)} (in ${renderDuration(left)})`;
}
