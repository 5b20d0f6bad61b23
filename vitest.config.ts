import { defineConfig } from 'vitest/config';

/** Where .ci/run wants the results as JSON, beside what people read. */
const report = process.env['TEAMSHEET_TEST_REPORT'];

export default defineConfig({
  test: {
    include: ['test/{unit,property,contract,e2e}/**/*.test.ts'],
    passWithNoTests: false,
    restoreMocks: true,
    testTimeout: process.env['TEAMSHEET_LONG'] === undefined ? 30_000 : 1_800_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});
