import { describe, expect, it } from 'vitest';
import { nextAfter } from '../../src/cli/render/report.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { IncompleteError } from '../../src/model/error.ts';
import { orderMappings } from '../../src/plan/order.ts';
import type { PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { resolve } from '../../src/sync/resolve.ts';
import { resume } from '../../src/sync/resume.ts';
import { approve, resultLines, setTable } from '../support/push-case.ts';
import { mappingFrom as mapping } from '../support/builders.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';

const WEEK = '01234567-89ab-4cde-8f01-23456789abcd';

const users = mapping('members', 'users', 'upsert', '{ external_id: Id, display_name: Name }');
const leagues = mapping('leagues', 'fantasy_leagues', 'create', '{ name: Name, league_id: League }');
const squadsBy = (userLookup: string): PushMapping =>
  mapping(
    'squads',
    'squads',
    'create',
    `{ fantasy_league_id: { value: 1 }, user_id: { from: Who, lookup: ${userLookup} }, name: Name, players_in: Players }`,
  );
const squads = squadsBy('{ in: users, match: external_id, take: user_id }');
const minis = mapping(
  'minis',
  'mini_leagues',
  'create',
  '{ fantasy_league_id: { from: League, lookup: { in: fantasy_leagues, match: name, take: id } }, name: Name, type: Type }',
);
const triggers = mapping(
  'weeks',
  'auto_substitutions',
  'trigger',
  '{ fantasy_league_id: League, game_week_id: Week }',
);

const run = (engine: Engine, mappings: readonly PushMapping[], options: Partial<PlanOptions> = {}) =>
  push(engine.ports, 'push', mappings, { ...PLAN_OPTIONS, ...options }, approve);
const outcomes = (engine: Engine, name: string): readonly (readonly [string, string])[] =>
  resultLines(engine, name).map(({ outcome, message }) => [outcome, message] as const);
const only = (engine: Engine, name: string): readonly string[] =>
  outcomes(engine, name).map(([each]) => each);
const exitOf = ({ report }: PushResult): number => report.exit_code;

describe('the order of a push', () => {
  it('puts a mapping after those that it looks something up in', () => {
    const byMapping = squadsBy('{ in: other, match: Id, take: user_id }');
    const other = {
      ...mapping(
        'other',
        'squads',
        'create',
        '{ fantasy_league_id: { value: 1 }, user_id: U, name: N, players_in: P }',
      ),
    };
    expect(orderMappings([byMapping, minis, other, leagues, users]).map(({ name }) => name)).toEqual([
      'members',
      'leagues',
      'minis',
      'other',
      'squads',
    ]);
  });

  it('refuses mappings that wait for each other', () => {
    const self = squadsBy('{ in: squads, match: name, take: user_id }');
    expect(() => orderMappings([self, users])).toThrow('the lookups of squads form a circle');
  });
});

describe('a lookup', () => {
  it('finds users of the service, and those that the same push creates, by their ids', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'old', display_name: 'Old' });
    setTable(engine, 'members', 'Id,Name', 'new,New');
    setTable(engine, 'squads', 'Who,Name,Players', 'old,Hill XI,1;2', 'new,Dale XI,3', 'newt,Moor XI,3');
    const result = await run(engine, [squads, users]);
    expect(only(engine, 'squads')).toEqual(['created', 'created', 'invalid']);
    expect(engine.service.squads.map(({ user_id, name }) => [user_id, name])).toEqual([
      [9, 'Hill XI'],
      [2, 'Dale XI'],
    ]);
    expect(outcomes(engine, 'squads')[2]?.[1]).toBe(
      'squads.csv row 4, column "Who": "newt" is not in users (or members.csv), external_id; nearest: "new"',
    );
    expect(exitOf(result)).toBe(3);
  });

  it.each(['users', 'guests'])(
    'finds in %s a user that two mappings of the push would create',
    async (place) => {
      const engine = await makeEngine();
      const guests = mapping('guests', 'users', 'upsert', '{ external_id: Id, display_name: Name }');
      const lookup = `{ in: ${place}, match: ${place === 'users' ? 'external_id' : 'Id'}, take: user_id }`;
      setTable(engine, 'members', 'Id,Name', 'new,New');
      setTable(engine, 'guests', 'Id,Name', 'old,Old', 'new,New');
      setTable(engine, 'squads', 'Who,Name,Players', 'new,Dale XI,3');
      await run(engine, [squadsBy(lookup), users, guests]);
      expect([only(engine, 'guests'), only(engine, 'squads')]).toEqual([
        ['created', 'unchanged'],
        ['created'],
      ]);
      expect(engine.service.squads).toMatchObject([{ user_id: 1 }]);
    },
  );

  it('needs no mapping of the users in the same push', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'old', display_name: 'Old' });
    setTable(engine, 'squads', 'Who,Name,Players', 'old,Hill XI,1;2');
    await run(engine, [squads]);
    expect(only(engine, 'squads')).toEqual(['created']);
    const again = await run(engine, [squads]);
    expect([only(engine, 'squads'), exitOf(again)]).toEqual([['unchanged'], 0]);
  });

  it('lets rows wait while the list that it looks in cannot be read', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'Ann', display_name: 'Ann' });
    engine.service.listable = false;
    setTable(engine, 'squads', 'Who,Name,Players', 'Ann,Hill XI,1');
    const skipping = squadsBy('{ in: users, match: external_id, take: user_id, on_miss: skip }');
    for (const mapping of [squads, skipping]) {
      expect(exitOf(await run(engine, [mapping]))).toBe(7);
      expect(outcomes(engine, 'squads')).toEqual([
        [
          'deferred',
          'squads.csv row 2, column "Who": "Ann" was not found in users, external_id; the list of the service could not be read, so nobody knows whether this user exists',
        ],
      ]);
    }
    engine.service.listable = true;
    const resumed = await resume(engine.ports, undefined, approve);
    expect(resumed?.report.mappings).toMatchObject([{ created: 1 }]);
  });

  it('names the candidates where several match, and leaves rows out where it says so', async () => {
    const engine = await makeEngine();
    for (const id of ['a', 'b'])
      engine.service.users.push({
        id: `u-${id}`,
        user_id: id.charCodeAt(0),
        external_id: id,
        display_name: 'Ann',
      });
    setTable(engine, 'squads', 'Who,Name,Players', 'Ann,Hill XI,1', 'Zoe,Dale XI,1');
    await run(engine, [squadsBy('{ in: users, match: display_name, take: user_id, on_miss: skip }')]);
    expect(outcomes(engine, 'squads')).toEqual([
      [
        'invalid',
        'squads.csv row 2, column "Who": "Ann" stands 2 times in users, display_name ("a" with id u-a, "b" with id u-b); match more columns, or correct it there',
      ],
      ['excluded', expect.stringContaining('left out: "Zoe" is not in users, display_name')],
    ]);
    expect(engine.service.writes).toEqual([]);
  });

  it('finds rows of another mapping by a column that is not sent', async () => {
    const engine = await makeEngine();
    setTable(engine, 'members', 'Id,Name,Badge', 'a,Ann,red', 'b,Bob,blue');
    setTable(engine, 'squads', 'Who,Name,Players', 'blue,Hill XI,1', 'rod,Dale XI,1');
    await run(engine, [users, squadsBy('{ in: members, match: Badge, take: user_id }')]);
    expect(engine.service.squads).toMatchObject([{ user_id: 2, name: 'Hill XI' }]);
    expect(outcomes(engine, 'squads')[1]).toEqual([
      'invalid',
      'squads.csv row 3, column "Who": "rod" is not in members.csv, Badge; nearest: "red"',
    ]);
  });

  it('two names of one record are one key', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'a', display_name: 'Ann' });
    const byEither = squadsBy('{ in: users, match: external_id, take: user_id }');
    setTable(engine, 'squads', 'Who,Name,Players', 'a,Hill XI,1', ' a,Hill XI,1', 'a ,Hill XI,2');
    await run(engine, [byEither]);
    expect(only(engine, 'squads')).toEqual(['invalid', 'invalid', 'invalid']);
  });

  it.each([
    ['{ in: nowhere, match: Id, take: id }', 'lookup.mapping'],
    ['{ in: members, match: Badge, take: id }', 'lookup.column'],
  ])('%s stops before anything is sent', async (lookup, code) => {
    const engine = await makeEngine();
    setTable(engine, 'members', 'Id,Name', 'a,Ann');
    setTable(engine, 'squads', 'Who,Name,Players', 'a,Hill XI,1');
    await expect(run(engine, [users, squadsBy(lookup)])).rejects.toMatchObject({ code, exitCode: 4 });
    expect(engine.service.writes).toEqual([]);
  });
});

describe('rows that hang on a row that was not written', () => {
  it('wait with its name, and resume sends them once it is there', async () => {
    const engine = await makeEngine();
    setTable(engine, 'members', 'Id,Name', 'a,Ann', 'b,Bob');
    setTable(engine, 'squads', 'Who,Name,Players', 'a,Hill XI,1', 'b,Dale XI,1');
    engine.service.refuses.add('b');
    await run(engine, [users, squads]);
    expect(only(engine, 'members')).toEqual(['created', 'rejected']);
    expect(outcomes(engine, 'squads')).toEqual([
      ['created', ''],
      ['deferred', 'squads.csv row 3: not sent: it waits for members[b], which is rejected'],
    ]);
    engine.service.refuses.clear();
    await run(engine, [users]);
    await resume(engine.ports, undefined, approve);
    expect(only(engine, 'squads')).toEqual(['created', 'created']);
  });

  it('go on after a stop between the two', async () => {
    const engine = await makeEngine();
    setTable(engine, 'leagues', 'Name,League', 'Cup,1');
    setTable(engine, 'minis', 'League,Name,Type', 'Cup,Office,open', 'Cup,Pub,open');
    const stop = { throws: new IncompleteError('budget.exhausted', 'used up') };
    engine.service.faults.push(undefined, stop, stop);
    await run(engine, [leagues, minis]);
    expect([only(engine, 'leagues'), only(engine, 'minis')]).toEqual([['created'], ['deferred', 'deferred']]);
    await resume(engine.ports, undefined, approve);
    expect(only(engine, 'minis')).toEqual(['created', 'created']);
    expect(engine.service.miniLeagues.map(({ fantasy_league_id }) => fantasy_league_id)).toEqual([1, 1]);
  });

  it('are left to the next push where --limit did not read the row', async () => {
    const engine = await makeEngine();
    setTable(engine, 'members', 'Id,Name', 'a,Ann', 'b,Bob');
    setTable(engine, 'squads', 'Who,Name,Players', 'b,Hill XI,1', 'a,Dale XI,1');
    const { report, needsResolve } = await run(engine, [users, squads], { limit: 1 });
    expect(outcomes(engine, 'squads')).toEqual([
      [
        'deferred',
        'squads.csv row 2, column "Who": "b" is not in users (or members.csv), external_id; nearest: "a"; with --limit it may stand in a row that was not read; a push without --limit reads it',
      ],
    ]);
    expect(report.exit_code).toBe(7);
    expect(nextAfter(report, false, needsResolve)).toEqual(['push members squads']);
    expect(await resume(engine.ports, undefined, approve)).toBeUndefined();
    await run(engine, [users, squads]);
    expect(only(engine, 'squads')).toEqual(['created', 'created']);
  });

  it('wait also for a row that resume --limit leaves to the next resume', async () => {
    const engine = await makeEngine();
    setTable(engine, 'members', 'Id,Name', 'a,Ann', 'b,Bob');
    setTable(engine, 'squads', 'Who,Name,Players', 'b,Hill XI,1', 'a,Dale XI,1');
    engine.service.faults.push({ throws: new IncompleteError('budget.exhausted', 'used up') });
    await run(engine, [users, squads]);
    await resume(engine.ports, undefined, approve, { limit: 1 });
    expect(only(engine, 'members')).toEqual(['created', 'deferred']);
    expect(outcomes(engine, 'squads')).toEqual([
      ['deferred', expect.stringContaining('waits for members.csv row 3 (members[b])')],
      ['deferred', expect.stringContaining('--limit leaves it to teamsheet resume')],
    ]);
    await resume(engine.ports, undefined, approve);
    expect([only(engine, 'members'), only(engine, 'squads')]).toEqual([
      ['created', 'created'],
      ['created', 'created'],
    ]);
  });
});

it('rows whose lookups were settled at different times go on after a stop', async () => {
  const engine = await makeEngine();
  engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'old', display_name: 'Old' });
  const both = mapping(
    'squads',
    'squads',
    'create',
    '{ fantasy_league_id: { value: Cup, lookup: { in: fantasy_leagues, match: name, take: id } }, user_id: { from: Who, lookup: { in: users, match: external_id, take: user_id } }, name: Name, players_in: Players }',
  );
  setTable(engine, 'leagues', 'Name,League', 'Cup,1');
  setTable(engine, 'squads', 'Who,Name,Players', 'old,Hill XI,1;2');
  const stop = { throws: new IncompleteError('budget.exhausted', 'the day is used up') };
  engine.service.faults.push(undefined, stop);
  await run(engine, [leagues, both]);
  expect(only(engine, 'squads')).toEqual(['deferred']);
  await resume(engine.ports, undefined, approve);
  expect(outcomes(engine, 'squads')).toEqual([['created', '']]);
});

describe('fantasy leagues', () => {
  it('are known by what this state created, and others are warned of', async () => {
    const engine = await makeEngine();
    engine.service.leagues.push({ id: 1, name: 'Of somebody else' });
    setTable(engine, 'leagues', 'Name,League', 'Cup,1');
    await run(engine, [leagues]);
    expect(engine.events).toContainEqual({
      kind: 'warning',
      message: expect.stringContaining(
        'the account has 1 fantasy league that this state did not create',
      ) as string,
    });
    engine.events.length = 0;
    await run(engine, [leagues]);
    expect(only(engine, 'leagues')).toEqual(['unchanged']);
    expect(engine.events.filter(({ kind }) => kind === 'warning')).toEqual([]);
    setTable(engine, 'leagues', 'Name,League', 'Cup,2');
    await run(engine, [leagues]);
    expect(outcomes(engine, 'leagues')[0]?.[1]).toContain('the service can neither change nor delete it');
    expect(engine.service.leagues).toHaveLength(2);
  });

  it('without an answer are held, and what hangs on them waits', async () => {
    const engine = await makeEngine();
    setTable(engine, 'leagues', 'Name,League', 'Cup,1');
    setTable(engine, 'minis', 'League,Name,Type', 'Cup,Office,open');
    engine.service.faults.push('lost');
    await run(engine, [leagues, minis]);
    expect([only(engine, 'leagues'), only(engine, 'minis')]).toEqual([['unknown'], ['deferred']]);
    await run(engine, [leagues, minis]);
    expect([only(engine, 'leagues'), only(engine, 'minis')]).toEqual([['deferred'], ['deferred']]);
    expect(engine.service.leagues).toHaveLength(1);
  });

  it('whose id no answer told are named with what to do by the rows that need it', async () => {
    const engine = await makeEngine();
    setTable(engine, 'leagues', 'Name,League', 'Cup,1');
    setTable(engine, 'minis', 'League,Name,Type', 'Cup,Office,open');
    engine.service.faults.push('lost');
    const { report } = await run(engine, [leagues]);
    const [intent] = await engine.store.intents(report.run ?? '');
    const word = `type teamsheet resolve ${intent?.id ?? ''} --assume applied`;
    expect(outcomes(engine, 'leagues')[0]?.[1]).toContain(word);
    await resolve(engine.ports, intent?.id, 'applied', () => Promise.resolve());
    await run(engine, [leagues, minis]);
    expect(only(engine, 'leagues')).toEqual(['unchanged']);
    expect(outcomes(engine, 'minis')).toEqual([
      [
        'invalid',
        expect.stringMatching(
          /"Cup" has no id that is known here: ask your provider for it, and give fantasy_league_id that value in place of the lookup$/,
        ),
      ],
    ]);
  });
});

describe('squads that this state does not remember', () => {
  it('are taken as they are, because nothing lists their players', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'a', display_name: 'Ann' });
    engine.service.squads.push({ id: 's-1', name: 'Hill XI', fantasy_league_id: 1, user_id: 9 });
    setTable(engine, 'squads', 'Who,Name,Players', 'a,Hill XI,1;2');
    await run(engine, [squads]);
    expect(outcomes(engine, 'squads')).toEqual([
      ['unchanged', expect.stringContaining('its players_in could not be compared')],
    ]);
    expect(engine.service.writes).toEqual([]);
  });

  it('are remembered after a create, and a list does not make their players forgotten', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ id: 'u-9', user_id: 9, external_id: 'a', display_name: 'Ann' });
    setTable(engine, 'squads', 'Who,Name,Players', 'a,Hill XI,1;2');
    await run(engine, [squads]);
    await run(engine, [squads]);
    expect(outcomes(engine, 'squads')).toEqual([['unchanged', '']]);
    setTable(engine, 'squads', 'Who,Name,Players', 'a,Hill XI,1;3');
    await run(engine, [squads]);
    expect(outcomes(engine, 'squads')[0]?.[1]).toContain('players_in is [1,2], not [1,3]');
  });
});

it('prices go out for a league that the same push creates, and are unchanged afterwards', async () => {
  const engine = await makeEngine();
  const prices = mapping(
    'prices',
    'prices',
    'append',
    '{ fantasy_league_id: { value: Cup, lookup: { in: fantasy_leagues, match: name, take: id } }, player_id: P, price: Price, type: { value: t } }',
    'compare: snapshot',
  );
  setTable(engine, 'leagues', 'Name,League', 'Cup,1');
  setTable(engine, 'prices', 'P,Price', '1,4.5', '2,5');
  await run(engine, [prices, leagues]);
  expect(engine.service.writes.map(({ operation }) => operation)).toEqual([
    'create-fantasy-league',
    'upload-prices',
  ]);
  expect(engine.service.writes[1]?.body).toMatchObject({
    fantasy_league_id: 1,
    prices: [{ player_id: 1 }, { player_id: 2 }],
  });
  await run(engine, [prices, leagues]);
  expect(only(engine, 'prices')).toEqual(['unchanged', 'unchanged']);
});

describe('a trigger', () => {
  it('goes out once for a league and a game week, and again only when told to', async () => {
    const engine = await makeEngine();
    setTable(engine, 'weeks', 'League,Week', `1,${WEEK}`);
    await run(engine, [triggers]);
    await run(engine, [triggers]);
    expect(only(engine, 'weeks')).toEqual(['unchanged']);
    expect(engine.service.writes).toHaveLength(1);
    await run(engine, [triggers], { again: true });
    expect(engine.service.writes).toHaveLength(2);
  });

  it('stops where the log has records and this state remembers none', async () => {
    const engine = await makeEngine();
    engine.service.substitutions.push({ id: 'x', fantasy_league_id: 1 });
    setTable(engine, 'weeks', 'League,Week', `1,${WEEK}`);
    await expect(run(engine, [triggers])).rejects.toMatchObject({ code: 'state.no_memory', exitCode: 6 });
    await run(engine, [triggers], { adopt: true });
    expect(only(engine, 'weeks')).toEqual(['created']);
  });
});

it('one quota is shared by the mappings that use it', async () => {
  const engine = await makeEngine({ quotas: { users: { max: 3, used: 0, remaining: 3 } } });
  const more = {
    ...users,
    name: 'guests',
    source: { ...users.source, location: { kind: 'csv', path: 'guests.csv' } as const },
  };
  setTable(engine, 'members', 'Id,Name', 'a,Ann', 'b,Bob');
  setTable(engine, 'guests', 'Id,Name', 'c,Cid', 'd,Dot');
  const planned = await planPush(engine.ports, [users, more], PLAN_OPTIONS);
  expect(
    planned.mappings.map(({ outcomes: { created, deferred }, overQuota }) => [created, deferred, overQuota]),
  ).toEqual([
    [2, 0, 0],
    [1, 1, 1],
  ]);
  await planned.rows.remove();
});
