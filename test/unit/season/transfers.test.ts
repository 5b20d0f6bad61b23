import { describe, expect, it } from 'vitest';
import { playedSquad, transfersSince, type PlayedSquad } from '../../../src/season/transfers.ts';

/** The last of weeks that follow each other: the players of each, and its chip. */
const lastOf = (...weeks: readonly (readonly [players: string, chip?: string])[]): PlayedSquad | undefined =>
  weeks.reduce<PlayedSquad | undefined>(
    (last, [players, chip]) => playedSquad(players.split(' '), chip, last),
    undefined,
  );
const since = (players: string, ...weeks: readonly (readonly [players: string, chip?: string])[]) => {
  const found = transfersSince(lastOf(...weeks), players.split(' '));
  return found && [found.playersIn.join(' '), found.playersOut.join(' ')];
};

describe('transfers are told', () => {
  it.each([
    ['by the squad of the week before', since('A B X', ['A B C']), ['X', 'C']],
    ['after a wildcard as well', since('X Y C', ['A B C'], ['X Y Z', 'wildcard']), ['C', 'Z']],
    ['after a free hit by the squad before it', since('A B X', ['A B C'], ['X Y Z', 'free_hit']), ['X', 'C']],
    [
      'after two of them, by the squad before both',
      since('A B C', ['A B C'], ['X Y Z', 'Free Hit'], ['U V W', 'freehit']),
      ['', ''],
    ],
  ])('%s', (_how, found, expected) => {
    expect(found).toEqual(expected);
  });

  it.each([
    ['the week before', transfersSince(undefined, ['A'])],
    ['the week', transfersSince(lastOf(['A B C']), undefined)],
    ['the squad before a free hit', since('A B X', ['X Y Z', 'free_hit'])],
    [
      'what a chip does after which a squad is nearer to what it was',
      since('A B X', ['A B C'], ['X Y Z', 'Q7']),
    ],
  ])('not where nothing tells %s', (_what, found) => {
    expect(found).toBeUndefined();
  });
});
