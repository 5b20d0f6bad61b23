import { readFileSync } from 'node:fs';
import { isMap, isScalar, isSeq, parseDocument, type Document, type YAMLMap } from 'yaml';
import { asWritten } from '../../mapping/parse/parse-mappings.ts';
import { InternalError } from '../../model/error.ts';
import { TABLES, writeBackOf, type InputResource } from './input-tables.ts';
import { packagePath } from '../../runtime/package.ts';

/** Where the tables of a set-up stand, as a mapping names it. */
export type Place =
  | { readonly kind: 'xlsx'; readonly file: string; readonly outside: boolean }
  | { readonly kind: 'sheet'; readonly spreadsheet: string };

/** What a proposed mapping says otherwise than the shipped one. */
export interface Changes {
  /** Headers by field; a field without one loses its column, unless it takes a fixed value. Undefined leaves all columns as they are. */
  readonly headers: ReadonlyMap<string, string> | undefined;
  /** The columns of a table with one setting in each line. */
  readonly settings: { readonly key: string; readonly value: string } | undefined;
  /** Lines of comment at the top, before those of the shipped mapping. */
  readonly comments: readonly string[];
  /** The tab of the place that names of players are looked up in; left out, they are looked up in the CSV report. */
  readonly playersTab?: string | undefined;
}

/** The shipped report of the players, which names are looked up in. */
export const PLAYERS_MAPPING = 'players-report.yaml';

/** The text of the shipped report of the players as a tab of the place. */
export function fitPlayers(place: Place, tab: string): string {
  const document = parseDocument(readFileSync(packagePath(`mappings/${PLAYERS_MAPPING}`), 'utf8'));
  document.set('destination', document.createNode(locationOf(place, tab), { flow: true }));
  document.set('schedule', document.createNode(PLAYERS_SCHEDULE, { flow: true }));
  return document.toString({ lineWidth: 0 });
}

function lookUpPlayers(document: Document, place: Place, tab: string): void {
  const table = { ...locationOf(place, tab), optional: true };
  document.setIn(['columns', 'players_in', 'lookup', 'in'], document.createNode(table, { flow: true }));
}

/** The columns of the tab Points that `init` makes. */
const SETTINGS = { key: 'Setting', value: 'Value' };
export const AS_SHIPPED: Changes = { headers: undefined, settings: SETTINGS, comments: [] };

/** Where a tab of a report stands in place of the shipped one, by the names of the shipped tabs. */
export type TabNames = (tab: string) => string;

/** The shipped reports of the season as tabs of a place. */
export const SEASON_TABS = 'season-tabs.yaml';

/** Their text, each with its destination in the place. */
export function fitSeasonTabs(place: Place, tabs: TabNames): string {
  const document = parseDocument(readFileSync(packagePath(`templates/tabs/${SEASON_TABS}`), 'utf8'));
  const { contents } = document;
  if (!isSeq(contents)) throw new InternalError('internal.shipped', `${SEASON_TABS} is no list`);
  contents.items.forEach((_, index) => {
    const at = [index, 'destination'];
    const { tab, ...rest } = (document.getIn(at) as YAMLMap).toJSON() as { readonly tab: string };
    document.setIn(at, document.createNode({ ...locationOf(place, tabs(tab)), ...rest }, { flow: true }));
  });
  return document.toString({ lineWidth: 0 });
}

/** When `schedule run` looks at the tables: what people type is sent within a quarter of an hour. */
const INPUT_SCHEDULE = '*/15 8-22 * * *';
/** The report of the players costs a request for each of them. */
const PLAYERS_SCHEDULE = { at: 'each.end + 5h' };

/** The text of the shipped mapping of a resource with its source replaced by a tab; comments stay. */
export function fitMapping(resource: InputResource, place: Place, tab: string, changes: Changes): string {
  const file = TABLES[resource].mapping;
  const document = parseDocument(readFileSync(packagePath(`mappings/${file}`), 'utf8'));
  const source = document.get('source');
  if (!isMap(source)) throw new InternalError('internal.shipped', `mappings/${file} has no source`);
  source.items = [
    ...Object.entries(locationOf(place, tab)).map(([key, value]) => document.createPair(key, value)),
    ...source.items.filter(({ key }) => nameOf(key) !== 'csv'),
  ];
  // A tab that nobody has filled in yet keeps nobody from sending the others.
  source.set('optional', true);
  if (place.kind === 'sheet') {
    const node = document.createNode(writeBackOf(resource), { flow: true });
    if (isMap(document.contents)) document.contents.items.push(document.createPair('write_back', node));
  }
  changeColumns(document, source, changes);
  document.set('schedule', INPUT_SCHEDULE);
  if (changes.playersTab !== undefined) lookUpPlayers(document, place, changes.playersTab);
  const comments = changes.comments.map((line) => ` ${line}`).join('\n');
  if (comments !== '') document.commentBefore = `${comments}\n\n${document.commentBefore ?? ''}`.trimEnd();
  return document.toString({ lineWidth: 0 });
}

function nameOf(key: unknown): unknown {
  return isScalar(key) ? key.value : key;
}

function locationOf(place: Place, name: string): Readonly<Record<string, string | boolean>> {
  const tab = asWritten(name);
  if (place.kind === 'sheet') return { sheet: place.spreadsheet, tab };
  return { xlsx: asWritten(place.file), tab, ...(place.outside && { allow_outside: true }) };
}

function changeColumns(document: Document, source: YAMLMap, { headers, settings }: Changes): void {
  if (source.has('layout')) {
    if (settings !== undefined) {
      source.set('key_column', asWritten(settings.key));
      source.set('value_column', asWritten(settings.value));
    } else {
      for (const key of ['layout', 'key_column', 'value_column']) source.delete(key);
      // Unlike `auto`, columns that are named take nothing from the variables by themselves.
      const league = { fantasy_league_id: { value: '${fantasy_league_id}' } };
      if (headers !== undefined) {
        const own = [...headers].map(([field, header]) => [field, asWritten(header)]);
        document.set('columns', document.createNode({ ...league, ...Object.fromEntries(own) }));
      }
    }
    return;
  }
  if (headers === undefined) return;
  // The rows of a person's own table are no examples.
  source.delete('where');
  const columns = document.get('columns');
  if (!isMap(columns)) return;
  for (const { key, value } of [...columns.items]) {
    const header = headers.get(String(nameOf(key)));
    if (!isMap(value)) continue;
    if (header !== undefined) {
      const others = value.items.filter((item) => !['from', 'value'].includes(String(nameOf(item.key))));
      value.items = [document.createPair('from', asWritten(header)), ...others];
    } else if (value.has('from')) columns.delete(key);
  }
}
