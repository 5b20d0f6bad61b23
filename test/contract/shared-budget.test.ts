import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  BUDGET_KEPT_MS,
  type BudgetDecision,
  type BudgetLook,
  type BudgetVisit,
  type OthersRequest,
  type SharedBudget,
} from '../../src/model/state/shared-budget.ts';
import type { PostgresClient } from '../../src/state/postgres/client.ts';
import { sqliteBudget } from '../../src/state/sqlite/budget.ts';
import { BudgetData, MemoryBudget } from '../simulation/memory-budget.ts';
import {
  clientOf,
  isServerEnough,
  newSchema,
  noPostgres,
  openTestState,
  OwnPostgres,
  startPostgres,
  type PostgresServer,
} from '../support/postgres.ts';
import { testFolder } from '../support/test-folder.ts';

const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => Promise.resolve() };
const account = { baseUrl: 'https://data.example', accountId: 'club' };
const rival = { baseUrl: 'https://data.example', accountId: 'rival' };
const HOUR_MS = 3_600_000;

const folder = testFolder();
let held: BudgetData;
let schema: string;
let server: PostgresServer | undefined;
const clients: PostgresClient[] = [];
const files: { close(): void }[] = [];
beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres();
});
afterAll(() => server?.close());
beforeEach(() => {
  schema = newSchema();
  held = new BudgetData();
});
afterEach(async () => {
  for (const file of files.splice(0)) file.close();
  for (const client of clients.splice(0)) await client.close();
});

const openOn = async (client: PostgresClient): Promise<SharedBudget> => {
  clients.push(client);
  return (await openTestState(client, schema, folder.path, { clock })).budget;
};

suite('SQLite', () => {
  const budget = sqliteBudget(join(folder.path, 'locks'), clock);
  files.push(budget);
  return Promise.resolve(budget);
});
suite('memory', () => Promise.resolve(new MemoryBudget(held, () => clock.now())));
describe('a file of budgets that a power cut has damaged', () => {
  const enter: BudgetDecision = { kind: 'enter', readsAccount: false, lastsMs: 1000 };
  const visit: BudgetVisit = { process: 'a', after: 0, underWay: [], over: [], withinMs: 1000 };

  it.each<readonly [string, (file: Buffer) => Buffer | string]>([
    ['is no database', () => 'nothing that SQLite knows'],
    ['has lost pages', (file) => file.subarray(0, 8192)],
    [
      'has pages of zeros',
      (file) => Buffer.concat([file.subarray(0, 4096), Buffer.alloc(file.length - 4096)]),
    ],
  ])('is made anew where it %s', async (_what, damage) => {
    const at = join(folder.path, 'locks');
    mkdirSync(at, { recursive: true });
    const file = join(at, 'budget.sqlite');
    const before = sqliteBudget(at, clock);
    await before.visit(account, visit, () => enter);
    before.close();
    writeFileSync(file, damage(readFileSync(file)));
    const budget = sqliteBudget(at, clock);
    files.push(budget);
    expect(await budget.visit(account, visit, () => enter)).toBe(1);
  });
});
describe.each<readonly [string, (now: () => number) => SharedBudget]>([
  [
    'SQLite',
    (now) => {
      const budget = sqliteBudget(join(folder.path, 'locks'), { ...clock, now });
      files.push(budget);
      return budget;
    },
  ],
  ['memory', (now) => new MemoryBudget(held, now)],
])('a clock that was set back, with the budget on %s', (_name, open) => {
  it.each([
    ['by a little', 500],
    ['by half a minute', 30_000],
    ['by a day', 86_400_000],
  ])('%s leaves what was entered as if just now, and it grows old as ever', async (_what, backMs) => {
    let nowMs = 1_000_000_000;
    const budget = open(() => nowMs);
    await budget.visit(account, visitOf('a'), () => enter());
    nowMs -= backMs;
    const look = async (process: string): Promise<readonly OthersRequest[]> => {
      let seen: readonly OthersRequest[] = [];
      await budget.visit(account, visitOf(process), ({ others }) => {
        seen = others;
        return { kind: 'none' };
      });
      return seen;
    };
    expect(await look('b')).toMatchObject([{ enteredAgoMs: 0, answeredAgoMs: null }]);
    nowMs += 2 * HOUR_MS + BUDGET_KEPT_MS;
    expect(await look('c')).toEqual([]);
  });
});
if (!isServerEnough) suite('PostgreSQL in this process', () => openOn(new OwnPostgres().client()));
describe.skipIf(noPostgres !== undefined)(`on a server (${noPostgres ?? 'found'})`, () => {
  suite('PostgreSQL', async () => openOn(await clientOf(server)));
});

it('on PostgreSQL, who loses every turn because it is far away keeps the others waiting once', async () => {
  const open = (): Promise<PostgresClient> =>
    isServerEnough ? clientOf(server) : Promise.resolve(new OwnPostgres().client());
  const near = await openOn(await open());
  const client = await open();
  let turns = 0;
  const far = await openOn({
    ...client,
    // Before each of its statements, another one is let in.
    query: async (...asked) => {
      turns += 1;
      if (turns > 3) await near.visit(account, visitOf('near'), () => enter());
      return client.query(...asked);
    },
  });
  turns = 3;
  expect(await far.visit(account, visitOf('far'), () => enter())).toBeGreaterThan(1);
});

const enter = (lastsMs = HOUR_MS, readsAccount = false): BudgetDecision => ({
  kind: 'enter',
  readsAccount,
  lastsMs,
});
const visitOf = (process: string, changes: Partial<BudgetVisit> = {}): BudgetVisit => ({
  ...{ process, after: 0, underWay: [], over: [], withinMs: 60_000 },
  ...changes,
});

/** What every Budget of several processes does; each `open` is that of another process. */
function suite(name: string, open: () => Promise<SharedBudget>): void {
  describe(`Budget: ${name}`, () => {
    async function lookAs(
      budget: SharedBudget,
      process: string,
      changes: Partial<BudgetVisit> = {},
      of = account,
    ): Promise<BudgetLook> {
      let seen: BudgetLook | undefined;
      await budget.visit(of, visitOf(process, changes), (look) => {
        seen = look;
        return { kind: 'none' };
      });
      if (seen === undefined) throw new Error('nobody looked');
      return seen;
    }
    const enterAs = async (budget: SharedBudget, process: string, decision = enter()): Promise<number> =>
      (await budget.visit(account, visitOf(process), () => decision)) ?? -1;

    it('shows a request that was entered to all others of the account, and to nobody else', async () => {
      const [a, b] = [await open(), await open()];
      const number = await enterAs(a, 'a', enter(HOUR_MS, true));
      const { others } = await lookAs(b, 'b');
      expect(others).toMatchObject([{ number, readsAccount: true, answeredAgoMs: null, doubtful: false }]);
      expect((await lookAs(a, 'a')).others).toEqual([]);
      expect((await lookAs(b, 'b', {}, rival)).others).toEqual([]);
    });

    it('shows what is new since a number, and of what was under way what became of it', async () => {
      const [a, b] = [await open(), await open()];
      const first = await enterAs(a, 'a');
      const second = await enterAs(a, 'a');
      expect((await lookAs(b, 'b', { after: first })).others).toMatchObject([{ number: second }]);
      await lookAs(a, 'a', { over: [{ number: first, agoMs: 5000, doubtful: true }] });
      const { others } = await lookAs(b, 'b', { after: second, underWay: [first, second] });
      expect(others).toMatchObject([
        { number: first, doubtful: true },
        { number: second, answeredAgoMs: null },
      ]);
      expect(others[0]?.answeredAgoMs).toBeGreaterThanOrEqual(5000);
    });

    it('shows between two own requests what others did: entered, waited, learnt windows', async () => {
      const [a, b] = [await open(), await open()];
      let after = 0;
      const looks: BudgetLook[] = [];
      const enterNext = async (): Promise<BudgetLook | undefined> => {
        looks.length = 0;
        const number = await a.visit(account, visitOf('a', { after }), (look) => {
          looks.push(look);
          return enter();
        });
        expect(number).toBeGreaterThan(after);
        after = number ?? after;
        return looks.at(-1);
      };
      const alone = { others: [], wanting: [], taken: 0, windows: [] };
      expect(await enterNext()).toEqual(alone);
      expect(await enterNext()).toEqual(alone);
      const others = await enterAs(b, 'b');
      expect(await enterNext()).toMatchObject({ others: [{ number: others }] });
      await lookAs(b, 'b', { over: [{ number: others, agoMs: 0, doubtful: false }] });
      expect(await enterNext()).toEqual(alone);
      await b.visit(account, visitOf('b'), () => ({ kind: 'wait', writes: true, forMs: HOUR_MS }));
      expect(await enterNext()).toMatchObject({ wanting: [{ writes: true, taken: 1 }], taken: 4 });
      await b.leave(account, 'b');
      expect(await enterNext()).toEqual(alone);
      await lookAs(b, 'b', { windows: [{ limit: 600, lengthMs: 60_000 }] });
      expect(await enterNext()).toEqual({ ...alone, windows: [{ limit: 600, lengthMs: 60_000 }] });
    });

    it('refuses by a look that is new, where it would enter by an older one', async () => {
      const [a, b] = [await open(), await open()];
      const first = (await a.visit(account, visitOf('a'), () => enter())) ?? 0;
      await enterAs(b, 'b');
      const decide = (look: BudgetLook): BudgetDecision =>
        look.others.length === 0 ? enter() : { kind: 'none' };
      expect(await a.visit(account, visitOf('a', { after: first }), decide)).toBeUndefined();
    });

    it('frees what a process never ended once its deadline is past, and not before', async () => {
      const [a, b] = [await open(), await open()];
      const early = await enterAs(a, 'a', enter(0));
      const late = await enterAs(a, 'a', enter(HOUR_MS));
      const { others } = await lookAs(b, 'b');
      expect(others).toMatchObject([
        { number: early, doubtful: true },
        { number: late, answeredAgoMs: null },
      ]);
      expect(others[0]?.answeredAgoMs).not.toBeNull();
    });

    it('enters nothing where it is not decided, and keeps nothing of a decision that fails', async () => {
      const [a, b] = [await open(), await open()];
      expect(await a.visit(account, visitOf('a'), () => ({ kind: 'none' }))).toBeUndefined();
      const failed = new Error('no');
      const failing = a.visit(account, visitOf('a', { windows: [{ limit: 1, lengthMs: 1 }] }), () => {
        throw failed;
      });
      await expect(failing).rejects.toBe(failed);
      expect(await lookAs(b, 'b')).toMatchObject({ others: [], windows: [] });
    });

    it('decides for one at a time: of many that want the last place, one has it', async () => {
      const budgets = await Promise.all(Array.from({ length: 4 }, open));
      let free = 3;
      const decide = (look: BudgetLook): BudgetDecision =>
        look.others.length < 3 ? enter() : { kind: 'none' };
      const numbers = await Promise.all(
        budgets.flatMap((budget, at) =>
          [0, 1].map((turn) => budget.visit(account, visitOf(`${at} ${turn}`), decide)),
        ),
      );
      for (const number of numbers) if (number !== undefined) free -= 1;
      expect(free).toBe(0);
    });

    it('tells who waits and what each took, until it has room, leaves or its time is over', async () => {
      const [a, b] = [await open(), await open()];
      const wait = (forMs: number): BudgetDecision => ({ kind: 'wait', writes: true, forMs });
      await enterAs(a, 'a');
      await enterAs(b, 'b');
      await enterAs(b, 'b');
      // A reading of the account gets nothing done.
      for (const [each, name] of [
        [a, 'a'],
        [b, 'b'],
      ] as const)
        await enterAs(each, name, enter(HOUR_MS, true));
      await a.visit(account, visitOf('a'), () => wait(HOUR_MS));
      expect(await lookAs(b, 'b')).toMatchObject({ wanting: [{ writes: true, taken: 1 }], taken: 2 });
      await enterAs(a, 'a');
      expect(await lookAs(b, 'b')).toMatchObject({ wanting: [] });
      await a.visit(account, visitOf('a'), () => wait(HOUR_MS));
      await a.leave(account, 'a');
      expect(await lookAs(b, 'b')).toMatchObject({ wanting: [] });
      await a.visit(account, visitOf('a'), () => wait(0));
      expect(await lookAs(b, 'b')).toMatchObject({ wanting: [] });
    });

    it('keeps the windows and the accounts of keys', async () => {
      const [a, b] = [await open(), await open()];
      const windows = [{ limit: 600, lengthMs: 60_000 }];
      await lookAs(a, 'a', { windows });
      expect((await lookAs(b, 'b')).windows).toEqual(windows);
      expect(await b.accountOf(account.baseUrl, 'digest')).toBeUndefined();
      expect(await b.hasKeyOf(account)).toBe(false);
      await a.rememberAccount(account, 'digest');
      expect(await b.hasKeyOf(account)).toBe(true);
      expect(await b.hasKeyOf({ ...account, baseUrl: 'https://other.example' })).toBe(false);
      await a.rememberAccount(rival, 'digest');
      expect(await b.accountOf(account.baseUrl, 'digest')).toBe('rival');
      expect(await b.accountOf('https://other.example', 'digest')).toBeUndefined();
    });
  });
}
