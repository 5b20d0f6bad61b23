import { expect, it } from 'vitest';
import { PUBLIC_RULES, type Position } from '../../../src/rules/rules.ts';
import { squadFindings, type SquadPlayer } from '../../../src/rules/squad-rules.ts';

const POSITIONS: readonly Position[] = [
  ...(['GK', 'GK'] as const),
  ...(['DEF', 'DEF', 'DEF', 'DEF', 'DEF'] as const),
  ...(['MID', 'MID', 'MID', 'MID', 'MID'] as const),
  ...(['FWD', 'FWD', 'FWD'] as const),
];
/** Fifteen players of five clubs that cost 90 together. */
const SQUAD: readonly SquadPlayer[] = POSITIONS.map((position, index) => ({
  player: String(index + 1),
  position,
  club: `Club ${index % 5}`,
  price: 6,
}));
const found = (squad: readonly SquadPlayer[]) => squadFindings(PUBLIC_RULES.squad, squad);
const change = (player: string, over: Partial<SquadPlayer>): readonly SquadPlayer[] =>
  SQUAD.map((each) => (each.player === player ? { ...each, ...over } : each));

it('finds nothing in a squad that keeps the rules, or of which nothing is known', () => {
  expect(found(SQUAD)).toEqual([]);
  const unknown = { position: undefined, club: undefined, price: undefined };
  expect(found(SQUAD.map((each) => ({ ...each, ...unknown })))).toEqual([]);
});

it('finds a squad that is too small', () => {
  expect(found(SQUAD.slice(1))).toMatchObject([{ rule: 'size', found: 14, wanted: 15 }]);
});

it('finds too many of a position, and too few only where nobody else can be one', () => {
  expect(found(change('3', { position: 'FWD' }))).toMatchObject([
    { rule: 'position', position: 'DEF', found: 4, wanted: 5 },
    { rule: 'position', position: 'FWD', found: 4, wanted: 3, players: ['3', '13', '14', '15'] },
  ]);
  expect(found(change('3', { position: undefined }))).toEqual([]);
});

it('finds a fourth player of a club, and a squad that costs more than the budget by a tenth', () => {
  expect(found(change('1', { club: 'Club 1' }))).toMatchObject([
    { rule: 'per_club', club: 'Club 1', found: 4, most: 3, players: ['1', '2', '7', '12'] },
  ]);
  expect(found(change('1', { price: 16 }))).toEqual([]);
  expect(found(change('1', { price: 16.1 }))).toMatchObject([{ rule: 'budget', cost: 100.1, most: 100 }]);
});
