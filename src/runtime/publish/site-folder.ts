import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { SiteFile } from '../../pages/site/frame.ts';
import { unwritable } from '../../tables/atomic-write.ts';
import { systemCode } from '../../tables/system-error.ts';
import { fanOut } from '../../sync/pulling/fan-out.ts';
import { heldBy, MANIFEST, manifestOf, refuseForeign } from './held-folder.ts';

/** What came of writing a folder. */
export interface WrittenFolder {
  readonly files: number;
  /** Files that are new, gone or hold something else than before. */
  readonly changed: number;
}

/**
 * Replaces what is ours in a folder by `files`, whole or not at all: they are written into a folder beside it, which then takes its name. Files of others in it stay. A folder that
 * holds the very same is not touched; `shown` is how messages call it.
 * Errors: ConfigError `publish.foreign_folder`, `publish.foreign_file`; UnavailableError `destination.unwritable`.
 */
export async function replaceFolder(
  out: string,
  files: Iterable<SiteFile>,
  shown = out,
): Promise<WrittenFolder> {
  const folder = await realpath(out).catch(() => resolve(out));
  await onDisk(shown, () => mkdir(dirname(folder), { recursive: true }));
  await onDisk(shown, () => finishSwap(folder));
  const held = (await heldBy(folder, shown)) ?? { ours: new Set<string>(), others: [] };
  const beside = siblingOf(folder, randomUUID());
  await onDisk(shown, () => mkdir(beside));
  try {
    await onDisk(shown, () => removeLeft(folder, beside));
    const { paths, different } = await onDisk(shown, () => writeFiles(files, beside, folder));
    refuseForeign(held, paths, shown);
    const gone = [...held.ours].filter((path) => !paths.has(path));
    if (different.length > 0 || gone.length > 0) await onDisk(shown, () => swap(folder, beside));
    else await rm(beside, { recursive: true, force: true });
    const isPage = (path: string): boolean => path !== MANIFEST;
    return { files: paths.size - 1, changed: [...different, ...gone].filter(isPage).length };
  } catch (error) {
    // The first failure tells more than one of cleaning up after it.
    await rm(beside, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** What an effect on files answers; what the system refuses is told with its reason. */
async function onDisk<T>(shown: string, effect: () => Promise<T>): Promise<T> {
  try {
    return await effect();
  } catch (error) {
    throw systemCode(error) === undefined ? error : unwritable(shown, error);
  }
}

/** A folder beside the one that is replaced: a rename stays on its disk. */
const siblingOf = (folder: string, name: string): string =>
  join(dirname(folder), `.${basename(folder)}.teamsheet-${name}`);

/** No publish takes so long. */
const LONGEST_MS = 60 * 60 * 1000;
const OF_ONE_PUBLISH = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Removes the folders of publishes that were killed: they may show whoever was hidden or forgotten since. One that is not much older than `beside` may be at work. */
async function removeLeft(folder: string, beside: string): Promise<void> {
  const { mtimeMs: nowMs } = await stat(beside);
  const prefix = basename(siblingOf(folder, ''));
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix) || !OF_ONE_PUBLISH.test(name.slice(prefix.length))) continue;
    const left = join(dirname(folder), name);
    // Another publish may have swapped or removed it meanwhile.
    const { mtimeMs = nowMs } = (await stat(left).catch(() => undefined)) ?? {};
    if (nowMs - mtimeMs > LONGEST_MS) await rm(left, { recursive: true, force: true });
  }
}

interface Written {
  readonly paths: ReadonlySet<string>;
  /** Those that are not the same in the folder that is replaced. */
  readonly different: readonly string[];
}

/** The disk syncs so many files at a time, while the next pages are made. */
const AT_A_TIME = 8;

/** Writes the files and their list into a new folder. */
async function writeFiles(files: Iterable<SiteFile>, beside: string, folder: string): Promise<Written> {
  const paths = new Set([MANIFEST]);
  const folders = new Set<string>();
  const different: string[] = [];
  /** Answers the path where the file is another than before. */
  const write = async ({ path, text }: SiteFile): Promise<string[]> => {
    const file = join(beside, path);
    if (!folders.has(dirname(file))) await mkdir(dirname(file), { recursive: true });
    folders.add(dirname(file));
    paths.add(path);
    await writeSynced(file, text);
    return (await textOf(join(folder, path))) === text ? [] : [path];
  };
  for await (const path of fanOut(files, AT_A_TIME, write)) different.push(...path);
  different.push(...(await write({ path: MANIFEST, text: manifestOf(paths) })));
  for (const made of folders) await syncFolder(made);
  return { paths, different };
}

async function writeSynced(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** The name under which the folder that is replaced stands until the files of others are moved. */
const oldOf = (folder: string): string => siblingOf(folder, 'old');

/** Lets the new folder take the name of the old one, and moves the files of others into it. A power cut at any point leaves what {@link finishSwap} can finish. */
async function swap(folder: string, beside: string): Promise<void> {
  const isThere = await isPresent(folder);
  if (isThere) await rename(folder, oldOf(folder));
  try {
    await rename(beside, folder);
  } catch (error) {
    if (isThere) await rename(oldOf(folder), folder);
    throw error;
  }
  await syncFolder(dirname(folder));
  if (isThere) await emptyOld(folder);
}

/** Finishes a replacement that was cut off: before the new folder had the name, the old one gets it back. */
async function finishSwap(folder: string): Promise<void> {
  if (!(await isPresent(oldOf(folder)))) return;
  if (await isPresent(folder)) await emptyOld(folder);
  else await rename(oldOf(folder), folder);
}

/** Moves the files of others from the old folder into the new one, and removes the old one with what is ours. */
async function emptyOld(folder: string): Promise<void> {
  const old = oldOf(folder);
  const held = await heldBy(old, old);
  for (const path of held?.others ?? []) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await rename(join(old, path), join(folder, path));
  }
  await rm(old, { recursive: true, force: true });
}

async function isPresent(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
