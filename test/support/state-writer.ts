// A process that is killed while it writes: prints a number once everything that it stands for was promised to be kept.
import { writeSync } from 'node:fs';

import { openStore } from '../../src/state/sqlite/store.ts';
import { runRow } from './run-row.ts';

const [file = ''] = process.argv.slice(2);
const account = { baseUrl: 'https://data.example', accountId: 'club' };
const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
const store = await openStore({ file, clock });
const rows = await store.openRunRows('RUN');
const before = (await store.intents('RUN')).length;
for (let n = before; n < before + 5000; n += 1) {
  const id = String(n);
  const rowNumbers = [10 * n + 1, 10 * n + 2, 10 * n + 3];
  await rows.add(
    'users',
    rowNumbers.map((rowNumber) => runRow({ rowNumber, key: `${id}-${rowNumber}` })),
  );
  await store.addIntent(account, {
    id,
    runId: 'RUN',
    mapping: 'users',
    resource: 'users',
    operation: 'create-users',
    rowNumbers,
    keys: [],
    bodyDigest: id,
    sentAtMs: n,
  });
  await store.recordResult(
    account,
    id,
    'applied',
    [],
    rowNumbers.map((row) => ({ key: `${id}-${row}`, id, number: row, digests: {}, values: {} })),
  );
  await rows.patch(
    'users',
    rowNumbers.map((rowNumber) => ({ rowNumber, outcome: 'created', id })),
  );
  writeSync(1, `${n}\n`);
}
