import { describe, expect, it } from 'vitest';
import { earlierAheadMs, ServiceTime, serviceNow } from '../../../../src/sync/memory/service-time.ts';

const ACCOUNT = { baseUrl: 'https://service.test', accountId: 'a' };
const OURS_MS = Date.parse('2026-11-20T10:00:00.000Z');
const THEIRS_MS = Date.parse('2026-08-15T12:00:00.000Z');

/** A command that hears the service's clock, or nothing of it, beside the facts that earlier commands kept. */
function command(facts: Map<string, string>, heardMs: number | undefined, oursMs = OURS_MS) {
  return {
    service: { timeMs: () => heardMs },
    clock: { now: () => oursMs },
    store: {
      fact: (_account: unknown, name: string) => {
        const value = facts.get(name);
        return Promise.resolve(value === undefined ? undefined : { value, atMs: 0 });
      },
      setFact: (_account: unknown, name: string, value: string) => {
        facts.set(name, value);
        return Promise.resolve();
      },
    },
  };
}

/** Ends a command. */
function end(ports: ReturnType<typeof command>): Promise<void> {
  return new ServiceTime(ports, ACCOUNT).keep(ports.store);
}

describe('the time of the service', () => {
  it('is ours where nothing was ever heard of it', async () => {
    const unheard = command(new Map(), undefined);
    expect(await serviceNow(unheard, ACCOUNT)).toBe(OURS_MS);
    expect(await earlierAheadMs(unheard, ACCOUNT)).toBe(0);
    const facts = new Map<string, string>();
    await end(command(facts, undefined));
    expect(facts.size).toBe(0);
  });

  it('is the one that this command hears, in whole milliseconds', async () => {
    const facts = new Map<string, string>();
    await end(command(facts, OURS_MS));
    expect(await serviceNow(command(facts, THEIRS_MS + 0.75), ACCOUNT)).toBe(THEIRS_MS);
  });

  it('goes on by the difference that was heard last, where nothing is asked of the service', async () => {
    const facts = new Map<string, string>();
    await end(command(facts, THEIRS_MS + 0.5));
    const later = command(facts, undefined, OURS_MS + 60_000);
    expect(await serviceNow(later, ACCOUNT)).toBe(THEIRS_MS + 60_000);
  });

  it('at what an earlier command did is told by what that command heard', async () => {
    const facts = new Map<string, string>();
    const weekLater = command(facts, THEIRS_MS + 7 * 86_400_000);
    expect(OURS_MS + (await earlierAheadMs(weekLater, ACCOUNT))).toBe(THEIRS_MS + 7 * 86_400_000);
    await end(command(facts, THEIRS_MS));
    expect(OURS_MS + (await earlierAheadMs(weekLater, ACCOUNT))).toBe(THEIRS_MS);
  });

  it('never falls back below what an earlier command knew, as headers of whole seconds would have it', async () => {
    const facts = new Map<string, string>();
    await end(command(facts, THEIRS_MS + 990));
    const soonAfter = command(facts, THEIRS_MS + 100, OURS_MS + 200);
    expect(await serviceNow(soonAfter, ACCOUNT)).toBe(THEIRS_MS + 990 + 200);
    await end(soonAfter);
    expect(await serviceNow(command(facts, undefined, OURS_MS + 200), ACCOUNT)).toBe(THEIRS_MS + 990 + 200);
  });

  it('never falls back within a command, as an old header of a busy server would have it', async () => {
    const ports = command(new Map(), THEIRS_MS + 1_500);
    const time = new ServiceTime(ports, ACCOUNT);
    expect(await time.nowMs()).toBe(THEIRS_MS + 1_500);
    ports.service.timeMs = () => THEIRS_MS;
    expect(await time.nowMs()).toBe(THEIRS_MS + 1_500);
  });

  it('is the one that is heard once a clock was set', async () => {
    const facts = new Map<string, string>();
    await end(command(facts, THEIRS_MS));
    for (const heardMs of [THEIRS_MS - 60_000, THEIRS_MS + 7 * 86_400_000])
      expect(await serviceNow(command(facts, heardMs), ACCOUNT)).toBe(heardMs);
  });
});
