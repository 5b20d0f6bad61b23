import { defineConfig } from 'vitest/config';

/** Where .ci/run wants the results as JSON, beside what people read. */
const report = process.env['TEAMSHEET_TEST_REPORT'];

export default defineConfig({
  test: {
    include: ['test/{unit,property,contract,e2e}/**/*.test.ts'],
    passWithNoTests: false,
    // Most tests of the program wait for its processes, so that no core is kept free.
    maxWorkers: '100%',
    restoreMocks: true,
    testTimeout: process.env['TEAMSHEET_LONG'] === undefined ? 120_000 : 1_800_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
