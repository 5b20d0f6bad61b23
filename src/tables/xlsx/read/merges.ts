import { Buffer } from 'node:buffer';
import type { TextDecoder } from 'node:util';
import type { Merge } from '../../grid-rows.ts';
import { decoderOf, partFault } from '../parts/part.ts';
import { parseReference } from './rows.ts';
import type { Zip, ZipEntry } from '../parts/zip.ts';
import { createXmlScanner, XmlFault } from '../parts/xml-scan.ts';

const MERGES_MAX = 100_000;
const MARK = 'sheetData';
/** Room for the mark with its namespace prefix across two chunks. */
const CARRIED_BYTES = 64;

/** Where the end tag of the rows begins, and the namespace prefix of the tab's elements. */
function endOfRows(bytes: Buffer): { readonly at: number; readonly prefix: string } | undefined {
  for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
    const before = bytes.toString('latin1', Math.max(0, at - CARRIED_BYTES / 2), at);
    const [tag, prefix] = /<\/([^\s<>/:]+:|)$/.exec(before) ?? [];
    if (tag !== undefined && prefix !== undefined) return { at: at - tag.length, prefix };
  }
  return undefined;
}

/**
 * The merged cells of a tab, by their first row. They stand after its rows, so the part is unpacked to its end here, which also finds out, before any
 * row is used, whether it is whole. Errors: ConfigError `source.damaged`.
 */
export async function readMerges(zip: Zip, entry: ZipEntry): Promise<readonly Merge[]> {
  const merges: Merge[] = [];
  const scanner = createXmlScanner({
    open: (name, attributes) => {
      if (name !== 'mergeCell') return;
      const reference = attributes['ref'] ?? '';
      const [from, to] = reference.split(':').map(parseReference);
      if (from === undefined || to === undefined || merges.length === MERGES_MAX)
        throw new XmlFault(`its merged cells ${JSON.stringify(reference)} cannot be read`);
      merges.push({
        reference,
        firstRow: from.row,
        lastRow: to.row,
        firstColumn: from.column,
        lastColumn: to.column,
      });
    },
  });
  try {
    for await (const text of tail(zip, entry)) scanner.push(text);
  } catch (error) {
    throw partFault(zip, entry, error);
  }
  return merges.sort((left, right) => left.firstRow - right.firstRow);
}

/** The text of a tab's part after its rows, as if they had never been. */
async function* tail(zip: Zip, entry: ZipEntry): AsyncGenerator<string, undefined> {
  let decoder: TextDecoder | undefined;
  let found = false;
  let carried = Buffer.alloc(0);
  for await (const bytes of zip.read(entry)) {
    decoder ??= decoderOf(bytes);
    // Other encodings than UTF-8 are too rare for a way of their own.
    if (found || decoder.encoding !== 'utf-8') {
      yield decoder.decode(bytes, { stream: true });
      continue;
    }
    const joined = Buffer.concat([carried, bytes]);
    const end = endOfRows(joined);
    found = end !== undefined;
    if (end === undefined) carried = Buffer.from(joined.subarray(-CARRIED_BYTES));
    else
      yield `<${end.prefix}worksheet><${end.prefix}${MARK}>${decoder.decode(joined.subarray(end.at), { stream: true })}`;
  }
  return undefined;
}
