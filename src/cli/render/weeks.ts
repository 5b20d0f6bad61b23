import { renderCount, renderCountOf } from '../../model/count.ts';
import { nameOfWeek } from '../../season/game-week.ts';
import type { LeagueWeek } from '../../sync/memory/league-weeks.ts';
import { readAtMs, renderWeekNote } from '../../runtime/weeks/week-note.ts';
import type { LeagueReading, WeeksShown } from '../../runtime/weeks/read-weeks.ts';
import type { ReadCounts } from '../../sync/weeks/read-week.ts';
import type { Style } from '../screen.ts';
import { renderColumns, safeText } from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

const timeIn =
  (timezone: string) =>
  (ms: number): string =>
    renderTime(ms, timezone);

/** One week of the document (season.md, section 2). */
export function weekDocument(fantasyLeague: number, week: LeagueWeek, timezone: string): object {
  const at = readAtMs(week);
  return {
    fantasy_league_id: fantasyLeague,
    week: week.week.text,
    game_week_id: week.week.id,
    state: week.state,
    squads: week.squads?.ids ?? 0,
    lineups: week.lineups?.ids ?? 0,
    read_at: at === undefined ? null : new Date(at).toISOString(),
    note: week.note === undefined ? null : renderWeekNote(week.note, timeIn(timezone)),
  };
}

/** The document of `weeks --json`. */
export function weeksDocument({ leagues, costs }: WeeksShown, timezone: string): object {
  return {
    weeks: leagues.flatMap(({ league, weeks }) => weeks.map((week) => weekDocument(league, week, timezone))),
    reading: costs.map((cost) => ({
      fantasy_league_id: cost.league,
      requests: cost.requests,
      ...(cost.fits !== undefined && { fits: cost.fits }),
      next_week: cost.next ?? null,
      missing: { lineups: cost.missing.lineups, squads: cost.missing.details },
      note: renderCost(cost),
    })),
  };
}

/** The weeks of each league, and what reading the current one costs. */
export function renderWeeks({ leagues, costs }: WeeksShown, timezone: string, style: Style): string {
  const rows = leagues.flatMap(({ league, weeks }) =>
    weeks.map((each) => {
      const at = readAtMs(each);
      return [
        String(league),
        safeText(nameOfWeek(each.week)),
        each.state,
        renderCount(each.squads?.ids ?? 0),
        renderCount(each.lineups?.ids ?? 0),
        at === undefined ? '-' : renderTime(at, timezone),
        each.note === undefined ? '' : renderWeekNote(each.note, timeIn(timezone)),
      ];
    }),
  );
  const head = ['league', 'week', 'state', 'squads', 'line-ups', 'read', ''].map((text) =>
    style('bold', text),
  );
  const table =
    rows.length === 0
      ? 'no game week is remembered yet'
      : renderColumns([head, ...rows], [true, false, false, true, true]);
  const lines = costs.map(
    (cost) => `reading the current week of fantasy league ${cost.league}: ${renderCost(cost)}`,
  );
  return [table, ...lines].join('\n');
}

/** `10,100 requests; 7,600 fit before week 9 begins: line-ups first, 2,500 details will be missing`. */
function renderCost({ requests, knowsPlayers, fits, next, missing }: WeeksShown['costs'][number]): string {
  const beside = knowsPlayers ? '' : ', and one for each player, whom the line-ups name';
  const costs = `${renderCountOf(requests, 'request')}${beside}`;
  if (fits === undefined) return costs;
  const parts = [
    ...(missing.lineups === 0 ? [] : [renderCountOf(missing.lineups, 'line-up')]),
    ...(missing.details === 0 ? [] : [renderCountOf(missing.details, 'detail')]),
  ];
  const lacks = parts.length === 0 ? '' : `, ${parts.join(' and ')} will be missing`;
  return `${costs}; ${renderCount(fits)} fit before week ${safeText(next ?? '?')} begins: line-ups first${lacks}`;
}

const countsText = ({ lineups, squads, players }: ReadCounts): string =>
  [renderCountOf(lineups, 'line-up'), renderCountOf(squads, 'squad'), renderCountOf(players, 'player')].join(
    ', ',
  );

/** What a reading did not get. */
function leftText(left: ReadCounts, isStopped: boolean): string {
  const nouns = { lineups: 'line-up', squads: 'squad', players: 'player' } as const;
  const parts = (['lineups', 'squads', 'players'] as const).flatMap((part) =>
    left[part] === 0 ? [] : [renderCountOf(left[part], nouns[part])],
  );
  if (parts.length === 0) return '';
  return `; ${isStopped ? 'still to be read' : 'not shown by the service'}: ${parts.join(', ')}`;
}

/** `it is provisional: 3 line-ups were not read`. */
export function stateText({ state, note }: LeagueWeek, timezone: string): string {
  const told = note === undefined ? '' : `: ${renderWeekNote(note, timeIn(timezone))}`;
  return `it is ${state}${told}${state === 'open' ? '; once it is over, weeks read reads it again' : ''}`;
}

/** What reading the week of one league came to. */
export function renderReading(
  { league, week, read, left, missing, stoppedBy }: LeagueReading,
  timezone: string,
): string {
  const name = week === undefined ? 'no game week' : `week ${safeText(nameOfWeek(week.week))}`;
  const lines = [
    `fantasy league ${league}, ${name}: read ${countsText(read)}${leftText(left, stoppedBy !== undefined)}`,
    ...(week === undefined ? [] : [stateText(week, timezone)]),
    ...(missing.length === 0
      ? []
      : [
          `the service shows no line-up, rank or points of weeks that are over, so these cannot be had any more: ${missing.map(safeText).join(', ')}; the statistics of players are there`,
        ]),
  ];
  return lines.join('\n');
}

/** The same as a document. */
export const readingDocument = (
  { league, week, read, left, missing }: LeagueReading,
  timezone: string,
): object => ({
  fantasy_league_id: league,
  week: week === undefined ? null : weekDocument(league, week, timezone),
  read,
  left,
  missing_weeks: missing,
});
