import { hash } from 'node:crypto';
import type { WriteOptions } from 'hucre/xlsx';
import type { Zip } from './zip.ts';
import { scanPart } from './part.ts';
import { decodeText, readAttributes } from './xml-scan.ts';

/** What we wrote onto one tab. */
export interface OwnTab {
  /** Columns of the report, from the first; 0 for a tab that is ours as a whole, such as a cover. */
  readonly columns: number;
  /** A digest of their headers. */
  readonly header: string;
  /** The row of its totals; 0 when there are none. */
  readonly totalsRow: number;
  /** Charts drawn on it. */
  readonly charts: number;
}

/** Our tabs by their names. */
export type OwnTabs = ReadonlyMap<string, OwnTab>;

/** The part of a workbook that holds properties of people and programs; spreadsheet programs keep them. */
export const PROPERTIES_PART = 'docProps/custom.xml';
export const PROPERTY = 'teamsheet';

export const headerDigest = (header: readonly string[]): string =>
  hash('sha256', JSON.stringify(header)).slice(0, 8);

/** What a workbook holds of ours, as its property `teamsheet` says it. */
export function memoryText(tabs: OwnTabs): string {
  return JSON.stringify(
    [...tabs].map(([name, { columns, header, totalsRow, charts }]) => [
      name,
      columns,
      header,
      totalsRow,
      charts,
    ]),
  );
}

function parseMemory(text: string): OwnTabs {
  const tabs = new Map<string, OwnTab>();
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    // Somebody else's text under our name says nothing of our tabs.
    return tabs;
  }
  for (const entry of Array.isArray(found) ? (found as readonly unknown[]) : []) {
    if (!Array.isArray(entry)) continue;
    const [name, columns, header, totalsRow, charts] = entry as readonly unknown[];
    if (typeof name !== 'string' || typeof header !== 'string') continue;
    if (typeof columns !== 'number' || typeof totalsRow !== 'number' || typeof charts !== 'number') continue;
    tabs.set(name, { columns, header, totalsRow, charts });
  }
  return tabs;
}

/** Our tabs in a workbook; none when it has no property of ours. */
export async function readMemory(zip: Zip): Promise<OwnTabs> {
  const entry = zip.find(PROPERTIES_PART);
  if (entry === undefined) return new Map();
  let inOurs = false;
  let text = '';
  await scanPart(zip, entry, {
    open: (name, raw) => {
      if (name === 'property') inOurs = readAttributes(raw).get('name') === PROPERTY;
    },
    text: (raw) => {
      if (inOurs) text += decodeText(raw);
    },
    close: (name) => {
      if (name === 'property') inOurs = false;
    },
  });
  return parseMemory(text);
}

/** The same workbook with our property in it. */
export function withMemory(workbook: WriteOptions, tabs: OwnTabs): WriteOptions {
  return { ...workbook, properties: { ...workbook.properties, custom: { [PROPERTY]: memoryText(tabs) } } };
}
