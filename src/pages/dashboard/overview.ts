import type { WorkerHost } from '../../model/state/workers.ts';
import { markup, type Markup } from '../markup.ts';
import { card, count, table, tile, tiles } from '../parts.ts';
import { runPath, RUNNING, workText } from './runs.ts';
import type { MappingLine, RunLine } from './values.ts';
import { fromNow, healthBadge, mappingText, moment, typed, type Watch } from './words.ts';

/** What the first page shows. */
export interface Overview {
  readonly mappings: readonly MappingLine[];
  readonly newest: RunLine | undefined;
  readonly openCases: number;
  /** The game weeks that schedules go by were read at this time; undefined: none are known, so only cron schedules have a next run. */
  readonly calendarAtMs: number | undefined;
}

type Hosts = readonly Pick<WorkerHost, 'state'>[];

/** Every mapping with its state, its last and its next run; `hosts` are the workers of the last day, where there were any. */
export function overviewBody(
  { mappings, newest, openCases, calendarAtMs }: Overview,
  watch: Watch,
  hosts: Hosts = [],
): Markup {
  const [next] = mappings
    .flatMap((line) => (line.next === undefined ? [] : [{ line, next: line.next }]))
    .toSorted((one, other) => one.next.inMs - other.next.inMs);
  const wrong = mappings.filter(({ health }) => health !== undefined && health !== 'ok').length;
  const isScheduled = mappings.some(({ schedule }) => schedule !== '');
  return markup`${openCases === 0 ? null : markup`<p class="notice warn"><a href="/cases">${count(openCases)} open ${openCases === 1 ? 'case' : 'cases'}</a>: nobody can say yet what became of them.</p>`}
  ${tiles(
    tile('Mappings', count(mappings.length), wrong === 0 ? null : markup`${count(wrong)} not ok`),
    tile('Last run', newest === undefined ? 'none' : moment(newest.startedAtMs, watch)),
    tile('Next run', next === undefined ? 'none' : moment(next.next.atMs, watch)),
    tile('Open cases', count(openCases)),
  )}
  ${card(
    'Mappings',
    table(
      'Mappings',
      COLUMNS,
      mappings.map((line) => mappingRow(line, watch)),
      'The configuration has no mapping.',
    ),
    isScheduled ? scheduleNote(calendarAtMs, watch, hosts) : null,
  )}`;
}

const COLUMNS = [
  'Mapping',
  'State',
  { head: 'Last run', kind: 'below' },
  { head: 'What became of it', kind: 'below' },
  { head: 'Next run', kind: 'below' },
  { head: 'Table', kind: 'wide' },
] as const;

function mappingRow(line: MappingLine, watch: Watch): readonly (Markup | string)[] {
  const { last, running, health, next, schedule, direction, resource, table: its } = line;
  return [
    markup`${mappingText(line)}<br><span class="note">${direction} ${resource.replaceAll('_', ' ')}</span>`,
    running === undefined
      ? healthBadge(health)
      : markup`${health && markup`${healthBadge(health)} `}<a href="${runPath(running.id)}">${RUNNING}</a>`,
    last === undefined
      ? '–'
      : markup`<a href="${runPath(last.run.id)}">${moment(last.run.startedAtMs, watch)}</a><br><span class="note">${fromNow(last.run.startedAtMs, watch)}</span>`,
    last === undefined ? '–' : markup`${workText(last.work)}`,
    next === undefined
      ? markup`–${schedule === '' ? null : markup`<br><span class="note">${schedule}</span>`}`
      : markup`${moment(next.atMs, watch)}<br><span class="note">${fromNow(watch.nowMs + next.inMs, watch)}${next.week === undefined ? null : markup`, week ${next.week}`}</span>`,
    markup`<bdi>${its}</bdi>`,
  ];
}

function scheduleNote(calendarAtMs: number | undefined, watch: Watch, hosts: Hosts): Markup {
  if (calendarAtMs !== undefined)
    return markup`<p class="note">Next runs go by the game weeks as they were read at ${moment(calendarAtMs, watch)}. ${carriedOutBy(hosts)}</p>`;
  const reader = hosts.length === 0 ? typed('schedule run') : 'a worker';
  return markup`<p class="note">The game weeks are not known here yet: ${reader} reads them, and runs that go by them are shown then.</p>`;
}

function carriedOutBy(hosts: Hosts): Markup {
  if (hosts.length === 0) return markup`They happen while ${typed('schedule run')} runs.`;
  const alive = hosts.filter(({ state }) => state === 'alive').length;
  return alive === 0
    ? markup`Workers carry them out, and none runs now: ${typed('worker')} starts one.`
    : markup`Workers carry them out: ${count(alive)} ${alive === 1 ? 'runs' : 'run'} now.`;
}
