import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where .ci/run wants the results as JSON, beside what people read. */
const report = process.env['TEAMSHEET_TEST_REPORT'];

/** Their files share one set of modules, which saves loading them for each file. */
export const SHARED = ['test/{unit,engine,e2e,property,contract}/**/*.test.ts'];
/** Of these, those that put something of their own in the place of a module, or of what connects, as nock does from its import on. */
export const ALONE = [
  'test/unit/tables/google-{client,credentials}.test.ts',
  'test/unit/cli/ask-access.test.ts',
  'test/unit/cli/schedule/due-sync.test.ts',
  'test/contract/{full,report,season}-disk.test.ts',
  'test/property/season-crash.test.ts',
];

/** They take longest, most of them with waiting: begun last, they would leave a core idle at the end. */
const LONGEST = [
  'e2e/worker',
  'e2e/pages-browser',
  'contract/season-faults',
  'e2e/four-workers',
  'unit/tables/xlsx-existing',
  'e2e/postgres',
  'e2e/spelling',
  'e2e/schedule-season',
  'e2e/weeks',
  'e2e/everyday',
  'e2e/tasks',
  'e2e/dashboard-browser',
  'e2e/examples',
].map((name) => path.join(import.meta.dirname, `test/${name}.test.ts`));

/** Each has a process of its own, which would end one that others share. */
const isAlone = ({ project }: TestSpecification): boolean => project.config.isolate;

/** A machine that has not run them yet does not know how long files take, and goes by their size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      LONGEST.includes(moduleId) ? LONGEST.indexOf(moduleId) : LONGEST.length;
    return (await super.sort(files)).toSorted(
      (a, b) => Number(isAlone(b)) - Number(isAlone(a)) || place(a) - place(b),
    );
  }
}

/** A busy machine may take its time: what hangs is stopped, what is slow is not. */
const PATIENCE_MS = process.env['TEAMSHEET_LONG'] === undefined ? 300_000 : 1_800_000;

/** A disk in memory, where the machine has a large one: a state writes each step through to its disk, and tests make thousands of states. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 2 ** 31;
const memory = existsSync(MEMORY) ? statfsSync(MEMORY) : undefined;
const isRoomy = memory !== undefined && memory.bavail * memory.bsize >= ROOM_BYTES;

export default defineConfig({
  test: {
    ...(isRoomy && { env: { TMPDIR: MEMORY } }),
    passWithNoTests: false,
    // Most tests of the program wait for its processes, for leases and for windows: one worker more than cores keeps all of them busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    setupFiles: ['test/support/one-seed.ts'],
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS / 2 } },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, exclude: ALONE, isolate: false } },
      {
        extends: true,
        test: { name: 'isolated', include: ALONE },
      },
    ],
  },
});
