import { hash } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Run } from '../../src/model/state/store.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { makeFolder, type Outcome } from './cli.ts';
import { control } from './control.ts';
import { runHere } from './run-here.ts';

const CONFIG = `version: 1
environments:
  one: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
environment: one
push: { settle: 0s }
vars: { fantasy_league_id: 1 }
`;
const MAPPING = `version: 1
name: prices
push: prices
source: { csv: prices.csv }
operation: append
batch_size: 1
guards: { max_step: 1 }
columns:
  fantasy_league_id: { value: 1 }
  player_id: { from: player_id, type: integer }
  price: { from: price, type: number }
  type: { value: current }
`;

/** What the folder of a person may hold, all of one account, each with a run that has rows left and rows that were refused. */
export type FolderState = 'without_memory' | 'older' | 'newest' | 'unanswered' | 'guarded';

/** The game weeks of the demo season: five are processed from the start, and the sixth has ended too. */
export const WEEKS = { first: 6, processed: 7, next: 8, open: 9 } as const;

export const OPEN_USER = '01JUSER';
const OPEN_RUN = '01J0PEN0000000000000000000';

/** One service, and one folder that is as each state left it. */
export async function makeGateStates() {
  const sandbox = await createSandbox({ seed: 'demo' });
  const { baseUrl } = sandbox;
  let writes = 0;
  sandbox.app.server.on('request', ({ method }) => (writes += method === 'GET' ? 0 : 1));
  const folder = makeFolder();
  const copies = makeFolder();
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> => {
    const service = { TEAMSHEET_BASE_URL: baseUrl, TEAMSHEET_API_KEY: sandbox.apiKey };
    return runHere(args, { cwd: folder.path, env: { ...service, ...env } });
  };
  const ends = async (code: number, ...args: string[]): Promise<void> => {
    const outcome = await run([...args, '--yes']);
    expect(outcome, `${args.join(' ')}: ${outcome.stderr}`).toMatchObject({ code });
  };
  const trigger = (week: number, ...flags: string[]): Promise<void> =>
    ends(0, 'substitutions', 'trigger', '--week', String(week), ...flags);
  const prices = (...values: readonly (number | string)[]): void => {
    const rows = `player_id,price\n${values.map((price, at) => `${at + 1},${price}\n`).join('')}`;
    folder.write('prices.csv', rows);
    folder.write('import.csv', rows);
  };
  /** A push that may send so many writes fewer than it plans. */
  const pushBut = async (fewer: number): Promise<void> => {
    const { requests } = JSON.parse((await run(['plan', '--json'])).stdout) as {
      readonly requests: { readonly planned: number };
    };
    await ends(7, 'push', '--max-requests', String(requests.planned - fewer));
  };
  const empty = (): void => {
    rmSync(folder.path, { recursive: true });
    folder.write('teamsheet.yaml', CONFIG);
    folder.write('mappings/prices.yaml', MAPPING);
  };
  const keep = (state: FolderState): void =>
    cpSync(folder.path, join(copies.path, state), { recursive: true });
  const take = (state: FolderState): void => {
    rmSync(folder.path, { recursive: true });
    cpSync(join(copies.path, state), folder.path, { recursive: true });
  };

  /** The state that the program itself keeps, as a process leaves it that ended without a word. */
  const inState = async <T>(
    work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
  ): Promise<T> => {
    const clock = { now: Date.now, monotonic: Date.now, sleep: () => Promise.resolve() };
    const store = await openStore({ file: join(folder.path, '.teamsheet/state.sqlite'), clock });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const newestRun = async (store: Awaited<ReturnType<typeof openStore>>): Promise<Run> => {
    const [newest] = await store.runs(1);
    if (newest === undefined) throw new Error('nothing ran');
    return newest;
  };
  /** A write of these keys without an answer, of a run that is over. */
  const leaveOpen = (resource: 'prices' | 'auto_substitutions' | 'users', keys: readonly string[]) =>
    inState(async (store) => {
      const newest = await newestRun(store);
      const over = { ...newest, phase: 'ended', finished: true, startedAtMs: 0, endedAtMs: 0 } as const;
      if ((await store.run(OPEN_RUN)) === undefined) await store.addRun({ ...over, id: OPEN_RUN });
      const [id, sentAtMs] = [`01J${resource.slice(0, 4).toUpperCase()}0000000000000000000`, 0];
      const what = { runId: OPEN_RUN, mapping: 'prices', resource, operation: 'upload-prices' };
      await store.addIntent(newest.account, { ...what, id, rowNumbers: [], keys, bodyDigest: '', sentAtMs });
    });

  // Rows were read and nothing was sent; then the service has all.
  empty();
  prices(4, 5, 'six', 7);
  await pushBut(3);
  prices(4, 5, 6, 7);
  keep('without_memory');
  // Half is sent, a copy is made, and then the other half.
  empty();
  prices(4, 5, 'six', 7);
  await pushBut(1);
  await trigger(WEEKS.first, '--adopt');
  prices(4, 5, 6, 7);
  keep('older');
  await ends(3, 'resume');
  await ends(0, 'retry');
  await control(sandbox, 'POST', '/clock', { advance: '14d' });
  await trigger(WEEKS.processed);
  const whole = join(copies.path, 'whole');
  cpSync(folder.path, whole, { recursive: true });
  // Everything is known, and a newer push was cut.
  prices(4.5, 5.5, 'six', 7.5);
  await pushBut(1);
  prices(4.5, 5.5, 6.5, 7.5);
  // The key was used with a service on another machine before.
  const keyDigest = hash('sha256', sandbox.apiKey);
  await inState((store) => store.setKeyOrigin(keyDigest, 'https://before.example'));
  keep('newest');
  await leaveOpen('prices', ['1/1/current', '1/2/current', '1/3/current', '1/4/current']);
  const fixtures = await run(['api', 'get-fixtures', '--id', '1', '--json']);
  const { data } = JSON.parse(fixtures.stdout) as { readonly data: readonly { readonly id: string }[] };
  await leaveOpen('auto_substitutions', [`1/${data[WEEKS.next - 1]?.id ?? ''}`]);
  keep('unanswered');
  // Everything is known, one row is refused, and the next push ended before it had a plan.
  rmSync(folder.path, { recursive: true });
  cpSync(whole, folder.path, { recursive: true });
  prices(4, 5, 'six', 7);
  await ends(3, 'push');
  prices(40, 5, 60, 7);
  await ends(7, 'push', '--max-requests', '1');
  folder.write('import.csv', 'player_id,price\n');
  keep('guarded');

  return {
    folder,
    run,
    take,
    writes: () => writes,
    /** Something for `resolve`, which no command looks at that writes prices; its id begins with OPEN_USER. */
    leaveOpen: () => leaveOpen('users', ['U1']),
    account: async () => (await inState(newestRun)).account,
    close: async () => {
      await sandbox.close();
      folder.remove();
      copies.remove();
    },
  };
}
