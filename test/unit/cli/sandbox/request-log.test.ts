import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRequestLog } from '../../../../src/cli/sandbox/request-log.ts';
import { testFolder } from '../../../support/test-folder.ts';

const line = {
  time: '2026-09-01T00:00:00.000Z',
  request: 'r-1',
  method: 'GET',
  path: '/v1/user',
  status: 200,
  ms: 1,
};

const folder = testFolder();

function open(file: string) {
  const warnings: string[] = [];
  const screen = {
    verbose: false,
    tell: () => undefined,
    warn: (message: string) => void warnings.push(message),
  };
  return { log: openRequestLog(file, screen), warnings };
}

it('appends a line for each request, for its owner alone', () => {
  const file = join(folder.path, 'requests.log');
  for (const _ of [1, 2]) {
    const { log } = open(file);
    log.write?.(line);
    log.close();
  }
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((one): unknown => JSON.parse(one))).toEqual([line, line]);
  expect(statSync(file).mode & 0o077).toBe(0);
});

it('says once that lines are lost, and lets the sandbox go on', () => {
  const { log, warnings } = open(join(folder.path, 'lost.log'));
  log.close();
  log.write?.(line);
  log.write?.(line);
  expect(warnings).toEqual([expect.stringContaining('lost.log')]);
});
