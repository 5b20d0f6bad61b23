import type { Buffer } from 'node:buffer';
import { TextDecoder } from 'node:util';
import type { ConfigError } from '../../../model/error.ts';
import { wrongFile } from '../../other-files.ts';
import { createXmlScanner, XmlFault, type XmlHandlers } from './xml-scan.ts';
import { damagedFile, type Zip, type ZipEntry } from './zip.ts';

/** What the scanner or the decoder throws, as an error that names the part. */
export function partFault(zip: Zip, entry: ZipEntry, error: unknown): unknown {
  if (error instanceof XmlFault) {
    const what = `${entry.name} cannot be read, ${error.message}`;
    return damagedFile(zip.origin, what, error);
  }
  if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
    return damagedFile(zip.origin, `${entry.name} is not UTF-8`, error);
  return error;
}

/** UTF-8, or UTF-16 when the part begins with its byte order mark. */
export function decoderOf(head: Buffer): TextDecoder {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return new TextDecoder(isUtf16 ? (head[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8', { fatal: true });
}

/** The text of a part, piece by piece. Errors: ConfigError `source.damaged`. */
export async function* readPart(zip: Zip, entry: ZipEntry): AsyncGenerator<string, undefined> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const bytes of zip.read(entry)) {
      decoder ??= decoderOf(bytes);
      yield decoder.decode(bytes, { stream: true });
    }
    if (decoder !== undefined) yield decoder.decode();
  } catch (error) {
    throw partFault(zip, entry, error);
  }
  return undefined;
}

/** Reads a whole part through `handlers`. Errors: ConfigError `source.damaged`; what the handlers throw passes through. */
export async function scanPart(zip: Zip, entry: ZipEntry, handlers: XmlHandlers): Promise<void> {
  const scanner = createXmlScanner(handlers);
  try {
    for await (const text of readPart(zip, entry)) scanner.push(text);
    scanner.end();
  } catch (error) {
    throw partFault(zip, entry, error);
  }
}

/** A part that must be there. Errors: ConfigError `source.damaged`. */
export function requirePart(zip: Zip, name: string): ZipEntry {
  const entry = zip.find(name);
  if (entry === undefined) throw damagedFile(zip.origin, `its part ${name} is missing`);
  return entry;
}

/** The whole text of a part, which must be there. Errors: ConfigError `source.damaged`. */
export async function textOf(zip: Zip, name: string): Promise<string> {
  let text = '';
  for await (const piece of readPart(zip, requirePart(zip, name))) text += piece;
  return text;
}

/** ConfigError `source.type`: the file is something else than a workbook that can be read. */
export const otherFile = (origin: string, what: string, next: string): ConfigError =>
  wrongFile(origin, 'an XLSX workbook', { what, next });
