import { expect, it, onTestFinished } from 'vitest';
import { compareRows } from '../../src/sync/compare/compare-rows.ts';
import { pushMapping, runRow } from '../support/builders.ts';
import { makeEngine } from '../support/engine.ts';

it('a row that waits for an open write forgets the record that it was compared with before', async () => {
  const engine = await makeEngine();
  const rows = await engine.store.openRunRows(null);
  onTestFinished(() => rows.remove());
  const mapping = pushMapping();
  await rows.add(mapping.name, [
    runRow(1, { external_id: 'A', display_name: 'Ann' }, { id: 'id-1' }),
    runRow(2, { external_id: 'B', display_name: 'Bob' }, { id: 'id-2' }),
  ]);
  await compareRows(
    mapping,
    rows,
    {
      known: 0,
      described: 'nothing',
      lookup: () => Promise.resolve(new Map()),
      unanswered: (key) => (key === 'A' ? { code: 'quota-no-room' } : undefined),
    },
    { quotaRoom: 9, allowKeyShape: true, signal: engine.ports.signal },
  );
  // A create with an id is one that this run has made.
  expect(await rows.rows(mapping.name, [1, 2])).toMatchObject([
    { change: 'create', outcome: 'deferred', id: null },
    { change: 'create', outcome: null, id: null },
  ]);
});
