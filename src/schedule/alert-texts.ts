import type { Alert, MappingState, SendFault, SendResult } from '../model/state/alerts.ts';
import { renderCountOf } from '../model/count.ts';
import { EXIT, type ExitCode } from '../model/error.ts';
import { inLeague } from '../model/league-name.ts';

/** What an alert says and what to do: templates with counts, so that no cell, no person's name and no secret can stand in one. */
export type Text = Pick<Alert, 'message' | 'next'>;

const REASONS: Readonly<Partial<Record<ExitCode, string>>> = {
  [EXIT.internal]: 'an error of teamsheet',
  [EXIT.config]: 'the configuration, a mapping or a table is to be corrected',
  [EXIT.access]: 'access was refused',
  [EXIT.stopped]: 'a guard or another check stopped it before it wrote',
  [EXIT.incomplete]: 'the budget or a limit ended it',
  [EXIT.unavailable]: 'something that it needs did not answer',
  [EXIT.usage]: 'the command line is wrong',
};

export function failing(state: MappingState): Text {
  const rows = leftOf(state);
  const why = rows === '' ? REASONS[state.exitCode] : `${rows} of ${rowsOf(state)}`;
  return {
    message: `${state.mapping}: nothing came through${why === undefined ? '' : `: ${why}`}`,
    next: nextOf(state),
  };
}

export function stillFailing(state: MappingState, nowMs: number): Text {
  const span = renderSpan(nowMs - state.sinceMs);
  return { message: `${state.mapping}: still nothing comes through, for ${span}`, next: nextOf(state) };
}

export function degraded(state: MappingState): Text {
  const message = `${state.mapping}: not every row came through: ${leftOf(state)} of ${rowsOf(state)}`;
  return { message, next: nextOf(state) };
}

export function recovered({ mapping, ranAtMs }: MappingState, troubledSinceMs: number): Text {
  const span = renderSpan(ranAtMs - troubledSinceMs);
  return { message: `${mapping}: everything comes through again, after ${span}`, next: null };
}

export function deadlineNear(
  state: MappingState,
  left: Readonly<Record<'invalid' | 'deferred', number>>,
  { week, leftMs }: { readonly week: number | undefined; readonly leftMs: number },
): Text {
  const rows = (['invalid', 'deferred'] as const)
    .filter((outcome) => left[outcome] > 0)
    .map((outcome) => `${left[outcome]} ${outcome}`);
  const deadline = week === undefined ? 'the deadline' : `the deadline of game week ${week}`;
  return {
    message: `${state.mapping}: ${rows.join(' and ')} of ${rowsOf(state)}, and ${deadline} is in ${renderSpan(leftMs)}`,
    next: nextOf(state),
  };
}

export function weekMissing(
  { week, squads, missing, untilMs }: Readonly<Record<'week' | 'squads' | 'missing' | 'untilMs', number>>,
  nowMs: number,
): Text {
  return {
    message: `game week ${week}: ${missing} of ${renderCountOf(squads, 'squad')} are not read, and in ${renderSpan(untilMs - nowMs)} the service no longer shows them`,
    next: 'teamsheet weeks read',
  };
}

export function auditDiffers({
  week,
  squads,
  differ,
}: Readonly<Record<'week' | 'squads' | 'differ', number>>): Text {
  return {
    message: `game week ${week}: the substitutions of ${differ} of ${renderCountOf(squads, 'squad')} differ from the rules`,
    next: `teamsheet substitutions audit --week ${week}`,
  };
}

const LEFT = ['invalid', 'rejected', 'deferred', 'unknown', 'conflict'] as const;

/** `2 invalid, 1 deferred`; empty where no row is left. */
function leftOf({ counts }: MappingState): string {
  return LEFT.flatMap((outcome) => {
    const count = counts?.[outcome] ?? 0;
    return count === 0 ? [] : [`${count} ${outcome === 'conflict' ? 'in conflict' : outcome}`];
  }).join(', ');
}

const rowsOf = ({ counts }: MappingState): string => renderCountOf(counts?.['rows'] ?? 0, 'row');

/** The command that shows more, as it is typed in the folder of the configuration. */
function nextOf({ mapping, league, run, exitCode }: MappingState): string {
  if (run !== null) return `teamsheet runs ${run}`;
  const name = league === null ? mapping : inLeague(mapping, league);
  const named = /^[\p{L}\p{M}\p{N}_.@-]+$/u.test(name) ? name : `'${name}'`;
  if (exitCode === EXIT.config || exitCode === EXIT.rows) return `teamsheet validate ${named}`;
  return exitCode === EXIT.stopped ? `teamsheet plan ${named}` : 'teamsheet doctor';
}

/** `40 min`, `5 h`, `3 d`: a span to its largest unit, whole. */
function renderSpan(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

const FAULTS: Readonly<Record<SendFault, string>> = {
  gone: 'teamsheet.yaml no longer names it',
  unset: 'it is not set, or its file cannot be read',
  address: 'it is no address that begins with https:// or http://',
  private: 'it is of this machine or of a private network; allow_private: true allows that',
  dns: 'its host name is not known',
  refused: 'no connection',
  certificate: 'no trusted TLS connection',
  timeout: 'no answer in time',
  broken: 'the connection broke',
  redirect: 'it redirects, and a redirect is not followed',
};

/** `answered 503`, or why it was not told; for people. */
export function resultText({ status, fault }: SendResult): string {
  const answered = status === null ? [] : [`answered ${status}`];
  return [...answered, ...(fault === null ? [] : [FAULTS[fault]])].join(': ');
}

/** What `alerts test` sends. */
export const testAlert = (environment: string, nowMs: number): Alert => ({
  about: 'test',
  event: 'test',
  environment,
  league: null,
  mapping: null,
  sinceMs: nowMs,
  run: null,
  exitCode: null,
  counts: null,
  message: 'this is a test of teamsheet; nothing happened',
  next: null,
});
