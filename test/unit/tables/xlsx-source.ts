import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PushMapping } from '../../../src/mapping/mapping.ts';
import { createRowReader } from '../../../src/mapping/rows.ts';
import type { ParsedRow } from '../../../src/mapping/rows.ts';
import type { SourceRow } from '../../../src/model/tables/table.ts';
import { openXlsx } from '../../../src/tables/xlsx/read.ts';

/** A tab that was read to its end. */
export interface ReadTab {
  readonly header: readonly string[];
  readonly rows: readonly SourceRow[];
}

/** Writes `content` into a folder of its own, reads one tab of it and removes it. Its name in messages is `season.xlsx tab "Users"`. */
export async function readTab(content: Uint8Array, tab = 'Users', headerRow = 1): Promise<ReadTab> {
  const folder = await mkdtemp(join(tmpdir(), 'teamsheet-xlsx-'));
  try {
    const path = join(folder, 'season.xlsx');
    await writeFile(path, content);
    const origin = `season.xlsx tab "${tab}"`;
    const table = await openXlsx(path, tab, { origin, headerRow, delimiter: 'auto', encoding: 'auto' });
    const rows: SourceRow[] = [];
    try {
      for await (const batch of table.batches()) rows.push(...batch);
    } finally {
      await table.close();
    }
    return { header: table.header, rows };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The rows of a tab, parsed with a mapping. */
export async function parseTab(content: Uint8Array, mapping: PushMapping): Promise<readonly ParsedRow[]> {
  const { header, rows } = await readTab(content);
  const reader = createRowReader(mapping, header, { allowKeyShape: false, variable: () => undefined });
  return [...reader.read(rows), ...reader.end()];
}
