import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoppedError } from '../../src/model/error.ts';
import type { Run } from '../../src/model/state/store.ts';
import { planPrune, prune } from '../../src/sync/prune.ts';
import { makeEngine, type Engine } from '../support/engine.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const account = { baseUrl: 'http://127.0.0.1:8787', accountId: 'club' };

async function addRun(
  engine: Engine,
  id: string,
  daysAgo: number,
  changes: Partial<Run> = {},
): Promise<void> {
  const startedAtMs = engine.clock.now() - daysAgo * DAY_MS;
  await engine.store.addRun({
    ...{ id, command: 'push', account, startedAtMs, endedAtMs: startedAtMs + 1, exitCode: 0 },
    ...{ phase: 'ended', finished: true, mappings: '[]', summaries: [], requests: null },
    ...changes,
  });
}

const conflict = [{ direction: 'push', conflict: 1 }] as unknown as Run['summaries'];

async function plan(engine: Engine, keep: number, days: number) {
  const found = await planPrune(engine.ports, { keep, olderThanMs: days * DAY_MS });
  const ids = (items: readonly { readonly id: string }[]): readonly string[] => items.map(({ id }) => id);
  return {
    found,
    runs: ids(found.runs),
    folders: ids(found.folders),
    needed: ids(found.needed),
    kept: found.kept,
  };
}

it('takes old finished runs, and none that something is open of', async () => {
  const engine = await makeEngine();
  await addRun(engine, 'R1', 90);
  await addRun(engine, 'R2', 80, { finished: false, exitCode: 7 });
  await addRun(engine, 'R3', 70, { summaries: conflict });
  await addRun(engine, 'R4', 60);
  await addRun(engine, 'R5', 50);
  await addRun(engine, 'R6', 1);
  await engine.store.addIntent(account, {
    ...{ id: 'I', runId: 'R4', mapping: 'api', resource: 'users', operation: 'create-users' },
    ...{ rowNumbers: [], keys: [], bodyDigest: '', sentAtMs: 1 },
  });
  const { found, ...ids } = await plan(engine, 1, 30);
  expect(ids).toEqual({ runs: ['R1', 'R5'], folders: [], needed: ['R4', 'R3', 'R2'], kept: 4 });
  expect((await plan(engine, 2, 30)).runs).toEqual(['R1']);
  expect((await plan(engine, 0, 0)).runs).toEqual(['R1', 'R5', 'R6']);
  expect((await plan(engine, 0, 89)).runs).toEqual(['R1']);
  await prune(engine.ports, found);
  expect((await engine.store.runs(9)).map(({ id }) => id)).toEqual(['R6', 'R4', 'R3', 'R2']);
});

it('leaves the newest run that wrote to what an older one has open: the next push goes by it', async () => {
  const engine = await makeEngine();
  const wrote = (resource: string, created: number): Partial<Run> => ({
    mappings: JSON.stringify({ mappings: [{ resource }] }),
    summaries: [
      { direction: 'push', resource, created, updated: 0, unknown: 0, conflict: 0 },
    ] as unknown as Run['summaries'],
  });
  await addRun(engine, 'R1', 90, { ...wrote('auto_substitutions', 0), finished: false });
  await addRun(engine, 'R2', 80, wrote('auto_substitutions', 1));
  await addRun(engine, 'R3', 70, wrote('auto_substitutions', 1));
  await addRun(engine, 'R4', 60, wrote('auto_substitutions', 0));
  await addRun(engine, 'R5', 50, wrote('prices', 2));
  await addRun(engine, 'R6', 40, {
    ...wrote('auto_substitutions', 1),
    account: { ...account, accountId: 'other' },
  });
  expect(await plan(engine, 0, 30)).toMatchObject({
    runs: ['R2', 'R4', 'R5', 'R6'],
    needed: ['R1'],
    kept: 2,
  });
});

it('takes a run that was killed once a later one has replaced it: it has no end of its own', async () => {
  const engine = await makeEngine();
  const mappings = JSON.stringify({ mappings: [{ name: 'users', resource: 'users' }], options: {} });
  const whole = [
    { direction: 'push', name: 'users', results: 'users.csv', deferred: 0, unknown: 0, conflict: 0 },
  ] as unknown as Run['summaries'];
  await addRun(engine, 'R1', 90, { mappings, phase: 'writing', finished: false, endedAtMs: null });
  expect(await plan(engine, 0, 30)).toMatchObject({ runs: [], needed: ['R1'] });
  await addRun(engine, 'R2', 20, { mappings, summaries: whole });
  expect(await plan(engine, 0, 30)).toMatchObject({ runs: ['R1'], needed: [], kept: 1 });
});

it('leaves a run that was cut off to what an older one has open: it may have written last', async () => {
  const engine = await makeEngine();
  const mapping = (name: string) => ({ name, resource: 'prices' });
  const of = (...names: readonly string[]): string =>
    JSON.stringify({ mappings: names.map(mapping), options: {} });
  const whole = [
    { direction: 'push', name: 'prices', results: 'prices.csv', deferred: 0, unknown: 0, conflict: 0 },
  ] as unknown as Run['summaries'];
  await addRun(engine, 'R1', 90, { mappings: of('prices', 'others'), finished: false });
  await addRun(engine, 'R2', 80, { mappings: of('prices'), phase: 'writing', finished: false });
  await addRun(engine, 'R3', 70, { mappings: of('prices'), summaries: whole });
  expect(await plan(engine, 0, 30)).toMatchObject({ runs: ['R3'], needed: ['R1'], kept: 2 });
});

it('takes folders of commands that were cut off, once they are a day old', async () => {
  const engine = await makeEngine();
  await (await engine.store.openRunRows('CUT')).close();
  const folder = join(engine.folder, 'runs', 'CUT');
  const touch = (atMs: number): void => {
    for (const path of [folder, join(folder, 'rows.sqlite')]) utimesSync(path, atMs / 1000, atMs / 1000);
  };
  touch(engine.clock.now() - DAY_MS / 2);
  expect((await plan(engine, 20, 30)).folders).toEqual([]);
  touch(engine.clock.now() - 2 * DAY_MS);
  const { found, folders } = await plan(engine, 20, 30);
  expect(folders).toEqual(['CUT']);
  await prune(engine.ports, found);
  expect(await engine.store.strayRuns()).toEqual([]);
});

it('takes nothing from under a command that holds the lock', async () => {
  const engine = await makeEngine();
  await addRun(engine, 'R1', 90);
  const { found } = await plan(engine, 0, 30);
  const held = new StoppedError('lock.held', 'held');
  const lock = { acquire: () => Promise.reject(held) };
  await expect(prune({ ...engine.ports, lock }, found)).rejects.toBe(held);
  expect(await engine.store.runs(9)).toHaveLength(1);
});
