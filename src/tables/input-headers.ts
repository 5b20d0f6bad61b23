import { ConfigError } from '../model/error.ts';
import { openSourceFile } from './source-file.ts';
import { ownTab, readMemory } from './xlsx/memory.ts';
import { openPackage } from './xlsx/parts/package.ts';
import { openXlsx } from './xlsx/read.ts';

/** A tab of a workbook with the texts of its first row. */
export interface HeaderTab {
  readonly tab: string;
  readonly header: readonly string[];
  /** Why the tab cannot be read as a table; its header is then empty. */
  readonly problem: string | undefined;
}

/** The tabs of a workbook with their headers, without those that we wrote: reports, covers and charts. Errors: ConfigError `source.*` when the file is no workbook that can be read. */
export async function readWorkbookHeaders(path: string, origin: string): Promise<readonly HeaderTab[]> {
  const { handle } = await openSourceFile(path, origin);
  const names: string[] = [];
  try {
    const { tabs, zip } = await openPackage(handle, origin);
    const ours = await readMemory(zip);
    names.push(
      ...tabs.flatMap(({ kind, name }) =>
        kind === 'cells' && ownTab(ours, name) === undefined ? [name] : [],
      ),
    );
  } finally {
    await handle.close();
  }
  const found: HeaderTab[] = [];
  for (const tab of names) found.push(await readHeader(path, origin, tab));
  return found;
}

async function readHeader(path: string, origin: string, tab: string): Promise<HeaderTab> {
  try {
    const options = { origin: `${origin} tab "${tab}"`, headerRow: 1, delimiter: 'auto', encoding: 'auto' };
    const table = await openXlsx(path, tab, options);
    await table.close();
    return { tab, header: table.header, problem: undefined };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { tab, header: [], problem: error.code === 'header.none' ? undefined : error.message };
  }
}
