import type { SourceTable, TableKind } from '../../src/model/tables/table.ts';

/** A kind of tables that are read from memory, by their paths, and not written. */
export function memoryKind(linesOf: (path: string) => readonly (readonly string[])[]): TableKind {
  return {
    kind: 'csv',
    open: (location, { origin }): Promise<SourceTable> => {
      const [header = [], ...lines] = linesOf(location.kind === 'sheet' ? '' : location.path);
      async function* batches(): AsyncGenerator<readonly { rowNumber: number; cells: readonly string[] }[]> {
        await Promise.resolve();
        yield lines.map((cells, index) => ({ rowNumber: index + 2, cells }));
      }
      return Promise.resolve({ origin, header, warnings: [], batches, close: () => Promise.resolve() });
    },
    write: () => Promise.reject(new Error('no reports here')),
  };
}
