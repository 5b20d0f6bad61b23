import type { PushMapping } from '../../src/mapping/mapping.ts';
import type { SyncPorts } from '../../src/sync/ports.ts';
import { createTables } from '../../src/tables/index.ts';
import { pushMapping } from './builders.ts';
import { makeEngine, type Engine } from './engine.ts';
import { accessTo } from './google-access.ts';
import type { FakeCell, FakeGoogle, FakeTab } from './google/fake-google.ts';

/** An engine whose sources are tabs of a spreadsheet that a fake of Google holds. */
export interface SheetEngine {
  readonly engine: Engine;
  readonly ports: SyncPorts;
  readonly fake: FakeGoogle;
  readonly id: string;
  readonly tab: FakeTab;
  /** A mapping of the tab. */
  readonly mapping: (changes?: Partial<PushMapping>) => PushMapping;
}

/** The columns that what became of rows is written into. */
export const WRITE_BACK = { status: 'Status', message: 'Message', id: 'Service ID', synced_at: 'Synced' };

/** An engine of this test on one tab, `Users`, with these rows, in a spreadsheet of its own. */
export const makeSheetEngine = async (
  fake: FakeGoogle,
  rows: readonly (readonly FakeCell[])[],
): Promise<SheetEngine> => onSheet(await makeEngine(), fake, rows);

/** An engine on such a tab. */
export function onSheet(
  engine: Engine,
  fake: FakeGoogle,
  rows: readonly (readonly FakeCell[])[],
): SheetEngine {
  // Google never deletes the only tab.
  const tabs = [
    { title: 'Users', rows },
    { title: 'Notes', rows: [] },
  ];
  const id = fake.add({ title: 'Season', tabs });
  const { sheet } = createTables(accessTo(fake));
  const location = { kind: 'sheet', spreadsheet: id, tab: 'Users' } as const;
  return {
    engine,
    fake,
    id,
    ports: { ...engine.ports, tables: { ...engine.ports.tables, sheet } },
    tab: fake.tab(id, 'Users'),
    mapping: ({ source, ...changes } = {}) => {
      const plain = pushMapping(changes);
      return { ...plain, source: { ...plain.source, origin: 'tab "Users"', ...source, location } };
    },
  };
}
