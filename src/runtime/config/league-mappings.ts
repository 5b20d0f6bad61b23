import { RESOURCES } from '../../contract/index.ts';
import type { Column, Mapping, PushMapping } from '../../mapping/mapping.ts';
import { ConfigError } from '../../model/error.ts';
import { inLeague } from '../../model/league-name.ts';
import type { SourceLocation } from '../../model/tables/table.ts';
import type { LeagueConfig } from './config.ts';
import { realPath } from './inside-folder.ts';

/** A mapping as its file says it in one league. */
export interface LeagueMapping {
  readonly league: LeagueConfig;
  readonly mapping: Mapping;
  /** Not only to be compared with. */
  readonly wanted: boolean;
}

/** The same mapping of one league, or of several of one account that say the very same. */
interface Joined extends Omit<LeagueMapping, 'league'> {
  readonly leagues: readonly LeagueConfig[];
}

/**
 * The wanted mappings under the names that they have in their leagues. A mapping that pushes and that says the very same in several leagues of one account
 * runs once, by the first of them: what it pushes is the account's. Errors: ConfigError `destination.leagues`.
 */
export function joinLeagues(read: readonly LeagueMapping[]): readonly Mapping[] {
  const joined: Joined[] = [];
  for (const { league, mapping, wanted } of read) {
    const at = joined.findIndex((other) => isSame(other, league, mapping));
    const same = joined[at];
    if (same === undefined) joined.push({ leagues: [league], mapping, wanted });
    else joined[at] = { ...same, leagues: [...same.leagues, league], wanted: same.wanted || wanted };
  }
  refuseOneDestination(joined);
  const nameIn = (name: string, { name: league }: LeagueConfig): string => {
    const its = joined.find(
      ({ mapping, leagues }) => mapping.name === name && leagues.some((each) => each.name === league),
    );
    return inLeague(name, its?.leagues[0]?.name ?? league);
  };
  return joined.filter(({ wanted }) => wanted).map((each) => named(each, nameIn));
}

function isSame({ leagues: [first], mapping }: Joined, league: LeagueConfig, other: Mapping): boolean {
  return (
    mapping.direction === 'push' &&
    first?.environment === league.environment &&
    mappingsOf(mapping).length === 0 &&
    !goesByWeeks(mapping) &&
    JSON.stringify(mapping) === JSON.stringify(other)
  );
}

/** Whether a mapping runs by the game weeks of its league: two leagues may have other ones. */
export const goesByWeeks = ({ timing }: Pick<Mapping, 'timing'>): boolean =>
  timing !== undefined &&
  (timing.deadline !== undefined || timing.schedule.some(({ kind }) => kind === 'week'));

/** The mappings that a mapping looks something up in: they may differ by league where it does not. */
function mappingsOf({ columns }: PushMapping): readonly string[] {
  return columns === 'auto' ? [] : columns.flatMap((column) => lookedUp(column) ?? []);
}

function lookedUp({ lookup }: Column): string | undefined {
  if (typeof lookup?.in !== 'string') return undefined;
  return RESOURCES.some((known) => known === lookup.in) ? undefined : lookup.in;
}

function named(
  { leagues, mapping }: Joined,
  nameIn: (name: string, league: LeagueConfig) => string,
): Mapping {
  const [first] = leagues as readonly [LeagueConfig];
  const name = nameIn(mapping.name, first);
  if (mapping.direction === 'pull') return { ...mapping, name };
  const columns =
    mapping.columns === 'auto'
      ? mapping.columns
      : mapping.columns.map((column): Column => {
          const other = lookedUp(column);
          return column.lookup === undefined || other === undefined
            ? column
            : { ...column, lookup: { ...column.lookup, in: nameIn(other, first) } };
        });
  const several = leagues.length > 1 ? { leagues: leagues.map((league) => league.name) } : {};
  return { ...mapping, ...several, name, columns };
}

/** What a mapping writes: its report, or the sheet that outcomes are written back into. */
function writtenBy(
  mapping: Mapping,
): { readonly location: SourceLocation; readonly origin: string } | undefined {
  if (mapping.direction === 'pull') return mapping.destination;
  return mapping.writeBack === undefined ? undefined : mapping.source;
}

/** The report of one league must not take the place of another's. */
function refuseOneDestination(joined: readonly Joined[]): void {
  const seen = new Map<string, Joined>();
  for (const each of joined) {
    const written = writtenBy(each.mapping);
    if (written === undefined) continue;
    const table = tableOf(written.location);
    const other = seen.get(table);
    if (other === undefined) seen.set(table, each);
    else if (other.leagues[0] !== each.leagues[0] && (other.wanted || each.wanted))
      throw oneDestination(each, other, written.origin);
  }
}

function oneDestination(one: Joined, other: Joined, origin: string): ConfigError {
  const [name, otherName] = [one, other].map(({ mapping, leagues }) =>
    inLeague(mapping.name, leagues[0]?.name ?? ''),
  );
  const { file, line } = one.mapping.place;
  const at = other.mapping.place;
  const where = at.file === file && at.line === line ? '' : ` (${at.file}:${at.line})`;
  return new ConfigError(
    'destination.leagues',
    `${file}:${line}: ${name} and ${otherName}${where} would both write ${origin}`,
    { file, line, next: 'put ${league} into the path or the tab' },
  );
}

/** One text for each table that a mapping can name, whatever links lead to its file. */
export function tableOf(location: SourceLocation): string {
  switch (location.kind) {
    case 'csv':
      return JSON.stringify([realPath(location.path)]);
    case 'xlsx':
      return JSON.stringify([realPath(location.path), location.tab.toLowerCase()]);
    case 'sheet':
      return JSON.stringify([location.spreadsheet, location.tab]);
    case 'weeks':
      return JSON.stringify([location.league, location.kind]);
  }
}
