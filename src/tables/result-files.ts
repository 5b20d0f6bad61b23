import { existsSync } from 'node:fs';
import { lstat, readdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { UnavailableError } from '../model/error.ts';
import {
  RESULT_COLUMNS,
  type ChangedFile,
  type ResultFiles,
  type ResultLines,
  type UnreadRows,
} from '../model/results.ts';
import { headerOf, resultLines, rewriteResultLines, writeResultLines } from './result-lines.ts';
import { openWrittenFiles, type WrittenFiles } from './written-files.ts';

/** What the name of a copy ends in, once for each time that it was imported and refused. */
const REJECTED = /(?:\.rejected)+\.(?:csv|xlsx)$/;

/** Errors: UnavailableError `destination.symlink` where a link in the way of the copies leads out of the folder. */
async function requireInside(folder: string, names: readonly string[]): Promise<void> {
  let place = folder;
  for (const name of names) {
    place = path.join(place, name);
    const entry = await lstat(place).catch(() => undefined);
    if (entry?.isSymbolicLink() !== true) continue;
    const target = await realpath(place).catch(() => undefined);
    const way = target === undefined ? '..' : path.relative(await realpath(folder), target);
    if (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)) continue;
    throw new UnavailableError(
      'destination.symlink',
      `${path.relative(folder, place)} is a symbolic link that leads out of the folder of teamsheet.yaml, and rows to correct would be written there`,
      { file: place, next: 'Remove the link, then run the command again.' },
    );
  }
}

export interface ResultFolders {
  /** The configuration's folder, absolute: paths are answered relative to it. */
  readonly folder: string;
  /** The folder of one run, absolute. */
  readonly runFolder: (runId: string) => Promise<string>;
}

/** `users.rejected.1.csv` beside `users.rejected.csv`, with the first number that no file has. */
function freeName(file: string): string {
  const { dir, name, ext } = path.parse(file);
  for (let number = 1; ; number += 1) {
    const free = path.join(dir, `${name}.${number}${ext}`);
    if (!existsSync(free)) return free;
  }
}

/** Our own columns stand last, in rows that are too short or too long too. */
const ROW_FROM_END = -RESULT_COLUMNS.length;
const rowNumberOf = (cells: readonly string[]): number => Number(cells.at(ROW_FROM_END));

/** A file that an earlier run wrote, and which of its rows stay to be corrected. */
interface EarlierRows {
  readonly file: string;
  readonly staying: UnreadRows;
}

/** The lines that stay, each cell under its header where the row has one for each. */
async function* stayingLines(header: readonly string[], earlier: readonly EarlierRows[]): ResultLines {
  for (const { file, staying } of earlier)
    for await (const { header: names, lines } of resultLines(file)) {
      const places = header.map((name) => names.indexOf(name));
      const rowNumbers = await staying(lines.map(rowNumberOf));
      yield lines
        .filter((cells) => rowNumbers.has(rowNumberOf(cells)))
        .map((cells) => (cells.length === names.length ? places.map((at) => cells[at] ?? '') : cells));
    }
}

const everyRow: UnreadRows = (rowNumbers) => Promise.resolve(new Set(rowNumbers));
const NO_ROWS: ReadonlySet<number> = new Set();

async function rowsIn(file: string): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for await (const { lines } of resultLines(file)) for (const cells of lines) found.add(rowNumberOf(cells));
  return found;
}

async function* without(lines: ResultLines, rowNumbers: ReadonlySet<number>): ResultLines {
  for await (const batch of lines) yield batch.filter((cells) => !rowNumbers.has(rowNumberOf(cells)));
}

async function isEmpty(lines: ResultLines): Promise<boolean> {
  for await (const batch of lines) if (batch.length > 0) return false;
  return true;
}

async function* followedBy(lines: ResultLines, others: ResultLines): ResultLines {
  yield* lines;
  yield* others;
}

/**
 * Writes results into the run's folder and rows to correct also into `out/rejected/` below the configuration. The files hold the operator's own
 * cells, not escaped, so that a corrected file is imported as it is. Errors: UnavailableError `destination.*`.
 */
export function createResultFiles({ folder, runFolder }: ResultFolders): ResultFiles {
  const relative = (file: string): string => path.relative(folder, file).split(path.sep).join('/');
  const wayToCopies = ['out', 'rejected'];
  const copies = path.join(folder, ...wayToCopies);
  const requirePlace = (): Promise<void> => requireInside(folder, wayToCopies);
  const rejectedFiles = async (runId: string): Promise<WrittenFiles> =>
    openWrittenFiles(path.join(path.dirname(await runFolder(runId)), 'rejected.json'), relative);
  const rejectedName = (each: string, mapping: string): string => path.join(each, `${mapping}.rejected`);
  const mappingToMend = (source: string): string | undefined =>
    path.dirname(source) === copies && REJECTED.test(source)
      ? path.basename(source).replace(REJECTED, '')
      : undefined;
  const attempt = async <T>(file: string, effect: () => Promise<T>): Promise<T> => {
    try {
      return await effect();
    } catch (cause) {
      if (cause instanceof UnavailableError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new UnavailableError(
        'destination.unwritable',
        `the file of rows to correct stays as it is: ${reason}`,
        { file: relative(file), cause },
      );
    }
  };
  const moveAside = async (file: string): Promise<ChangedFile> => {
    const keptAs = freeName(file);
    await attempt(file, () => rename(file, keptAs));
    return { file: relative(file), keptAs: relative(keptAs) };
  };
  /** The rows of a copy that was the table of a run are that run's: nothing of it is lost with it. */
  const readWhole = async (known: WrittenFiles, source: string | undefined): Promise<void> => {
    if (source !== undefined && path.dirname(source) === copies)
      await attempt(source, () => known.add(source));
  };
  /** Leaves in the copies of a mapping what is unread; false where that is nothing, or where they are not as they were written. */
  const keepUnread = async (known: WrittenFiles, mapping: string, unread: UnreadRows): Promise<boolean> => {
    const name = rejectedName(copies, mapping);
    const [csv, xlsx] = [`${name}.csv`, `${name}.xlsx`];
    for (const file of [csv, xlsx]) if (await attempt(file, () => known.isChanged(file))) return false;
    if (!existsSync(csv)) return false;
    const header = await headerOf(csv);
    const left = (): ResultLines => stayingLines(header, [{ file: csv, staying: unread }]);
    const count = await rewriteResultLines(csv, left());
    await attempt(csv, () => known.add(csv));
    if (count === 0) return false;
    const { writeRejectedXlsx } = await import('./xlsx/write.ts');
    await writeRejectedXlsx(xlsx, header, left());
    await attempt(xlsx, () => known.add(xlsx));
    return true;
  };
  return {
    requirePlace,
    fileToMend: (mapping) => relative(`${rejectedName(copies, mapping)}.csv`),
    mappingToMend,
    writeResults: async (runId, mapping, header, lines) => {
      const file = path.join(await runFolder(runId), `${mapping}.results.csv`);
      await writeResultLines(file, header, lines);
      return relative(file);
    },
    writeRejected: async (runId, mapping, header, lines, still) => {
      const { missed, unread, isTaken, source, isMarked } = still;
      const own = rejectedName(await runFolder(runId), mapping);
      const told = isTaken ? await rowsIn(`${own}.csv`) : NO_ROWS;
      const written: string[] = [];
      const changed: ChangedFile[] = [];
      if ((await writeResultLines(`${own}.csv`, header, lines(), isMarked)) === 0)
        return { written, changed };
      const { writeRejectedXlsx } = await import('./xlsx/write.ts');
      await writeRejectedXlsx(`${own}.xlsx`, header, lines());
      const fresh = (): ResultLines => without(lines(), told);
      if (isTaken && (await isEmpty(fresh()))) return { written, changed };
      await requirePlace();
      const copy = rejectedName(copies, mapping);
      const earlier: EarlierRows[] = [];
      for (const [run, rowNumbers] of missed)
        earlier.push({
          file: `${rejectedName(await runFolder(run), mapping)}.csv`,
          staying: () => Promise.resolve(rowNumbers),
        });
      const staying = isTaken ? everyRow : unread;
      if (staying !== undefined) earlier.push({ file: `${copy}.csv`, staying });
      const known = await rejectedFiles(runId);
      if (!isTaken) await readWhole(known, source);
      const all = (): ResultLines => followedBy(fresh(), stayingLines(header, earlier));
      const writeCopy = async <T>(file: string, writeIt: () => Promise<T>): Promise<T> => {
        if (await attempt(file, () => known.isChanged(file))) changed.push(await moveAside(file));
        const answer = await writeIt();
        await attempt(file, () => known.add(file));
        return answer;
      };
      await writeCopy(`${copy}.csv`, () => writeResultLines(`${copy}.csv`, header, all(), isMarked));
      // A workbook has a limit that the CSV file has not.
      const asWorkbook = await writeCopy(`${copy}.xlsx`, () =>
        writeRejectedXlsx(`${copy}.xlsx`, header, all()),
      );
      written.push(`${copy}.csv`, ...(asWorkbook ? [`${copy}.xlsx`] : []));
      return { written: written.map((file) => relative(file)), changed };
    },
    removeRejected: async (runId, mapping, source, unread) => {
      await requirePlace();
      const stem = (source === undefined ? undefined : mappingToMend(source)) ?? mapping;
      const known = await rejectedFiles(runId);
      await readWhole(known, source);
      if (unread !== undefined && (await keepUnread(known, mapping, unread))) return [];
      const changed: ChangedFile[] = [];
      const names = existsSync(copies) ? await attempt(copies, () => readdir(copies)) : [];
      for (const name of names) {
        if (!name.startsWith(stem) || name.slice(stem.length).replace(REJECTED, '') !== '') continue;
        const file = path.join(copies, name);
        if (await attempt(file, () => known.isChanged(file)))
          changed.push({ file: relative(file), keptAs: relative(file) });
        else await attempt(file, () => rm(file, { force: true }));
      }
      return changed;
    },
  };
}
