import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../model/error.ts';
import { systemCode } from '../../tables/system-error.ts';

/** The list of the files of a folder that are ours. */
export const MANIFEST = '.teamsheet-site.json';

/** Its text. */
export const manifestOf = (paths: Iterable<string>): string =>
  `${JSON.stringify({ version: 1, files: [...paths].toSorted() }, null, 1)}\n`;

/** What a folder holds: the paths below it, with slashes. */
export interface Held {
  readonly ours: ReadonlySet<string>;
  /** Files of others; a folder without a file of ours is one of them. */
  readonly others: readonly string[];
}

/** What stands at a path; undefined where nothing does. `shown` is how messages call it. Errors: ConfigError `publish.foreign_folder`. */
export async function heldBy(folder: string, shown: string): Promise<Held | undefined> {
  const entries = await entriesOf(folder, shown);
  if (entries === undefined) return undefined;
  if (entries.length === 0) return { ours: new Set(), others: [] };
  const ours = entries.includes(MANIFEST) ? await readManifest(join(folder, MANIFEST)) : undefined;
  if (ours === undefined)
    throw foreignFolder(
      shown,
      `it holds ${JSON.stringify(entries[0])} and no list of files that publish wrote`,
    );
  return { ours, others: await othersOf(folder, ours) };
}

async function entriesOf(folder: string, shown: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ENOTDIR') throw foreignFolder(shown, 'it is a file');
    throw error;
  }
}

const foreignFolder = (shown: string, why: string): ConfigError =>
  new ConfigError(
    'publish.foreign_folder',
    `publish did not write the folder ${shown}: ${why}; nothing was changed`,
    {
      file: shown,
      next: 'name a folder that is not there yet or is empty, with out: in teamsheet.yaml or --out',
    },
  );

/** The paths of a list; undefined where it cannot be trusted. */
async function readManifest(file: string): Promise<ReadonlySet<string> | undefined> {
  try {
    const { files } = JSON.parse(await readFile(file, 'utf8')) as { readonly files?: unknown };
    return Array.isArray(files) ? new Set([MANIFEST, ...files.map(String)]) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** What is not ours, a folder that holds nothing of ours as a whole. */
async function othersOf(folder: string, ours: ReadonlySet<string>, below = ''): Promise<readonly string[]> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = below + entry.name;
    const isMixed = entry.isDirectory() && [...ours].some((each) => each.startsWith(`${path}/`));
    if (isMixed) found.push(...(await othersOf(folder, ours, `${path}/`)));
    else if (!ours.has(path) || entry.isDirectory()) found.push(path);
  }
  return found;
}

/** A file of somebody else stands where one of ours is to stand. Errors: ConfigError `publish.foreign_file`. */
export function refuseForeign({ others }: Held, paths: ReadonlySet<string>, shown: string): void {
  const inTheWay = others.find(
    (other) => paths.has(other) || [...paths].some((path) => path.startsWith(`${other}/`)),
  );
  if (inTheWay === undefined) return;
  throw new ConfigError(
    'publish.foreign_file',
    `publish did not write ${inTheWay} in ${shown}, and a page is to have that name; nothing was changed`,
    { file: shown, next: `move ${inTheWay} away, or name another folder with --out` },
  );
}
