import { describe, expect, it } from 'vitest';
import type { OperationId, ResourceName } from '../../../../src/contract/index.ts';
import type { RunRow } from '../../../../src/model/state/run-rows.ts';
import { refusalsOf, refusedIn } from '../../../../src/plan/reconcile/refused-entries.ts';
import { createUser, runRow } from '../../../support/builders.ts';

const [U1, U2, U3] = [createUser(1), createUser(2), createUser(3)];
const BATCH = [U1, U2, U3];
const no = (reason: string, key?: string) => ({
  code: 'refused-doubtful',
  reason,
  ...(key !== undefined && { key }),
});
const said = (unnamed: readonly RunRow[], ...entries: readonly unknown[]) =>
  refusedIn('users', 'create-users', BATCH, unnamed, entries);

describe('an entry of an answer', () => {
  it.each<readonly [string, unknown]>([
    ['beside its key', { external_id: 'U2', error: 'taken' }],
    ['around its key', { user: { external_id: 'U2' }, error: 'taken' }],
    ['with what a record has, and more', { external_id: 'U2', display_name: 'Name 2', code: 'TAKEN' }],
    ['several times', { external_id: 'U2', errors: ['taken', { external_id: 'U2' }] }],
  ])('is what is said of the row whose key it states: %s', (_how, entry) => {
    expect(said([U1, U2], entry)).toEqual([no(JSON.stringify(entry), 'U2')]);
  });

  it.each<readonly [string, unknown]>([
    ['nothing but its place', { index: 1, error: 'taken' }],
    ['a key of none of them', { external_id: 'u2', error: 'taken' }],
    ['the keys of several', { error: 'taken', users: [{ external_id: 'U1' }, { external_id: 'U2' }] }],
    ['a text', 'U2 is taken'],
  ])('that states %s is said of no one row', (_what, entry) => {
    expect(said([U1, U2], entry)).toEqual([no(JSON.stringify(entry))]);
  });

  it.each<readonly [string, unknown]>([
    ['what a record says', { external_id: 'U2', display_name: 'Name 2', created_at: '2026-08-14' }],
    ['numbers', { external_id: 'U2', place: 2, taken: true }],
    ['nothing', {}],
    ['null', null],
    ['a number', 3],
  ])('that holds no text but %s says nothing', (_what, entry) => {
    expect(said([U1, U2], entry)).toEqual([]);
  });

  it('of a row that a record of the answer names says nothing of the others', () => {
    expect(said([U1], { external_id: 'U2', warning: 'cut' })).toEqual([]);
    expect(said([], { index: 1, warning: 'cut' })).toEqual([]);
  });

  it('is shown with the others of its row, or with those of no row', () => {
    const [one, two] = [
      { external_id: 'U2', error: 'taken' },
      { external_id: 'U2', error: 'long' },
    ];
    const [three, four] = [{ index: 0, error: 'bad' }, 'no'];
    expect(said([U1, U2], one, three, two, four)).toEqual([
      no(JSON.stringify([one, two]), 'U2'),
      no(JSON.stringify([three, four])),
    ]);
    // What states no key can be said of none of the rows that are left.
    expect(said([U2], one, three)).toEqual([no(JSON.stringify(one), 'U2')]);
  });

  it('is shown in one line and cut', () => {
    const [part] = said([U1], { external_id: 'U1', error: `\u202e${'x'.repeat(300)}` });
    expect(part).toMatchObject({ key: 'U1' });
    const { reason = '' } = part as { readonly reason?: string };
    expect(reason).toMatch(/^\{"external_id":"U1","error":" x+…$/);
    expect(reason).toHaveLength(201);
  });

  it('states a key in composed or decomposed letters', () => {
    const row = runRow(1, { external_id: 'Zoë', display_name: 'Z' });
    const entry = { external_id: 'Zoë'.normalize('NFD'), error: 'taken' };
    expect(refusedIn('users', 'create-users', [row], [row], [entry])).toMatchObject([{ key: 'Zoë' }]);
  });

  it.each<readonly [ResourceName, OperationId, object, string | undefined]>([
    ['prices', 'upload-prices', { player_id: 8, error: 'no such player' }, '1/8/current'],
    ['prices', 'upload-prices', { player_id: '8', fantasy_league_id: 1, error: 'no' }, '1/8/current'],
    ['prices', 'upload-prices', { player_id: 8, fantasy_league_id: 2, error: 'no' }, undefined],
    ['prices', 'upload-prices', { fantasy_league_id: 1, error: 'closed' }, undefined],
  ])(
    'states as much of a key as tells one row of the request: %s, %s, %j',
    (resource, operation, entry, key) => {
      const prices = [7, 8].map((player_id) =>
        runRow(
          player_id,
          { fantasy_league_id: 1, player_id, price: 5, type: 'current' },
          { key: `1/${player_id}/current` },
        ),
      );
      expect(refusedIn(resource, operation, prices, prices, [entry])).toEqual([
        no(JSON.stringify(entry), key),
      ]);
    },
  );
});

it('a row has the refusals of its key, or else those that name none', () => {
  const told = [no('own', 'U2'), no('other', 'U1'), no('all')] as Parameters<typeof refusalsOf>[0];
  expect(refusalsOf([{ code: 'answer-unnamed', what: 'row' }, ...told], U2)).toEqual([no('own', 'U2')]);
  expect(refusalsOf(told, U3)).toEqual([no('all')]);
  expect(refusalsOf(told, { key: null })).toEqual([no('all')]);
});
