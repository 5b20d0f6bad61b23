import type { RecordOf } from '../../contract/index.ts';
import type { LeagueScope, Memory } from '../../model/state/memory.ts';
import { isWholeSeason } from '../../season/group-points.ts';
import type { GroupMember } from '../../season/standings.ts';
import { newestSeason } from '../../season/seasons.ts';
import type { HitsInPoints } from '../../season/totals.ts';
import type { WeekValues } from '../../season/week-values.ts';
import type { WeekChoice } from '../../mapping/week-choice.ts';
import { UsageError } from '../../model/error.ts';
import { siteFiles } from '../../pages/site/site.ts';
import type { SyncPorts } from '../../sync/ports.ts';
import type { NumberedWeek } from '../../sync/weeks/week-values.ts';
import { learntHits } from '../../sync/memory/contradictions.ts';
import { unknownMembers } from '../../sync/memory/group-members.ts';
import { knownWeeks, latestKept } from '../../sync/memory/known-weeks.ts';
import { finalSince } from '../../sync/memory/later-points.ts';
import { leagueWeeks, type LeagueWeek } from '../../sync/memory/league-weeks.ts';
import { markTriggered } from '../../sync/memory/processed.ts';
import { serviceNow } from '../../sync/memory/service-time.ts';
import { WeekFacts } from '../../sync/memory/week-facts.ts';
import { keepPublished, squadNumbers } from '../../sync/weeks/published.ts';
import { isChosen, numberedWeeks, shownValues } from './published-weeks.ts';
import type { PublishSettings } from './publish-settings.ts';
import { replaceFolder } from './site-folder.ts';
import type { Group } from './site-groups.ts';
import { siteOf } from './site-values.ts';

/** What publishing works with. It asks the service nothing. */
export interface PublishPorts extends Pick<SyncPorts, 'service' | 'store' | 'clock' | 'emit'> {
  readonly timezone: string;
}

/** What became of one week on the site. */
export interface PublishedWeek {
  readonly week: number;
  readonly gameWeek: string;
  readonly state: WeekValues['state'];
  /** The state in which it was published before; undefined where it is new. */
  readonly was: WeekValues['state'] | undefined;
  readonly changed: boolean;
  /** How many squads have no rank that may still come, where others have one. */
  readonly awaited: number;
}

/** What came of publishing one league. */
export interface PublishedSite {
  readonly files: number;
  /** Files that are new, gone or not the same as before. */
  readonly changedFiles: number;
  readonly squads: number;
  readonly weeks: readonly PublishedWeek[];
  /** Weeks whose line-ups are not shown before their first kick-off. */
  readonly waiting: readonly number[];
}

/**
 * Writes the site of one league from what is remembered. A week that is over and was published before is shown as it was then, until its state changes or more was read of it; who
 * is hidden or forgotten is left out of every week. Errors: UsageError `usage.weeks` where none of the weeks has begun; those of {@link replaceFolder} and of the store.
 */
export async function publishLeague(
  ports: PublishPorts,
  scope: LeagueScope,
  settings: PublishSettings,
  choice: WeekChoice,
  groups: readonly GroupMember[],
): Promise<PublishedSite> {
  const { store, timezone, emit } = ports;
  const { memory } = store;
  await markTriggered(ports, scope.account, scope.league);
  const nowMs = await serviceNow(ports, scope.account);
  const season = newestSeason(await leagueWeeks(memory, scope, nowMs, 'checked'));
  const { shown, waiting } = await numberedWeeks(ports, scope, season, nowMs);
  const all = await shownValues(ports, scope, settings, season, shown);
  const chosen = new Set(
    shown.filter((week) => isChosen(choice, week, shown)).map(({ league }) => league.week.id),
  );
  if (choice.kind === 'range' && chosen.size === 0 && shown.length > 0) throw noneBegun(choice, shown);
  const values = all.values.filter(({ gameWeek }) => chosen.has(gameWeek));
  const fresh = all.fresh.filter(({ gameWeek }) => chosen.has(gameWeek));
  const hidden = await hiddenSquads(ports, scope, settings, all.values);
  const numbers = await squadNumbers(
    memory,
    scope,
    values.flatMap(({ squads }) => squads),
    nowMs,
  );
  const last = all.values.findLastIndex(({ gameWeek }) => chosen.has(gameWeek));
  const site = siteOf(all.values.slice(0, last + 1), {
    title: settings.title ?? (await leagueName(ports, scope, season)),
    members: settings.members,
    squads: settings.squads,
    numbers: new Map([...numbers].filter(([squad]) => !hidden.has(squad))),
    groups: groupsOf(groups),
    hits: await hitsFor(memory, scope, season, groups),
    timezone,
    shown: chosen,
    isOver:
      last === all.values.length - 1 &&
      season.every(({ isOver }) => isOver) &&
      !(await hasMoreWeeks(ports, scope, season)),
    nextMs: all.values[last + 1]?.kickOffMs,
  });
  const grouped = groups.map(({ member }) => member);
  for (const unknown of [
    await unknownMembers(memory, scope, grouped, 'groups'),
    await unknownMembers(memory, scope, settings.hide, 'hide'),
  ])
    if (unknown !== undefined) emit({ kind: 'warning', message: unknown });
  const written = await replaceFolder(settings.out, siteFiles(site), settings.shownOut);
  await keepPublished(memory, scope, fresh, nowMs);
  const weeks: PublishedWeek[] = [];
  for (const shownWeek of values) {
    const { number: week, gameWeek, state } = shownWeek;
    const numbered = shown.find(({ league }) => league.week.id === gameWeek);
    weeks.push({
      ...{ week, gameWeek, state, was: all.before.get(gameWeek)?.state },
      changed: fresh.some((each) => each.gameWeek === gameWeek),
      awaited: numbered === undefined ? 0 : await awaitedIn(memory, scope, shownWeek, numbered),
    });
  }
  return { files: written.files, changedFiles: written.changed, squads: site.squads.length, weeks, waiting };
}

/**
 * Once the next week has begun, no rank of this one comes any more; where none was read, nobody may want one. A squad whose detail was read after all of the week and has no total, such as
 * that of a late member, gets none.
 */
async function awaitedIn(
  memory: Memory,
  scope: LeagueScope,
  { gameWeek, squads }: WeekValues,
  { league, wholeMs }: NumberedWeek,
): Promise<number> {
  const read = squads.filter(({ isRead }) => isRead);
  const without = read.filter(({ rank }) => rank === undefined);
  if (league.isPast || without.length === 0 || without.length === read.length) return 0;
  const detailAt = await memory.readAt(scope, gameWeek, 'squad');
  const sinceMs = Math.max(finalSince(league), wholeMs);
  return without.filter(({ squad }) => !((detailAt.get(squad) ?? -Infinity) >= sinceMs)).length;
}

function noneBegun(
  { from, to }: Extract<WeekChoice, { kind: 'range' }>,
  shown: readonly NumberedWeek[],
): UsageError {
  const rangeOf = (first = 0, last = 0): string => (first === last ? `${first}` : `${first}-${last}`);
  const there = rangeOf(shown[0]?.number, shown.at(-1)?.number);
  const message = `no game week of --weeks ${rangeOf(from, to)} has begun: the site stays as it is`;
  return new UsageError('usage.weeks', message, { next: `publish --weeks ${there}` });
}

/** The squads of which nothing is shown: those of members who are hidden or forgotten, in whichever week that was seen. */
async function hiddenSquads(
  { store }: PublishPorts,
  { account }: LeagueScope,
  { hide }: PublishSettings,
  weeks: readonly WeekValues[],
): Promise<ReadonlySet<string>> {
  const gone = new Set([...hide, ...(await store.memory.forgotten(account))]);
  const all = weeks.flatMap(({ squads }) => squads);
  return new Set(
    all.flatMap(({ squad, member }) => (member !== undefined && gone.has(member) ? [squad] : [])),
  );
}

/** Whether the points of weeks have deductions in them, as far as groups with a first week need it. */
async function hitsFor(
  memory: Memory,
  scope: LeagueScope,
  season: readonly LeagueWeek[],
  groups: readonly GroupMember[],
): Promise<HitsInPoints> {
  if (groups.every(({ fromWeek }) => isWholeSeason(fromWeek))) return undefined;
  return learntHits(
    await WeekFacts.open(memory, scope),
    season.map(({ week }) => week),
  );
}

/** Whether the season goes on after the weeks that have begun. */
async function hasMoreWeeks(
  { store }: PublishPorts,
  scope: LeagueScope,
  season: readonly LeagueWeek[],
): Promise<boolean> {
  const last = season.at(-1)?.week.startMs ?? Number.NaN;
  return (await knownWeeks(store.memory, scope)).some(({ startMs }) => startMs > last);
}

/** The name of the fantasy league, as its squads show it. */
async function leagueName(
  { store }: PublishPorts,
  scope: LeagueScope,
  season: readonly LeagueWeek[],
): Promise<string> {
  for (const { week } of season.toReversed()) {
    for await (const { record } of latestKept(store.memory, scope, week.id, 'squad')) {
      // Only `keptOfSquad` makes such a record.
      const { fantasy_league: league } = record as RecordOf<'get-squad'>;
      if (typeof league?.name === 'string' && league.name !== '') return league.name;
    }
  }
  return `Fantasy league ${scope.league}`;
}

/** The groups by their names, in the order of their table. */
const groupsOf = (members: readonly GroupMember[]): readonly Group[] =>
  [...Map.groupBy(members, ({ group }) => group)].map(([name, its]) => ({
    name,
    members: new Map(its.map(({ member, fromWeek }) => [member, fromWeek])),
  }));
