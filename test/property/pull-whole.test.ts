import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KnownRecord } from '../../src/model/state/run-rows.ts';
import type { Habits } from '../simulation/habits.ts';
import { pagingOf } from '../simulation/lists.ts';
import { testClient } from '../support/client.ts';
import { virtualClock } from '../support/clock.ts';
import { memoryTables, pullMapping, pullPorts, pull } from '../support/pull.ts';
import { accountData, envelopeAnswer } from '../support/transport.ts';

const FILE = { kind: 'csv', path: '/users.csv' } as const;
const SETTLE_MS = 120_000;

/** A service of users: the ids of its list in order, null for a record that has none; what it says about them, and what this state knows of them. */
interface Case {
  readonly ids: readonly (number | null)[];
  readonly pageSize: number;
  readonly paging: Habits['paging'];
  readonly pastTheEnd: 'empty' | 'last_again';
  readonly used: number | undefined;
  readonly confirmed: readonly number[];
  /** Until the list shows anything. */
  readonly lateMs: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  ids: fc.oneof(
    { weight: 3, arbitrary: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 9 }) },
    fc.array(fc.option(fc.integer({ min: 1, max: 12 }), { freq: 6 }), { maxLength: 9 }),
  ),
  pageSize: fc.constantFrom(1, 2, 3, 50),
  paging: fc.constantFrom('right', 'right', 'no_total', 'none', 'total_is_pages', 'words'),
  pastTheEnd: fc.constantFrom('empty', 'last_again'),
  used: fc.option(fc.integer({ min: -1, max: 10 }), { nil: undefined }),
  confirmed: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.subarray([1, 2, 3, 4, 5])),
  lateMs: fc.constantFrom(0, 0, 0, 1_500, 100_000, 10 * SETTLE_MS),
});

const userOf = (id: number | null) => ({ id: id === null ? null : `u-${id}`, external_id: `m-${id ?? 0}` });

function answerOf(service: Case, page: number, elapsedMs: number) {
  const { ids, pageSize, pastTheEnd, lateMs } = service;
  const shown = elapsedMs < lateMs ? [] : ids;
  const pages = Math.max(1, Math.ceil(shown.length / pageSize));
  const at = page > pages && pastTheEnd === 'last_again' ? pages : page;
  const data = shown.slice((at - 1) * pageSize, at * pageSize).map(userOf);
  return envelopeAnswer(200, data, { paging: pagingOf(service, page, pages, data.length, shown.length) });
}

async function pullUsers(service: Case) {
  const clock = virtualClock();
  const startedAtMs = clock.monotonic();
  let requests = 0;
  const account = { ...accountData(), config: { features: { users: { used: service.used } } } };
  const { client } = testClient(
    ({ url, operation }) => {
      requests += 1;
      if (operation === 'get-account') return Promise.resolve(envelopeAnswer(200, account));
      const page = Number(new URL(url).searchParams.get('page') ?? 1);
      return Promise.resolve(answerOf(service, page, clock.monotonic() - startedAtMs));
    },
    { clock },
  );
  const { tables, written } = memoryTables();
  const counted = await clock.run(client.account());
  const ports = pullPorts(client, { tables, clock, counted, settleMs: SETTLE_MS });
  const known = service.confirmed.map((id): KnownRecord => {
    return { key: `m-${id}`, id: `u-${id}`, number: null, digests: {}, values: {} };
  });
  const store = {
    ...ports.store,
    allSnapshots: async function* () {
      yield await Promise.resolve(known);
    },
  };
  const columns = [{ header: 'Id', from: 'id', type: undefined, format: undefined }];
  const mapping = pullMapping('users', FILE, { columns });
  const [summary] = await clock.run(pull({ ...ports, store }, [mapping], { limit: undefined }));
  const rows = written.get(FILE.path)?.slice(1).flat();
  return { summary, rows, requests, elapsedMs: clock.monotonic() - startedAtMs };
}

/** Everything that the service shows and what is known of it agree. */
function isWhole({ ids, paging, used = 0, confirmed, lateMs }: Case): boolean {
  const shown = lateMs > SETTLE_MS ? [] : ids;
  const distinct = new Set(shown);
  return (
    paging !== 'words' &&
    !distinct.has(null) &&
    distinct.size === shown.length &&
    distinct.size >= used &&
    confirmed.every((id) => distinct.has(id))
  );
}

/** What a reader can know of the list: where nothing tells how many there are, a page without a new record is past its end. */
function readable({ ids, pageSize, paging }: Case): Case['ids'] {
  if (paging === 'right') return ids;
  const seen = new Set<number | null>();
  for (let at = 0; at < ids.length; at += pageSize) {
    const page = ids.slice(at, at + pageSize);
    if (page.every((id) => seen.has(id))) return ids.slice(0, at);
    for (const id of page) seen.add(id);
  }
  return ids;
}

it('for any pages, counters and confirmed records, a report is whole or is not written', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (service) => {
      const { summary, rows, requests, elapsedMs } = await pullUsers(service);
      expect(elapsedMs).toBeLessThanOrEqual(SETTLE_MS);
      expect(requests).toBeLessThan(200);
      if (rows === undefined) {
        expect(summary?.error).toMatchObject({ code: 'list.unstable', exit_code: 8 });
        expect(isWhole(service)).toBe(false);
        return;
      }
      expect(summary?.error).toBeUndefined();
      const shown = new Set(rows);
      expect(shown.size).toBe(rows.length);
      expect(rows.length).toBeGreaterThanOrEqual(service.used ?? 0);
      for (const id of service.confirmed) expect(shown).toContain(`u-${id}`);
      // Nobody can tell a list that shows nothing yet from an empty one when nothing is known of its records.
      if (rows.length > 0) expect(shown).toEqual(new Set(readable(service).map((id) => userOf(id).id)));
      expect(rows.length > 0 && readable(service).includes(null)).toBe(false);
    }),
    { numRuns: 300 },
  );
});
