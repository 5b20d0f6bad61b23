import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { otherFileOf } from '../../other-files.ts';
import { otherFile, requirePart, scanPart } from './part.ts';
import { damagedFile, openZip, type Zip, type ZipEntry } from './zip.ts';

/** One tab of a workbook, in the order that the person sees. */
export interface WorkbookTab {
  readonly name: string;
  readonly kind: 'cells' | 'chart' | 'dialog' | 'macro';
  readonly visible: boolean;
  /** The tab's part in the archive. */
  readonly part: string;
}

/** A workbook without its cells. */
export interface WorkbookPackage {
  readonly zip: Zip;
  /** The part that lists the tabs, usually `xl/workbook.xml`. */
  readonly part: string;
  readonly tabs: readonly WorkbookTab[];
  /** Days are counted from 1904 instead of 1900. */
  readonly from1904: boolean;
  readonly strings: ZipEntry | undefined;
  readonly styles: ZipEntry | undefined;
}

/** A relation of one part to another: its kind is the last word of its type. */
export interface Relation {
  readonly id: string;
  readonly type: string;
  readonly kind: string;
  /** The part's name in the archive; for an external target, as written. */
  readonly target: string;
  readonly external: boolean;
}

/** Errors: ConfigError `source.type` when the first bytes are not those of a ZIP archive, naming what they look like. */
async function requireZip(handle: FileHandle, origin: string): Promise<void> {
  const buffer = Buffer.alloc(1024);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const head = buffer.subarray(0, bytesRead);
  if (['504b0304', '504b0506'].includes(head.toString('hex', 0, 4))) return;
  if (bytesRead === 0) throw otherFile(origin, 'an empty file', 'Save the workbook again.');
  const known = otherFileOf(head);
  if (known !== undefined) throw otherFile(origin, known.what, known.next);
  if (!/[\0-\x08\x0e-\x1f]/.test(head.toString('utf8')))
    throw otherFile(
      origin,
      'a text file, such as CSV',
      'Name it with source: { csv: PATH }, or give it the ending .csv.',
    );
  throw otherFile(origin, 'another kind of file', 'Save the workbook as .xlsx.');
}

/** Other files that are ZIP archives too, by a part that they have. */
async function nameOtherArchive(zip: Zip): Promise<never> {
  const { origin } = zip;
  const mimetype = zip.find('mimetype');
  if (mimetype !== undefined && mimetype.bytes < 200) {
    let text = '';
    for await (const chunk of zip.read(mimetype)) text += chunk.toString('latin1');
    if (text.includes('opendocument.spreadsheet'))
      throw otherFile(origin, 'an OpenDocument spreadsheet (.ods)', 'Save it as .xlsx in LibreOffice.');
  }
  if (zip.find('xl/workbook.bin') !== undefined)
    throw otherFile(origin, 'a binary workbook (.xlsb)', 'Save it as .xlsx in Excel.');
  if (zip.find('word/document.xml') !== undefined)
    throw otherFile(origin, 'a Word document', 'Copy its table into a workbook.');
  if (zip.entries.some(({ name }) => /^Index\/.*\.iwa$/.test(name)))
    throw otherFile(origin, 'a Numbers spreadsheet', 'Export it as Excel in Numbers.');
  throw otherFile(origin, 'a ZIP archive without a workbook in it', 'Unpack it and name the workbook.');
}

/** The relations of a part; none when it has none. Errors: ConfigError `source.damaged`. */
export async function readRelations(zip: Zip, part: string): Promise<readonly Relation[]> {
  const folder = posix.dirname(part);
  const entry = zip.find(relationsOf(part));
  const found: Relation[] = [];
  if (entry === undefined) return found;
  await scanPart(zip, entry, {
    open: (name, attributes) => {
      if (name !== 'Relationship') return;
      const type = attributes['Type'] ?? '';
      const target = attributes['Target'] ?? '';
      const external = attributes['TargetMode'] === 'External';
      found.push({
        id: attributes['Id'] ?? '',
        type,
        kind: type.replace(/^.*\//, ''),
        target: external ? target : posix.resolve('/', folder, target).slice(1),
        external,
      });
    },
  });
  return found;
}

/** The part that holds the relations of a part. */
export function relationsOf(part: string): string {
  const { dir, base } = posix.parse(part);
  return posix.join(dir, '_rels', `${base}.rels`);
}

const KINDS: Readonly<Record<string, WorkbookTab['kind']>> = {
  worksheet: 'cells',
  chartsheet: 'chart',
  dialogsheet: 'dialog',
  xlMacrosheet: 'macro',
  xlIntlMacrosheet: 'macro',
};

/**
 * Reads what a workbook holds besides its cells. Checks the limits of {@link openZip} first.
 * Errors: ConfigError `source.type`, `source.damaged`, `source.unsafe`.
 */
export async function openPackage(
  source: FileHandle | Uint8Array,
  origin: string,
  unpackedMax?: number,
): Promise<WorkbookPackage> {
  // What is in memory is a workbook of our own.
  if (!(source instanceof Uint8Array)) await requireZip(source, origin);
  const zip = await openZip(source, origin, unpackedMax);
  const [book] = (await readRelations(zip, '')).filter(({ kind }) => kind === 'officeDocument');
  if (book === undefined || !/\.xml$/i.test(book.target) || /^(?:word|ppt)\//.test(book.target))
    return nameOtherArchive(zip);
  const part = book.target;
  const relations = await readRelations(zip, part);
  const related = (id: string | undefined): Relation | undefined =>
    relations.find((relation) => relation.id === id);
  const tabs: WorkbookTab[] = [];
  let from1904 = false;
  await scanPart(zip, requirePart(zip, part), {
    open: (name, attributes) => {
      if (name === 'workbookPr') from1904 = /^(?:1|true|on)$/.test(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const relation = related(attributes['id']);
      const kind = KINDS[relation?.kind ?? ''];
      const tab = attributes['name'];
      if (relation === undefined || kind === undefined || tab === undefined)
        throw damagedFile(origin, `the tab ${JSON.stringify(tab ?? '')} has no part of its own`);
      tabs.push({
        name: tab,
        kind,
        visible: (attributes['state'] ?? 'visible') === 'visible',
        part: relation.target,
      });
    },
  });
  const partOf = (kind: string): ZipEntry | undefined => {
    const relation = relations.find((one) => one.kind === kind);
    return relation === undefined ? undefined : requirePart(zip, relation.target);
  };
  return { zip, part, tabs, from1904, strings: partOf('sharedStrings'), styles: partOf('styles') };
}
