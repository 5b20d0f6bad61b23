import { pushTarget, resources } from '../../contract/index.ts';
import { requiredFields, variableOf } from '../../mapping/push-fields.ts';
import { fold, matchHeaders, VALUE_HEADERS, type HeaderMatch } from '../header-match.ts';
import { INPUT_RESOURCES, inputTable, TABLES, type InputResource } from './input-tables.ts';

/** A tab that stands there already. */
export interface FoundTab {
  readonly tab: string;
  /** Empty when nothing stands in the tab. */
  readonly header: readonly string[];
}

/** Headers of a table that has one setting of the points configuration in each line. */
const SETTING_HEADERS = ['setting', 'settings', 'field'];

/** The headers of a tab as a resource reads them. */
export interface TabMatch extends Omit<HeaderMatch, 'doubtful'> {
  readonly settings: { readonly key: string; readonly value: string } | undefined;
  /** Fields that a new record needs and that no header and no variable fills. */
  readonly missing: readonly string[];
  /** The fields whose header is not their name, their label or the header of our own table, but a common word for them. */
  readonly guessed: readonly string[];
}

/** What was made of the tabs of a workbook or spreadsheet. */
export interface Recognised {
  readonly tabs: ReadonlyMap<InputResource, FoundTab & { readonly match: TabMatch }>;
  /** What a person should know of the other tabs, a sentence each. */
  readonly notes: readonly string[];
}

/** Matches the headers of a tab to the fields of a resource that can be pushed. */
function matchTab(resource: InputResource, header: readonly string[]): TabMatch {
  const fields = pushTarget(resource)?.fields ?? {};
  if (resources[resource].push.isSettings === true) {
    const find = (words: readonly string[]): string | undefined =>
      header.find((name) => words.includes(fold(name)));
    const [key, value] = [find(SETTING_HEADERS), find(VALUE_HEADERS)];
    if (key !== undefined && value !== undefined) {
      const unused = header.filter((name) => name !== '' && name !== key && name !== value);
      return { headers: new Map(), unused, settings: { key, value }, missing: [], guessed: [] };
    }
  }
  const ours = ourHeaders(resource, header);
  const { headers, unused } = matchHeaders(header, fields, ours);
  return {
    headers,
    unused,
    settings: undefined,
    missing: requiredFields(resource, 'upsert').filter(
      (field) => !headers.has(field) && variableOf(resource, field) === undefined,
    ),
    guessed: [...headers].flatMap(([field, name]) => {
      const known = [field, fields[field]?.label ?? field].map(fold).includes(fold(name)) || ours.has(name);
      return known ? [] : [field];
    }),
  };
}

/** The headers of our own table that stand in a tab, with their fields. */
function ourHeaders(resource: InputResource, header: readonly string[]): ReadonlyMap<string, string> {
  const { columns } = inputTable(resource);
  return new Map(
    columns.flatMap(({ header: own, field }) => {
      const there = header.find((name) => fold(name) === fold(own));
      return there === undefined || field === undefined ? [] : [[there, field] as const];
    }),
  );
}

/** Whether a tab has every column of the one that `init` makes. */
export function hasOurHeader(resource: InputResource, header: readonly string[]): boolean {
  return inputTable(resource)
    .columns.filter(({ prose }) => !prose)
    .every((column) => header.includes(column.header));
}

/** Finds the tab of each resource: by its name, else by the fields that its headers fill. Two that fit as well are named and neither is taken. */
export function recogniseTabs(tabs: readonly FoundTab[]): Recognised {
  const filled = tabs.filter(({ header }) => header.some((name) => name !== ''));
  const found = new Map<InputResource, FoundTab & { readonly match: TabMatch }>();
  const notes: string[] = [];
  const claims = filled.map((tab) => ({ tab, ...claimOf(tab) }));
  for (const resource of INPUT_RESOURCES) {
    const named = claims.filter((claim) => claim.byName === resource);
    const fitting = claims.filter(
      ({ byName, byHeader }) => byName === undefined && byHeader.length === 1 && byHeader[0] === resource,
    );
    const candidates = named.length > 0 ? named : fitting;
    const [first, ...others] = candidates.map(({ tab }) => tab);
    if (first === undefined) continue;
    if (others.length > 0) {
      const names = [first, ...others].map(({ tab }) => `"${tab}"`).join(' and ');
      notes.push(
        `the tabs ${names} fit ${resource} equally well: no mapping was made; rename one to ${TABLES[resource].tab}`,
      );
    } else found.set(resource, { ...first, match: matchTab(resource, first.header) });
  }
  for (const { tab, byName, byHeader } of claims) {
    if (byName === undefined && byHeader.length > 1)
      notes.push(
        `the tab "${tab.tab}" fits ${byHeader.join(' and ')} equally well: no mapping was made; give the tab the name of what it holds`,
      );
  }
  return { tabs: found, notes };
}

/** What a tab is by its name, and what it may be by its headers: those that fill the most fields and lack none that is required. */
function claimOf({ tab, header }: FoundTab): {
  readonly byName: InputResource | undefined;
  readonly byHeader: readonly InputResource[];
} {
  const name = fold(tab);
  const byName = INPUT_RESOURCES.find((resource) => {
    const { tab: own, otherTabs = [] } = TABLES[resource];
    return [fold(resource), fold(own), ...otherTabs].includes(name);
  });
  const scores = INPUT_RESOURCES.flatMap((resource) => {
    const { headers, settings, missing } = matchTab(resource, header);
    const filled = settings === undefined ? headers.size : 2;
    return missing.length === 0 && filled > 0 ? [{ resource, filled }] : [];
  });
  const best = Math.max(...scores.map(({ filled }) => filled));
  return { byName, byHeader: scores.filter(({ filled }) => filled === best).map(({ resource }) => resource) };
}
