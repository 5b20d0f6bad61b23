import type { Counts, MappingState } from '../model/state/alerts.ts';
import { EXIT, type ExitCode } from '../model/error.ts';
import { healthOf } from '../model/state/health.ts';
import { apart } from '../model/league-name.ts';
import { OUTCOMES } from '../model/outcome.ts';
import type { MappingSummary } from '../model/state/store.ts';

/** A mapping of an environment, by its whole name: `prices`, or `prices@north` where there are several leagues. */
export interface MappingId {
  readonly environment: string;
  readonly name: string;
}

/** What one run says of itself. */
export interface RunEnd {
  readonly environment: string;
  readonly summaries: readonly MappingSummary[];
  readonly run: string | null;
  readonly exitCode: ExitCode;
  /** The code of what ended it early. */
  readonly stoppedBy?: string | undefined;
  /** The mappings that have nothing to send yet. */
  readonly leftOut?: readonly string[];
}

/** How a command ended that ran mappings by itself. */
export interface Attempt {
  /** The mappings that were to run. */
  readonly asked: readonly MappingId[];
  /** A run for each account that it came to. */
  readonly ends: readonly RunEnd[];
  /** That of the command. */
  readonly exitCode: ExitCode;
}

/** What tells a mapping from others. */
export type Parts = Pick<MappingState, 'environment' | 'league' | 'mapping'>;

/** The same text for the same mapping. */
export const keyOf = ({ environment, league, mapping }: Parts): string =>
  JSON.stringify([environment, league, mapping]);

/** A mapping with its league apart. */
export function partsOf({ environment, name }: MappingId): Parts {
  const { mapping, league = null } = apart(name);
  return { environment, league, mapping };
}

/** The states of every mapping that was to run or has run, as if each had just come into its state; none where a signal ended a run. */
export function statesAfter({ asked, ends, exitCode }: Attempt, nowMs: number): readonly MappingState[] {
  if (
    [exitCode, ...ends.map((end) => end.exitCode)].some(
      (code) => code === EXIT.interrupted || code === EXIT.terminated,
    )
  )
    return [];
  const told = ends.flatMap((end) =>
    end.summaries.map((summary) =>
      stateOf({ environment: end.environment, name: summary.name }, summary, end, nowMs),
    ),
  );
  // A mapping whose run went on and whose table was read then is as the second one left it.
  const ran = [...new Map(told.map((state) => [keyOf(state), state])).values()];
  const unfilled = ends.flatMap(({ environment, leftOut = [] }) =>
    leftOut.map((name) => keyOf(partsOf({ environment, name }))),
  );
  const done = new Set(ran.map(keyOf));
  const left = asked
    .filter((mapping) => !done.has(keyOf(partsOf(mapping))))
    .map((mapping) => stateOf(mapping, undefined, { run: null, exitCode }, nowMs))
    .map((state) => (unfilled.includes(keyOf(state)) ? { ...state, state: 'ok' as const } : state));
  return [...ran, ...left];
}

function stateOf(
  mapping: MappingId,
  summary: MappingSummary | undefined,
  { run, exitCode }: Pick<RunEnd, 'run' | 'exitCode'>,
  nowMs: number,
): MappingState {
  const state = healthOf(summary);
  const counts = countsOf(summary);
  return {
    ...partsOf(mapping),
    state,
    sinceMs: nowMs,
    toldAtMs: null,
    ranAtMs: nowMs,
    run,
    exitCode,
    counts,
  };
}

/** Whether a dead man's switch is told of a failure: of some mapping nothing came through, or the command came to none and stopped. */
export function hasFailed(attempt: Attempt): boolean {
  const states = statesAfter(attempt, 0);
  return (
    attempt.exitCode !== EXIT.done && (states.length === 0 || states.some(({ state }) => state === 'failing'))
  );
}

function countsOf(summary: MappingSummary | undefined): Counts | null {
  if (summary === undefined) return null;
  if (summary.direction === 'pull') return { records: summary.records, rows: summary.rows };
  const { rows } = summary;
  return { rows, ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, summary[outcome]])) };
}
