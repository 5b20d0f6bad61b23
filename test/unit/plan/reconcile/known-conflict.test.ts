import { expect, it } from 'vitest';
import type { Intent } from '../../../../src/model/state/store.ts';
import { renderSaid } from '../../../../src/model/said.ts';
import type { Confirmation } from '../../../../src/plan/requests.ts';
import { createDoubt, saysNoTo, withoutKnown } from '../../../../src/plan/reconcile/known-conflict.ts';
import { saidNo } from '../../../../src/plan/reconcile/soft-refusal.ts';
import { intentOf } from '../../../support/writes.ts';

const CONFLICT = { reason: 'HTTP 409 and the message "no"', status: 409, isConflict: true } as const;
const wrote = (alike: readonly string[] | undefined, changes: Partial<Intent> = {}): Intent =>
  intentOf('W', { keys: ['M-10'], evidence: JSON.stringify({ atMs: 0, known: 3, alike }), ...changes });

it.each<readonly [string, { readonly status: number; readonly isConflict?: true }, Intent, boolean]>([
  ['a whole 409 where the key was there', CONFLICT, wrote(['M-10']), true],
  ['a whole 409 where another spelling was there', CONFLICT, wrote(['m-10']), true],
  ['a whole 409 where nothing was like it', CONFLICT, wrote(undefined), false],
  ['a 409 that its envelope contradicts', { status: 409 }, wrote(['m-10']), false],
  ['a whole 409 for a change', CONFLICT, wrote(['m-10'], { operation: 'update-user' }), false],
  ['a whole 409 for points', CONFLICT, wrote(['1'], { resource: 'points_config' }), false],
  ['a 400 in other words', { status: 400 }, wrote(undefined), true],
])('%s: whether it says no', (_name, answer, intent, says) => {
  const doubt = { ...answer, reason: CONFLICT.reason };
  expect([saysNoTo(doubt, intent), saidNo({ detail: createDoubt(doubt, intent) })]).toEqual([says, says]);
});

it('the nearest of the known records is named to a row that was sent alone', () => {
  const detail = `the service refused it: ${CONFLICT.reason}`;
  expect(renderSaid(createDoubt(CONFLICT, wrote(['M-1', 'm-10'])))).toBe(
    `${detail}; it has "m-10", and may take it for the same key`,
  );
  expect(renderSaid(createDoubt(CONFLICT, wrote(['1/2/cup'], { resource: 'squads' })))).toContain(
    'it has "cup"',
  );
  expect(renderSaid(createDoubt(CONFLICT, wrote(['m-10'], { keys: ['M-10', 'M-11'] })))).toBe(detail);
});

it('what was there before is not the work of a write that was refused', () => {
  const one = { id: 'a', record: {} } as Confirmation;
  const found = new Map<string, Confirmation>([
    ['M-1', one],
    ['M-2', { ...one, keptAs: 'm-2' }],
    ['M-3', { ...one, keptAs: 'm-3', isOneOfSeveral: true }],
    ['M-4', one],
  ]);
  const intent = wrote(['M-1', 'm-2', 'm-3', 'm-4']);
  const left = withoutKnown(intent, createDoubt(CONFLICT, intent), found);
  expect([...left.keys()]).toEqual(['M-3', 'M-4']);
  const byId = (alikeIds: readonly (string | null)[]): readonly string[] => {
    const evidence = JSON.stringify({ atMs: 0, known: 3, alike: ['M-1', 'm-2'], alikeIds });
    return [...withoutKnown({ ...intent, evidence }, createDoubt(CONFLICT, intent), found).keys()];
  };
  expect(byId(['A', 'a'])).toEqual(['M-3', 'M-4']);
  expect(byId(['A', null])).toEqual(['M-3', 'M-4']);
  // A record with an id of its own came since, whatever its key.
  expect(byId(['A', 'other'])).toEqual(['M-2', 'M-3', 'M-4']);
  // So was one that has another value now, which its row wants: the service took a repeat for the record that it had.
  const written = (digests: object, disagrees: boolean): readonly string[] => {
    const alikeDigests = [{ display_name: 'then' }];
    const evidence = JSON.stringify({ atMs: 0, known: 3, alike: ['M-1'], alikeIds: ['a'], alikeDigests });
    const record = { ...one, record: { id: 'a', digests }, ...(disagrees && { disagrees: {} }) };
    const shown = new Map([['M-1', record as Confirmation]]);
    return [...withoutKnown({ ...intent, evidence }, createDoubt(CONFLICT, intent), shown).keys()];
  };
  expect(written({ display_name: 'now' }, false)).toEqual(['M-1']);
  expect(written({ display_name: 'now' }, true)).toEqual([]);
  expect(written({ display_name: 'then' }, false)).toEqual([]);
  expect(written({ is_active: 'now' }, false)).toEqual([]);
  expect(withoutKnown(intent, [{ code: 'text', text: 'no answer' }], found)).toBe(found);
});
