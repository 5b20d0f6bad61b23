import { describe, expect, it, onTestFinished } from 'vitest';
import type { PushedResource } from '../../src/contract/index.ts';
import { RefusedError, UnavailableError } from '../../src/model/error.ts';
import type { KnownRecord } from '../../src/model/state/run-rows.ts';
import type { Wholeness } from '../../src/model/service.ts';
import { knownUser } from '../../src/plan/known-records.ts';
import { resourcePlans } from '../../src/plan/resources/index.ts';
import type { ListedResource } from '../../src/plan/resources/resource-plan.ts';
import {
  countKnown,
  countTwice,
  isUnlistable,
  type Listing,
  readWhole,
  waitForMore,
} from '../../src/sync/evidence/full-list.ts';
import { makeEngine, type Engine } from '../support/engine.ts';
import { ACCOUNT } from '../support/writes.ts';

const DAY_MS = 86_400_000;
const user = (at: number) => ({
  id: `id-${at}`,
  user_id: at,
  external_id: `U${at}`,
  display_name: `Name ${at}`,
});
const keysOf = (records: readonly KnownRecord[]): readonly string[] => records.map(({ key }) => key);

interface Case {
  readonly listed: number;
  readonly used?: number;
  readonly wholeness?: Wholeness;
  /** Users that the state knows from now, and from so long ago that a list without them makes them gone. */
  readonly known?: readonly number[];
  readonly knownLongAgo?: readonly number[];
}

async function confirmUsers({ store }: Engine, numbers: readonly number[] = []): Promise<void> {
  await store.confirm(
    ACCOUNT,
    'users',
    numbers.map((at) => knownUser(user(at))),
  );
}

async function readUsers(engine: Engine, { listed, used, wholeness, known, knownLongAgo }: Case) {
  await confirmUsers(engine, knownLongAgo);
  engine.clock.time += DAY_MS;
  await confirmUsers(engine, known);
  engine.clock.time += 1;
  const { service } = engine;
  for (let at = 1; at <= listed; at += 1) service.users.push(user(at));
  const { list } = service;
  service.list = (operation, query, signal, onUnreadable, onEnd) => {
    expect([query, signal, onUnreadable]).toEqual([{}, engine.ports.signal, 'fail']);
    return list(operation, query, signal, onUnreadable, (found) => onEnd?.(wholeness ?? found));
  };
  return readAgain(engine, used);
}

/** Reads the users as they stand in the list. */
const readAgain = (engine: Engine, used?: number) =>
  readWhole(listing(engine, resourcePlans.users.listed, 'users'), { used, onPage: () => undefined });

/** A user of a key and an id, written `KEY:ID`. */
function userOf(text: string) {
  const [external_id = '', id = ''] = text.split(':');
  return { ...user(1), external_id, id };
}

/** What the state knows, each written `KEY:ID`. */
const confirmKeys = ({ store }: Engine, ...texts: readonly string[]): Promise<void> =>
  store.confirm(ACCOUNT, 'users', texts.map(userOf).map(knownUser));

function show({ service }: Engine, ...texts: readonly string[]): void {
  service.users.splice(0, Infinity, ...texts.map(userOf));
}

const rememberedIds = async ({ store }: Engine): Promise<readonly string[]> =>
  (await Array.fromAsync(store.allSnapshots(ACCOUNT, 'users')))
    .flat()
    .map(({ key, id }) => `${key}:${id ?? ''}`);

const listing = ({ ports }: Engine, listed: ListedResource, resource: PushedResource): Listing => ({
  ports,
  account: ACCOUNT,
  mapping: { name: resource, resource },
  listed,
});

const remembered = async ({ store }: Engine): Promise<readonly string[]> =>
  (await Array.fromAsync(store.allSnapshots(ACCOUNT, 'users'))).flatMap(keysOf);

describe('a whole list', () => {
  it('is handed on page by page, and remembered without what names people', async () => {
    const engine = await makeEngine();
    engine.service.users.push(user(1), user(2), user(3));
    engine.service.pageSize = 2;
    await confirmUsers(engine, [2]);
    const pages: unknown[] = [];
    const users = resourcePlans.users.listed;
    const whole = await readWhole(listing(engine, users, 'users'), {
      used: 3,
      onPage: async ({ records, before, raw, done }) => {
        const known = await remembered(engine);
        pages.push([keysOf(records), [...before.keys()], raw.length, done, known]);
      },
    });
    expect(whole).toEqual({ pages: 2, nameless: 0, missing: 0, unlisted: 0 });
    expect(pages).toEqual([
      [['U1', 'U2'], ['U2'], 2, 2, ['U1', 'U2']],
      [['U3'], [], 1, 3, ['U1', 'U2', 'U3']],
    ]);
    const [one] = (await engine.store.snapshots(ACCOUNT, 'users', ['U1'])).values();
    expect(one).toMatchObject({ id: 'id-1', values: {} });
  });

  it('is asked for its next page before the last one is dealt with, and for no more once that fails', async () => {
    const engine = await makeEngine();
    engine.service.users.push(user(1), user(2), user(3), user(4));
    engine.service.pageSize = 1;
    const steps: string[] = [];
    const { list } = engine.service;
    engine.service.list = async function* (...wanted) {
      try {
        for await (const page of list(...wanted)) {
          steps.push('came');
          yield page;
        }
      } finally {
        steps.push('closed');
      }
    };
    const users = resourcePlans.users.listed;
    const onPage = async ({ done }: { readonly done: number }): Promise<void> => {
      await remembered(engine);
      steps.push(`dealt with ${done}`);
      if (done === 2) throw new Error('full');
    };
    const whole = readWhole(listing(engine, users, 'users'), { used: 4, onPage });
    await expect(whole).rejects.toThrow('full');
    expect(steps).toEqual(['came', 'came', 'dealt with 1', 'came', 'dealt with 2', 'closed']);
  });

  it('that breaks off while a page is dealt with fails in its turn alone', async () => {
    const engine = await makeEngine();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    engine.service.list = async function* () {
      yield [user(1)] as never;
      await Promise.reject(new Error('broke off'));
    };
    const users = resourcePlans.users.listed;
    const onPage = () => new Promise<void>((done) => void setImmediate(() => setImmediate(done)));
    const reading = readWhole(listing(engine, users, 'users'), { used: 2, onPage });
    await expect(reading).rejects.toThrow('broke off');
    expect(unhandled).toEqual([]);
  });

  it('is one reading where all that is known stands in it, and counted again where not', async () => {
    const engine = await makeEngine();
    await readUsers(engine, { listed: 2, used: 2, known: [1, 2] });
    expect(engine.service.reads).toBe(1);
    engine.service.users.pop();
    await readAgain(engine, 1);
    expect(engine.service.reads).toBe(3);
  });

  it.each<readonly [string, Case]>([
    ['as long as the account counts', { listed: 2, used: 2, wholeness: 'assumed' }],
    ['longer than the account counts', { listed: 2, used: 1, wholeness: 'assumed' }],
    ['where nothing is counted', { listed: 2, wholeness: 'assumed' }],
    [
      'of one page that comes again, and the account counts as many',
      { listed: 2, used: 2, wholeness: 'doubtful' },
    ],
    [
      'stated to be shorter than the counter, of which the state knows all',
      { listed: 2, used: 3, known: [1, 2] },
    ],
  ])('%s is believed', async (_what, given) => {
    const engine = await makeEngine();
    expect(await readUsers(engine, { known: [1], ...given })).toEqual({
      pages: 1,
      nameless: 0,
      missing: 0,
      unlisted: 0,
    });
  });

  it.each<readonly [string, Case, string]>([
    [
      'shorter than the counter, of which nothing states the length',
      { listed: 2, used: 3, wholeness: 'assumed' },
      '3',
    ],
    [
      'of one page that comes again, where the account counts more',
      { listed: 2, used: 3, wholeness: 'doubtful' },
      '3',
    ],
    [
      'of one page that comes again, where the account counts fewer',
      { listed: 2, used: 1, wholeness: 'doubtful' },
      '1',
    ],
    ['of one page that comes again, where nothing is counted', { listed: 2, wholeness: 'doubtful' }, 'no'],
  ])('%s is unstable, and nothing is forgotten for it', async (_what, given, counts) => {
    const engine = await makeEngine();
    const reading = readUsers(engine, { ...given, knownLongAgo: [8] });
    await expect(reading).rejects.toMatchObject({
      code: 'list.unstable',
      message: `the account counts ${counts} users and the list shows 2`,
    });
    expect(await remembered(engine)).toContain('U8');
  });

  it('stated to be whole is unstable where the counter and the state know of more', async () => {
    const engine = await makeEngine();
    const reading = readUsers(engine, { listed: 2, used: 3, known: [1, 2, 9] });
    await expect(reading).rejects.toMatchObject({ code: 'list.unstable' });
  });

  it('whose pages repeat is unstable without what was confirmed, also where a late counter agrees with it', async () => {
    const engine = await makeEngine();
    const given = { listed: 2, used: 2, known: [1, 8], wholeness: 'doubtful' } as const;
    await expect(readUsers(engine, given)).rejects.toMatchObject({
      code: 'list.unstable',
      message: 'the list repeats a page and does not show 1 of the users that were confirmed',
    });
    expect(await remembered(engine)).toContain('U8');
  });

  it('whose pages repeat is believed where it shows all that was confirmed, and the counter agrees', async () => {
    const engine = await makeEngine();
    const given = { listed: 2, used: 2, known: [1], wholeness: 'doubtful' } as const;
    expect(await readUsers(engine, given)).toMatchObject({ missing: 0 });
  });

  it('tells how many of those that the state knows it does not show', async () => {
    const engine = await makeEngine();
    const given = { listed: 2, used: 2, known: [1, 8, 9] };
    expect(await readUsers(engine, given)).toEqual({ pages: 1, nameless: 0, missing: 2, unlisted: 0 });
    expect(await remembered(engine)).toEqual(['U1', 'U2', 'U8', 'U9']);
  });

  it('tells so too where one key stands in it more than once, and counts its records', async () => {
    const engine = await makeEngine();
    engine.service.users.push({ ...user(1), id: 'another' }, { ...user(1), id: 'a-third' });
    const repeated = () => countKnown(engine.ports, ACCOUNT, 'users');
    expect(await readUsers(engine, { listed: 2, used: 4, known: [1, 8, 9] })).toMatchObject({ missing: 2 });
    // Four are listed and two of those that are known are not.
    expect(await repeated()).toBe(6);
    engine.service.users.length = 0;
    // What a list does not add up to is forgotten as little as what it does not show.
    await expect(readUsers(engine, { listed: 2, used: 5, wholeness: 'assumed' })).rejects.toThrow('counts 5');
    expect(await repeated()).toBe(6);
    engine.service.users.length = 0;
    await readUsers(engine, { listed: 2, used: 2 });
    // A day later those that are not listed are gone.
    expect(await repeated()).toBe(2);
  });

  it('records how many share a key where that is new, and nothing else', async () => {
    const engine = await makeEngine();
    const readAgain = async (listed: number) => {
      await readUsers(engine, { listed, used: engine.service.users.length + listed });
      return engine.store.facts(ACCOUNT);
    };
    expect(await readAgain(1)).toEqual([]);
    const first = await readAgain(1);
    expect(first).toMatchObject([{ name: 'repeated:users', value: '1' }]);
    expect(await readAgain(0)).toEqual(first);
  });

  it('makes gone what was confirmed more than a day before and is not in it', async () => {
    const engine = await makeEngine();
    expect(await readUsers(engine, { listed: 1, used: 1, knownLongAgo: [1, 8] })).toMatchObject({
      missing: 0,
    });
    expect(await remembered(engine)).toEqual(['U1']);
  });

  it('makes it gone too where two records in it share a key', async () => {
    const engine = await makeEngine();
    await confirmUsers(engine, [1, 8]);
    engine.clock.time += 2 * DAY_MS;
    show(engine, 'U1:id-1', 'U1:id-2');
    expect(await readAgain(engine, 2)).toMatchObject({ unlisted: 0 });
    expect(await remembered(engine)).toEqual(['U1']);
  });

  it.each<readonly [string, Case]>([
    ['nothing is counted', { listed: 1 }],
    ['the counter stays at 0', { listed: 0, used: 0 }],
    ['the counter comes late', { listed: 1, used: 0 }],
    ['the account counts more', { listed: 1, used: 2 }],
  ])('makes nothing gone where %s', async (_what, given) => {
    const engine = await makeEngine();
    expect(await readUsers(engine, { ...given, knownLongAgo: [1, 8] })).toMatchObject({
      missing: 0,
      unlisted: 2 - given.listed,
    });
    expect(await remembered(engine)).toEqual(['U1', 'U8']);
  });

  it('makes nothing gone where a record came while it was read, which the counter tells when it is read again', async () => {
    const engine = await makeEngine({ quotas: { users: { max: 9, used: 2, remaining: 7 } } });
    expect(await readUsers(engine, { listed: 1, used: 1, knownLongAgo: [8] })).toMatchObject({ unlisted: 1 });
    expect(await remembered(engine)).toEqual(['U1', 'U8']);
  });

  it('makes nothing gone where it moved, so that one record stands in it twice', async () => {
    const engine = await makeEngine();
    engine.service.users.push(user(1));
    expect(await readUsers(engine, { listed: 1, used: 2, knownLongAgo: [1, 8] })).toMatchObject({
      unlisted: 1,
    });
    expect(await remembered(engine)).toEqual(['U1', 'U8']);
  });

  it.each([
    ['first', ['id-1', 'id-2']],
    ['last', ['id-2', 'id-1']],
  ])('keeps the record that it knew by a key where that stands %s of two', async (_where, ids) => {
    const engine = await makeEngine();
    const { store, service } = engine;
    const known = knownUser(user(1));
    // The same record by the key that was sent, which the list shows otherwise.
    await store.confirm(ACCOUNT, 'users', [known, { ...known, key: 'u1' }]);
    service.users.push(...ids.map((id) => ({ ...user(1), id })));
    for (const pageSize of [1, 2]) {
      service.pageSize = pageSize;
      const users = resourcePlans.users.listed;
      const onPage = (): void => undefined;
      expect(await readWhole(listing(engine, users, 'users'), { used: 2, onPage })).toMatchObject({
        nameless: 0,
      });
      const kept = await store.snapshots(ACCOUNT, 'users', ['U1', 'u1']);
      expect([...kept.values()].map(({ id }) => id)).toEqual(['id-1', 'id-1']);
      expect(await countKnown(engine.ports, ACCOUNT, 'users')).toBe(3);
    }
  });

  it('puts another record of a key in the place of one that does not come any more', async () => {
    const engine = await makeEngine();
    await confirmUsers(engine, [1, 2]);
    await confirmKeys(engine, 'U3:id-3');
    show(engine, 'U1:id-7', 'U2:id-8', 'U2:id-2', 'U3:id-9', 'U3:id-9');
    await readAgain(engine, 5);
    expect(await rememberedIds(engine)).toEqual(['U1:id-7', 'U2:id-2', 'U3:id-9']);
  });

  it('keeps what was confirmed a day before', async () => {
    const engine = await makeEngine();
    await confirmUsers(engine, [8]);
    engine.clock.time -= 1;
    expect(await readUsers(engine, { listed: 1, used: 1 })).toMatchObject({ missing: 1 });
    expect(await remembered(engine)).toEqual(['U1', 'U8']);
  });

  it('with records that do not say what they are makes nothing gone and states nothing', async () => {
    const engine = await makeEngine();
    const { listed } = resourcePlans.mini_leagues;
    await engine.store.confirm(ACCOUNT, 'mini_leagues', [
      { key: '1/Old', id: '9', number: 9, digests: {}, values: {} },
    ]);
    engine.clock.time += 2 * DAY_MS;
    const { service } = engine;
    service.miniLeagues.push({ id: 1, name: 'A', fantasy_league_id: 1 }, { id: 2, name: 'B' });
    service.statesTotal = false;
    const seen: number[] = [];
    const whole = await readWhole(listing(engine, listed, 'mini_leagues'), {
      used: 3,
      onPage: ({ done }) => void seen.push(done),
    });
    expect(whole).toEqual({ pages: 1, nameless: 1, missing: 0, unlisted: 0 });
    expect(seen).toEqual([1]);
    expect(await engine.store.countSnapshots(ACCOUNT, 'mini_leagues')).toBe(2);
  });
});

describe('a list that shows keys otherwise than they were sent', () => {
  const respelt = { missing: 0, unlisted: 0, isRespelt: true };

  it('teaches how the service spells them, and says so once', async () => {
    const engine = await makeEngine();
    await confirmKeys(engine, 'M-1:a', 'M-2:b');
    show(engine, 'm-1:a', 'm-2:b');
    expect(await readAgain(engine, 2)).toMatchObject(respelt);
    expect(await rememberedIds(engine)).toEqual(['m-1:a', 'm-2:b']);
    expect(await readAgain(engine, 2)).not.toHaveProperty('isRespelt');
  });

  it('teaches it too where an earlier list showed the records before their writes were answered', async () => {
    const engine = await makeEngine();
    await confirmKeys(engine, 'M-1:a', 'M-2:b', 'm-1:a', 'm-2:b');
    show(engine, 'm-1:a', 'm-2:b');
    expect(await readAgain(engine, 2)).toMatchObject({ isRespelt: true });
    expect(await rememberedIds(engine)).toEqual(['m-1:a', 'm-2:b']);
    expect(await countTwice(engine.ports, ACCOUNT, 'users')).toBe(0);
  });

  it.each([
    ['first', ['M-1:z', 'm-1:a', 'm-2:b', 'm-3:c']],
    ['last', ['m-1:a', 'm-2:b', 'm-3:c', 'M-1:z']],
  ])('teaches nothing where another user stands %s in it by a key as it was sent', async (_where, shown) => {
    const engine = await makeEngine();
    await confirmKeys(engine, 'M-1:a', 'M-2:b', 'M-3:c');
    show(engine, ...shown);
    for (const pageSize of [1, 4]) {
      engine.service.pageSize = pageSize;
      expect(await readAgain(engine, 4)).not.toHaveProperty('isRespelt');
      expect(await rememberedIds(engine)).toEqual(['M-1:a', 'M-2:b', 'M-3:c']);
    }
  });

  it('teaches nothing where one user is shown as it was sent, and would not be', async () => {
    const engine = await makeEngine();
    await confirmKeys(engine, 'M-1:a', 'M-2:b', 'M-3:c');
    show(engine, 'm-1:a', 'm-2:b', 'M-3:c');
    expect(await readAgain(engine, 3)).not.toHaveProperty('isRespelt');
  });

  it('forgets no key of a record that it shows under another one, whichever of a key that is', async () => {
    const engine = await makeEngine();
    await confirmKeys(engine, '1:a', '001:a', '2:b', '002:b');
    engine.clock.time += 2 * DAY_MS;
    show(engine, '1:a', '2:z', '2:b');
    expect(await readAgain(engine, 3)).toMatchObject({ missing: 0, unlisted: 0 });
    expect(await rememberedIds(engine)).toEqual(['001:a', '002:b', '1:a', '2:b']);
    expect(await countTwice(engine.ports, ACCOUNT, 'users')).toBe(2);
  });

  it('counts a record once that is known by two keys', async () => {
    const engine = await makeEngine();
    await confirmKeys(engine, '1:a', '001:a');
    show(engine, 'x1:a');
    await readAgain(engine, 1);
    expect(await rememberedIds(engine)).toEqual(['001:a', '1:a']);
    expect(await countKnown(engine.ports, ACCOUNT, 'users')).toBe(1);
  });

  it('misses no record that it shows under one of its two keys', async () => {
    const engine = await makeEngine();
    await confirmKeys(engine, '1:a', '001:a');
    show(engine, '1:a');
    expect(await readAgain(engine, 2)).toMatchObject({ missing: 0 });
  });

  it('keeps the record that it knew of three that share a key in any spelling', async () => {
    const engine = await makeEngine();
    await engine.store.respell(ACCOUNT, 'users', { case: true });
    await confirmKeys(engine, 'm-1:b');
    show(engine, 'M-1:a', 'M-1:b', 'M-1:c');
    for (const pageSize of [1, 3]) {
      engine.service.pageSize = pageSize;
      await readAgain(engine, 3);
      expect(await rememberedIds(engine)).toEqual(['m-1:b']);
    }
  });
});

describe('what is there by the word of the operator alone', () => {
  it('is not forgotten and not missing, and the list is said not to show it', async () => {
    const engine = await makeEngine();
    await engine.store.confirm(ACCOUNT, 'users', [{ ...knownUser(user(8)), id: null }]);
    expect(await readUsers(engine, { listed: 1, used: 1, known: [1] })).toMatchObject({
      missing: 0,
      unlisted: 1,
    });
    engine.clock.time += 2 * DAY_MS;
    expect(await readAgain(engine, 1)).toMatchObject({ missing: 0, unlisted: 1 });
    expect(await remembered(engine)).toEqual(['U1', 'U8']);
    expect(await countTwice(engine.ports, ACCOUNT, 'users')).toBe(0);
  });

  it('hides no other record that is missing', async () => {
    const engine = await makeEngine();
    await engine.store.confirm(ACCOUNT, 'users', [{ ...knownUser(user(8)), id: null }]);
    expect(await readUsers(engine, { listed: 1, used: 1, known: [1, 9] })).toMatchObject({ missing: 1 });
  });
});

describe('a clock that is set while a list is read', () => {
  it.each([
    ['back', -3],
    ['forward', 3],
  ])('%s makes nothing gone that the list shows', async (_where, days) => {
    const engine = await makeEngine({ pageSize: 1 });
    await confirmUsers(engine, [8]);
    show(engine, 'U1:id-1', 'U2:id-2');
    const onPage = (): void => {
      engine.clock.skewMs = days * DAY_MS;
    };
    const users = resourcePlans.users.listed;
    await readWhole(listing(engine, users, 'users'), { used: 2, onPage });
    expect(await remembered(engine)).toEqual(['U1', 'U2', 'U8']);
  });
});

describe('a list that does not show every field', () => {
  const before = (id: string): KnownRecord => ({
    key: '1/A',
    id,
    number: Number(id),
    digests: { type: 'digest of the type', name: 'digest of another name' },
    values: { cost: 4, fantasy_league_id: 9 },
  });
  const readMini = async (engine: Engine, name = 'A'): Promise<readonly KnownRecord[]> => {
    const { listed } = resourcePlans.mini_leagues;
    engine.service.miniLeagues.push({ id: 1, name, fantasy_league_id: 1 });
    const shown: KnownRecord[] = [];
    await readWhole(listing(engine, listed, 'mini_leagues'), {
      used: undefined,
      onPage: ({ records }) => void shown.push(...records),
    });
    return shown;
  };

  it('is completed by what the state remembers of the same record', async () => {
    const engine = await makeEngine();
    await engine.store.confirm(ACCOUNT, 'mini_leagues', [before('1')]);
    const [shown] = await readMini(engine);
    expect(shown?.digests).toMatchObject({ type: 'digest of the type' });
    expect(shown?.digests['name']).not.toBe('digest of another name');
    expect(shown?.values).toEqual({ cost: 4, fantasy_league_id: 1, name: 'A' });
  });

  it('is completed so too where it shows another key for that record', async () => {
    const engine = await makeEngine();
    await engine.store.confirm(ACCOUNT, 'mini_leagues', [before('1')]);
    const [shown] = await readMini(engine, 'x:A');
    expect(shown).toMatchObject({ key: '1/A', digests: { type: 'digest of the type' } });
    expect(shown?.values).toEqual({ cost: 4, fantasy_league_id: 1, name: 'A' });
  });

  it('is not completed by another record of the same key', async () => {
    const engine = await makeEngine();
    await engine.store.confirm(ACCOUNT, 'mini_leagues', [before('2')]);
    const [shown] = await readMini(engine);
    expect(Object.keys(shown?.digests ?? {})).not.toContain('type');
    expect(shown?.values).toEqual({ fantasy_league_id: 1, name: 'A' });
  });

  it('is left as it is where nothing is remembered', async () => {
    const [shown] = await readMini(await makeEngine());
    expect(shown?.values).toEqual({ fantasy_league_id: 1, name: 'A' });
  });

  it('takes nothing from the memory for a resource that shows all', async () => {
    const engine = await makeEngine();
    await engine.store.confirm(ACCOUNT, 'users', [
      { key: 'U1', id: 'id-1', number: 1, digests: { is_active: 'x' }, values: { is_active: false } },
    ]);
    engine.service.users.push({ ...user(1), is_active: null });
    const users = resourcePlans.users.listed;
    const shown: KnownRecord[] = [];
    await readWhole(listing(engine, users, 'users'), {
      used: 1,
      onPage: ({ records }) => void shown.push(...records),
    });
    expect(shown[0]?.values).toEqual({ external_id: 'U1', display_name: 'Name 1' });
  });
});

it('a list cannot be had where it is refused or does not add up, and not where the service is down', () => {
  expect(isUnlistable(new RefusedError(400, 'no'))).toBe(true);
  expect(isUnlistable(new UnavailableError('list.unstable', 'moves'))).toBe(true);
  expect(isUnlistable(new UnavailableError('service.no_envelope', 'a page'))).toBe(true);
  expect(isUnlistable(new UnavailableError('service.unreachable', 'down'))).toBe(false);
  expect(isUnlistable(Object.assign(new Error('a file'), { code: 'list.unstable' }))).toBe(false);
});

describe('a list that may come late', () => {
  /** The seconds between readings, of which each takes `tookS`, until it is not read again. */
  async function pausesOf({ ports, clock }: Engine, tookS = 0, maxWaitMs?: number) {
    const startedAtMs = clock.monotonic();
    const limited = maxWaitMs === undefined ? ports : { ...ports, maxWaitMs };
    let readings = 0;
    do {
      clock.time += tookS * 1000;
      readings += 1;
    } while (readings < 9 && (await waitForMore(limited, startedAtMs, readings - 1, 'short')));
    return { readings, pauses: clock.slept.map((ms) => ms / 1000) };
  }

  it('is read again after 2, 10, 40 and 120 seconds, where settle is as long as the last', async () => {
    const engine = await makeEngine();
    expect(await pausesOf(engine)).toEqual({ readings: 5, pauses: [2, 8, 30, 80] });
    expect(engine.events[0]).toMatchObject({ reason: 'short; it may come late' });
  });

  it('is waited for less where reading it takes a while, and is read once more where that took all the time', async () => {
    expect(await pausesOf(await makeEngine(), 3)).toEqual({ readings: 4, pauses: [7, 27, 77] });
    expect(await pausesOf(await makeEngine(), 121)).toEqual({ readings: 2, pauses: [] });
  });

  it('is not waited for longer than a run may pause', async () => {
    expect(await pausesOf(await makeEngine(), 0, 8000)).toEqual({ readings: 3, pauses: [2, 8] });
  });
});
