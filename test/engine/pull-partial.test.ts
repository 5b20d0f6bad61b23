import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IncompleteError } from '../../src/model/error.ts';
import { preparePull, pullPrepared } from '../../src/sync/pull.ts';
import { parseLayout } from '../../src/mapping/parse/parse-layout.ts';
import { makeFolder } from '../support/cli.ts';
import { fakeService, pullMapping, pullPorts } from '../support/pull.ts';
import { unzip } from '../support/unzip.ts';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.remove());

/** The text of a workbook of users whose reading stops after the first page, or does not. */
async function written(stops: boolean): Promise<string> {
  const file = join(folder.path, 'report.xlsx');
  const service = fakeService({
    account: { id: 'a' },
    pages: () => [[{ user_id: 1, external_id: 'M-1', display_name: 'One' }]],
    listEnd: () => {
      if (stops) throw new IncompleteError('budget.max_requests', 'the requests of this run are used up');
    },
  });
  const layout = parseLayout('version: 1\ncover: { title: Members }\n', 'layout.yaml', {
    name: 'users-report',
    columns: [{ header: 'external_id', type: 'text' }],
    tab: 'Users',
  });
  const mapping = pullMapping(
    'users',
    { kind: 'xlsx', path: file, tab: 'Users' },
    { columns: [{ header: 'external_id', from: 'external_id', type: undefined, format: undefined }], layout },
  );
  const ports = pullPorts(service);
  const [summary] = await pullPrepared(ports, await preparePull([mapping], ports.tables), { partial: true });
  expect(summary?.partial).toBe(stops ? true : undefined);
  return [...(await unzip(file)).values()].join('\n');
}

describe('a report whose reading stopped, with --partial', () => {
  it('says so on its cover', async () => {
    const text = await written(true);
    expect(text).toContain('Not whole');
    expect(text).toContain('Reading stopped: users-report');
  });

  it('says nothing of it where it is whole', async () => {
    expect(await written(false)).not.toContain('Not whole');
  });
});
