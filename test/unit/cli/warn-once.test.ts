import { expect, it } from 'vitest';
import { warnOnce } from '../../../src/cli/warn-once.ts';
import { UnavailableError } from '../../../src/model/error.ts';

it('tells a failure once while others go well beside it, and again once all has gone well', () => {
  const told: string[] = [];
  const screen = { warn: (message: string) => told.push(message) };
  const { failed, passed } = warnOnce({ screen } as unknown as Parameters<typeof warnOnce>[0]);
  const isAway = new UnavailableError('state.unwritable', 'it takes no writes');
  for (let turn = 0; turn < 3; turn += 1) {
    failed(isAway);
    passed();
  }
  expect(told).toEqual(['it takes no writes']);
  passed();
  failed(isAway);
  expect(told).toHaveLength(2);
  failed(new UnavailableError('state.unreachable', 'it is away'));
  expect(told.at(-1)).toBe('it is away');
});
