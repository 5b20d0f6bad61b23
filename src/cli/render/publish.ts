import { renderCount, renderCountOf } from '../../model/count.ts';
import type { PostedRecap, PublishedLeague } from '../../runtime/publish/publish-all.ts';
import type { PublishedWeek } from '../../runtime/publish/publish.ts';
import { safeText } from './text.ts';

/** A site as programs read it. */
export function siteDocument({
  settings: { name, league, shownOut },
  site,
  posted,
}: PublishedLeague): object {
  return {
    ...(name !== undefined && { league: name }),
    fantasy_league_id: league,
    out: shownOut,
    files: site.files,
    files_changed: site.changedFiles,
    squads: site.squads,
    weeks: site.weeks.map(({ week, gameWeek, state, was, changed }) => ({
      ...{ week, game_week_id: gameWeek, state, was: was ?? null, changed },
    })),
    weeks_waiting: site.waiting,
    recap: posted === undefined ? null : { week: posted.week, to: posted.to, sent: posted.isSent },
  };
}

/** What was written, week by week as far as it changed, and what was not. */
export function renderSite({ settings: { shownOut }, site, posted }: PublishedLeague): string {
  const { files, changedFiles, weeks, waiting } = site;
  const same = weeks.filter(({ changed }) => !changed).length;
  const lines = [
    changedFiles === 0
      ? `${safeText(shownOut)}: nothing has changed (${renderCountOf(files, 'file')})`
      : `${safeText(shownOut)}: ${renderCountOf(files, 'file')}, ${renderCount(changedFiles)} changed`,
    ...weeks.filter(({ changed }) => changed).map((week) => `  ${renderWeek(week)}`),
    ...(same === 0 ? [] : [`  ${renderCountOf(same, 'game week')} as published before`]),
    ...waiting.map((week) => `  game week ${week}: shown from its first kick-off on`),
    ...(posted === undefined ? [] : [`  ${renderPosted(posted)}`]),
  ];
  return lines.join('\n');
}

const renderPosted = ({ week, to, isSent }: PostedRecap): string =>
  `recap of game week ${week}: ${isSent ? 'posted' : 'to be posted'} (${safeText(to)})`;

function renderWeek({ week, state, was }: PublishedWeek): string {
  const words = STATES[state];
  if (was === undefined) return `game week ${week}: new, ${words}`;
  return was === state
    ? `game week ${week}: ${words}, and what is kept of it has changed`
    : `game week ${week}: ${words}, was ${STATES[was]}`;
}

const STATES: Readonly<Record<PublishedWeek['state'], string>> = {
  open: 'open',
  provisional: 'provisional',
  final: 'final',
  final_by_totals: 'final by totals',
  stale: 'stale',
  missing: 'missing',
};
