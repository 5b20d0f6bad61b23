import { describe, expect, it } from 'vitest';
import { positionOf, PUBLIC_RULES, type Position } from '../../../src/rules/rules.ts';
import { expectedSubstitutions, type Place } from '../../../src/rules/substitutions.ts';

/** `GK DEF* MID0`: a position each; 0 did not play, ? is not known to have, c and v are the captains. */
function lineup(eleven: string, bench: string): readonly Place[] {
  const starting = eleven.split(' ');
  return [...starting, ...bench.split(' ')].map((text, index) => ({
    player: String(index + 1),
    order: index + 1,
    isStarting: index < starting.length,
    isCaptain: text.includes('c'),
    isViceCaptain: text.includes('v'),
    position: /^[A-Z]+/.exec(text)?.[0] as Position,
    minutes: text.includes('?') ? undefined : text.includes('0') ? 0 : 90,
  }));
}

const expected = (eleven: string, bench: string) =>
  expectedSubstitutions(lineup(eleven, bench), PUBLIC_RULES);
const pairsOf = (eleven: string, bench: string): readonly string[] => {
  const found = expected(eleven, bench);
  return found.kind === 'known' ? found.pairs.map((pair) => `${pair.out}>${pair.in}`) : [found.lacks];
};

describe('expectedSubstitutions', () => {
  it('replaces a goalkeeper by the goalkeeper of the bench alone, and only one who played', () => {
    const outfield = 'DEF DEF DEF DEF MID MID MID MIDv FWD FWDc';
    expect(pairsOf(`GK0 ${outfield}`, 'DEF GK MID FWD')).toEqual(['1>13']);
    expect(pairsOf(`GK0 ${outfield}`, 'DEF GK0 MID FWD')).toEqual([]);
    expect(pairsOf(`GK ${outfield.replace('MID ', 'MID0 ')}`, 'GK DEF MID FWD')).toEqual(['6>13']);
  });

  it('keeps three defenders and a forward', () => {
    expect(pairsOf('GKc DEF0 DEF DEF MID MID MID MID MID FWDv FWD', 'GK MID FWD DEF')).toEqual(['2>15']);
    expect(pairsOf('GKc DEF DEF DEF DEF DEF MID MID MID MIDv FWD0', 'GK MID FWD DEF')).toEqual(['11>14']);
    expect(pairsOf('GKc DEF DEF DEF DEF DEF MID MID MID MIDv FWD0', 'GK MID FWD0 DEF')).toEqual([]);
  });

  it('lets a second substitution stand on the formation that the first one left', () => {
    // Four defenders, two of them absent: the first is replaced by a midfielder, the second only by a defender.
    expect(pairsOf('GKc DEF0 DEF0 DEF DEF MID MID MID MIDv FWD FWD', 'GK MID FWD DEF')).toEqual([
      '2>13',
      '3>15',
    ]);
  });

  it('has nobody as captain where neither played', () => {
    expect(expected('GKc0 DEFv0 DEF DEF DEF MID MID MID MID FWD FWD', 'GK MID DEF FWD')).toMatchObject({
      kind: 'known',
      captain: undefined,
    });
  });

  it('does not guess what is not known', () => {
    const rest = 'DEF DEF DEF DEF MID MID MID MIDv FWD FWDc';
    expect(pairsOf(`GK? ${rest}`, 'GK MID DEF FWD')).toEqual(['minutes']);
    expect(pairsOf(`GK0 ${rest}`, 'GK? MID DEF FWD')).toEqual(['minutes']);
    expect(pairsOf(`GK ${rest}`, 'GK? MID? DEF? FWD?')).toEqual([]);
    expect(pairsOf('GK DEF DEF DEF DEF MID MID MID MID FWD FWD', 'GK MID DEF FWD')).toEqual(['armband']);
  });
});

describe('positionOf', () => {
  it("takes the operator's words before the common ones, in any case", () => {
    expect(positionOf(PUBLIC_RULES, ['Goalkeeper', 'gk'])).toBe('GK');
    expect(positionOf({ positions: { Libero: 'DEF' } }, ['libero', null])).toBe('DEF');
    expect(positionOf({ positions: { Forward: 'MID' } }, ['Forward'])).toBe('MID');
  });

  it('knows nothing of a word that nobody told, and of words that contradict each other', () => {
    expect(positionOf(PUBLIC_RULES, ['Libero', ''])).toBeUndefined();
    expect(positionOf(PUBLIC_RULES, ['Goalkeeper', 'DEF'])).toBeUndefined();
  });
});
