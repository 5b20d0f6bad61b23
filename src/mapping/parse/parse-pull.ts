import type * as z from 'zod';
import type { TableLocation } from '../../model/tables/table.ts';
import { pullTarget, reportRecord, RESOURCES } from '../../contract/index.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import { leavesOf, type FieldType } from '../../contract/field.ts';
import type { PullTarget, RowAsked } from '../../contract/resource.ts';
import type { Layout } from '../../model/tables/layout.ts';
import type { Drafting } from './drafting.ts';
import { exactName } from '../header-index.ts';
import type { PlayerIds, PullMapping, ReportColumnSpec } from '../mapping.ts';
import { foldName } from '../../model/fold-name.ts';
import { didYouMean } from '../../model/nearest.ts';
import { parseLayout } from './parse-layout.ts';
import { parseTiming } from './parse-schedule.ts';
import { parseLocation, parseSource } from './parse-source.ts';
import { pathProblem } from './record-path.ts';
import type { PullInput } from './pull-schema.ts';
import { show } from '../show.ts';
import { parseWeekChoice, WEEK_CHOICES, type WeekChoice } from '../week-choice.ts';
import { findingsOf } from './zod-issues.ts';

/** What may be written for `explode`, for messages. */
const explodable = `write ${RESOURCES.flatMap((name) => {
  const list = pullTarget(name)?.explodes;
  return list === undefined ? [] : [`${list} for ${name}`];
}).join(' or ')}`;

/** The mapping that a checked input means. Errors: ConfigError `mapping.invalid`, naming everything that is wrong. */
export function parsePull(input: PullInput, draft: Drafting): PullMapping {
  const { pull: resource, explode } = input;
  const target = pullTarget(resource);
  if (target === undefined) return draft.fail(['pull'], `${resource} cannot be pulled`);
  if (input.detail && target.hasDetail !== true) draft.note(['detail'], 'detail is for squads only', 'key');
  if (explode !== undefined && explode !== target.explodes) {
    draft.note(['explode'], `${show(explode)} cannot make rows of ${resource}; ${explodable}`);
  }
  const where = parsePullWhere(input, target, draft);
  const weeks = parseWeeks(input, target, draft);
  // The memory has squads with their detail.
  const detail = input.detail || (weeks !== undefined && target.hasDetail === true);
  const asked = { detail, explode };
  const destination = parseDestination(input.destination, draft);
  const columns = parseReportColumns(input, asked, draft);
  if (columns !== undefined) {
    const headers = columns.map(({ header }) => header);
    for (const header of destination.key.filter((name) => !headers.includes(name))) {
      draft.note(
        ['destination', 'key'],
        `the report has no column ${show(header)}${didYouMean(header, headers)}`,
      );
    }
  }
  const ids = parseIds(input, target, where, draft);
  if (input.layout !== undefined && destination.location.kind === 'csv')
    draft.note(['layout'], 'layout is for xlsx and sheet; a CSV file takes no layout', 'key');
  const timing = parseTiming(input, draft);
  draft.settle();
  return {
    direction: 'pull',
    name: input.name,
    place: draft.place,
    resource,
    where,
    weeks,
    ids,
    explode,
    destination,
    columns,
    detail,
    layout: readLayout(input, asked, destination.location, columns, draft),
    timing,
  };
}

/** The layout that the mapping names, checked against the columns of its report. Errors: ConfigError `mapping.*` with the place in the layout. */
function readLayout(
  input: PullInput,
  asked: RowAsked,
  location: TableLocation,
  columns: readonly ReportColumnSpec[] | undefined,
  draft: Drafting,
): Layout | undefined {
  if (input.layout === undefined || location.kind === 'csv') return undefined;
  const { text, file } = draft.readLayout(input.layout, ['layout']);
  const leaves = leavesOf(reportRecord(input.pull, asked));
  const typeOf = (from: string): FieldType => leaves.find(({ path }) => path === from)?.type ?? 'json';
  const laidOut =
    columns?.map(({ header, from, type }) => ({ header, type: type ?? typeOf(from) })) ??
    leaves.map(({ path, type }) => ({ header: path, type }));
  return parseLayout(text, file, { name: input.name, columns: laidOut, tab: location.tab });
}

type Scalar = string | number;

function parsePullWhere(input: PullInput, target: PullTarget, draft: Drafting): PullMapping['where'] {
  const known = [...Object.keys(target.where), ...(target.byWeek === undefined ? [] : ['weeks'])];
  for (const name of Object.keys(input.where)) {
    if (known.includes(name)) continue;
    const has =
      known.length === 0
        ? `; ${input.pull} takes no where`
        : didYouMean(name, known) || `; known are ${known.join(', ')}`;
    draft.note(
      ['where', name],
      name === 'page' ? 'page cannot be set: every page is read' : `unknown key ${show(name)}${has}`,
      'key',
    );
  }
  for (const name of target.required) {
    if (!(name in input.where))
      draft.note(['where'], `${input.pull} needs ${name}: write where: { ${name}: ... }`);
  }
  return Object.fromEntries(
    Object.entries(input.where).flatMap(([name, written]): [string, Scalar | readonly Scalar[]][] => {
      const schema = target.where[name];
      if (schema === undefined) return [];
      const values = Array.isArray(written) ? written : [written];
      if (Array.isArray(written) && name !== 'id')
        draft.note(['where', name], 'takes one value; only id may be a list');
      const checked = values.map((value) => whereValue(value, name, schema, draft));
      const [first] = checked;
      return [[name, name === 'id' || first === undefined ? checked : first]];
    }),
  );
}

/** The game weeks that are asked for; they stand in `where`, and are no filter of the service. */
function parseWeeks(input: PullInput, target: PullTarget, draft: Drafting): WeekChoice | undefined {
  const written = input.where['weeks'];
  if (written === undefined || target.byWeek === undefined) return undefined;
  const choice = Array.isArray(written) ? undefined : parseWeekChoice(String(written));
  if (choice === undefined)
    draft.note(['where', 'weeks'], `${show(String(written))} is not understood; write ${WEEK_CHOICES}`);
  else if (!('fantasy_league_id' in input.where))
    draft.note(
      ['where'],
      'weeks needs fantasy_league_id: write where: { fantasy_league_id: ..., weeks: ... }',
    );
  return choice;
}

/** A value as the operation takes it; digits in a text are a number where a number is wanted. */
function whereValue(value: Scalar, name: string, schema: z.ZodType, draft: Drafting): Scalar {
  if (schema.safeParse(value).success) {
    if (name === 'id' && typeof value === 'string' && !isPathSegment(value))
      draft.note(['where', name], `${show(value)} cannot stand in an address; correct it`);
    return value;
  }
  const text = String(value).trim();
  if (/^\d{1,15}$/.test(text) && schema.safeParse(Number(text)).success) return Number(text);
  if (schema.safeParse(text).success) return text;
  const { issues = [] } = schema.safeParse(value).error ?? {};
  for (const { message } of findingsOf(issues, value, [])) draft.note(['where', name], message);
  return value;
}

const MAX_RANGE = 1_000_000;

function parseIds(
  input: PullInput,
  target: PullTarget,
  where: PullMapping['where'],
  draft: Drafting,
): PlayerIds | undefined {
  const { ids } = input;
  if (target.readsEach !== true) {
    if (ids !== undefined) draft.note(['ids'], 'ids is for players only', 'key');
    return undefined;
  }
  if (ids !== undefined && where['id'] !== undefined)
    draft.note(['ids'], 'write ids or where.id, not both', 'key');
  if (ids === undefined || ids === 'known') return undefined;
  if (typeof ids !== 'string') {
    const { column, ...source } = ids;
    return { kind: 'column', source: parseSource(source, ['ids'], draft), column: exactName(column) };
  }
  const ranges = ids.split(',').map((part) => {
    const found = /^\s*(\d{1,15})(?:\s*-\s*(\d{1,15}))?\s*$/.exec(part);
    const from = Number(found?.[1] ?? 0);
    return { from, to: found?.[2] === undefined ? from : Number(found[2]) };
  });
  const count = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  if (ranges.some(({ from, to }) => from < 1 || to < from) || count > MAX_RANGE) {
    draft.note(
      ['ids'],
      `${show(ids)} is not understood; write known, ranges such as "1-800,905", or a table with a column of ids`,
    );
  }
  return { kind: 'ranges', ranges };
}

function parseDestination(input: PullInput['destination'], draft: Drafting): PullMapping['destination'] {
  const { location, origin: called } = parseLocation(input, ['destination'], draft);
  // Reports of one name may go to several spreadsheets.
  const origin = location.kind === 'sheet' ? `${location.spreadsheet} ${called}` : called;
  if (location.kind === 'csv' && /[*?]/.test(origin))
    draft.note(['destination', 'csv'], `${show(origin)} is a pattern; name one file`);
  checkEnding(location, draft);
  if (location.kind !== 'csv' && input.excel)
    draft.note(['destination', 'excel'], 'excel is for CSV files only', 'key');
  if (input.mode === 'merge' && input.key.length === 0)
    draft.note(['destination', 'mode'], 'merge needs key: the headers that tell rows apart');
  if (input.mode !== 'merge' && input.key.length > 0)
    draft.note(['destination', 'key'], 'key belongs to mode: merge', 'key');
  return { location, origin, mode: input.mode, key: input.key, excel: input.excel, formulas: input.formulas };
}

/** A report has the ending of its kind, so that it never takes the place of a configuration, a mapping, a key or the state. */
function checkEnding(location: TableLocation, draft: Drafting): void {
  if (location.kind === 'sheet') return;
  const { kind, path } = location;
  const endings = kind === 'csv' ? ['.csv', '.tsv', '.txt'] : ['.xlsx'];
  if (endings.some((ending) => path.toLowerCase().endsWith(ending))) return;
  draft.note(['destination', kind], `a report needs a name that ends in ${endings.join(' or ')}`);
}

function parseReportColumns(
  input: PullInput,
  asked: RowAsked,
  draft: Drafting,
): readonly ReportColumnSpec[] | undefined {
  const { columns } = input;
  if (columns === undefined) return undefined;
  const record = reportRecord(input.pull, asked);
  // The order of the file, which an object would not keep for headers that are numbers.
  const headers = draft.keys(['columns']);
  if (headers.length === 0) draft.note(['columns'], 'names no column; leave columns out for all of them');
  const seen = new Map<string, string>();
  return headers.flatMap((header) => {
    const column = columns[header];
    if (column === undefined) return [];
    const like = seen.get(foldName(header));
    // A table with both could not be read again.
    if (like !== undefined)
      draft.note(
        ['columns', header],
        `the headers ${show(like)} and ${show(header)} are the same for spreadsheets; rename one of them`,
        'key',
      );
    seen.set(foldName(header), header);
    const { from, type, format } =
      typeof column === 'string' ? { from: column, type: undefined, format: undefined } : column;
    const problem = pathProblem(record, from);
    if (problem !== undefined) draft.note(['columns', header], problem);
    return [{ header, from, type, format }];
  });
}
