/** A test of a program that uses teamsheet, on a service of its own: node --test examples/sandbox.test.ts */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTeamsheet } from 'teamsheet';
import { createSandbox } from 'teamsheet/sandbox';

const users = {
  version: 1,
  name: 'users',
  push: 'users',
  source: { csv: 'users.csv' },
  operation: 'upsert',
  columns: { external_id: { from: 'id', type: 'text', required: true }, display_name: 'name' },
};

await test('a lost answer makes no member twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'my-league-'));
  writeFileSync(join(folder, 'users.csv'), 'id,name\nA,Ann\nB,Bob\n');
  try {
    // The first POST is carried out, and then the connection breaks.
    await using sandbox = await createSandbox({ faults: [{ kind: 'reset', operation: 'create-users' }] });
    const { baseUrl, apiKey } = sandbox;
    await using sheet = await createTeamsheet({ baseUrl, apiKey, folder, mappings: [users] });

    const { report } = await sheet.push({ approve: () => true });
    assert.equal(report.exit_code, 0);

    await sandbox.control('POST', '/clock', { advance: '7d' });
    await using plan = await sheet.plan({ compare: 'live' });
    assert.equal(plan.mappings[0]?.changes.unchanged, 2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
