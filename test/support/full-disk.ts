// Makes a state, the rows of a run and its result files on a small disk at each level of free space, so many pages apart, and prints what came of each level as a line
// of JSON.
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { TeamsheetError } from '../../src/model/error.ts';
import { RunFolders } from '../../src/state/run-folders.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { createResultFiles } from '../../src/tables/result-files.ts';

const [disk = '', pages = '1'] = process.argv.slice(2);
const PAGE = 4096;
const STEP = Number(pages) * PAGE;
const LINES = Array.from({ length: 500 }, (_, n) => [`M-${n}`, 'a name', String(n)]);
const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };

async function* lines(): AsyncGenerator<readonly (readonly string[])[]> {
  yield await Promise.resolve(LINES);
}

async function makeAll(): Promise<void> {
  const store = await openStore({ file: join(disk, '.teamsheet', 'state.sqlite'), clock });
  try {
    await (await store.openRunRows('RUN')).close();
    const runs = new RunFolders(join(disk, '.teamsheet', 'runs'));
    const files = createResultFiles({ folder: disk, runFolder: (run) => runs.make(run) });
    await files.writeResults('RUN', 'users', ['a', 'b', 'c'], lines());
    await files.writeRejected('RUN', 'users', ['a', 'b', 'c'], lines, {
      missed: new Map(),
      isTaken: false,
      source: undefined,
      isMarked: false,
    });
  } finally {
    await store.close();
  }
}

/** The code of the error that making everything ends with; null when it worked. */
async function attempt(): Promise<string | null> {
  try {
    await makeAll();
    return null;
  } catch (error) {
    if (error instanceof TeamsheetError) return error.code;
    throw error;
  }
}

const files = (): readonly string[] => readdirSync(disk, { recursive: true, encoding: 'utf8' }).sort();

/** How each file of results ends: a workbook with the end of its archive. */
const ends = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    files()
      .filter((name) => /\.(csv|xlsx)$/.test(name))
      .map((name) => [name, readFileSync(join(disk, name)).subarray(-22).toString('latin1').slice(0, 4)]),
  );

const { bavail, bsize } = statfsSync(disk);
for (let free = 0; free <= bavail * bsize; free += STEP) {
  writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - free));
  const first = await attempt();
  const left = files();
  const partial = ends();
  rmSync(join(disk, 'filler'));
  const then = await attempt();
  writeSync(1, `${JSON.stringify({ free, first, left, partial, then, made: files(), whole: ends() })}\n`);
  for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
}
