import { renderCountOf } from '../../model/count.ts';
import type { WeekNote } from '../../season/week-state.ts';
import type { LeagueWeek } from '../../sync/memory/league-weeks.ts';

/** When what is kept of a week was last read; undefined where nothing was. */
export function readAtMs({ lineups, squads }: Pick<LeagueWeek, 'lineups' | 'squads'>): number | undefined {
  const found = [lineups, squads].flatMap((counted) => counted?.newestMs ?? []);
  return found.length === 0 ? undefined : Math.max(...found);
}

/** What there is to say of a week. */
export function renderWeekNote(note: WeekNote, time: (ms: number) => string): string {
  switch (note.code) {
    case 'ends':
      return `ends at ${time(note.atMs)}`;
    case 'not_read':
      return 'over, and not read yet: weeks read reads it while the service shows it';
    case 'none_shown':
      return 'read, and no squad had a line-up in it';
    case 'not_processed':
      return 'its substitutions are not known to be processed: trigger them, or weeks close it';
    case 'to_read_again':
      return `its substitutions were processed at ${time(note.processedMs)}: weeks read reads the line-ups again`;
    case 'some_not_read':
      return renderCountOf(note.left, 'line-up was not read', 'line-ups were not read');
    case 'read_in_part':
      return 'only single line-ups were asked for: weeks read reads all of them while the service shows the week';
    case 'processed_late':
      return 'its line-ups were read before its substitutions were processed: points follow from the totals, line-ups are as before';
    case 'read_early':
      return 'line-ups of it were read before it began, and tell nothing of it: points follow from the totals';
    case 'contradicted':
      return `a later total contradicts ${renderCountOf(note.squads, 'squad')}, by ${renderCountOf(note.points, 'point')} in all`;
    case 'missed':
      return 'it was not read while the service showed it';
  }
}
