import { resolve } from 'node:path';
import { spreadsheetError } from '../mapping/spreadsheet-error.ts';
import { indexHeader } from '../mapping/header-index.ts';
import { spreadsheetIn } from '../mapping/parse/parse-source.ts';
import { rowsFor } from '../mapping/row-filter.ts';
import { show } from '../mapping/show.ts';
import { shownText, type Cell } from '../model/tables/cell.ts';
import { ConfigError } from '../model/error.ts';
import { renderRowIssue, type Issue } from '../model/issue.ts';
import type { ReadOptions, SourceRow, SourceTable, TableLocation } from '../model/tables/table.ts';
import type { GroupMember } from '../season/standings.ts';
import { weekNumber } from '../season/week-number.ts';
import type { SyncPorts } from '../sync/ports.ts';
import type { Config } from './config/config.ts';

type Groups = NonNullable<Config['season']['groups']>;

/**
 * The operator's own groups: a line of the table says that a member stands in one. Nothing where none are configured. Errors: ConfigError `source.*`, `header.missing` where a column
 * is not there, `season.groups` for a line that cannot be read, `season.from_week` for a first week that is none, and `season.member_twice` where two lines say
 * another one of a member in a group.
 */
export async function readGroups(
  { tables, signal }: Pick<SyncPorts, 'tables' | 'signal'>,
  groups: Groups | undefined,
  { folder }: Pick<Config, 'folder'>,
): Promise<readonly GroupMember[]> {
  if (groups === undefined) return [];
  const { location, origin } = locationOf(groups, folder);
  const options = { origin, headerRow: 1, delimiter: 'auto', encoding: 'auto' };
  const table = await tables[location.kind].open(location, options);
  try {
    return await membersOf(table, groups, options, signal);
  } finally {
    await table.close();
  }
}

function locationOf(
  { csv, xlsx, sheet, tab = '' }: Groups,
  folder: string,
): { readonly location: TableLocation; readonly origin: string } {
  if (csv !== undefined) return { location: { kind: 'csv', path: resolve(folder, csv) }, origin: csv };
  if (xlsx !== undefined)
    return { location: { kind: 'xlsx', path: resolve(folder, xlsx), tab }, origin: `${xlsx} tab "${tab}"` };
  return {
    location: { kind: 'sheet', spreadsheet: spreadsheetIn(sheet ?? ''), tab },
    origin: `tab "${tab}"`,
  };
}

async function membersOf(
  table: SourceTable,
  { member, group, from_week: fromWeek }: Groups,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<readonly GroupMember[]> {
  const header = indexHeader(table.header, options, [
    member,
    group,
    ...(fromWeek === undefined ? [] : [fromWeek]),
  ]);
  const columnOf = (name: string): number => {
    const index = header.find([name]);
    if (index !== undefined) return index;
    throw new ConfigError(
      'header.missing',
      `${options.origin} row 1: no column ${show(name)} (for season.groups); the header has ${table.header.map(show).join(', ')}`,
      {
        file: options.origin,
        line: 1,
        next: 'Correct the header of the file, or the name in season.groups.',
      },
    );
  };
  const [memberAt, groupAt] = [columnOf(member), columnOf(group)];
  const fromAt = fromWeek === undefined ? undefined : columnOf(fromWeek);
  const places = [memberAt, groupAt, ...(fromAt === undefined ? [] : [fromAt])];
  const used = new Set(places.map((at) => table.header[at] ?? ''));
  const issueOf = ({ cells, issues = [] }: SourceRow): Issue | undefined =>
    [...issues, ...places.flatMap((at) => errorIssue(cells[at] ?? '', table.header[at] ?? ''))][0];
  const found: GroupMember[] = [];
  const lines = new Map<string, { readonly row: number; readonly first: number | undefined }>();
  for await (const batch of table.batches()) {
    signal.throwIfAborted();
    for (const row of rowsFor(used, batch)) {
      const { cells, rowNumber } = row;
      const issue = issueOf(row);
      if (issue !== undefined)
        throw new ConfigError(
          'season.groups',
          `${renderRowIssue(options.origin, rowNumber, issue)} (for season.groups)`,
          { file: options.origin, line: rowNumber, next: 'Correct the line in the table of groups.' },
        );
      const textAt = (at: number | undefined): string => plain(at === undefined ? '' : (cells[at] ?? ''));
      const one = { member: textAt(memberAt), group: textAt(groupAt) };
      if (one.member === '' || one.group === '') continue;
      const from = textAt(fromAt);
      const first = weekNumber(from);
      if (from !== '' && first === undefined) throw noWeek(options.origin, rowNumber, fromWeek ?? '', from);
      const key = JSON.stringify(one);
      const before = lines.get(key);
      if (before !== undefined && before.first !== first)
        throw otherWeek(options.origin, rowNumber, one, before.row);
      lines.set(key, { row: rowNumber, first });
      found.push({ ...one, fromWeek: first });
    }
  }
  return found;
}

function errorIssue(cell: Cell, column: string): readonly Issue[] {
  const message = spreadsheetError(cell);
  return message === undefined ? [] : [{ code: 'cell.error', severity: 'error', column, message }];
}

function noWeek(origin: string, rowNumber: number, column: string, text: string): ConfigError {
  return new ConfigError(
    'season.from_week',
    `${origin} row ${rowNumber}, ${column}: ${show(text)} is no game week (for season.groups)`,
    {
      file: origin,
      line: rowNumber,
      next: 'Write its number, such as 7, or leave the cell empty for the whole season.',
    },
  );
}

function otherWeek(
  origin: string,
  rowNumber: number,
  { member, group }: Pick<GroupMember, 'member' | 'group'>,
  before: number,
): ConfigError {
  return new ConfigError(
    'season.member_twice',
    `${origin} row ${rowNumber}: ${show(member)} stands in ${show(group)} in row ${before} too, from another game week (for season.groups)`,
    { file: origin, line: rowNumber, next: 'Keep the line with the right first game week.' },
  );
}

const plain = (cell: Cell): string => shownText(cell).trim().normalize('NFC');
