import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type * as Sync from '../../../../src/cli/commands/sync.ts';
import type { Program } from '../../../../src/cli/program.ts';
import { syncDue } from '../../../../src/cli/schedule/due-sync.ts';
import type { SessionArgs } from '../../../../src/cli/session.ts';
import { EXIT } from '../../../../src/model/error.ts';
import type { RunEnd } from '../../../../src/schedule/mapping-states.ts';
import type { DueRun } from '../../../../src/schedule/runner.ts';
import { makeFolder } from '../../../support/cli.ts';

const ended: RunEnd[] = [];
vi.mock('../../../../src/cli/commands/sync.ts', async (original) => ({
  ...(await original<typeof Sync>()),
  runSync: (_args: unknown, running: Program) => {
    for (const end of ended) running.ended?.(end);
    return Promise.resolve(EXIT.incomplete);
  },
}));
beforeEach(() => {
  ended.length = 0;
});

const LEFT = { name: 'users', direction: 'push', deferred: 3, unknown: 0 };

it.each([
  ['a push by lock.clock', 'lock.clock', LEFT, ['users']],
  ['a push by budget.exhausted', 'budget.exhausted', LEFT, []],
  [
    'a report by service.access',
    undefined,
    { name: 'users', direction: 'pull', error: { code: 'service.access', exit_code: EXIT.access } },
    ['users'],
  ],
  [
    'a report by google.forbidden',
    undefined,
    { name: 'users', direction: 'pull', error: { code: 'google.forbidden', exit_code: EXIT.access } },
    [],
  ],
])(
  'knows whether a mapping is to be tried again of what stopped %s',
  async (_what, stoppedBy, summary, left) => {
    const folder = makeFolder({
      'teamsheet.yaml': `version: 1
environments: { s: { base_url: 'http://127.0.0.1:9', api_key: { env: KEY } } }
environment: s
mappings: mappings
`,
      'mappings/users.yaml': `version: 1
name: users
push: users
operation: upsert
source: { csv: users.csv }
columns: { external_id: ID, display_name: Name }
`,
    });
    onTestFinished(() => folder.remove());
    const program = {
      env: { KEY: 'key-of-nobody' },
      cwd: folder.path,
      signal: new AbortController().signal,
      screen: { warn: () => undefined, tell: () => undefined },
    } as unknown as Program;
    ended.push({
      ...{ environment: 's', run: 'R1', exitCode: EXIT.incomplete, stoppedBy },
      summaries: [summary] as unknown as RunEnd['summaries'],
    });
    const run = { mapping: 'users', calendar: { weeks: [] }, atMs: 0 } as unknown as DueRun;
    expect([...(await syncDue([run], {} as SessionArgs, program)).left]).toEqual(left);
  },
);
