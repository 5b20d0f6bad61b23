import { tabNameProblem } from '../../model/tables/tab-name.ts';
import type { TableLocation } from '../../model/tables/table.ts';
import type { PushInput } from './push-schema.ts';
import type { Source } from '../mapping.ts';
import type { Drafting } from './drafting.ts';
import { exactName } from '../header-index.ts';
import { show } from '../show.ts';
import { parseWhere } from '../where.ts';
import type { Path } from './yaml-document.ts';

type LocationInput = Pick<PushInput['source'], 'csv' | 'xlsx' | 'sheet' | 'tab' | 'allow_outside'>;

/** A checked location with the name that messages use for it. */
interface Located {
  readonly location: TableLocation;
  readonly origin: string;
}

/** The file or spreadsheet that a source or destination names: exactly one, with a tab where it has tabs. */
export function parseLocation(input: LocationInput, path: Path, draft: Drafting): Located {
  const given = (['csv', 'xlsx', 'sheet'] as const).filter((key) => input[key] !== undefined);
  const [kind] = given;
  if (kind === undefined) draft.fail(path, 'names no table; write exactly one of csv, xlsx and sheet');
  if (given.length > 1)
    draft.fail(path, `names ${given.join(' and ')}; write exactly one of csv, xlsx and sheet`);
  const { csv, xlsx, sheet, tab } = input;
  if (csv !== undefined) {
    if (tab !== undefined) draft.note([...path, 'tab'], 'a CSV file has no tabs; leave tab out', 'key');
    return {
      location: { kind: 'csv', path: draft.resolve(csv, input.allow_outside, [...path, 'csv']) },
      origin: csv,
    };
  }
  if (tab === undefined) draft.fail(path, `${kind} needs tab: the name of the tab`);
  if (xlsx !== undefined) {
    const problem = tabNameProblem(tab);
    if (problem !== undefined) draft.note([...path, 'tab'], `${show(tab)} ${problem}`);
    const location = {
      kind: 'xlsx',
      path: draft.resolve(xlsx, input.allow_outside, [...path, 'xlsx']),
      tab,
    } as const;
    return { location, origin: `${xlsx} tab "${tab}"` };
  }
  return {
    location: { kind: 'sheet', spreadsheet: spreadsheetId(sheet ?? '', [...path, 'sheet'], draft), tab },
    origin: `tab "${tab}"`,
  };
}

/**
 * The id in an address such as https://docs.google.com/spreadsheets/d/ID/edit#gid=0, or the text itself. The address of a page that was published, with
 * `/d/e/`, names no spreadsheet.
 */
export const spreadsheetIn = (text: string): string =>
  /\/spreadsheets\/(?:u\/\d+\/)?d\/(?!e\/)([\w-]+)/.exec(text)?.[1] ?? text.trim();

function spreadsheetId(text: string, path: Path, draft: Drafting): string {
  const id = spreadsheetIn(text);
  if (!/^[\w-]+$/.test(id))
    draft.note(path, `${show(text)} is neither the id nor the address of a Google spreadsheet`);
  return id;
}

/** A checked source: its location, how it is read and which rows. */
export function parseSource(input: PushInput['source'], path: Path, draft: Drafting): Source {
  const { location, origin } = parseLocation(input, path, draft);
  const conditions = input.where === undefined ? [] : parseWhere(input.where);
  if (typeof conditions === 'string')
    draft.note([...path, 'where'], `${show(input.where ?? '')}: ${conditions}`);
  const { delimiter } = input;
  if (delimiter !== 'auto' && (delimiter.length !== 1 || /["\r\n\0]/.test(delimiter))) {
    draft.note(
      [...path, 'delimiter'],
      `${show(delimiter)} is no separator; write one character, tab or auto`,
    );
  }
  if (input.encoding !== 'auto' && !isEncoding(input.encoding)) {
    draft.note(
      [...path, 'encoding'],
      `no encoding is called ${show(input.encoding)}; write utf-8, utf-16le, utf-16be, windows-1252 or auto`,
    );
  }
  if (location.kind !== 'csv') {
    for (const key of ['delimiter', 'encoding'] as const) {
      if (input[key] !== 'auto')
        draft.note([...path, key], `${key} is for CSV files only; leave it out`, 'key');
    }
  }
  return {
    location,
    origin,
    delimiter,
    headerRow: input.header_row,
    where: typeof conditions === 'string' ? [] : conditions,
    encoding: input.encoding,
    locale: input.locale ?? 'en',
    localeNamed: input.locale !== undefined,
    ...(input.optional && { optional: true }),
    layout: parseLayout(input, path, draft),
  };
}

function parseLayout(input: PushInput['source'], path: Path, draft: Drafting): Source['layout'] {
  const { layout, key_column: keyColumn, value_column: valueColumn } = input;
  if (layout === 'key_value') {
    if (keyColumn === undefined || valueColumn === undefined) {
      draft.fail(
        path,
        'layout key_value needs key_column and value_column: the headers of the settings and of their values',
      );
    }
    return { kind: 'key_value', keyColumn: exactName(keyColumn), valueColumn: exactName(valueColumn) };
  }
  for (const key of ['key_column', 'value_column'] as const) {
    if (input[key] !== undefined) draft.note([...path, key], `${key} belongs to layout: key_value`, 'key');
  }
  return { kind: 'table' };
}

function isEncoding(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    return false;
  }
}
