import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { UnavailableError } from '../model/error.ts';
import { shownText } from '../model/cell.ts';
import { RESULT_COLUMNS } from '../model/results.ts';
import type { ResultFiles, ResultLines } from '../model/results.ts';
import { openCsv } from './csv/read.ts';
import { writeCsvFile } from './csv/write.ts';
import { systemCode } from './system-error.ts';

/** What the name of a copy ends in, once for each time that it was imported and refused. */
const REJECTED = /(?:\.rejected)+\.(?:csv|xlsx)$/;

/** Results hold members' data: only their owner may read them. */
const PRIVATE = 0o600;

export interface ResultFolders {
  /** The configuration's folder, absolute: paths are answered relative to it. */
  readonly folder: string;
  /** The folder of one run, absolute. */
  readonly runFolder: (runId: string) => Promise<string>;
}

/** Our own columns stand last, in rows that are too short or too long too. */
const ROW_FROM_END = -RESULT_COLUMNS.length;

/** Rows of a file that an earlier run wrote. */
interface EarlierRows {
  readonly file: string;
  readonly rowNumbers: ReadonlySet<number>;
}

/** Lines, and behind them those of earlier files, each cell under its header where the row has one for each. */
async function* followedBy(
  lines: ResultLines,
  header: readonly string[],
  earlier: readonly EarlierRows[],
): ResultLines {
  yield* lines;
  for (const { file, rowNumbers } of earlier) {
    // Nothing can be taken over from a run whose files somebody has removed.
    if (!existsSync(file)) continue;
    const table = await openCsv(file, { origin: file, headerRow: 1, delimiter: ',', encoding: 'utf-8' });
    try {
      const places = header.map((name) => table.header.indexOf(name));
      for await (const batch of table.batches()) {
        const texts = batch.map(({ cells }) => cells.map(shownText));
        yield texts
          .filter((cells) => rowNumbers.has(Number(cells.at(ROW_FROM_END))))
          .map((cells) =>
            cells.length === table.header.length ? places.map((at) => cells[at] ?? '') : cells,
          );
      }
    } finally {
      await table.close();
    }
  }
}

/**
 * Writes results into the run's folder and rows to mend also into `out/rejected/` below the configuration. The files hold the operator's own
 * cells, not escaped, so that a mended file is imported as it is. Errors: UnavailableError `destination.*`.
 */
export function createResultFiles({ folder, runFolder }: ResultFolders): ResultFiles {
  const relative = (file: string): string => path.relative(folder, file).split(path.sep).join('/');
  const write = (file: string, header: readonly string[], lines: ResultLines): Promise<number> =>
    writeCsvFile(file, header, lines, { mode: PRIVATE, formulas: 'raw' });
  const copies = path.join(folder, 'out', 'rejected');
  const rejectedName = (each: string, mapping: string): string => path.join(each, `${mapping}.rejected`);
  const mappingToMend = (source: string): string | undefined =>
    path.dirname(source) === copies && REJECTED.test(source)
      ? path.basename(source).replace(REJECTED, '')
      : undefined;
  return {
    mappingToMend,
    writeResults: async (runId, mapping, header, lines) => {
      const file = path.join(await runFolder(runId), `${mapping}.results.csv`);
      await write(file, header, lines);
      return relative(file);
    },
    writeRejected: async (runId, mapping, header, lines, missed) => {
      const earlier = await Promise.all(
        Array.from(missed, async ([run, rowNumbers]) => ({
          file: `${rejectedName(await runFolder(run), mapping)}.csv`,
          rowNumbers,
        })),
      );
      const { writeRejectedXlsx } = await import('./xlsx/write.ts');
      const written: string[] = [];
      for (const each of [await runFolder(runId), copies]) {
        const name = rejectedName(each, mapping);
        const all = each === copies ? () => followedBy(lines(), header, earlier) : lines;
        await write(`${name}.csv`, header, all());
        // A workbook has a limit that the CSV file has not.
        const asWorkbook = await writeRejectedXlsx(`${name}.xlsx`, header, all());
        if (each === copies) written.push(`${name}.csv`, ...(asWorkbook ? [`${name}.xlsx`] : []));
      }
      return written.map((file) => relative(file));
    },
    removeRejected: async (mapping, source) => {
      const stem = (source === undefined ? undefined : mappingToMend(source)) ?? mapping;
      try {
        for (const name of await readdir(copies))
          if (name.startsWith(stem) && name.slice(stem.length).replace(REJECTED, '') === '')
            await rm(path.join(copies, name), { force: true });
      } catch (cause) {
        if (systemCode(cause) === 'ENOENT') return;
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new UnavailableError(
          'destination.unwritable',
          `the rows to mend are done, but their file stays: ${reason}`,
          {
            file: relative(copies),
            cause,
          },
        );
      }
    },
  };
}
