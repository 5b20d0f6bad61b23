import { describe, expect, it } from 'vitest';
import { shortNames } from '../../../src/pages/short-names.ts';

const namesOf = (...players: readonly (readonly [first: string, last: string])[]): readonly unknown[] => {
  const names = shortNames(players.map(([first, last], id) => ({ id, first, last })));
  return players.map((_, id) => names.get(id));
};

describe('the names on a pitch', () => {
  it('are surnames, and the one name of a player who has no other', () => {
    expect(namesOf(['Davi', 'Laranjal'], ['', 'Edson'], ['Kofi', ''])).toEqual(['Laranjal', 'Edson', 'Kofi']);
  });

  it('have the initial before a surname that two of them share', () => {
    expect(namesOf(['Davi', 'Laranjal'], ['Luan', 'Laranjal'], ['Caio', 'Barrocal'])).toEqual([
      'D. Laranjal',
      'L. Laranjal',
      'Barrocal',
    ]);
  });

  it('have the first name where the initial is the same too, and the id where all is', () => {
    expect(namesOf(['Davi', 'Umibe'], ['Dario', 'Umibe'], ['Luan', 'Umibe'])).toEqual([
      'Davi Umibe',
      'Dario Umibe',
      'L. Umibe',
    ]);
    expect(namesOf(['Davi', 'Umibe'], ['Davi', 'Umibe'])).toEqual(['0 Davi Umibe', '1 Davi Umibe']);
  });

  it('tell a single name from the same surname of another, and take an initial of any script whole', () => {
    expect(namesOf(['', 'Thiago'], ['Caio', 'Thiago'])).toEqual(['Thiago', 'C. Thiago']);
    expect(namesOf(['𝒜da', 'Umibe'], ['Émile', 'Umibe'])).toEqual(['𝒜. Umibe', 'É. Umibe']);
  });
});
