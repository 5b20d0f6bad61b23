import { expect, it } from 'vitest';
import { changedDocument, renderChanged } from '../../../src/cli/substitutions/changed.ts';
import type { AutoSubstitution } from '../../../src/contract/resources/auto-substitutions.ts';
import type { LoggedPair } from '../../../src/season/pairs.ts';

const record = (id: number, last_name: string | null = `Name ${id}`): AutoSubstitution => ({
  id: `r${id}`,
  player: { id, first_name: null, last_name },
});
const pair = (squad: string, out: number, into: number, more: Partial<LoggedPair> = {}): LoggedPair => {
  const [gone, come] = [record(out), record(into)];
  return {
    squad: { id: squad, name: `Squad ${squad}` },
    out: gone,
    in: come,
    records: [gone, come],
    ...more,
  };
};

it('names who came in for whom, with the armband, and both players where that cannot be told', () => {
  const untold: LoggedPair = { squad: { id: 'b', name: null }, records: [record(3), record(4, null)] };
  const pairs = [pair('a', 1, 2, { captainMoved: true }), untold];
  expect(renderChanged(pairs)).toEqual([
    '2 substitutions in 2 squads:',
    '  Squad a: Name 2 for Name 1, with the armband',
    '  b: Name 3 and player 4',
  ]);
  expect(changedDocument(pairs)).toEqual({
    squads: 2,
    substitutions: 2,
    pairs: [
      { squad: { id: 'a', name: 'Squad a' }, out: 1, in: 2 },
      { squad: { id: 'b', name: null }, out: null, in: null, players: [3, 4] },
    ],
  });
});

it('names ten, counts the rest, and says where nothing is new', () => {
  const many = Array.from({ length: 12 }, (_, at) => pair('a', at, at + 100));
  expect(renderChanged(many)).toHaveLength(12);
  expect(renderChanged(many).at(-1)).toMatch(/^ {2}and 2 more; /);
  expect(renderChanged([])).toEqual(['the log shows no new substitution']);
});
