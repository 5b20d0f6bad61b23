import type { Guards, PushMapping } from '../mapping/mapping.ts';
import { renderCountOf } from '../model/count.ts';
import { StoppedError } from '../model/error.ts';
import type { PlanOptions } from './saved/push-plan.ts';
import type { WeekEnd } from './week-end.ts';

/** The guards by the names that `--allow-guard` takes. */
export const GUARDS = [
  'empty_source',
  'min_rows',
  'max_change_pct',
  'max_deactivate',
  'max_step',
  'max_step_pct',
  'reject_mode',
  'open_week',
] as const;

/** What the guards of one mapping look at; what is left out was not compared. */
export interface GuardFigures {
  /** Rows after the header, without excluded ones. */
  readonly rows: number;
  readonly excluded: number;
  readonly invalid: number;
  readonly updates?: number;
  /** Users that would be deactivated, because they are in no row any more. */
  readonly deactivated?: number;
  /** Records known under the keys of the resource; 0 before the first push. */
  readonly known?: number;
  /** The largest step from a confirmed price, where one is known. */
  readonly largestStep?: Step | undefined;
  readonly largestStepPct?: Step | undefined;
  /** Game weeks that would be processed although they are not over, or nobody can tell. */
  readonly openWeeks?: readonly OpenWeek[];
}

/** A row that would have such a game week processed. */
export type OpenWeek = Exclude<WeekEnd, { readonly kind: 'ended' }> & {
  readonly rowNumber: number;
  readonly league: number;
  /** Its number or name as the service shows it, else its id. */
  readonly week: string;
};

/** A change of a number, and the row that makes it. */
export interface Step {
  readonly rowNumber: number;
  readonly before: number;
  readonly after: number;
}

export const stepSize = (step: Step): number => Math.abs(step.after - step.before);
/** The step in percent of the value before; a step away from 0 is beyond every percentage. */
export const stepPct = (step: Step): number =>
  step.before === 0 ? Infinity : (stepSize(step) / Math.abs(step.before)) * 100;

/** A guard that stops: its name, what it found, and the row that it found it in. */
type Tripped = readonly [guard: (typeof GUARDS)[number], what: string, rowNumber?: number];

function stepTooLarge(guards: Guards, figures: GuardFigures): readonly Tripped[] {
  const limits = [
    ['max_step', guards.maxStep, figures.largestStep, stepSize, ''],
    ['max_step_pct', guards.maxStepPct, figures.largestStepPct, stepPct, ' %'],
  ] as const;
  return limits.flatMap(([guard, most, step, sizeOf, unit]): readonly Tripped[] => {
    if (most === undefined || step === undefined || sizeOf(step) <= most + 1e-9) return [];
    const { rowNumber, before, after } = step;
    const what = `row ${rowNumber} goes from ${before} to ${after}: more than ${guard} ${most}${unit}`;
    return [[guard, what, rowNumber]];
  });
}

/** Processing a game week that is still played scores the half of it. */
function weekOpen({ rows, openWeeks: [first, ...others] = [] }: GuardFigures): readonly Tripped[] {
  if (first === undefined) return [];
  const { kind, why, week, league, rowNumber } = first;
  const place = rows > 1 ? `row ${rowNumber}: ` : '';
  const name = `game week ${week}${Number.isNaN(league) ? '' : ` of fantasy league ${league}`}`;
  const what = kind === 'open' ? `${name} has not ended` : `nobody can tell whether ${name} has ended`;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [['open_week', `${place}${what}: ${why}${more}`, rowNumber]];
}

function tripped(guards: Guards, figures: GuardFigures): readonly Tripped[] {
  const { rows, updates = 0, known = 0, deactivated = 0 } = figures;
  const changePct = known === 0 ? 0 : (updates / known) * 100;
  const stops: Tripped[] = [];
  if (rows > 0 && rows < guards.minRows)
    stops.push(['min_rows', `only ${renderCountOf(rows, 'row')}, at least ${guards.minRows} expected`]);
  if (changePct > guards.maxChangePct) {
    const what = `${updates} of ${known} known records would change (${Math.round(changePct)} %), at most ${guards.maxChangePct} % expected`;
    stops.push(['max_change_pct', what]);
  }
  if (deactivated > guards.maxDeactivate) {
    const are = deactivated === 1 ? 'is' : 'are';
    const what = `${renderCountOf(deactivated, 'user')} ${are} no longer in the table and would be deactivated: more than max_deactivate ${guards.maxDeactivate}`;
    stops.push(['max_deactivate', what]);
  }
  return [...stops, ...stepTooLarge(guards, figures), ...weekOpen(figures)];
}

/** The guards that stop a push before it writes, each naming the flag that passes it; empty when it may go on. */
export function checkGuards(
  mapping: PushMapping,
  figures: GuardFigures,
  options: Pick<PlanOptions, 'allowEmpty' | 'allowGuards'>,
): readonly StoppedError[] {
  const { name, guards, source } = mapping;
  const { rows, excluded, invalid, deactivated = 0 } = figures;
  const isAllowed = (guard: (typeof GUARDS)[number]): boolean => options.allowGuards.includes(guard);
  const stop = (
    guard: (typeof GUARDS)[number],
    what: string,
    flagged: StoppedError['flagged'],
    line?: number,
  ): StoppedError =>
    new StoppedError(`guard.${guard}`, `${name}: ${what}`, { file: source.origin, line, flagged });
  const mayBeEmpty = options.allowEmpty || isAllowed('empty_source');
  if (rows === 0 && guards.minRows > 0) {
    if (mayBeEmpty && deactivated <= guards.maxDeactivate) return [];
    if (!mayBeEmpty)
      return [
        excluded === 0
          ? stop(
              'empty_source',
              `${source.origin} has a header and no rows, so the file may have been cut`,
              (add) => `if it is intended to be empty, ${add} --allow-empty`,
            )
          : stop(
              'empty_source',
              `where leaves out all rows of ${source.origin} (${excluded})`,
              (add) => `add rows of your own; if this is intended, ${add} --allow-empty`,
            ),
      ];
  }
  const stops = tripped(guards, figures)
    .filter(([guard]) => !isAllowed(guard))
    .map(([guard, what, line]) =>
      stop(guard, what, (add) => `if this is intended, ${add} --allow-guard ${guard}`, line),
    );
  if (mapping.rejectMode !== 'fail' || invalid === 0 || isAllowed('reject_mode')) return stops;
  const what = `${invalid} of ${rows} rows are invalid and reject_mode is fail, so nothing is sent`;
  const flagged = (add: string): string =>
    `correct the rows, or ${add} --allow-guard reject_mode to send the others`;
  return [...stops, stop('reject_mode', what, flagged)];
}
