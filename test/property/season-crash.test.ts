import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ResourceName } from '../../src/contract/index.ts';
import type { StoredIntent } from '../../src/model/state/store.ts';
import {
  expectIntents,
  expectNothingTwice,
  expectTruth,
  expectWholeCounts,
  outcomesOf,
} from '../support/season/checks.ts';
import type { Outcomes } from '../support/season/checks.ts';
import { readEffects, readFacts } from '../support/season/facts.ts';
import type { Facts } from '../support/season/facts.ts';
import { Life, type Moment } from '../support/life.ts';
import { makeTemplate, openSeason } from '../support/season/season.ts';
import type { Season, Template } from '../support/season/season.ts';
import { MAPPING_NAMES } from '../support/season/tables.ts';
import type { MappingName } from '../support/season/tables.ts';
import { isLong } from '../support/long.ts';

/** The short form ends a process after every first call of a kind, and at every STRIDE-th of the other moments. */
const STRIDE = 359;

const files = vi.hoisted(() => ({
  call: <T>(_name: string, effect: () => Promise<T>): Promise<T> => effect(),
}));
vi.mock(import('node:fs/promises'), async (real) => {
  const { faultyFiles } = await import('../support/faulty-files.ts');
  return faultyFiles(await real(), files);
});

/** Only a rename changes what a file is; every other call on a file is one of a process that may have ended. */
const filesOf =
  (life: Life): typeof files.call =>
  async (name, effect) => {
    if (name === 'rename') return life.call('rename', effect);
    // The system closes the files of a process that ended.
    if (name !== 'handle.close') life.check();
    return effect();
  };

/** The resources whose writes cannot be proved absent: without an answer their rows are held until somebody resolves them. */
const HELD: Readonly<Partial<Record<ResourceName, MappingName>>> = {
  fantasy_leagues: 'leagues',
  prices: 'prices',
  points_config: 'points',
  auto_substitutions: 'triggers',
};

/** Of these the service shows what was sent: a write that is found there is no longer held. */
const SHOWN: ReadonlySet<ResourceName> = new Set(['prices', 'points_config']);

let template: Template;
let before: Facts;
let whole: { readonly calls: readonly string[]; readonly outcomes: Outcomes; readonly facts: Facts };

beforeAll(async () => {
  template = await makeTemplate(0);
  await withSeason(async (season) => {
    before = readFacts(season.database);
    const life = new Life();
    const outcomes = await pushUntil(season, life);
    if (outcomes === undefined) throw new Error('the push was cut short');
    whole = { calls: life.calls, outcomes, facts: readFacts(season.database) };
  });
});
afterAll(() => template.remove());

async function withSeason(work: (season: Season) => Promise<void>): Promise<void> {
  const season = await openSeason(template);
  try {
    await work(season);
    expect(season.failures).toEqual([]);
  } finally {
    await season.close();
  }
}

/** Pushes with a process that may end on the way; what it answers if it lived to answer. */
async function pushUntil(season: Season, life: Life): Promise<Outcomes | undefined> {
  const process = await season.start(life.ports);
  season.wire = (next) => life.wire(expectIntents(season, () => process)(next));
  files.call = filesOf(life);
  try {
    const result = await process.push();
    expectWholeCounts(process, result);
    return outcomesOf(result.report.mappings);
  } catch (error) {
    if (!life.isOver) throw error;
    return undefined;
  } finally {
    files.call = (_name, effect) => effect();
    await life.bury();
  }
}

/** What an uninterrupted run's outcomes become when writes are held, and with them what hangs on them. */
function heldOutcomes(held: readonly StoredIntent[]): Outcomes {
  const outcomes = structuredClone(whole.outcomes) as Record<string, Record<string, number>>;
  for (const { resource, rowNumbers } of held) {
    const name = HELD[resource];
    if (name === undefined) continue;
    const own = (outcomes[name] ??= {});
    for (const row of rowNumbers) {
      // Rows 2 and 4 of the prices are changed ones.
      const was = name === 'prices' && row <= 5 ? 'updated' : 'created';
      own[was] = (own[was] ?? 0) - 1;
      own['unknown'] = (own['unknown'] ?? 0) + 1;
    }
    if (name === 'leagues') {
      outcomes['minis'] = { deferred: 2 };
      outcomes['squads'] = { deferred: 4 };
    }
  }
  return Object.fromEntries(
    Object.entries(outcomes).map(([name, counts]) => [
      name,
      Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ]),
  );
}

/** What is there at the end: all of it, but for what is held and was not applied, and what hangs on it. */
function expectEnd(season: Season, held: readonly StoredIntent[]): void {
  const facts = readFacts(season.database);
  const names = held.map(({ resource }) => HELD[resource]);
  for (const name of MAPPING_NAMES) {
    const waits = names.includes('leagues') && (name === 'minis' || name === 'squads');
    if (waits) expect([name, facts[name]]).toEqual([name, before[name]]);
    else if (names.includes(name)) {
      const missing = whole.facts[name].filter((line) => !facts[name].includes(line));
      const rows = held.flatMap(({ resource, rowNumbers }) => (HELD[resource] === name ? rowNumbers : []));
      expect([name, [0, rows.length]]).toEqual([name, expect.arrayContaining([missing.length])]);
    } else expect([name, facts[name]]).toEqual([name, whole.facts[name]]);
  }
}

/** One push cut short, then `resume` and `push` by other processes. */
async function cutAndResume(moment: Moment): Promise<void> {
  await withSeason(async (season) => {
    const life = new Life(moment);
    const told = await pushUntil(season, life);
    expect([life.isOver, told]).toEqual([true, undefined]);
    const second = await season.start();
    season.wire = expectIntents(season, () => second);
    const openHeld = async (): Promise<readonly StoredIntent[]> =>
      (await second.engine.store.openIntents(season.account)).filter(
        ({ resource }) => HELD[resource] !== undefined,
      );
    const open = await openHeld();
    expect(open.length).toBeLessThanOrEqual(1);
    const applied = new Set(readEffects(season.database).map(({ digest }) => digest.slice(0, 32)));
    const runs = await second.engine.store.runs(10);
    const last = runs.length > template.runs ? runs[0] : undefined;
    const resumed = await second.resume();
    // What the service shows is known to be applied by that; of everything else nothing can be known.
    const held = open.filter(({ resource, bodyDigest }) => !SHOWN.has(resource) || !applied.has(bodyDigest));
    expect((await openHeld()).map(({ id }) => id)).toEqual(held.map(({ id }) => id));
    if (resumed !== undefined) {
      expectWholeCounts(second, resumed);
      expectTruth(season, second, before);
      expect(outcomesOf(resumed.report.mappings)).toEqual(heldOutcomes(held));
    } else if (last?.finished === true) {
      // It ended after its last word was kept.
      expect(outcomesOf(last.summaries)).toEqual(whole.outcomes);
    } else {
      // It ended before the run was known, so nothing may have been sent.
      expect(readFacts(season.database)).toEqual(before);
    }
    const third = await season.start();
    season.wire = expectIntents(season, () => third);
    const then = readFacts(season.database);
    const pushed = await third.push();
    expectWholeCounts(third, pushed);
    expectTruth(season, third, then);
    expectNothingTwice(season);
    expectEnd(season, held);
    const { squads = 0, ...left } = await third.plan();
    expect(new Set(Object.values(left))).toEqual(new Set([0]));
    // The squad that the service refuses is tried again with every push.
    expect(squads).toBe(held.some(({ resource }) => resource === 'fantasy_leagues') ? 0 : 1);
  });
}

function chosenMoments(): readonly Moment[] {
  const { calls } = whole;
  const all = calls.flatMap((name, index): readonly (Moment & { readonly name: string })[] =>
    (['before', 'after'] as const).map((when) => ({ name, call: index + 1, when })),
  );
  if (isLong) return all;
  const seen = new Set<string>();
  return all.filter(({ name, when }, index) => {
    const isFirst = when === 'after' && !seen.has(name);
    if (when === 'after') seen.add(name);
    return isFirst || index % STRIDE === 0;
  });
}

describe('a process that ends at any durable step, send, receive or rename of a whole season', () => {
  it('loses and doubles nothing, and resume and push end where an uninterrupted run ends', async () => {
    expect(new Set(whole.calls)).toContain('rename');
    for (const moment of chosenMoments()) {
      await cutAndResume(moment).catch((cause: unknown) => {
        const { call, when } = moment;
        const name = whole.calls[call - 1] ?? '';
        throw new Error(`cut ${when} call ${call} of ${whole.calls.length}, ${name}`, { cause });
      });
    }
  }, 600_000);
});
