import { renderCount, renderCountOf } from '../../model/count.ts';
import { EXIT } from '../../model/error.ts';
import type { ExitCode } from '../../model/error.ts';
import { OUTCOMES } from '../../model/outcome.ts';
import type { Outcome } from '../../model/outcome.ts';
import type { PullSummary, PushSummary, RequestCounts } from '../../model/state/store.ts';
import type { Reason } from '../../sync/finish/reasons.ts';
import type { RunReport } from '../../sync/ports.ts';
import type { Style } from '../screen.ts';
import { renderColumns, renderDuration, safeText } from './text.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

const COLOURS: Readonly<Record<Outcome, 'green' | 'yellow' | 'red' | 'dim'>> = {
  created: 'green',
  updated: 'green',
  unchanged: 'dim',
  invalid: 'red',
  rejected: 'red',
  excluded: 'dim',
  deferred: 'yellow',
  unknown: 'yellow',
  conflict: 'yellow',
};

/** What a run did, mapping by mapping, with its requests. */
export function renderReport(report: RunReport, style: Style): string {
  const pushed = report.mappings.filter((mapping) => mapping.direction === 'push');
  const pulled = report.mappings.filter((mapping) => mapping.direction === 'pull');
  const parts = [
    ...(pushed.length === 0 ? [] : [renderOutcomeTable(pushed, style)]),
    ...(pulled.length === 0 ? [] : [renderPulls(pulled, style)]),
    renderEnd(report),
  ];
  return parts.join('\n\n');
}

interface OutcomeWord<T> {
  readonly outcome: Outcome;
  readonly word: string;
  readonly mappings: readonly T[];
}

/** What people call each outcome, and the mappings whose rows are called so. */
export function outcomeWords<T extends Pick<PushSummary, 'resource'>>(
  mappings: readonly T[],
): readonly OutcomeWord<T>[] {
  return OUTCOMES.flatMap((outcome) => {
    const words = Map.groupBy(mappings, ({ resource }) =>
      outcome === 'created' ? (resourcePlans[resource].createdWord ?? outcome) : outcome,
    );
    return [...words].map(([word, alike]) => ({ outcome, word, mappings: alike }));
  });
}

type OutcomeRow = Pick<PushSummary, 'name' | 'resource' | 'rows' | 'deactivated' | Outcome>;

/** One line for each mapping, one column for each outcome that any of them has. */
export function renderOutcomeTable(mappings: readonly OutcomeRow[], style: Style): string {
  const always: readonly Outcome[] = ['created', 'updated', 'unchanged'];
  const columns = outcomeWords(mappings).filter(
    ({ outcome, mappings: called }) =>
      always.includes(outcome) || called.some((mapping) => mapping[outcome] > 0),
  );
  const deactivated = mappings.some((mapping) => mapping.deactivated > 0);
  const head = ['', 'rows', ...columns.map(({ word }) => word), ...(deactivated ? ['deactivated'] : [])];
  const rows = mappings.map((mapping) => [
    style('bold', safeText(mapping.name)),
    renderCount(mapping.rows),
    ...columns.map(({ outcome, mappings: called }) =>
      mapping[outcome] === 0 || !called.includes(mapping)
        ? style('dim', '0')
        : style(COLOURS[outcome], renderCount(mapping[outcome])),
    ),
    ...(deactivated ? [renderCount(mapping.deactivated)] : []),
  ]);
  return renderColumns(
    [head.map((text) => style('dim', text)), ...rows],
    [false, ...Array<boolean>(head.length).fill(true)],
  );
}

function renderPulls(pulls: readonly PullSummary[], style: Style): string {
  const rows = pulls.map((pull) =>
    pull.error === undefined
      ? [
          style('green', '✓'),
          style('bold', safeText(pull.name)),
          renderRecords(pull),
          safeText(pull.destination),
        ]
      : [style('red', '✗'), style('bold', safeText(pull.name)), 'failed', safeText(pull.error.message)],
  );
  return renderColumns(rows);
}

/** Reasons that are shown of each mapping and outcome. */
const SHOWN_REASONS = 3;

/** Why rows were refused or are left, one line for each distinct message: `unknown: prices.csv row 3 (1/7/current): no trustworthy answer … (2 more rows like it)`. */
export function renderReasons(reasons: readonly Reason[], run: string | null): readonly string[] {
  const alike = Map.groupBy(reasons, ({ mapping, outcome }) => `${outcome} ${mapping}`);
  const first = [...alike.values()].flatMap((each) => each.slice(0, SHOWN_REASONS));
  const shown = first.map(({ outcome, message, rows }) => {
    const more = rows > 1 ? ` (${renderCountOf(rows - 1, 'more row')} like it)` : '';
    return `${outcome}: ${safeText(message)}${more}`;
  });
  const isCut = reasons.length > first.length;
  return isCut
    ? [...shown, `… and others: ${run === null ? 'see the results' : `teamsheet runs ${run} shows them`}`]
    : shown;
}

/** What became of the one game week of a trigger: it has neither table nor rows, so that nothing is counted. */
export function renderTrigger(
  { week, lines: changed }: { readonly week: string; readonly lines: readonly string[] },
  { report, reasons = [] }: { readonly report: RunReport; readonly reasons?: readonly Reason[] },
): string {
  const lines = reasons.map(({ outcome, said }) =>
    outcome === 'created' ? `the service answered: ${said}` : `${outcome}: ${said}`,
  );
  const [push] = report.mappings.filter((mapping) => mapping.direction === 'push');
  const outcome = OUTCOMES.find((each) => (push?.[each] ?? 0) > 0);
  if (lines.length === 0 && outcome !== undefined) lines.push(TRIGGERED[outcome] ?? outcome);
  return [
    ...lines.map((line) => safeText(`${week}: ${line}`)),
    ...changed.map(safeText),
    '',
    renderEnd(report),
  ].join('\n');
}

const TRIGGERED: Readonly<Partial<Record<Outcome, string>>> = {
  created: 'the service accepted the trigger without details',
  unchanged: 'triggered before, so nothing was sent',
};

/** `13 requests (3 reads, 10 writes) · run 01J…` */
const renderEnd = ({ requests, run }: RunReport): string =>
  `${renderRequests(requests)}${run === null ? '' : ` · run ${run}`}`;

/** `60 records`, or `60 records, 900 rows, 2 left out` where a record makes more rows than one and not all could be had; `2 records, limited by --limit`. */
export function renderRecords({
  records,
  rows,
  left_out: leftOut = 0,
  limited = false,
}: Pick<PullSummary, 'records' | 'rows' | 'left_out' | 'limited'>): string {
  return [
    renderCountOf(records, 'record'),
    ...(rows === records ? [] : [renderCountOf(rows, 'row')]),
    ...(leftOut === 0 ? [] : [`${renderCount(leftOut)} left out`]),
    ...(limited ? ['limited by --limit'] : []),
  ].join(', ');
}

/** `13 requests (3 reads, 10 writes)`, with what the budget cost. */
export function renderRequests({
  sent,
  reads,
  writes,
  throttled,
  waited_ms: waitedMs,
}: RequestCounts): string {
  const parts = [
    `${renderCountOf(sent, 'request')} (${renderCountOf(reads, 'read')}, ${renderCountOf(writes, 'write')})`,
  ];
  if (throttled > 0) parts.push(`${renderCount(throttled)} refused for the budget`);
  if (waitedMs > 0) parts.push(`waited ${renderDuration(waitedMs)}`);
  return parts.join(', ');
}

/** What to do after a run that did not end with everything done: commands without the program's name, or sentences. */
export function nextAfter(
  { command, exit_code, run, mappings }: Pick<RunReport, 'command' | 'exit_code' | 'run' | 'mappings'>,
  stopped: boolean,
  needsResolve = false,
): readonly string[] {
  const pulls = mappings.flatMap((mapping) =>
    mapping.direction === 'pull' ? (mapping.error?.next ?? []) : [],
  );
  const pushes = mappings.filter((mapping) => mapping.direction === 'push');
  const isStale = pushes.some(({ stale = 0 }) => stale > 0);
  // A row may say what it does of a row in another of these tables.
  const anew = command === 'import' ? IMPORT_AGAIN : `push ${pushes.map(({ name }) => name).join(' ')}`;
  const doubtful = new Set(pushes.flatMap((push) => (isInDoubt(push) ? [push.resource] : [])));
  const left = {
    resumable:
      stopped || (!needsResolve && pushes.some((push) => openRows(push) > 0 && !doubtful.has(push.resource))),
    unsettled: stopped || pushes.some((push) => openRows(push) + push.conflict > 0),
  };
  const pushed = pushes.length === 0 ? [] : nextAfterPush(command, exit_code, run, left);
  // Rows that wait may wait for one that is to be corrected.
  const isHeldUp = exit_code === EXIT.incomplete && !stopped && pushes.some(({ deferred }) => deferred > 0);
  const isRefused = isHeldUp && pushes.length > 1 && pushes.some((push) => push.invalid + push.rejected > 0);
  return [...new Set([...(isRefused ? [CORRECT] : []), ...(isStale ? [anew] : []), ...pushed, ...pulls])];
}

/** Whether a push left a write without an answer that no list shows: `resume` can look for it no better. */
const isInDoubt = ({ resource, unknown }: PushSummary): boolean =>
  unknown > 0 && resourcePlans[resource].listed === undefined;

/** Rows that the run left open, without those that are left to the next push. */
function openRows({ deferred, unknown, stale = 0 }: PushSummary): number {
  return deferred - stale + unknown;
}

interface Left {
  /** Rows that wait can be sent; a write without an answer can be looked for again where the service lists it. A conflict stays as it is. */
  readonly resumable: boolean;
  readonly unsettled: boolean;
}

/** A capital, because `import` is a command too. */
const IMPORT_AGAIN = 'Import the whole file again.';
const CORRECT = 'correct the rows in the rejected file, then import it or run the mapping again';

/** `retry` reads the tables of the run again; an imported file has its own rejected rows, and a trigger has no table. */
function toMend(command: string, run: string | null): readonly string[] {
  if (command === 'import')
    return ['correct the rows in the rejected file, then import that file with the same flags'];
  if (run === null) return [CORRECT];
  return command === 'substitutions' ? [`runs ${run}`] : ['correct the rows in their table', `retry ${run}`];
}

function nextAfterPush(
  command: string,
  exitCode: ExitCode,
  run: string | null,
  { resumable, unsettled }: Left,
): readonly string[] {
  if (exitCode === EXIT.rows) return toMend(command, run);
  if (!unsettled) return [];
  if (exitCode === EXIT.incomplete && !resumable) return ['resolve'];
  return run !== null && GOES_ON.has(exitCode) ? [`resume ${run}`] : [];
}

/** How a run ends that `resume` goes on with. */
const GOES_ON: ReadonlySet<ExitCode> = new Set([
  ...[EXIT.incomplete, EXIT.unavailable, EXIT.access, EXIT.interrupted, EXIT.terminated],
]);
