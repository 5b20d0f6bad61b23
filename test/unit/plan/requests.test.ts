import { describe, expect, it } from 'vitest';
import { digestFields } from '../../../src/plan/digest.ts';
import { changeFollowsCreate, needsChangeAfterCreate, unsetWords } from '../../../src/plan/requests.ts';
import { resourcePlans } from '../../../src/plan/resources/index.ts';
import { knownRecord, runRow } from '../../support/builders.ts';

const { requests: users } = resourcePlans.users;
const { requests: prices } = resourcePlans.prices;
const { requests: points_config } = resourcePlans.points_config;

describe('users', () => {
  const rows = [
    runRow(2, { external_id: 'A', display_name: 'Ann' }),
    runRow(3, { external_id: 'B', display_name: 'Bob', is_active: false }),
  ];

  it('sends no is_active, which POST /user does not take', () => {
    expect(users.body(rows)).toEqual({
      users: [
        { external_id: 'A', display_name: 'Ann' },
        { external_id: 'B', display_name: 'Bob' },
      ],
    });
  });

  it('matches answers by key, whatever their order, with extra and missing ones', () => {
    const answer = [
      { id: '2', external_id: 'B', display_name: 'Bob', user_id: 12 },
      { id: '9', external_id: 'Z', display_name: 'Zoe' },
      { id: 'broken' },
    ];
    const found = users.match(rows, answer);
    expect([...found.keys()]).toEqual(['B']);
    expect(found.get('B')).toMatchObject({ id: '2', record: { key: 'B', number: 12 } });
  });

  it('sees an answer with another name, or two of them, as disagreement', () => {
    const other = users.match(rows, [{ id: '1', external_id: 'A', display_name: 'Anna' }]);
    const disagrees = { code: 'held-other', field: 'display_name', held: 'Anna', wanted: 'Ann' };
    expect(other.get('A')?.disagrees).toEqual(disagrees);
    const two = users.match(rows, [
      { id: '1', external_id: 'A', display_name: 'Ann' },
      { id: '2', external_id: 'A', display_name: 'Ann' },
    ]);
    expect(two.get('A')?.disagrees).toEqual({ code: 'answer-several', key: 'A', count: 2 });
  });

  it("takes the row's own of several users, and the first where none is", () => {
    const answer = ['1', '2', '3'].map((id) => ({ id, external_id: 'A', display_name: 'Ann' }));
    const found = (id: string | null) =>
      users.match([runRow(2, { external_id: 'A' }, { change: 'update', id })], answer).get('A');
    expect(found('2')).toMatchObject({ id: '2', record: { id: '2' }, isOneOfSeveral: true });
    expect(found('9')).toMatchObject({ id: '1', record: { id: '1' }, isOneOfSeveral: true });
    expect(found(null)).toMatchObject({ id: '1', isOneOfSeveral: true });
  });

  it('takes of several users that nobody knew the last one that is as it was sent', () => {
    const answer = ['Bob', 'Ann', 'Ann', 'Cid'].map((display_name, at) => ({
      id: String(at),
      external_id: 'A',
      display_name,
    }));
    expect(users.match(rows, answer).get('A')).toMatchObject({ id: '2', isOneOfSeveral: true });
  });

  it('takes a key in any spelling for the same, and leaves out rows without one', () => {
    const row = runRow(2, { external_id: 'M-\u00e9', display_name: 'Ann' });
    const [found] = users.match([row], [{ id: '1', external_id: 'M-e\u0301', display_name: 'Ann' }]);
    expect(found?.[0]).toBe('M-\u00e9');
    expect(found?.[1]).not.toHaveProperty('disagrees');
    expect(users.match([{ ...row, key: null }], [{ id: '1', external_id: 'M-\u00e9' }]).size).toBe(0);
  });

  it('an answer without a name agrees, and what was sent stands for it', () => {
    const [row] = rows;
    const found = row && users.match([row], [{ id: '1', external_id: 'A', user_id: 4 }]).get('A');
    expect(found).toEqual({
      id: '1',
      record: {
        key: 'A',
        id: '1',
        number: 4,
        digests: digestFields({ external_id: 'A', display_name: 'Ann' }),
        values: {},
      },
    });
  });

  it('a row without a name agrees with any', () => {
    const row = runRow(2, { external_id: 'A', is_active: true }, { change: 'update' });
    const found = users.match([row], [{ id: '1', external_id: 'A', display_name: 'Anna' }]).get('A');
    expect(found).not.toHaveProperty('disagrees');
  });

  it.each([
    ['update', true, { is_active: true }],
    ['update', undefined, {}],
    ['create', true, {}],
  ] as const)('the flag of a short answer to an %s is taken for sent: %s', (change, is_active, digests) => {
    const fields = { external_id: 'A', ...(is_active !== undefined && { is_active }) };
    const found = users.match([runRow(2, fields, { change })], [{ id: '1', external_id: 'A' }]).get('A');
    expect(found?.record.digests).toEqual(digestFields({ external_id: 'A', ...digests }));
  });

  it('what the answer shows wins over what was sent', () => {
    const row = runRow(2, { external_id: 'A', is_active: true }, { change: 'update' });
    const found = users.match([row], [{ id: '1', external_id: 'A', is_active: false }]).get('A');
    expect(found?.record).toMatchObject({
      digests: digestFields({ external_id: 'A', is_active: false }),
      values: { is_active: false },
    });
  });

  it('a change holds only what changes', () => {
    const row = runRow(
      2,
      { external_id: 'A', display_name: 'Ann', is_active: true },
      { change: 'update', before: { display_name: 'Anne' } },
    );
    expect(users.change?.input(row, 'id').body).toEqual({ id: 'id', display_name: 'Ann' });
  });

  it('a change whose value before is not known is still sent', () => {
    const row = runRow(
      2,
      { external_id: 'A', display_name: 'Ann' },
      { change: 'update', before: { display_name: null } },
    );
    expect(users.change?.input(row, 'id').body).toEqual({ id: 'id', display_name: 'Ann' });
  });

  it('a change leaves out what is no text and no flag', () => {
    const before = { display_name: 'Ann', is_active: true };
    const row = runRow(2, { external_id: 'A' }, { change: 'update', before });
    expect(users.change?.input(row, 'id').body).toEqual({ id: 'id' });
  });

  it('after a create only the flag is left to change', () => {
    const row = runRow(2, { external_id: 'A', display_name: 'Ann', is_active: false }, { change: 'create' });
    expect(users.change?.input(row, 'id').body).toEqual({ id: 'id', is_active: false });
  });
});

describe('prices', () => {
  const row = (rowNumber: number, player_id: number) =>
    runRow(
      rowNumber,
      { fantasy_league_id: 1, player_id, price: 7.5, type: 'initial' },
      { key: `1/${player_id}/initial` },
    );

  it('takes the rows of one league into one request', () => {
    expect(prices.groupOf(row(2, 4))).toBe('1');
    expect(prices.body([row(2, 4), row(3, 5)])).toEqual({
      fantasy_league_id: 1,
      prices: [
        { player_id: 4, price: 7.5, type: 'initial' },
        { player_id: 5, price: 7.5, type: 'initial' },
      ],
    });
  });

  it.each([
    ['the count that was sent', { reference: 'r', count: 2 }, 2],
    ['no count', { reference: 'r' }, 2],
    ['a smaller count, which names no row', { reference: 'r', count: 1 }, 0],
  ])('an answer with %s confirms accordingly', (_, answer, confirmations) => {
    expect(prices.match([row(2, 4), row(3, 5)], [answer]).size).toBe(confirmations);
  });
});

describe('prices of rows that wait for their league', () => {
  const waiting = (changes: Parameters<typeof runRow>[2]) =>
    runRow(2, { player_id: 4, price: 7.5, type: 'initial' }, changes);

  it('are grouped by the row that they wait for', () => {
    const after = { mapping: 'leagues', resource: 'fantasy_leagues', rowNumber: 2, key: 'Cup' } as const;
    expect(prices.groupOf(waiting({ lookups: { fantasy_league_id: { after } } } as never))).toBe('Cup');
    expect(prices.groupOf(waiting({}))).toBe('undefined');
    expect(prices.groupOf(waiting({ lookups: {} }))).toBe('undefined');
    expect(prices.groupOf(waiting({ lookups: { fantasy_league_id: {} } } as never))).toBe('undefined');
  });
});

describe('records that are made one by one', () => {
  it.each([
    [
      'squads',
      { user_id: '3', name: 'Hill XI', fantasy_league_id: '1', players_in: [4, 5] },
      { user_id: 3, name: 'Hill XI', fantasy_league_id: 1, players_in: [4, 5] },
    ],
    ['squads', { user_id: 3, name: 7, fantasy_league_id: 1 }, { name: '7', players_in: [] }],
    [
      'mini_leagues',
      { fantasy_league_id: '1', name: 'Office', type: 'classic' },
      { fantasy_league_id: 1, name: 'Office', type: 'classic' },
    ],
    ['fantasy_leagues', { name: 'Cup', league_id: '9' }, { name: 'Cup', league_id: 9 }],
    [
      'auto_substitutions',
      { fantasy_league_id: '1', game_week_id: 7 },
      { fantasy_league_id: 1, game_week_id: '7' },
    ],
  ] as const)('%s go out as the row is: %j', (resource, fields, body) => {
    expect(resourcePlans[resource].requests.body([runRow(2, fields)])).toMatchObject(body);
  });
});

describe('triggers', () => {
  const { requests } = resourcePlans.auto_substitutions;
  const row = runRow(2, { fantasy_league_id: 1, game_week_id: '7' }, { key: '1/7' });

  it('go out one game week at a time', () => {
    expect(requests.groupOf(row)).toBe('1/7');
    expect(requests.groupOf({ ...row, key: null })).toBe('');
  });

  it.each([
    [{ message: 'started', code: 'A1', events: 1 }, 'started (A1, 1 event)'],
    [{ message: 'started', events: 2 }, 'started (2 events)'],
    [{ message: 'started', code: '' }, 'started'],
    [{ code: 'A1', message: null }, 'A1'],
    [{ message: '', events: 0 }, '0 events'],
  ])('tell what their answer says: %j', (answer, text) => {
    expect(requests.match([row], [answer]).get('1/7')?.note).toEqual({ code: 'text', text });
  });

  it.each([{}, 'no record', { message: '' }])(
    'are confirmed by an answer that says nothing: %j',
    (answer) => {
      const found = requests.match([row], [answer]).get('1/7');
      expect(found).toMatchObject({ id: null });
      expect(found).not.toHaveProperty('note');
    },
  );

  it('are not confirmed without a row', () => {
    expect(requests.match([], [{ message: 'started' }]).size).toBe(0);
  });
});

describe('what an answer confirms that names no row', () => {
  const fields = { fantasy_league_id: 1, player_id: 4, price: 7.5, type: 'initial' };

  it('is the row itself, without its texts', () => {
    const row = runRow(2, fields, { key: '1/4/initial' });
    expect(prices.match([row], []).get('1/4/initial')).toEqual({
      id: null,
      record: {
        key: '1/4/initial',
        id: null,
        number: null,
        digests: digestFields(fields),
        values: { fantasy_league_id: 1, player_id: 4, price: 7.5 },
      },
    });
  });

  it('leaves out a row without a key', () => {
    expect(prices.match([runRow(2, fields, { key: null })], []).size).toBe(0);
  });

  it('a row without fields confirms nothing of them', () => {
    const row = runRow(2, {}, { key: '1/4/initial', fields: null });
    expect(prices.match([row], []).get('1/4/initial')?.record.digests).toEqual({});
  });
});

describe('points configurations', () => {
  const fields = { fantasy_league_id: 1, starter_points: 2 };
  const row = runRow(2, fields, { key: '1' });
  const match = (answer: object) => points_config.match([row], [answer]).get('1');

  it('go out one league at a time, as the row is', () => {
    expect(points_config.groupOf(row)).toBe('1');
    expect(points_config.groupOf({ ...row, key: null })).toBe('');
    expect(points_config.body([row])).toEqual(fields);
  });

  it('are confirmed with the id of the answer', () => {
    expect(match({ id: 'c', ...fields })).toEqual({
      id: 'c',
      record: { ...knownRecord('1', fields, 'c'), values: fields },
    });
  });

  it('disagree when they come back with another value', () => {
    const disagrees = { code: 'held-other', field: 'starter_points', held: 1, wanted: 2 };
    expect(match({ id: 'c', fantasy_league_id: 1, starter_points: 1 })?.disagrees).toEqual(disagrees);
  });

  it.each([{}, { starter_points: null }])('agree with an answer that does not show a value: %j', (shown) => {
    expect(match({ id: 'c', ...shown })).not.toHaveProperty('disagrees');
  });

  it('are not confirmed by an answer that cannot be read, nor without a row', () => {
    expect(match({ starter_points: 2 })).toBeUndefined();
    expect(points_config.match([], [{ id: 'c' }]).size).toBe(0);
  });
});

it('what goes out how, and what of it side by side', () => {
  const ways = Object.entries(resourcePlans).map(
    ([
      resource,
      {
        requests: { operation, change, parallel },
      },
    ]) => [...[resource, operation, change === undefined, parallel]],
  );
  const expected = [
    ['users', 'create-users', false, true],
    ['fantasy_leagues', 'create-fantasy-league', true, false],
    ['points_config', 'set-points-config', true, false],
    ['prices', 'upload-prices', true, false],
    ['mini_leagues', 'create-mini-league', true, true],
    ['squads', 'create-squad', true, true],
    ['auto_substitutions', 'trigger-auto-substitution', true, false],
  ];
  const names = expected.map(([name]) => name);
  expect(ways.filter(([name]) => names.includes(name))).toEqual(expected);
  expect(users.groupOf(runRow(2, { external_id: 'A' }))).toBe(users.groupOf(runRow(3, { external_id: 'B' })));
});

it('a row whose record was made says that its flag is not set, any other one only why', () => {
  const reason = [{ code: 'run-ended' }] as const;
  const words = (change: 'create' | 'update', id: string | null) => unsetWords({ change, id }, reason);
  expect(words('create', 'i')).toEqual([{ code: 'flag-not-set', reason }]);
  expect([words('create', null), words('update', 'i')]).toEqual([reason, reason]);
});

describe('a new user', () => {
  it('needs a name; nothing else does', () => {
    const said = { code: 'user-nameless' };
    expect(resourcePlans.users.lacks?.(runRow(2, { external_id: 'A' }))).toEqual(said);
    expect(resourcePlans.users.lacks?.({ fields: null })).toEqual(said);
    expect(resourcePlans.users.lacks?.(runRow(2, { display_name: 'Ann' }))).toBeUndefined();
    expect(resourcePlans.squads.lacks?.(runRow(2, {}))).toBeUndefined();
  });

  it.each([
    [{ is_active: false }, true],
    [{ is_active: true }, false],
    [{}, false],
    [null, false],
  ])('that is wanted as %j needs a second request: %s', (fields, needed) => {
    expect(needsChangeAfterCreate({ fields })).toBe(needed);
  });

  it.each([
    [true, {}, false],
    [false, {}, true],
    [true, { is_active: false }, true],
    [false, { is_active: false }, false],
    [undefined, { is_active: false }, false],
  ])('whose row wants the flag %s, created with %j, is changed: %s', (wanted, values, follows) => {
    const fields = wanted === undefined ? {} : { is_active: wanted };
    expect(changeFollowsCreate({ fields }, knownRecord('A', values))).toBe(follows);
    expect(changeFollowsCreate({ fields: null }, knownRecord('A', values))).toBe(false);
  });
});
