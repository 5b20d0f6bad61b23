import { pullTarget } from '../../contract/index.ts';
import {
  AccessError,
  ConfigError,
  IncompleteError,
  RefusedError,
  UnavailableError,
  type TeamsheetError,
} from '../../model/error.ts';
import type { PullMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { listed } from '../../model/listed.ts';
import { didYouMean } from '../../model/nearest.ts';
import type { ReportLayout } from '../../model/tables/layout.ts';
import type { TableLocation } from '../../model/tables/table.ts';
import { joinLayout, orderColumns } from '../../report/arrange.ts';
import { bindColumns, type BoundColumn, type Misfits } from '../../report/column.ts';
import { reportOf } from '../../report/index.ts';
import type { Report } from '../../report/report.ts';
import type { GroupMember } from '../../season/standings.ts';
import { withPlayerIds } from './players.ts';
import type { Read } from './read.ts';
import { readOf, wantsDetail } from './resources.ts';
import { groupOf } from './standings.ts';
import type { SyncPorts } from '../ports.ts';

/** One mapping on its way into its report. */
export interface Job {
  readonly mapping: PullMapping;
  readonly report: Report;
  readonly columns: readonly BoundColumn[];
  readonly layout: ReportLayout | undefined;
  readonly read: Read;
  readonly misfits: Map<string, Misfits>;
  readonly groups: readonly GroupMember[];
  /** Records in the report so far. */
  records: number;
  /** A limit cut its records. */
  limited: boolean;
  /** What reading its player ids or its records ended with, when that failed. */
  failure: unknown;
  /** What stopped a read whose report is written all the same. */
  stoppedBy: TeamsheetError | undefined;
}

function configError(mapping: PullMapping, code: string, message: string, next: string): ConfigError {
  return new ConfigError(code, `mapping ${mapping.name}: ${message}`, { ...mapping.place, next });
}

/** Failures that belong to one report; the pull goes on with the others. What Google refuses it refuses of one spreadsheet. */
export function isLocal(error: unknown): error is TeamsheetError {
  if (error instanceof ConfigError) return error.code.startsWith('google.');
  return [UnavailableError, AccessError, RefusedError, IncompleteError].some((kind) => error instanceof kind);
}

/** How tables that reports hang on are read. */
export interface PrepareOptions {
  /** A table that cannot be read is the failure of its report, whatever is wrong with it. */
  readonly isAlone?: boolean;
  /** The operator's groups of the league of a mapping. */
  readonly groups?: (mapping: string) => Promise<readonly GroupMember[]>;
}

function refuseUnknownGroup(mapping: PullMapping, wanted: string, groups: readonly GroupMember[]): void {
  const names = [...new Set(groups.map(({ group }) => group))];
  if (names.includes(wanted)) return;
  const there = names.length === 0 ? 'no group' : listed(names.map(show));
  throw configError(
    mapping,
    'season.group',
    `nobody stands in the group ${show(wanted)}${didYouMean(wanted, names) || `; the table of season.groups has ${there}`}`,
    'Correct group in where, or the table that season.groups in teamsheet.yaml names.',
  );
}

/** The mapping with the player ids of its table and the groups that it needs, or why they cannot be read. */
async function tryTables(
  mapping: PullMapping,
  tables: SyncPorts['tables'],
  { isAlone = false, groups: groupsOf }: PrepareOptions,
): Promise<Pick<Job, 'mapping' | 'groups' | 'failure'>> {
  try {
    const groups = readOf(mapping).hasGroups === true ? ((await groupsOf?.(mapping.name)) ?? []) : [];
    const group = groupOf(mapping.where);
    if (group !== undefined) refuseUnknownGroup(mapping, group, groups);
    return { mapping: await withPlayerIds(mapping, tables), groups, failure: undefined };
  } catch (failure) {
    if (!isLocal(failure) && !(isAlone && failure instanceof ConfigError)) throw failure;
    return { mapping, groups: [], failure };
  }
}

/**
 * Everything about a mapping that needs no request, its tables of player ids and of groups read; one in a spreadsheet that Google refuses is the failure of the job, and with
 * `isAlone` every one that cannot be read. Errors: ConfigError `mapping.where`, `source.*`, `ids.not_a_player_id`, `season.*`.
 */
export async function prepareJob(
  given: PullMapping,
  tables: SyncPorts['tables'],
  options: PrepareOptions,
): Promise<Job> {
  const { resource, explode, where } = given;
  const filters = Object.keys(where).filter((name) => name !== 'id');
  if (where.id !== undefined && pullTarget(resource)?.readsEach !== true && filters.length > 0)
    throw configError(
      given,
      'mapping.where',
      `where names ids and also ${filters.join(', ')}`,
      'Use either ids or filters.',
    );
  const { mapping, groups, failure } = await tryTables(given, tables, options);
  const report = reportOf(resource, { detail: wantsDetail(mapping), explode });
  const { layout } = mapping;
  const bound = bindColumns(report, mapping.columns);
  const columns = layout === undefined ? bound : orderColumns(layout, bound);
  return {
    mapping,
    report,
    columns,
    layout: layout === undefined ? undefined : joinLayout(layout, columns),
    read: readOf(mapping),
    groups,
    misfits: new Map(),
    records: 0,
    limited: false,
    failure,
    stoppedBy: undefined,
  };
}

/**
 * The jobs that are written together, in mapping order: those of one workbook or spreadsheet; a CSV file is written by itself, and several may add
 * to it. Errors: ConfigError `destination.twice`.
 */
export function groupByFile(jobs: readonly Job[]): readonly (readonly Job[])[] {
  const taken = new Map<string, string>();
  for (const job of jobs) {
    const { location, mode, origin } = job.mapping.destination;
    const file = fileOf(location);
    const table = location.kind === 'csv' ? file : `${file} ${location.tab.toLowerCase()}`;
    const other = taken.get(table);
    if (other !== undefined && (mode === 'replace' || location.kind !== 'csv')) {
      throw configError(
        job.mapping,
        'destination.twice',
        `${other} writes to ${origin} too`,
        'Give one of them another destination.',
      );
    }
    taken.set(table, job.mapping.name);
  }
  const groups = Map.groupBy(jobs, ({ mapping: { name, destination } }) =>
    destination.location.kind === 'csv' ? name : fileOf(destination.location),
  );
  return [...groups.values()];
}

const fileOf = (location: TableLocation): string =>
  location.kind === 'sheet' ? location.spreadsheet : location.path;
