import type { Buffer } from 'node:buffer';
import { UnavailableError } from '../../../model/error.ts';
import { isOurs, refusedTab, type Existing, type Place } from '../existing.ts';
import { graftBook, graftContentTypes, graftProperties, graftRelations } from './book.ts';
import { createPartCopies, orphans, type PartCopies } from './parts.ts';
import { dependents } from './formulas.ts';
import { adoptSheet, graftSheet, withoutResults } from './sheet.ts';
import { fitTable, type FittedTable, type ReportShape } from './fit-table.ts';
import { graftStyles } from './styles.ts';
import { memoryProperties, ownTab, PROPERTIES_PART, type OwnTab, type OwnTabs } from '../memory.ts';
import { safeText } from '../write/sheet.ts';
import { tabName, type FilledTab } from '../write/workbook.ts';
import {
  openPackage,
  readRelations,
  relationsOf,
  type WorkbookPackage,
  type WorkbookTab,
} from '../parts/package.ts';
import { textOf } from '../parts/part.ts';
import { sliceXml } from '../parts/xml-slices.ts';
import { rewriteZip } from '../parts/zip-write.ts';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Errors: UnavailableError `destination.form` for spellings of the format into which other parts cannot be put. */
function requireForm(file: string, part: string, xml: string): string {
  if (new RegExp(`<\\w+[^>]*\\sxmlns="${MAIN}"`).test(sliceXml(xml).head)) return xml;
  throw new UnavailableError(
    'destination.form',
    `${file}: ${part} has a form into which no report can be written; nothing was written`,
    { file, next: 'Open and save the file in Excel or LibreOffice, then run the same command again.' },
  );
}

/** The texts of a workbook in their XML, as cells can hold them. */
async function rawStrings({ zip, strings }: WorkbookPackage): Promise<readonly string[]> {
  if (strings === undefined) return [];
  return sliceXml(await textOf(zip, strings.name)).children.map(({ xml }) => {
    const { children } = sliceXml(xml);
    return children.map((child) => child.xml).join('');
  });
}

/** A whole tab of ours that is drawn again must hold nothing of the operator's. */
async function requireOwn({ file, book, memory }: Existing, tab: WorkbookTab): Promise<void> {
  const own = ownTab(memory, tab.name);
  if (own?.columns !== 0)
    throw refusedTab(
      'destination.tab_taken',
      file,
      tab.name,
      'the layout of a report puts a tab of this name into the file, and there is one already',
      'Rename yours, or give the tab another name in the layout.',
    );
  let drawn = 0;
  for (const { kind, target } of await readRelations(book.zip, tab.part))
    if (kind === 'drawing')
      drawn += sliceXml(await textOf(book.zip, target)).children.filter(({ name }) =>
        name.endsWith('Anchor'),
      ).length;
  if (drawn > own.charts)
    throw refusedTab(
      'destination.tab_taken',
      file,
      tab.name,
      'it holds charts or pictures of yours, and each refresh draws it again',
      'Move them to a tab of your own.',
    );
}

/** The reports of a workbook: where they stand, what we write, and their rows. */
interface Reports {
  readonly places: ReadonlyMap<string, Place>;
  readonly own: OwnTabs;
  readonly filled: readonly FilledTab[];
}

/**
 * The existing workbook with fresh reports in it. Each tab of `fresh` takes its place: on a tab of that name, or behind the others. All parts that
 * hold nothing of ours are kept byte for byte. Errors: UnavailableError `destination.form`, `destination.tab_taken`, `destination.table`; ConfigError `source.damaged`.
 */
export async function graftWorkbook(
  existing: Existing,
  fresh: Uint8Array,
  { places, own, filled }: Reports,
): Promise<Buffer> {
  const { file, book } = existing;
  const { zip } = book;
  const made = await openPackage(fresh, file);
  const changed = new Map<string, string>();
  if (book.styles === undefined || made.styles === undefined)
    throw new UnavailableError('destination.form', `${file} has no styles; nothing was written`, {
      file,
      next: 'Open and save the file in Excel or LibreOffice, then run the same command again.',
    });
  const styles = graftStyles(
    requireForm(file, book.styles.name, await textOf(zip, book.styles.name)),
    await textOf(made.zip, made.styles.name),
  );
  changed.set(book.styles.name, styles.xml);
  const strings = await rawStrings(made);
  const standing = (name: string): WorkbookTab | undefined =>
    book.tabs.find((tab) => tab.name.toLowerCase() === name.toLowerCase());
  const whole = made.tabs.flatMap(({ name }) => {
    const tab = standing(name);
    return tab === undefined || places.has(name) ? [] : [tab];
  });
  for (const tab of whole) await requireOwn(existing, tab);
  const removed = await orphans(
    book,
    whole.map(({ part }) => part),
  );
  const copies = await createPartCopies(made.zip, zip, removed);
  for (const tab of made.tabs) {
    const sheet = adoptSheet(await textOf(made.zip, tab.part), styles, strings);
    const place = places.get(tab.name);
    const part = standing(tab.name)?.part ?? copies.add('xl/worksheets/sheet1.xml', tab.part);
    if (place === undefined) {
      changed.set(part, sheet);
      removed.add(relationsOf(part));
      const relations = await copies.relations(tab.part);
      if (relations !== undefined) changed.set(relationsOf(part), relations);
    } else {
      const old = requireForm(file, part, await textOf(zip, part));
      const report = filled.find((one) => tabName(one.tab) === tab.name);
      const tables = await fitTables(existing, place, shapeOf(place, report, ownTab(own, tab.name)));
      for (const table of tables) changed.set(table.part, table.xml);
      changed.set(part, graftSheet(old, sheet, { ...place, tables }));
    }
  }
  for (const [name, content] of copies.contents) changed.set(name, content);
  const others = book.tabs.filter(({ kind, part }) => kind === 'cells' && !changed.has(part));
  const sheets: { readonly name: string; readonly part: string; readonly xml: string }[] = [];
  for (const { name, part } of others) sheets.push({ name, part, xml: await textOf(zip, part) });
  const names = await textOf(zip, book.part);
  for (const { part, xml } of dependents(
    sheets,
    made.tabs.map(({ name }) => name),
    names,
  ))
    changed.set(part, withoutResults(xml));
  await graftBookParts(existing, made, changed, copies, removed, own);
  return rewriteZip(zip, changed, removed);
}

function shapeOf(
  { ours, stood }: Place,
  report: FilledTab | undefined,
  own: OwnTab | undefined,
): ReportShape {
  return {
    headers: report?.tab.table.columns.map(({ header }) => safeText(header)) ?? [],
    rows: report?.rows.length ?? 0,
    hasTotals: own !== undefined && own.totals !== '',
    ours,
    stood,
  };
}

async function fitTables(
  { file, book: { zip } }: Existing,
  { tables, tab }: Place,
  shape: ReportShape,
): Promise<readonly FittedTable[]> {
  const fitted: FittedTable[] = [];
  for (const table of tables) {
    const xml = requireForm(file, table.part, await textOf(zip, table.part));
    fitted.push(fitTable(table, xml, shape, { file, tab: tab.name }));
  }
  return fitted;
}

async function graftBookParts(
  existing: Existing,
  made: WorkbookPackage,
  changed: Map<string, string>,
  copies: PartCopies,
  removed: Set<string>,
  own: OwnTabs,
): Promise<void> {
  const { book, memory, file } = existing;
  const { zip } = book;
  const relations = await readRelations(zip, book.part);
  for (const { kind, target } of relations) if (kind === 'calcChain') removed.add(target);
  const added = made.tabs.flatMap(({ name, part }) => {
    const at = copies.newName(part);
    return at === undefined ? [] : [{ name, part: at }];
  });
  const ids = graftRelations(
    await textOf(zip, relationsOf(book.part)),
    added.map(({ part }) => part),
  );
  changed.set(relationsOf(book.part), ids.xml);
  const old = requireForm(file, book.part, await textOf(zip, book.part));
  // In a workbook of ours alone the cover and the charts stand first, as in one that is written again; neither has columns of a report.
  const ours = await isOurs(existing);
  const tabs = added.map(({ name }, index) => ({
    name,
    id: ids.added[index] ?? '',
    isFirst: ours && ownTab(own, name)?.columns === 0,
  }));
  changed.set(book.part, graftBook(old, await textOf(made.zip, made.part), tabs, changed, book.tabs));
  const kept = [...memory].filter(([name]) => book.tabs.some((tab) => tab.name.toLowerCase() === name));
  const properties = await graftProperties(zip, memoryProperties(new Map([...kept, ...own])));
  for (const [name, content] of properties) changed.set(name, content);
  const types = new Map([...copies.types, ...added.map(({ part }) => [part, WORKSHEET] as const)]);
  if (zip.find(PROPERTIES_PART) === undefined) types.set(PROPERTIES_PART, PROPERTIES);
  const contentTypes = '[Content_Types].xml';
  changed.set(contentTypes, graftContentTypes(await textOf(zip, contentTypes), types, removed));
}

const WORKSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml';
const PROPERTIES = 'application/vnd.openxmlformats-officedocument.custom-properties+xml';
