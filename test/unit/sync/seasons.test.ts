import { expect, it } from 'vitest';
import type { LeagueScope } from '../../../src/model/state/memory.ts';
import { PUBLIC_RULES } from '../../../src/rules/rules.ts';
import { keptOfLineup } from '../../../src/season/kept.ts';
import { auditWeeks } from '../../../src/sync/audit.ts';
import { previewPoints } from '../../../src/sync/whatif.ts';
import { MemoryWeeks, WeeksData } from '../../simulation/memory-weeks.ts';

const SCOPE: LeagueScope = { account: { baseUrl: 'http://127.0.0.1:1', accountId: 'a' }, league: 7 };
const WEEK_7 = { kind: 'range', from: 7, to: 7 } as const;

it('audits and previews take a week by its number from the newest season', async () => {
  const memory = new MemoryWeeks(new WeeksData());
  for (const [id, start_date] of [
    ['old', '2025-09-27T12:00:00Z'],
    ['new', '2026-09-26T12:00:00Z'],
  ] as const) {
    const game_week = { id: `7 of ${id}`, week: '7', start_date, end_date: start_date };
    const lineup = { id, name: id, game_week, squad: { starting_xi: [], bench: [] }, total_points: 1 };
    await memory.keep(SCOPE, keptOfLineup(lineup, id, Date.parse(start_date) + 1));
  }
  const ports = { store: { memory } } as unknown as Parameters<typeof auditWeeks>[0];
  const { weeks } = await auditWeeks(ports, SCOPE, PUBLIC_RULES, WEEK_7);
  expect(weeks).toMatchObject([{ week: 7, squads: 1 }]);
  const settings = () => Promise.resolve({ starter_points: 2 });
  for (const choice of [WEEK_7, { kind: 'all' } as const]) {
    const found = await previewPoints(ports, SCOPE, PUBLIC_RULES, choice, { starter_points: 3 }, settings);
    expect(found.squads).toMatchObject([{ id: 'new' }]);
  }
});
