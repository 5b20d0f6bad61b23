import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { InternalError, StoppedError, UnavailableError } from '../../../src/model/error.ts';
import { Leases, lockLost, type LeaseTable } from '../../../src/state/lease.ts';

const TERM_MS = 30_000;
const club = { baseUrl: 'http://localhost:8787', accountId: 'club' };
const rival = { ...club, accountId: 'rival' };
const lost = { code: 'lock.lost' };

let now: { monotonicMs: number; wallMs: number };
let calls: string[];
let repeats: { readonly work: () => void; readonly everyMs: number; isStopped: boolean }[];
/** What the table does when it is asked to renew. */
let renew: () => Promise<boolean>;
let leases: Leases;

/** Time passes alike on both clocks, or on one of them alone. */
function pass(ms: number, on: 'both' | 'monotonic' | 'wall' = 'both'): void {
  if (on !== 'wall') now.monotonicMs += ms;
  if (on !== 'monotonic') now.wallMs += ms;
}

const settle = (): Promise<void> => new Promise((done) => setImmediate(done));

beforeEach(() => {
  now = { monotonicMs: 1000, wallMs: 5000 };
  calls = [];
  repeats = [];
  renew = () => Promise.resolve(true);
  let number = 0;
  const table: LeaseTable = {
    take: (_account, owner) => {
      calls.push(`take ${owner}`);
      return Promise.resolve((number += 1));
    },
    renew: (_account, lease) => {
      calls.push(`renew ${lease}`);
      return renew();
    },
    free: (_account, lease) => {
      calls.push(`free ${lease}`);
      return Promise.resolve();
    },
  };
  leases = new Leases(table, {
    clock: { now: () => now.wallMs, monotonic: () => now.monotonicMs },
    termMs: TERM_MS,
    repeat: (work, everyMs) => {
      const repeated = { work, everyMs, isStopped: false };
      repeats.push(repeated);
      return () => (repeated.isStopped = true);
    },
  });
});

describe('a write that is about to go out', () => {
  it('needs no word of the table while a third of the term is left', async () => {
    const held = await leases.acquire(club, 'push');
    pass((TERM_MS * 2) / 3);
    await held.check();
    expect(calls).toEqual(['take push']);
    expect(held.lost.aborted).toBe(false);
  });

  it.each(['monotonic', 'wall'] as const)(
    'renews the lease first where less is left by the %s clock',
    async (clock) => {
      const held = await leases.acquire(club, 'push');
      pass((TERM_MS * 2) / 3 + 1, clock);
      await held.check();
      expect(calls).toEqual(['take push', 'renew 1']);
      await held.check();
      expect(calls).toHaveLength(2);
    },
  );

  it('counts the term from when a renewal was asked for, and gives up a table that takes too long three times', async () => {
    const held = await leases.acquire(club, 'push');
    pass(TERM_MS);
    renew = () => {
      pass(TERM_MS * 0.7);
      return Promise.resolve(true);
    };
    await expect(held.check()).rejects.toMatchObject(lost);
    expect(calls).toEqual(['take push', 'renew 1', 'renew 1', 'renew 1']);
    renew = () => Promise.resolve(true);
    await held.check();
  });

  it('does not go out under a lease that somebody else has, and what is under way ends', async () => {
    const held = await leases.acquire(club, 'push');
    pass(TERM_MS);
    renew = () => Promise.resolve(false);
    await expect(held.check()).rejects.toMatchObject(lost);
    expect(held.lost.reason).toMatchObject(lost);
    renew = () => Promise.resolve(true);
    await expect(held.check()).rejects.toMatchObject(lost);
  });
});

describe('the timer', () => {
  it('renews at a third of the term, until the lease is let go', async () => {
    const held = await leases.acquire(club, 'push');
    const [timer] = repeats;
    expect(timer?.everyMs).toBe(TERM_MS / 3);
    pass(TERM_MS - 1);
    timer?.work();
    await settle();
    pass((TERM_MS * 2) / 3);
    await held.check();
    expect(calls).toEqual(['take push', 'renew 1']);
    await held.release();
    expect(timer?.isStopped).toBe(true);
    expect(calls.at(-1)).toBe('free 1');
    await held.release();
    expect(calls).toHaveLength(3);
  });

  it('lets what is under way end at once where the table refuses that more is sent', async () => {
    const held = await leases.acquire(club, 'push');
    renew = () => Promise.reject(new StoppedError('lock.clock', 'the clock is wrong'));
    repeats[0]?.work();
    await settle();
    expect(held.lost.reason).toMatchObject({ code: 'lock.clock' });
    await expect(held.check()).rejects.toMatchObject({ code: 'lock.clock' });
  });

  it('lets what is under way end once the term is over and the table never answered, and not before', async () => {
    const held = await leases.acquire(club, 'push');
    renew = () => Promise.reject(new UnavailableError('state.unreachable', 'no database'));
    pass(TERM_MS - 1);
    repeats[0]?.work();
    await settle();
    expect(held.lost.aborted).toBe(false);
    pass(1);
    repeats[0]?.work();
    await settle();
    expect(held.lost.reason).toMatchObject(lost);
  });
});

it('the timer of a process is one that keeps it alive for nothing, and ends with the lease', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let renewals = 0;
  const own = new Leases(
    {
      take: () => Promise.resolve(1),
      renew: () => Promise.resolve((renewals += 1) > 0),
      free: () => Promise.resolve(),
    },
    { clock: { now: () => 0, monotonic: () => 0 }, termMs: TERM_MS },
  );
  const held = await own.acquire(club, 'push');
  vi.advanceTimersByTime(TERM_MS);
  expect(renewals).toBe(3);
  await held.release();
  vi.advanceTimersByTime(TERM_MS);
  expect(renewals).toBe(3);
});

describe('what is recorded under a lease', () => {
  it('is given its number, and renews it', async () => {
    expect(await leases.renewedBy(club, (lease) => Promise.resolve(lease))).toBe(0);
    const held = await leases.acquire(club, 'push');
    pass(TERM_MS);
    const same = { ...club, baseUrl: 'http://127.0.0.1:8787' };
    expect(await leases.renewedBy(same, (lease) => Promise.resolve(lease))).toBe(1);
    await held.check();
    expect(calls).toEqual(['take push']);
  });

  it('renews nothing where it fails, and loses the lease only where somebody else has it', async () => {
    const held = await leases.acquire(club, 'push');
    pass(TERM_MS);
    const broken = new InternalError('state.no_intent', 'none');
    await expect(leases.renewedBy(club, () => Promise.reject(broken))).rejects.toBe(broken);
    expect(held.lost.aborted).toBe(false);
    await held.check();
    expect(calls).toEqual(['take push', 'renew 1']);
    const other = new StoppedError('run.overtaken', 'a newer run went on');
    await expect(leases.renewedBy(club, () => Promise.reject(other))).rejects.toBe(other);
    expect(held.lost.aborted).toBe(false);
    const stolen = lockLost(club);
    await expect(leases.renewedBy(club, () => Promise.reject(stolen))).rejects.toBe(stolen);
    expect(held.lost.reason).toBe(stolen);
    expect(stolen).toMatchObject({
      message:
        'the lock of http://localhost:8787 (account club) is not held by this process any more: nothing more is sent',
      next: 'See what the other process did with runs, then run the command again.',
    });
    await expect(leases.renewedBy(rival, () => Promise.reject(stolen))).rejects.toBe(stolen);
  });

  it('is recorded under the lease of its own account', async () => {
    await leases.acquire(club, 'push');
    await leases.acquire(rival, 'push');
    expect(await leases.renewedBy(club, (lease) => Promise.resolve(lease))).toBe(1);
    expect(await leases.renewedBy(rival, (lease) => Promise.resolve(lease))).toBe(2);
  });
});

describe('what follows in a transaction', () => {
  it('is refused where any lease of this process is another one’s by now', async () => {
    const asked: unknown[] = [];
    const isOwn = (answer: boolean) => (account: object, lease: number) => {
      asked.push([account, lease]);
      return Promise.resolve(answer);
    };
    await leases.refuseLost(isOwn(false));
    expect(asked).toEqual([]);
    const held = await leases.acquire(club, 'push');
    await leases.refuseLost(isOwn(true));
    expect(asked).toEqual([[club, 1]]);
    expect(held.lost.aborted).toBe(false);
    await expect(leases.refuseLost(isOwn(false))).rejects.toMatchObject(lost);
    expect(held.lost.reason).toMatchObject(lost);
    await held.release();
    await leases.refuseLost(isOwn(false));
    await leases.acquire(club, 'push');
    const other = await leases.acquire(rival, 'push');
    await expect(leases.refuseLost((_, lease) => Promise.resolve(lease !== 3))).rejects.toMatchObject(lost);
    expect(other.lost.aborted).toBe(true);
  });
});

it('a lease that was taken again is not let go by who had it before', async () => {
  const first = await leases.acquire(club, 'push');
  const second = await leases.acquire(club, 'resume');
  await first.release();
  expect(calls).toEqual(['take push', 'take resume']);
  await second.release();
  expect(calls.at(-1)).toBe('free 2');
});
