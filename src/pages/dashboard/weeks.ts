import type { WeekState } from '../../model/state/memory.ts';
import { markup, type Markup } from '../markup.ts';
import { card, count, num, table } from '../parts.ts';
import type { LeagueLine } from './values.ts';
import { moment, typed, type Watch } from './words.ts';

const KINDS: Readonly<Record<WeekState, string>> = {
  open: '',
  provisional: 'warn',
  final: 'good',
  final_by_totals: 'good',
  stale: 'bad',
  missing: 'bad',
};

/** The game weeks of each league that have begun, with their states and what is kept of them. */
export function weeksBody(leagues: readonly LeagueLine[], watch: Watch): Markup {
  if (leagues.length === 0)
    return card(
      null,
      markup`<p class="empty">No game week is remembered yet: ${typed('weeks read')} reads the current one.</p>`,
    );
  return markup`${leagues.map(({ league, weeks }) =>
    card(
      `Fantasy league ${league}`,
      table(
        `Weeks of league ${league}`,
        ['Week', 'State', num('Squads'), num('Line-ups'), 'Read', { head: '', kind: 'wide' }],
        weeks.map(({ week, state, squads, lineups, readAtMs, note }) => [
          week,
          markup`<span class="badge ${KINDS[state]}">${state.replaceAll('_', ' ')}</span>`,
          count(squads),
          count(lineups),
          moment(readAtMs, watch),
          note,
        ]),
        'No week has begun.',
      ),
    ),
  )}<p class="note">${typed('weeks')} also looks whether later totals contradict a week, and says what reading the current one costs.</p>`;
}
