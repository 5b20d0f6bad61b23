import { ConfigError } from '../../../model/error.ts';
import { listed } from '../../../model/listed.ts';
import { nearest } from '../../../model/nearest.ts';
import { openSourceFile } from '../../source-file.ts';
import { openPackage, type WorkbookPackage, type WorkbookTab } from '../parts/package.ts';
import { requirePart } from '../parts/part.ts';
import { readRows } from './tab-rows.ts';

const KIND_NAMES: Readonly<Record<Exclude<WorkbookTab['kind'], 'cells'>, string>> = {
  chart: 'a chart sheet',
  dialog: 'a dialog sheet',
  macro: 'a macro sheet',
};

const namesOf = (tabs: readonly WorkbookTab[]): string =>
  listed(tabs.map(({ name }) => `"${name}"`)) || 'none with cells';

/** The tab of a name. Errors: ConfigError `source.missing_tab`, with the tabs that there are. */
export function findTab(tabs: readonly WorkbookTab[], name: string, origin: string): WorkbookTab {
  const found = tabs.find((tab) => tab.name === name);
  if (found?.kind === 'cells') return found;
  const readable = tabs.filter(({ kind }) => kind === 'cells');
  const close = nearest(
    name,
    readable.map((tab) => tab.name),
  );
  const why =
    found === undefined
      ? `no tab "${name}"`
      : `the tab "${name}" is ${KIND_NAMES[found.kind]}, without cells`;
  throw new ConfigError(
    'source.missing_tab',
    `${origin}: ${why}; it has ${namesOf(readable)}${close === undefined ? '' : `; nearest: "${close}"`}`,
    { file: origin, next: 'Correct the name of the tab, in the mapping or after --tab.' },
  );
}

/**
 * The tab to read where a person named none: the only visible one that holds anything. One that is called `liked` comes before it.
 * Errors: ConfigError `source.several_tabs` with their names, `source.missing_tab`; those of opening a workbook.
 */
export async function onlyTab(path: string, origin: string, liked?: string): Promise<string> {
  const opened = await openSourceFile(path, origin);
  try {
    const book = await openPackage(opened.handle, opened.origin);
    const readable = book.tabs.filter(({ kind }) => kind === 'cells');
    const named = readable.find(({ name }) => name === liked);
    if (named !== undefined) return named.name;
    const shown = readable.filter(({ visible }) => visible);
    const candidates = shown.length > 0 ? shown : readable;
    const filled: WorkbookTab[] = [];
    if (candidates.length > 1) for (const tab of candidates) if (await holdsRows(book, tab)) filled.push(tab);
    const [only, ...others] = filled.length > 0 ? filled : candidates;
    if (only !== undefined && others.length === 0) return only.name;
    const code = only === undefined ? 'source.missing_tab' : 'source.several_tabs';
    const what = only === undefined ? 'no tab with cells' : `several tabs: ${namesOf([only, ...others])}`;
    throw new ConfigError(code, `${origin}: the workbook has ${what}`, {
      file: origin,
      next: only === undefined ? undefined : 'Name one of them with --tab NAME.',
    });
  } finally {
    await opened.handle.close();
  }
}

async function holdsRows(book: WorkbookPackage, tab: WorkbookTab): Promise<boolean> {
  for await (const rows of readRows(book, requirePart(book.zip, tab.part))) if (rows.length > 0) return true;
  return false;
}
