import { Buffer } from 'node:buffer';
import { crc32, deflateRawSync } from 'node:zlib';
import type { ByteSource, Zip } from './zip.ts';

/** A file of an archive as it is packed. */
interface PackedFile {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly bytes: number;
  readonly packed: Buffer;
}

/** A file, packed for an archive. */
function packFile(name: string, content: string): PackedFile {
  const bytes = Buffer.from(content);
  return { name, method: 8, crc: crc32(bytes), bytes: bytes.length, packed: deflateRawSync(bytes) };
}

/** 1 January 1980, midnight, the first date that an archive can name: the same files make the same archive at any time. */
const DATE = 0x0021;
const VERSION = 20;
const UTF8_NAMES = 0x0800;

/** A ZIP archive of files in their order. Its parts are smaller than 4 GiB, as those of workbooks are. */
function writeZip(files: readonly PackedFile[]): Buffer {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, method, crc, bytes, packed } of files) {
    const title = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(VERSION, 0);
    facts.writeUInt16LE(UTF8_NAMES, 2);
    facts.writeUInt16LE(method, 4);
    facts.writeUInt16LE(DATE, 8);
    facts.writeUInt32LE(crc, 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes, 18);
    facts.writeUInt16LE(title.length, 22);
    chunks.push(Buffer.from('PK\x03\x04'), facts, title, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from(`PK\x01\x02${String.fromCharCode(VERSION)}\0`), facts, place, title);
    at += 4 + facts.length + title.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...chunks, entries, end]);
}

/** An archive that was made in memory, to be read like a file. */
export function inMemory(bytes: Uint8Array): ByteSource {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    stat: () => Promise.resolve({ size: whole.length }),
    read: (buffer, offset, length, position) =>
      Promise.resolve({
        bytesRead: whole.copy(buffer, offset, position, Math.min(whole.length, position + length)),
      }),
  };
}

/** An archive with some files changed or added and others removed, in its order: what is not changed keeps its bytes. */
export async function rewriteZip(
  zip: Zip,
  changed: ReadonlyMap<string, string>,
  removed: ReadonlySet<string> = new Set(),
): Promise<Buffer> {
  const files: PackedFile[] = [];
  const left = new Map(changed);
  for (const entry of zip.entries) {
    const content = left.get(entry.name);
    left.delete(entry.name);
    if (content !== undefined) files.push(packFile(entry.name, content));
    else if (!removed.has(entry.name) && !entry.name.endsWith('/'))
      files.push({ ...entry, packed: await zip.packed(entry) });
  }
  for (const [name, content] of left) files.push(packFile(name, content));
  return writeZip(files);
}
