import { posix } from 'node:path';
import { readRelations, relationsOf, type Relation, type WorkbookPackage } from '../parts/package.ts';
import { requirePart, scanPart, textOf } from '../parts/part.ts';
import type { Zip } from '../parts/zip.ts';
import { escapeXml } from '../parts/xml-slices.ts';

/** The relations of a part in XML, with targets from the root of the archive. */
function writeRelations(relations: readonly Relation[]): string {
  const written = relations.map(
    ({ id, type, target, external }) =>
      `<Relationship Id="${escapeXml(id)}" Type="${escapeXml(type)}" Target="${escapeXml(external ? target : `/${target}`)}"${external ? ' TargetMode="External"' : ''}/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${written.join('')}</Relationships>`;
}

/** All parts that are reached from one, itself included; `skip` is not entered. */
async function reached(zip: Zip, from: string, skip: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>();
  const open = [from];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (found.has(part) || skip.has(part) || (part !== '' && zip.find(part) === undefined)) continue;
    found.add(part);
    for (const { target, external } of await readRelations(zip, part)) if (!external) open.push(target);
  }
  return found;
}

/** The parts, such as drawings and charts, that only these tabs use, with their relations; not the tabs themselves. */
export async function orphans(book: WorkbookPackage, tabs: readonly string[]): Promise<Set<string>> {
  const removed = new Set<string>();
  if (tabs.length === 0) return removed;
  const skip = new Set(tabs);
  const used = await reached(book.zip, '', skip);
  for (const tab of tabs) {
    for (const part of await reached(book.zip, tab, new Set())) {
      if (used.has(part) || skip.has(part)) continue;
      removed.add(part);
      removed.add(relationsOf(part));
    }
  }
  return removed;
}

/** Parts of one archive on their way into another, under names that are free there. */
export interface PartCopies {
  /** Takes a name like `like` for the part `from`; answers it. */
  readonly add: (like: string, from: string) => string;
  /** The new name of a part. */
  readonly newName: (from: string) => string | undefined;
  /** The relations of a part with all that they reach copied, or undefined when it has none. */
  readonly relations: (part: string) => Promise<string | undefined>;
  readonly contents: ReadonlyMap<string, string>;
  /** Content types of the copies by their new names. */
  readonly types: ReadonlyMap<string, string>;
}

async function contentTypes(zip: Zip): Promise<ReadonlyMap<string, string>> {
  const types = new Map<string, string>();
  await scanPart(zip, requirePart(zip, '[Content_Types].xml'), {
    open: (name, attributes) => {
      if (name !== 'Override') return;
      types.set((attributes['PartName'] ?? '').replace(/^\//, ''), attributes['ContentType'] ?? '');
    },
  });
  return types;
}

/** Prepares to copy parts of `from` into `into`, where the names in `removed` are free. */
export async function createPartCopies(
  from: Zip,
  into: Zip,
  removed: ReadonlySet<string>,
): Promise<PartCopies> {
  const known = await contentTypes(from);
  const taken = new Set(
    into.entries.filter(({ name }) => !removed.has(name)).map(({ name }) => name.toLowerCase()),
  );
  const names = new Map<string, string>();
  const contents = new Map<string, string>();
  const types = new Map<string, string>();
  const add = (like: string, part: string): string => {
    const { dir, name, ext } = posix.parse(like);
    const stem = posix.join(dir, name.replace(/\d+$/, ''));
    let number = 1;
    while (taken.has(`${stem}${number}${ext}`.toLowerCase())) number += 1;
    const free = `${stem}${number}${ext}`;
    taken.add(free.toLowerCase());
    names.set(part, free);
    return free;
  };
  const copy = async (part: string): Promise<string> => {
    const copied = names.get(part);
    if (copied !== undefined) return copied;
    const name = add(part, part);
    contents.set(name, await textOf(from, part));
    const type = known.get(part);
    if (type !== undefined) types.set(name, type);
    const its = await relations(part);
    if (its !== undefined) contents.set(relationsOf(name), its);
    return name;
  };
  const relations = async (part: string): Promise<string | undefined> => {
    const found = await readRelations(from, part);
    if (found.length === 0) return undefined;
    const moved: Relation[] = [];
    for (const relation of found)
      moved.push(relation.external ? relation : { ...relation, target: await copy(relation.target) });
    return writeRelations(moved);
  };
  return { add, newName: (part) => names.get(part), relations, contents, types };
}
