import { expect, it } from 'vitest';
import { UnavailableError } from '../../../../src/model/error.ts';
import { withoutKey } from '../../../../src/runtime/withheld/withhold-key.ts';

const withhold = (text: string): string => text.replaceAll('KEY', '…');

it('looks into lists, plain objects and symbols, and leaves other objects as they are', () => {
  const mark = Symbol('mark');
  const at = new Date(0);
  const told = new Map([['a', 'KEY']]);
  expect(
    withoutKey({ one: 'my KEY', list: [{ two: 'KEY' }, 3, null], at, told, [mark]: 1 }, withhold),
  ).toEqual({
    ...{ one: 'my …', list: [{ two: '…' }, 3, null], at, told },
    [mark]: 1,
  });
});

it('changes an error in place, with its stack, its next step and its causes, however they are joined', () => {
  const inner = new Error('inner KEY');
  const error = new UnavailableError('service.down', 'outer KEY', { next: 'without KEY', cause: inner });
  inner.cause = error;
  expect(withoutKey(error, withhold)).toBe(error);
  expect(error).toMatchObject({ message: 'outer …', next: 'without …', code: 'service.down' });
  expect([inner.message, error.stack, inner.stack].filter((text) => text?.includes('KEY'))).toEqual([]);
});

it('keeps what holds no key as it was', () => {
  const error = new RangeError('mine');
  const { stack } = error;
  expect(withoutKey(error, withhold).stack).toBe(stack);
});
