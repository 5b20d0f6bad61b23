import { OUTCOMES, type OutcomeCounts } from '../../model/outcome.ts';
import { markup, type Markup, type Part } from '../markup.ts';
import { card, count, pager, table } from '../parts.ts';
import type { RunLine, Sheet, Work } from './values.ts';
import { healthBadge, mappingText, moment, roughly, type Watch } from './words.ts';

/** The colours of outcomes that are none of success. */
export const KINDS: Readonly<Record<string, string>> = {
  invalid: 'bad',
  rejected: 'bad',
  deferred: 'warn',
  unknown: 'warn',
  conflict: 'warn',
};

/** How many rows ended in each outcome; what there is none of is left out. */
export function outcomeList(outcomes: OutcomeCounts): Markup {
  const shown = OUTCOMES.filter((outcome) => outcomes[outcome] > 0);
  if (shown.length === 0) return markup`<span class="note">no rows</span>`;
  return markup`<ul class="counts">${shown.map((outcome) => markup`<li class="${KINDS[outcome] ?? ''}"><b>${count(outcomes[outcome])}</b> ${outcome}</li>`)}</ul>`;
}

/** What became of a mapping in a run. */
export function workText({ outcomes, records, error }: Work): Part {
  if (outcomes !== null) return outcomeList(outcomes);
  if (error !== null) return markup`failed: ${error}`;
  return markup`<b>${count(records)}</b> ${records === 1 ? 'record' : 'records'}`;
}

/** The address of a run's page. */
export const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

/** The state of a run at work. */
export const RUNNING = markup`<span class="badge">running</span>`;

/** How a run ended, as its exit code. */
export function runState({
  exitCode,
  isAtWork,
  isFinished,
  replacedBy,
}: Pick<RunLine, 'exitCode' | 'isAtWork' | 'isFinished' | 'replacedBy'>): Markup {
  if (isAtWork) return RUNNING;
  if (exitCode === null) return markup`<span class="badge warn">not ended</span>`;
  const left = isFinished ? null : replacedBy.length > 0 ? ', replaced' : ', not finished';
  return markup`<span class="badge ${exitCode === 0 && isFinished ? 'good' : exitCode === 0 ? 'warn' : 'bad'}">exit ${exitCode}${left}</span>`;
}

/** The history, newest first. */
export function runsBody(sheet: Sheet<RunLine>, watch: Watch): Markup {
  const rows = sheet.lines.map((run) => [
    markup`<a href="${runPath(run.id)}">${moment(run.startedAtMs, watch)}</a>`,
    run.command,
    runState(run),
    run.work.length > 0 &&
      markup`<ul class="plain">${run.work.map((work) => markup`<li>${mappingText(work)} ${work.health === 'ok' ? null : healthBadge(work.health)} ${workText(work)}</li>`)}</ul>`,
    run.endedAtMs === null ? '–' : roughly(run.endedAtMs - run.startedAtMs),
    count(run.requests?.sent),
  ]);
  const columns = [
    ...['Started', 'Command', 'Ended'],
    { head: 'Mappings', kind: 'below' },
    { head: 'Took', kind: 'num wide' },
    { head: 'Requests', kind: 'num wide' },
  ] as const;
  return card(
    null,
    table('Runs', columns, rows, 'No run is kept.'),
    pager(sheet, (page) => `/runs?page=${page}`),
  );
}
