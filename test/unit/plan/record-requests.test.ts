import { describe, expect, it } from 'vitest';
import { resourcePlans } from '../../../src/plan/resources/index.ts';
import { runRow } from '../../support/builders.ts';

const { requests: leagues } = resourcePlans.fantasy_leagues;
const { requests: minis } = resourcePlans.mini_leagues;
const row = runRow(2, { fantasy_league_id: 1, name: 'Office', type: 'classic' }, { key: '1/Office' });
const idOf = (answer: object): string | null | undefined => minis.match([row], [answer]).get('1/Office')?.id;

describe('a record that is made alone', () => {
  it('goes out beside others where the service allows it, one row in a request', () => {
    expect([minis.parallel, leagues.parallel]).toEqual([true, false]);
    expect([minis.operation, leagues.operation]).toEqual(['create-mini-league', 'create-fantasy-league']);
    expect([minis.groupOf(row), minis.groupOf({ ...row, key: null })]).toEqual(['1/Office', '']);
    expect(() => minis.body([])).not.toThrow();
  });

  it.each([
    ['shows it whole', { id: 7, name: 'Office', fantasy_league: { id: 1 } }],
    ['shows its name in another form', { id: 7, name: ' Office ' }],
    ['shows its id alone', { id: 7 }],
    ['shows no name', { id: 7, name: null, fantasy_league: null }],
  ])('is confirmed by an answer that %s', (_what, answer) => {
    expect(idOf(answer)).toBe('7');
  });

  it.each([
    ['another name', { id: 7, name: 'Offices' }],
    ['another league', { id: 7, name: 'Office', fantasy_league: { id: 2 } }],
    ['no record', {}],
  ])('is not confirmed by an answer that shows %s', (_what, answer) => {
    expect(idOf(answer)).toBeUndefined();
  });

  it('of a squad is told by the league of the answer too', () => {
    const { requests } = resourcePlans.squads;
    const squad = runRow(3, { user_id: 3, name: 'Hill XI', fantasy_league_id: 1 }, { key: '1/3/Hill XI' });
    const size = (fantasy_league_id: number): number =>
      requests.match([squad], [{ id: 'a', name: 'Hill XI', fantasy_league_id }]).size;
    expect([size(1), size(2)]).toEqual([1, 0]);
  });

  it('needs a row', () => {
    expect(minis.match([], [{ id: 7 }]).size).toBe(0);
  });
});
