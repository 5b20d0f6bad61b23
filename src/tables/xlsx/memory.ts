import { hash } from 'node:crypto';
import type { WriteOptions } from 'hucre/xlsx';
import type { Zip } from './parts/zip.ts';
import { scanPart } from './parts/part.ts';

/** What we wrote onto one tab. */
export interface OwnTab {
  /** Columns of the report, from the first; 0 for a tab that is ours as a whole, such as a cover. */
  readonly columns: number;
  /** A digest of their headers. */
  readonly header: string;
  /** A digest of the row of its totals, by which it is found wherever it was sorted or moved to; empty when there are none. */
  readonly totals: string;
  /** Charts drawn on it. */
  readonly charts: number;
  /** Digests of its rules of colours, so that they go when the layout has others. */
  readonly rules: readonly string[];
}

/** Our tabs by their names in lower case: a program takes one name in another case for the same tab. */
export type OwnTabs = ReadonlyMap<string, OwnTab>;

/** What is remembered of a tab. */
export const ownTab = (tabs: OwnTabs, name: string): OwnTab | undefined => tabs.get(name.toLowerCase());

/** The part of a workbook that holds properties of people and programs; spreadsheet programs keep them. */
export const PROPERTIES_PART = 'docProps/custom.xml';
const PROPERTY = 'teamsheet';
/** Programs cut longer properties off. */
const PROPERTY_CHARACTERS_MAX = 255;

const DIGITS_KEPT = 10;

export const headerDigest = (header: readonly string[]): string =>
  hash('sha256', JSON.stringify(header)).slice(0, 8);

/** A condition on a truth value as it is written now, as earlier versions wrote it, and as LibreOffice writes that back. */
const TRUTH = /^(AND\(ISLOGICAL\((\$[A-Z]+)\),\2(?:=|<>))(?:(\(1=1\)|TRUE|1)|\(1=0\)|FALSE|0)\)$/;

/**
 * A digest of what a rule of colours does, whatever rows it reaches: programs cut its range in pieces when a person colours some of its cells. A scale
 * belongs to its columns, every other rule to its formulas. Truth values count as earlier versions wrote them, whose digests workbooks hold.
 */
export function ruleDigest(type: string, range: string, formulas: readonly string[]): string {
  const columns = [...new Set(range.match(/[A-Z]+/g))].sort();
  const anyRow = formulas.map((formula) =>
    formula
      .replace(/(\$[A-Z]+)\d+/g, '$1')
      .replace(
        TRUTH,
        (_, head: string, _cell, isTrue) => `${head}${isTrue === undefined ? 'FALSE' : 'TRUE'})`,
      ),
  );
  return hash('sha256', JSON.stringify([type, anyRow.length > 0 ? anyRow : columns])).slice(0, 8);
}

/** A digest of the cells of a row as they are read back: dates are serial numbers, and empty cells at the end count for nothing. */
export function rowDigest(cells: readonly (string | number | boolean)[]): string {
  const filled = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  // Programs keep 15 digits of a number, and fewer of a time.
  const exact = filled.map((cell) => (typeof cell === 'number' ? cell.toPrecision(DIGITS_KEPT) : cell));
  return hash('sha256', JSON.stringify(exact)).slice(0, 16);
}

/** The number of one of our properties: `teamsheet`, `teamsheet 2` and so on; 0 for any other. */
export function propertyNumber(name: string): number {
  const [whole, number = '1'] = /^teamsheet(?: (\d{1,4}))?$/.exec(name) ?? [];
  return whole === undefined ? 0 : Number(number);
}

/** What a workbook holds of ours, as its properties `teamsheet`, `teamsheet 2` and so on say it one after the other. */
export function memoryProperties(tabs: OwnTabs): Readonly<Record<string, string>> {
  const text = JSON.stringify(
    [...tabs].map(([name, { columns, header, totals, charts, rules }]) => [
      ...[name, columns, header, totals, charts],
      rules,
    ]),
  ).replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const pieces: Record<string, string> = {};
  for (let number = 1, at = 0; at < text.length; number += 1, at += PROPERTY_CHARACTERS_MAX)
    pieces[number === 1 ? PROPERTY : `${PROPERTY} ${number}`] = text.slice(at, at + PROPERTY_CHARACTERS_MAX);
  return pieces;
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
    const [name, columns, header, totals, charts, rules] = entry as readonly unknown[];
    if (typeof name !== 'string' || typeof header !== 'string') continue;
    if (typeof columns !== 'number' || typeof charts !== 'number') continue;
    tabs.set(name.toLowerCase(), {
      ...{ columns, header, charts },
      totals: typeof totals === 'string' ? totals : '',
      rules: Array.isArray(rules) ? rules.filter((rule) => typeof rule === 'string') : [],
    });
  }
  return tabs;
}

/** Our tabs in a workbook; none when it has no property of ours. */
export async function readMemory(zip: Zip): Promise<OwnTabs> {
  const entry = zip.find(PROPERTIES_PART);
  if (entry === undefined) return new Map();
  const pieces = new Map<number, string>();
  let number = 0;
  let inText = false;
  await scanPart(zip, entry, {
    open: (name, attributes) => {
      if (name === 'property') number = propertyNumber(attributes['name'] ?? '');
      inText = number > 0 && name === 'lpwstr';
    },
    text: (text) => {
      if (inText) pieces.set(number, (pieces.get(number) ?? '') + text);
    },
    close: () => {
      inText = false;
    },
  });
  const inOrder = [...pieces].sort(([a], [b]) => a - b);
  return parseMemory(inOrder.map(([, piece]) => piece).join(''));
}

/** The same workbook with our properties in it. */
export function withMemory(workbook: WriteOptions, tabs: OwnTabs): WriteOptions {
  return { ...workbook, properties: { ...workbook.properties, custom: memoryProperties(tabs) } };
}
