import { existsSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/** Where .ci/run wants the results as JSON, beside what people read. */
const report = process.env['TEAMSHEET_TEST_REPORT'];

/** Tests of rooms that touch nothing outside their arguments and ports: their files share one set of modules, which saves loading them for each file. */
const SHARED = [
  'test/{unit/{contract,model,mapping,plan,report,sync,client,sandbox},engine}/**/*.test.ts',
  'test/contract/sandbox-*.test.ts',
];

/** A busy machine may take its time: what hangs is stopped, what is slow is not. */
const PATIENCE_MS = process.env['TEAMSHEET_LONG'] === undefined ? 120_000 : 1_800_000;

/** A disk in memory, where the machine has a large one: a state writes each step through to its disk, and tests make thousands of states. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 31;
const memory = existsSync(MEMORY) ? statfsSync(MEMORY) : undefined;
const isRoomy = memory !== undefined && memory.bavail * memory.bsize >= ROOM_BYTES;

export default defineConfig({
  test: {
    ...(isRoomy && { env: { TMPDIR: MEMORY } }),
    passWithNoTests: false,
    // Most tests of the program wait for its processes, so that no core is kept free.
    maxWorkers: '100%',
    restoreMocks: true,
    setupFiles: ['test/support/one-seed.ts'],
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS / 2 } },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ['test/{unit,engine,property,contract,e2e}/**/*.test.ts'],
          exclude: SHARED,
        },
      },
    ],
  },
});
