import { Buffer } from 'node:buffer';
import { crc32, deflateRawSync } from 'node:zlib';
import { Zip as ZipWriter, type ZipInputFile } from 'fflate';
import type { Zip } from './zip.ts';

interface PackedFile {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly bytes: number;
  readonly packed: Buffer<ArrayBuffer>;
}

function packFile(name: string, content: string): PackedFile {
  const bytes = Buffer.from(content);
  return { name, method: 8, crc: crc32(bytes), bytes: bytes.length, packed: deflateRawSync(bytes) };
}

/** The first date that an archive can name: the same files make the same archive at any time. */
const DATE = new Date(1980, 0, 1);

/** A ZIP archive of files in their order. Its parts are smaller than 4 GiB, as those of workbooks are. */
function writeZip(files: readonly PackedFile[]): Buffer {
  const chunks: Uint8Array[] = [];
  const writer = new ZipWriter((error, chunk) => {
    if (error !== null) throw error;
    chunks.push(chunk);
  });
  for (const { name, method, crc, bytes, packed } of files) {
    const file: ZipInputFile = { filename: name, compression: method, crc, size: bytes, mtime: DATE };
    writer.add(file);
    file.ondata?.(null, packed, true);
  }
  writer.end();
  return Buffer.concat(chunks);
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
