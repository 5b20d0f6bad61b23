import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/state/sqlite/store.ts';
import { simulateBatch } from '../simulation/batch.ts';
import { BUGS } from '../simulation/bugs.ts';
import { simulate } from '../simulation/simulate.ts';
import { runs } from '../support/long.ts';

const SEEDS = runs(60, 20_000);
/** From here on, 60 seeds meet every kind of trouble. */
const FIRST = 651;
/** Rare habits of a service and rare events meet each other in these. */
const ODD_SEEDS = runs(12, 20_000);
const ODD = 0.35;
/** Every kind of trouble comes more often than that. */
const OFTEN = runs(2, 10);
/** Mistakes that only several machines make. */
const SHARED: ReadonlySet<string> = new Set(['forget-silent']);
/** How many lives are lived again. */
const REPEATED = runs(3, 8);
/** A planted bug has to show itself within so many seeds; the search begins where one showed it last. */
const FOUND_WITHIN = 150;

/** One life on a real state file. */
async function onDisk(seed: number): ReturnType<typeof simulate> {
  const folder = await mkdtemp(path.join(tmpdir(), 'teamsheet-simulation-'));
  const file = path.join(folder, 'state.sqlite');
  try {
    return await simulate(seed, { openStore: ({ clock }) => openStore({ file, clock }) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the simulation of the engine, its client, its state and a service', () => {
  it(`finds no broken promise in ${ODD_SEEDS} seeds in which what is rare comes often`, async () => {
    const { failed } = await simulateBatch(FIRST, ODD_SEEDS, { odd: ODD });
    expect(
      failed.map(
        ({ seed, message }) => `${message}; npm run simulate -- --seed ${seed} --odd ${ODD} --verbose`,
      ),
    ).toEqual([]);
  });

  it(`finds no broken promise in ${SEEDS} seeds, and meets every kind of trouble`, async () => {
    const { failed, met } = await simulateBatch(FIRST, SEEDS);
    const replays = failed.map(
      ({ seed, message }) => `${message}; npm run simulate -- --seed ${seed} --verbose`,
    );
    expect(replays).toEqual([]);
    const times = (what: string): number =>
      [...met].filter(([each]) => each.startsWith(what)).reduce((sum, [, count]) => sum + count, 0);
    const troubles = [
      'intent ambiguous',
      'killed at the state',
      'killed at the wire',
      'write throttled',
      'rows created',
    ];
    for (const trouble of [
      ...troubles,
      'command resume',
      'two at once',
      'signals',
      'others act',
      'pauses',
      'rows unknown',
      'lost runs',
      'lost newest_run',
      'lost unsynced',
      'restored',
      'lost state',
      'lists end early',
      'command retry',
      'asked for limit',
      'asked for maxRequests',
      'asked for deadlineMs',
      'asked for parts',
      'saved plans approved',
      'two tables of members',
      'hosts at once',
      'stopped for a while',
      'database away',
      'stop lock.held',
      'sent by a sleeper',
    ])
      expect(times(trouble), trouble).toBeGreaterThan(OFTEN);
  }, 600_000);

  it('repeats itself exactly, in memory and on a state file', async () => {
    for (let seed = 1; seed <= REPEATED; seed += 1) {
      const first = await simulate(seed, { losses: false });
      const again = await simulate(seed, { losses: false });
      const stored = await onDisk(seed);
      expect(again.history.lines).toEqual(first.history.lines);
      expect(stored.history.lines).toEqual(first.history.lines);
      expect(first.history.lines.length).toBeGreaterThan(10);
    }
  }, 600_000);

  it.each([
    ['retry-after-reset', 'I1', 2],
    ['no-settle', 'I1', 61],
    ['match-by-position', 'I3', 9],
    ['forget-silent', 'I4', 54],
  ] as const)('finds %s when it is planted', async (name, invariant, from) => {
    for (let seed = from; seed < from + FOUND_WITHIN; seed += 1) {
      const { violation } = await simulate(seed, { bug: BUGS[name], machines: SHARED.has(name) ? 1 : 0 });
      if (violation?.invariant === invariant) return;
    }
    throw new Error(`${name} was not found in ${FOUND_WITHIN} seeds`);
  });
});
