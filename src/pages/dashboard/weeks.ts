import { markup, type Markup } from '../markup.ts';
import { card, count, num, table } from '../parts.ts';
import type { LeagueLine } from './values.ts';
import { moment, type Watch } from './words.ts';

/** The game weeks of each league, with what is kept of them. */
export function weeksBody(leagues: readonly LeagueLine[], watch: Watch): Markup {
  if (leagues.length === 0)
    return card(
      null,
      markup`<p class="empty">No game week is remembered yet. A pull of line-ups, squads or fixtures keeps what it reads.</p>`,
    );
  return markup`${leagues.map(({ league, weeks }) =>
    card(
      `Fantasy league ${league}`,
      table(
        `Weeks of league ${league}`,
        ['Week', 'Begins', 'Ends', num('Squads'), num('Line-ups'), 'Line-ups read'],
        weeks.map(({ week, startMs, endMs, squads, lineups, readAtMs }) => [
          week,
          moment(startMs, watch),
          moment(endMs, watch),
          count(squads),
          count(lineups),
          moment(readAtMs, watch),
        ]),
      ),
    ),
  )}`;
}
