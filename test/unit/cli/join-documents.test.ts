import { expect, it } from 'vitest';
import { joinDocuments } from '../../../src/cli/join-documents.ts';

const requests = { planned: 2, sent: 2, reads: 1, writes: 1, throttled: 0, waited_ms: 5 };
const fits = (count: number, limit: string | null) => ({ requests: count, rows: count, limited_by: limit });

it('says of several accounts what a document says of one, and what each came to', () => {
  const error = { code: 'service.network', message: 'gone' };
  const joined = joinDocuments(
    [
      {
        environment: 'a',
        leagues: ['north', 'west'],
        exitCode: 0,
        document: {
          run: 'RUN-A',
          command: 'push',
          exit_code: 0,
          mappings: [{ name: 'users', league: 'north' }],
          requests,
          finishes_at: '2026-11-01T10:00:00.000Z',
          fits: fits(2, null),
        },
      },
      {
        environment: 'b',
        leagues: ['south'],
        exitCode: 3,
        document: {
          run: 'RUN-B',
          command: 'push',
          exit_code: 3,
          mappings: [{ name: 'users', league: 'south' }],
          requests,
          finishes_at: '2026-11-01T11:00:00.000Z',
          fits: fits(1, 'max_wait'),
        },
      },
      {
        environment: 'c',
        leagues: ['east'],
        exitCode: 8,
        document: { command: 'push', exit_code: 8, error },
      },
    ],
    8,
  );
  expect(joined).toEqual({
    command: 'push',
    exit_code: 8,
    // No run of the account that stopped: one that there is.
    run: 'RUN-A',
    mappings: [
      { name: 'users', league: 'north' },
      { name: 'users', league: 'south' },
    ],
    requests: { planned: 4, sent: 4, reads: 2, writes: 2, throttled: 0, waited_ms: 10 },
    finishes_at: '2026-11-01T11:00:00.000Z',
    fits: fits(3, 'max_wait'),
    error,
    accounts: [
      { environment: 'a', leagues: ['north', 'west'], run: 'RUN-A', exit_code: 0, requests },
      { environment: 'b', leagues: ['south'], run: 'RUN-B', exit_code: 3, requests },
      { environment: 'c', leagues: ['east'], run: null, exit_code: 8, error },
    ],
  });
});

it('says the run of the account that has its exit code', () => {
  const of = (environment: string, exitCode: 0 | 7, run: string) => ({
    environment,
    leagues: [environment],
    exitCode,
    document: { run, command: 'push', exit_code: exitCode, mappings: [], requests },
  });
  expect(joinDocuments([of('a', 0, 'RUN-A'), of('b', 7, 'RUN-B')], 7)).toMatchObject({
    run: 'RUN-B',
    exit_code: 7,
  });
});

it('tells entries of one league number apart', () => {
  const account = (environment: string) => ({
    environment,
    leagues: [],
    exitCode: 0 as const,
    document: { leagues: [{ fantasy_league_id: 1 }], names: ['x'] },
  });
  expect(joinDocuments([account('a'), account('b')], 0)).toMatchObject({
    leagues: [
      { environment: 'a', fantasy_league_id: 1 },
      { environment: 'b', fantasy_league_id: 1 },
    ],
    names: ['x', 'x'],
  });
});
