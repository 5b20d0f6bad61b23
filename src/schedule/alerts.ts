import type { Alert, Counts, MappingState } from '../model/state/alerts.ts';
import * as say from './alert-texts.ts';
import { keyOf, partsOf, statesAfter, type Attempt, type MappingId } from './mapping-states.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** When a mapping's rows of a game week are due. */
export interface Deadline extends MappingId {
  /** The number of the game week, where the service's text holds one. */
  readonly week: number | undefined;
  readonly gameWeekId: string;
  readonly atMs: number;
}

/** What is told of a whole league, once for each game week, and again when its numbers change. */
export type LeagueNotice = {
  readonly environment: string;
  /** Null without `leagues`. */
  readonly league: string | null;
  /** The number of the game week. */
  readonly week: number;
  readonly gameWeekId: string;
  readonly squads: number;
} & (
  | {
      readonly event: 'week_missing';
      /** Squads of which something is not read. */
      readonly missing: number;
      /** When the service no longer shows it. */
      readonly untilMs: number;
    }
  | { readonly event: 'audit_differs'; readonly differ: number }
);

/** Everything that there may be to tell at one moment. */
export interface Tidings {
  readonly attempt?: Attempt | undefined;
  /** The mappings that there are: those that fail are told again once a day, whether they run or not. */
  readonly known?: readonly MappingId[] | undefined;
  readonly deadlines?: readonly Deadline[] | undefined;
  readonly notices?: readonly LeagueNotice[] | undefined;
}

/** The states that change, and what is to be told. */
export interface News {
  readonly states: readonly MappingState[];
  readonly alerts: readonly Alert[];
}

/**
 * The states after a moment, and its alerts: one for each change of a mapping's state, never for a run as such; one a day while a mapping fails; those of
 * deadlines and of leagues. What a signal ended changes nothing.
 */
export function newsOf(states: readonly MappingState[], tidings: Tidings, nowMs: number): News {
  const held = new Map(states.map((state) => [keyOf(state), state]));
  const changed = new Map<string, MappingState>();
  const alerts: Alert[] = [];
  const keep = ({ state, alert }: Step): void => {
    held.set(keyOf(state), state);
    changed.set(keyOf(state), state);
    if (alert !== undefined) alerts.push(alert);
  };
  const { attempt, known = [], deadlines = [], notices = [] } = tidings;
  for (const after of attempt === undefined ? [] : statesAfter(attempt, nowMs))
    keep(afterRun(held.get(keyOf(after)), after));
  for (const mapping of known) {
    const again = stillFailing(held.get(keyOf(partsOf(mapping))), nowMs);
    if (again !== undefined) keep(again);
  }
  for (const deadline of deadlines) {
    const alert = deadlineNear(held.get(keyOf(partsOf(deadline))), deadline, nowMs);
    if (alert !== undefined) alerts.push(alert);
  }
  for (const notice of notices) alerts.push(leagueAlert(notice, nowMs));
  return { states: [...changed.values()], alerts };
}

interface Step {
  readonly state: MappingState;
  readonly alert?: Alert | undefined;
}

/** A mapping that was never seen before counts as one that was ok. */
function afterRun(before: MappingState | undefined, after: MappingState): Step {
  if (after.state === (before?.state ?? 'ok')) {
    if (before === undefined) return { state: after };
    const state = { ...after, sinceMs: before.sinceMs, toldAtMs: before.toldAtMs };
    return stillFailing(state, after.ranAtMs) ?? { state };
  }
  if (after.state === 'ok')
    return {
      state: after,
      alert: alertOf(after, 'recovered', say.recovered(after, before?.sinceMs ?? after.sinceMs)),
    };
  const state = { ...after, toldAtMs: after.ranAtMs };
  return { state, alert: alertOf(state, after.state, say[after.state](state)) };
}

function stillFailing(before: MappingState | undefined, nowMs: number): Step | undefined {
  if (before?.state !== 'failing' || before.toldAtMs === null) return undefined;
  // A clock that was set back may have put it far ahead.
  if (Math.abs(nowMs - before.toldAtMs) < DAY_MS) return undefined;
  const state = { ...before, toldAtMs: nowMs };
  return {
    state,
    alert: {
      ...alertOf(state, 'failing', say.stillFailing(state, nowMs)),
      about: aboutOf(state, `failing ${nowMs}`),
    },
  };
}

/** The two moments before a deadline at which rows that were not sent are told of, in hours; the last comes first. */
const WARNINGS_H = [2, 24] as const;

function deadlineNear(
  state: MappingState | undefined,
  { week, gameWeekId, atMs }: Deadline,
  nowMs: number,
): Alert | undefined {
  const leftMs = atMs - nowMs;
  const warning = WARNINGS_H.find((hours) => leftMs > 0 && leftMs <= hours * HOUR_MS);
  const { invalid = 0, deferred = 0 } = state?.counts ?? {};
  if (state === undefined || warning === undefined || invalid + deferred === 0) return undefined;
  return {
    ...alertOf(state, 'deadline_near', say.deadlineNear(state, { invalid, deferred }, { week, leftMs })),
    about: aboutOf(state, `deadline_near ${gameWeekId} ${warning}`),
  };
}

function alertOf(state: MappingState, event: Alert['event'], text: say.Text): Alert {
  const { environment, league, mapping, sinceMs, run, exitCode, counts } = state;
  return {
    about: aboutOf(state, `${event} ${sinceMs}`),
    ...{ event, environment, league, mapping, sinceMs, run, exitCode, counts, ...text },
  };
}

function leagueAlert(notice: LeagueNotice, nowMs: number): Alert {
  const { event, environment, league, gameWeekId, squads } = notice;
  const whose = { environment, league, mapping: null };
  const counts: Counts =
    event === 'week_missing' ? { squads, missing: notice.missing } : { squads, differ: notice.differ };
  const text = event === 'week_missing' ? say.weekMissing(notice, nowMs) : say.auditDiffers(notice);
  // The numbers of an audit may change; a week that is about to be lost is told of once.
  const what =
    event === 'week_missing' ? `${event} ${gameWeekId}` : `${event} ${gameWeekId} ${notice.differ}`;
  return {
    about: aboutOf(whose, what),
    ...{ event, ...whose, sinceMs: nowMs, run: null, exitCode: null, counts, ...text },
  };
}

const aboutOf = (
  { environment, league, mapping }: Pick<Alert, 'environment' | 'league' | 'mapping'>,
  what: string,
): string => JSON.stringify([environment, league, mapping, what]);
