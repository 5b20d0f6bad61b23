import type { RunRow } from '../../src/model/state/run-rows.ts';
import { renderSaid } from '../../src/model/said.ts';
import { says } from '../support/said.ts';
import type { Checker } from './checker.ts';
import { keptName } from './habits.ts';
import { latest, type Effect, type Kind, type Records } from './records.ts';
import type { Scenario } from './scenario.ts';

/** What the last push is judged by. */
export interface End {
  readonly scenario: Scenario;
  readonly checker: Checker;
  readonly records: Records;
  readonly count: (what: string) => void;
}

interface Judged {
  readonly end: End;
  readonly mapping: string;
  readonly resource: Kind;
  readonly row: RunRow;
}

/**
 * I3 and I5, once nothing goes wrong any more: every row of the last push is as the operator wants it at the service, or there is a reason that no
 * program can overcome: two records under one key, a write that cannot be looked for, a list that proves nothing.
 */
export function checkEnd(end: End, rowsOf: (mapping: string) => readonly RunRow[]): void {
  for (const { name, resource } of end.scenario.mappings)
    for (const row of rowsOf(name)) {
      end.count(`at the end ${resource} ${String(row.outcome)}`);
      const problem = problemOf({ end, mapping: name, resource: resource, row });
      if (problem !== undefined)
        end.checker.fail(
          'I5',
          `${name} row ${row.rowNumber} (${row.key ?? ''}) ends as ${String(row.outcome)}: ${problem}`,
        );
    }
}

function problemOf(judged: Judged): string | undefined {
  const { row, end, resource } = judged;
  const held = row.key === null ? [] : end.records.find(resource, row.key);
  switch (row.outcome) {
    case 'unchanged':
    case 'created':
    case 'updated':
      return says(row.said, 'duplicate-same') ? undefined : differs(judged);
    case 'excluded':
      return undefined;
    case 'conflict':
      return held.length > 1 || differs(judged) !== undefined || isKeptOtherwise(judged)
        ? undefined
        : 'the service has what the row says';
    case 'invalid':
      return mayBeInvalid(judged) ? undefined : renderSaid(row.said);
    case 'rejected':
      return mayBeRejected(judged) ? undefined : renderSaid(row.said);
    case 'deferred':
      return mayWait(judged) ? undefined : renderSaid(row.said);
    case 'unknown':
      return isOpen(judged) ? undefined : renderSaid(row.said);
    default:
      return 'no outcome';
  }
}

/** Whether others wrote, so that a value may be theirs. */
const touchedByOthers = (effects: readonly Effect[]): boolean =>
  effects.some(({ request }) => request === undefined);

/** How the record of a row differs from it; a snapshot does not see what others did to it. */
function differs({ row, end, resource }: Judged): string | undefined {
  const { key, fields } = row;
  if (key === null || fields === null) return 'it has no fields';
  const effects = end.records.effects.filter((each) => each.resource === resource && each.key === key);
  const found = end.records.find(resource, key);
  if (touchedByOthers(effects) || found.length > 1) return undefined;
  const [first] = found;
  if (first === undefined) return 'the service does not hold it';
  const last = resource === 'prices' ? found.at(-1) : first;
  const held = latest(last ?? first);
  const wrong = Object.entries(fields).filter(
    ([name, value]) => name in held && JSON.stringify(held[name]) !== JSON.stringify(value),
  );
  if (wrong.length === 0) return undefined;
  return `the service has ${wrong.map(([name]) => `${name} ${JSON.stringify(held[name])}`).join(', ')}`;
}

/** Whether the service keeps the name of a user otherwise than the row says it. */
const isKeptOtherwise = ({ row, end, resource }: Judged): boolean =>
  resource === 'users' &&
  keptName(row.fields?.['display_name'], end.scenario.habits) !== row.fields?.['display_name'];

const isOpen = ({ row, end, resource }: Judged): boolean => end.checker.openKeys(resource).has(row.key ?? '');

function mayBeInvalid({ row, end, resource }: Judged): boolean {
  // Squads and mini leagues can only be created: what is there with other values stays; a member may be in no table.
  if (resource !== 'users') return true;
  return (
    row.key === null ||
    row.said.some((part) => part.code === 'issue' && part.issue.code === 'key.repeated') ||
    end.scenario.others
  );
}

/** A repeated record or setting may be refused by a service that has it from somebody else, or from a write that nobody saw. */
function mayBeRejected({ row, end, resource }: Judged): boolean {
  const { repeatedSetting } = end.scenario.habits;
  if (resource === 'points_config' || resource === 'auto_substitutions') return repeatedSetting === 'refuse';
  return end.records.find(resource, row.key ?? '').length > 0 || renderSaid(row.said).includes('no such');
}

/** Reasons to wait for good. */
function mayWait(judged: Judged): boolean {
  const { row, end } = judged;
  if (isOpen(judged)) return true;
  if (
    says(row.said, 'waits-for', 'waits-gone') ||
    row.said.some((part) => part.code === 'issue' && part.issue.message.includes('waits for'))
  )
    return true;
  return says(row.said, 'list-unread') && isDoubtful(end.scenario);
}

/** Services whose lists cannot be proved whole. */
export function isDoubtful({ habits }: Scenario): boolean {
  const { paging, userPage, counters } = habits;
  const lags = counters !== 'absent' && counters.lagMs > 0;
  return paging !== 'right' || userPage !== 'obeyed' || lags;
}
