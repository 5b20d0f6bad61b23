import { describe, expect, it } from 'vitest';
import { renderReading, renderWeeks } from '../../../src/cli/render/weeks.ts';
import type { LeagueWeek } from '../../../src/sync/memory/league-weeks.ts';
import { plain } from '../../support/screen.ts';

const ID = '8c0818c3-76b1-83f2-a1a5-189f2ddc957e';
const leagueWeek = (text: string): LeagueWeek => ({
  week: { id: ID, text, number: undefined, startMs: 0, endMs: 1, readAtMs: 2 },
  state: 'missing',
  isOver: true,
  isPast: true,
  processed: undefined,
  lineups: undefined,
  note: undefined,
  contradicted: { squads: 0, points: 0 },
  squads: undefined,
});
const shown = (text: string): string =>
  renderWeeks({ leagues: [{ league: 1, weeks: [leagueWeek(text)] }], costs: [] }, 'UTC', plain);

describe('a game week', () => {
  it('is named as the service writes it', () => {
    expect(shown('Round 4')).toMatch(/^ +1 +Round 4 +missing/m);
  });

  it.each(['', ' '])('without a text, as %j, is named by its id', (text) => {
    expect(shown(text)).toMatch(new RegExp(`^ +1 +${ID} +missing`, 'm'));
    const counts = { lineups: 0, squads: 0, players: 0 };
    const week = leagueWeek(text);
    const reading = { league: 1, week, read: counts, left: counts, missing: [], stoppedBy: undefined };
    expect(renderReading(reading, 'UTC')).toMatch(`fantasy league 1, week ${ID}: read`);
  });
});
