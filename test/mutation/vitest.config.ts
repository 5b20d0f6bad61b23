import { defineConfig } from 'vitest/config';

/** The tests of one group, with one seed for properties: the same mutants survive each time. */
export default defineConfig({
  test: {
    include: (process.env['TEAMSHEET_MUTATION_TESTS'] ?? '').split(','),
    restoreMocks: true,
    // A busy machine may take its time.
    testTimeout: 120_000,
    setupFiles: ['test/support/one-seed.ts'],
  },
});
