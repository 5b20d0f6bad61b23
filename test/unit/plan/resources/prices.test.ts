import { describe, expect, it } from 'vitest';
import { isStep } from '../../../../src/plan/resources/prices.ts';

describe('a step of a price', () => {
  it.each(['delta', 'price_delta', 'Step', 'increment', 'DECREASE', 'difference', 'relative'])(
    'is told by the type %s',
    (type) => {
      expect(isStep(type)).toBe(true);
    },
  );

  it.each(['current', 'initial', 'price', '', undefined, 3])('is not told by %s', (type) => {
    expect(isStep(type)).toBe(false);
  });
});
