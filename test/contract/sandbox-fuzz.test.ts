import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { OPERATION_IDS, endpoints } from '../../src/contract/index.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { PROFILES, profileSettings } from '../../src/sandbox/index.ts';
import { arbitraryOf } from '../support/arbitrary.ts';
import { openSandbox, pointsConfigBody } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import { runs } from '../support/long.ts';

const RUNS = runs(150, 10_000);

/** Field names of the interface beside values that may be right, nearly right or absurd. */
const NAMES = [
  ...'id name type users external_id display_name is_active user_id players_in prices'.split(' '),
  ...'player_id price league_id fantasy_league_id game_week_id page starter_points __proto__'.split(' '),
];
const scalar = fc.oneof(
  fc.constantFrom(0, 1, -1, 1.5, 2 ** 53, 1e308, '', '1', 'constructor', '\u0000', '\ud800', null, true),
  fc.integer({ min: 1, max: 500 }),
  fc.string({ unit: 'binary' }),
  fc.uuid(),
);
const anyBody = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 5 }),
  ),
})).value;
const request = fc.record({
  operation: fc.constantFrom(...OPERATION_IDS),
  id: fc.oneof(
    fc.constantFrom<string | number>(1, 2, 0, -1, '..', '../auth/account', '1?x=', '%2e', '💥'),
    fc.uuid(),
    fc.string({ minLength: 1 }),
  ),
  query: fc.dictionary(
    fc.constantFrom('page', 'user_id', 'fantasy_league_id', 'x'),
    fc.oneof(fc.integer(), fc.string()),
  ),
  body: anyBody,
});

/** Bodies that are taken as they stand; the mutation replaces one value somewhere inside. */
const VALID: Partial<Record<OperationId, unknown>> = {
  'create-fantasy-league': { name: 'L', league_id: 1 },
  'create-mini-league': { fantasy_league_id: 1, name: 'M', type: 'classic' },
  'create-users': { users: [{ external_id: 'fuzz', display_name: 'x' }] },
  'update-user': { id: '00000000-0000-4000-8000-000000000000', display_name: 'x', is_active: false },
  'create-squad': { user_id: 1, name: 'Squad', fantasy_league_id: 1, players_in: [1, 2, 3] },
  'set-points-config': pointsConfigBody(),
  'upload-prices': { fantasy_league_id: 1, prices: [{ player_id: 1, price: 5, type: 'market' }] },
  'trigger-auto-substitution': { fantasy_league_id: 1, game_week_id: '00000000-0000-4000-8000-000000000000' },
};
const mutation = fc.record({
  operation: fc.constantFrom(...OPERATION_IDS.filter((id) => id in VALID)),
  turns: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
  value: anyBody,
});

/** `body` with the value that the turns lead to replaced. */
function mutate(body: unknown, [turn = 0, ...turns]: readonly number[], value: unknown): unknown {
  if (typeof body !== 'object' || body === null) return value;
  const keys = Object.keys(body);
  const key = keys[turn % keys.length] ?? '';
  const child = mutate((body as Record<string, unknown>)[key], turns, value);
  return Array.isArray(body)
    ? body.with(Number(key), child)
    : { ...body, [key]: turns.length === 0 ? value : child };
}

describe('any request', () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = await openSandbox({ seed: 'demo', settings: { per_minute: 1_000_000, per_day: 1_000_000 } });
  });
  afterAll(async () => {
    expect((await box.call('get-account')).status).toBe(200);
    await box.close();
  });

  it(`is answered with an envelope and never with a failure (${RUNS} requests)`, async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ operation, id, query, body }) => {
        const isRead = operation.startsWith('get') || operation.startsWith('list');
        const { status } = await box.call(operation, { id, query, ...(isRead ? {} : { body }) });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
  });

  it(`nor when one value of a good body is replaced (${RUNS} requests)`, async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(mutation, async ({ operation, turns, value }) => {
        const { status } = await box.call(operation, { body: mutate(VALID[operation], turns, value) });
        statuses.add(status);
        expect(status).toBeLessThan(500);
      }),
      { numRuns: RUNS },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([201, 400, 404]));
  });
});

/** What the contract takes, operation by operation, on ids that are often those of something. */
const fitting = (uuids: readonly string[]) =>
  fc.constantFrom(...OPERATION_IDS).chain((operation) => {
    const { pathId, query, body }: Endpoint = endpoints[operation];
    return fc.record({
      operation: fc.constant(operation),
      id: fc.oneof(
        pathId === undefined ? fc.constant(1) : arbitraryOf(pathId, uuids),
        fc.constantFrom<string | number>(1, ...uuids),
      ),
      query: query === undefined ? fc.constant({}) : arbitraryOf(query, uuids),
      body: body === undefined ? fc.constant(undefined) : arbitraryOf(body, uuids),
    });
  });

/** Every uuid that lists and fixtures show. */
async function knownUuids(box: TestSandbox): Promise<readonly string[]> {
  const lists = [
    await box.call('list-users'),
    await box.call('list-squads'),
    await box.call('get-fixtures', { id: 1 }),
  ];
  return lists.flatMap(({ list }) => list.slice(0, 10).map((record) => String(record['id'])));
}

describe('a request that fits the contract', () => {
  // The same in every sandbox that begins like this one.
  let uuids: readonly string[] = [];
  beforeAll(async () => {
    await using box = await openSandbox({ seed: 'demo' });
    uuids = await knownUuids(box);
  });

  it(`is carried out or refused, and answered by the contract (${RUNS} requests)`, async () => {
    const settings = { per_minute: 1_000_000, per_day: 1_000_000 };
    await using box = await openSandbox({ seed: 'demo', settings });
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fitting(uuids), async ({ operation, id, query, body }) => {
        const sent = {
          id: id as string,
          query: query as Record<string, string>,
          ...(body !== undefined && { body }),
        };
        const { status } = await box.call(operation, sent);
        statuses.add(status);
        expect([200, 201, 400, 404, 409, 422]).toContain(status);
      }),
      { numRuns: RUNS },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 404]));
  });

  const perProfile = Math.ceil(RUNS / 10);
  it.each(Object.keys(PROFILES))(`never fails on the profile %s (${perProfile} requests)`, async (name) => {
    const settings = { ...profileSettings(name), per_minute: 1_000_000, per_day: 1_000_000 };
    await using box = await openSandbox({ seed: 'demo', settings });
    const { sandbox } = box;
    await fc.assert(
      fc.asyncProperty(fitting(uuids), async ({ operation, id, query, body }) => {
        const { method, path }: Endpoint = endpoints[operation];
        const answer = await sandbox.app.inject({
          method,
          url: `/v1${path.replace('{id}', encodeURIComponent(String(id)))}`,
          query: Object.fromEntries(
            Object.entries(query as object).map(([key, value]) => [key, String(value)]),
          ),
          headers: { 'x-api-key': sandbox.apiKey },
          ...(body === undefined ? {} : { payload: body as object }),
        });
        expect(answer.statusCode).toBeLessThan(500);
      }),
      { numRuns: perProfile },
    );
  });
});
