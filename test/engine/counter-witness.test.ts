import { describe, expect, it } from 'vitest';
import { RefusedError } from '../../src/model/error.ts';
import { BatchPush } from '../../src/sync/write/push-batches.ts';
import { PushWriter } from '../../src/sync/write/push-writer.ts';
import { createUser, pushMapping } from '../support/builders.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import type { Fault } from '../support/fake-service.ts';
import { ACCOUNT, pushTask } from '../support/writes.ts';
import type { PushTask } from '../../src/sync/ports.ts';

const SETTLE_MS = 120_000;
const HOUR_MS = 3_600_000;

interface Story {
  readonly rows?: number;
  /** What the first writes come to, in the place of what they would. */
  readonly faults?: readonly (Fault | undefined)[];
  readonly counter?: Engine['service']['counter'];
  readonly task?: Partial<PushTask>;
  readonly arrange?: (engine: Engine) => Promise<void> | void;
  /** Called before each call. */
  readonly onCall?: (engine: Engine, writes: number) => Promise<void> | void;
}

/** Pushes users in threes to a service that takes two at most and shows no list; answers the outcomes, row by row, and what was sent. */
async function push({
  rows = 5,
  faults = [],
  counter = { lagMs: 0 },
  task = {},
  arrange,
  onCall,
}: Story): Promise<{
  readonly outcomes: readonly (string | null)[];
  readonly sizes: readonly number[];
  readonly created: readonly string[];
  readonly engine: Engine;
}> {
  const engine = await makeEngine();
  const { service } = engine;
  service.listable = false;
  service.maxBatch = 2;
  service.counter = counter;
  service.faults.push(...faults);
  service.onCall = () => onCall?.(engine, service.writes.length);
  await arrange?.(engine);
  const given = Array.from({ length: rows }, (_, at) => createUser(at + 1));
  const made = await pushTask(engine, given, { mapping: pushMapping({ batchSize: 3 }), used: 0, ...task });
  await new BatchPush(new PushWriter(made)).run();
  const page = await made.rows.page('users', { afterRow: 0, limit: 100 });
  return {
    outcomes: page.map(({ outcome }) => outcome),
    sizes: service.writes.map(({ body }) => (body as { readonly users: readonly unknown[] }).users.length),
    created: service.effects.map(({ key }) => key),
    engine,
  };
}

const CREATED = 'created';
const UNKNOWN = 'unknown';
const HELD = [UNKNOWN, UNKNOWN, UNKNOWN, CREATED, CREATED];
const stranger = ({ service }: Engine): void => {
  service.users.push({ id: 'stranger', user_id: 99, external_id: 'S', display_name: 'S', is_active: true });
};

describe('of a service that shows no list, the counter', () => {
  it('shows that a refused batch left nothing, in two readings with settle between them', async () => {
    const { outcomes, sizes, created, engine } = await push({});
    expect(outcomes).toEqual([CREATED, CREATED, CREATED, CREATED, CREATED]);
    expect(sizes).toEqual([3, 2, 1, 1, 1]);
    expect(created).toEqual(['U4', 'U5', 'U1', 'U2', 'U3']);
    expect(engine.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(SETTLE_MS);
  });

  it.each<readonly [string, Story]>([
    ['is absent', { counter: 'absent' }],
    ['comes an hour late', { counter: { lagMs: HOUR_MS } }],
    ['shows what was kept of it', { faults: ['half_then_refused'] }],
    ['counts somebody else’s record', { arrange: stranger }],
    ['was not read before the writes', { task: { used: undefined } }],
    ['counted more before the writes than was known', { task: { used: 1 } }],
    [
      'grew while it was waited',
      {
        onCall: (engine) =>
          engine.clock.slept.length > 0 && engine.service.users.length === 2 ? stranger(engine) : undefined,
      },
    ],
    [
      'cannot tell, because a part of the list showed one of the rows',
      {
        onCall: async ({ store, service }, writes) => {
          if (writes < 2 || service.removed > 0) return;
          service.removed = 1;
          await store.confirm(ACCOUNT, 'users', [
            { key: 'U2', id: 'id-2', number: 2, digests: {}, values: {} },
          ]);
        },
      },
    ],
    [
      'counts what a part of the list showed under a key that nobody sent: it may be one of the rows',
      {
        faults: ['half_then_refused'],
        onCall: async ({ store, service }, writes) => {
          if (writes < 2) return;
          const kept = service.effects
            .map(({ key }) => key)
            .filter((key) => ['U1', 'U2', 'U3'].includes(key));
          await store.confirm(
            ACCOUNT,
            'users',
            kept.map((key) => ({ key: key.toLowerCase(), id: key, number: null, digests: {}, values: {} })),
          );
        },
      },
    ],
  ])('proves nothing where it %s', async (_name, story) => {
    const { outcomes, sizes } = await push(story);
    expect(outcomes).toEqual(HELD);
    expect(sizes).toEqual([3, 2]);
  });

  it('proves nothing before it moved', async () => {
    const { outcomes } = await push({ rows: 3 });
    expect(outcomes).toEqual([UNKNOWN, UNKNOWN, UNKNOWN]);
  });

  it('proves nothing where the refusal was a 429', async () => {
    const quota = { feature: 'users' as const, room: 2 };
    const { outcomes } = await push({
      arrange: ({ service }) => {
        const { send } = service;
        service.maxBatch = Infinity;
        service.send = async (operation, input) => {
          if (service.writes.length > 0) return send(operation, input);
          service.writes.push({ operation, body: input.body });
          return { kind: 'refused', status: 429, message: 'no room', quota };
        };
      },
    });
    expect(outcomes.slice(0, 3)).toEqual([UNKNOWN, UNKNOWN, UNKNOWN]);
  });

  it('is not asked for where the list can be read', async () => {
    const { outcomes, engine } = await push({
      arrange: ({ service }) => {
        service.listable = true;
      },
    });
    expect(outcomes).not.toContain(UNKNOWN);
    expect(engine.clock.slept).toEqual([]);
  });

  it('is waited for as long as it may lag, by how soon it showed what was applied', async () => {
    // The first batch was sent an hour before the counter showed a row of it.
    const { outcomes, engine } = await push({
      onCall: async ({ clock }, writes) => {
        if (writes === 1 && clock.slept.length === 0) await clock.sleep(HOUR_MS);
      },
      faults: [undefined],
    });
    expect(outcomes).not.toContain(UNKNOWN);
    expect(engine.clock.slept).toHaveLength(2);
    expect(engine.clock.slept[1]).toBe(HOUR_MS);
  });
});

describe('a list that is refused', () => {
  it('is one that the counter may stand for', async () => {
    const { outcomes } = await push({
      arrange: ({ service }) => {
        service.list = async function* () {
          await Promise.reject(new RefusedError(400, 'page is not known'));
          yield [];
        };
      },
    });
    expect(outcomes).not.toContain(UNKNOWN);
  });
});
