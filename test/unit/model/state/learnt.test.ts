import { describe, expect, it } from 'vitest';
import { learnMore, learntFact, learntOf, MOST_VALUES } from '../../../../src/model/state/learnt.ts';
import type { Learnt, Sighting } from '../../../../src/model/state/learnt.ts';

const sighting = (value: string, changes: Partial<Sighting> = {}): Sighting => ({
  topic: 'status',
  subject: 'create-users',
  value,
  times: 1,
  ...changes,
});

const learn = (...seen: readonly Sighting[]): Learnt => {
  const learnt = seen.reduce<Learnt | undefined>(
    (known, each, index) => learnMore(known, each, 1000 * (index + 1)),
    undefined,
  );
  if (learnt === undefined) throw new Error('nothing to learn');
  return learnt;
};

describe('learnMore', () => {
  it('keeps the first and the last time of a value, and how often it came', () => {
    const { values, more } = learn(
      sighting('201'),
      sighting('200', { times: 3 }),
      sighting('201', { times: 2 }),
    );
    expect(values).toEqual([
      { value: '201', times: 3, firstAtMs: 1000, lastAtMs: 3000 },
      { value: '200', times: 3, firstAtMs: 2000, lastAtMs: 2000 },
    ]);
    expect(more).toBe(false);
  });

  it.each([
    ['batch_taken', ['50', '100', '70', '100'], '100', 2],
    ['batch_refused', ['70', '35', '40', '35'], '35', 2],
  ] as const)('keeps only the extreme of %s', (topic, sizes, extreme, times) => {
    const { values } = learn(...sizes.map((size) => sighting(size, { topic })));
    expect(values).toMatchObject([{ value: extreme, times }]);
  });

  it('keeps the first values of many and says that there are more', () => {
    const many = Array.from({ length: MOST_VALUES + 5 }, (_, n) => sighting(`word ${n}`, { topic: 'value' }));
    expect(learn(...many.slice(0, MOST_VALUES)).more).toBe(false);
    const { values, more } = learn(...many);
    expect(values.map(({ value }) => value)).toEqual(many.slice(0, MOST_VALUES).map(({ value }) => value));
    expect(more).toBe(true);
  });
});

describe('a fact of the store', () => {
  it('reads as what it was written from', () => {
    const learnt = learn(sighting('null', { topic: 'field', subject: 'get-squad chips[].date: odd' }));
    expect(learntOf(learntFact(learnt))).toEqual(learnt);
  });

  it.each(['batch_limit:users', 'list:users', 'learnt:of_another_version:x', 'tab Users'])(
    'is nothing that was learnt when it is %s',
    (name) => {
      expect(learntOf({ name, value: '40' })).toBeUndefined();
    },
  );
});
