import { Buffer } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { ConfigError } from '../../model/error.ts';

/** The most bytes that a workbook may hold when it is unpacked. */
const UNPACKED_MAX = 100 * 1024 * 1024;
const RATIO_MAX = 200;
/** Below this size any ratio is harmless. */
const RATIO_FROM = 1024 * 1024;
const ENTRIES_MAX = 1_000;
const DIRECTORY_MAX = 4 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const END64_LOCATOR_BYTES = 20;
const END64_LOCATOR_SIGNATURE = 0x07064b50;
const END64_BYTES = 56;
const END64_SIGNATURE = 0x06064b50;
const ENTRY_BYTES = 46;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const COMMENT_MAX = 0xffff;
const IN_ZIP64 = 0xffffffff;

/** Bytes to be read at any place: an open file, or memory. */
export interface ByteSource {
  stat(): Promise<{ readonly size: number }>;
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/** One file in the archive, as its directory declares it. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly localAt: number;
}

/** An archive whose directory was read and found harmless. */
export interface Zip {
  readonly origin: string;
  /** In the order of the directory. */
  readonly entries: readonly ZipEntry[];
  /** The entry of a name, whatever its case, as in the format's rules. */
  find(name: string): ZipEntry | undefined;
  /** The bytes of an entry as they are packed. */
  packed(entry: ZipEntry): Promise<Buffer>;
  /**
   * The bytes of an entry, unpacked piece by piece; more than the directory declares is never unpacked.
   * Errors: ConfigError `source.damaged` when they are not what the directory declares.
   */
  read(entry: ZipEntry): AsyncGenerator<Buffer, undefined>;
}

const REMEDY = 'Open and save it in Excel or LibreOffice, or export the tab as CSV.';

/** ConfigError `source.damaged`: the file is not a whole workbook. */
export function damagedFile(origin: string, what: string, cause?: unknown): ConfigError {
  return new ConfigError('source.damaged', `${origin}: the workbook is damaged: ${what}`, {
    file: origin,
    next: REMEDY,
    cause,
  });
}

function unsafeFile(origin: string, what: string): ConfigError {
  return new ConfigError('source.unsafe', `${origin}: refused, because ${what}`, {
    file: origin,
    next: `Look at where the file comes from. ${REMEDY}`,
  });
}

/**
 * Reads the directory of a ZIP archive and checks it before anything is unpacked: at most 1,000 entries that unpack to at most 100 MiB and to at
 * most 200 times their packed size, no names that lead out of the archive, nothing encrypted. A file that we write ourselves may be larger: `unpackedMax`.
 * Errors: ConfigError `source.damaged`, `source.unsafe`.
 */
export async function openZip(handle: ByteSource, origin: string, unpackedMax = UNPACKED_MAX): Promise<Zip> {
  const { size } = await handle.stat();
  const end = await findEnd(handle, size, origin);
  if (end.entries > ENTRIES_MAX)
    throw unsafeFile(origin, `it holds ${end.entries} parts; a workbook has at most ${ENTRIES_MAX}`);
  if (end.bytes > DIRECTORY_MAX || end.at + end.bytes > size)
    throw damagedFile(origin, 'its directory is not where it should be');
  const directory = await readAt(handle, end.at, end.bytes, origin);
  const entries = parseDirectory(directory, end.entries, { size, unpackedMax }, origin);
  const byName = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  if (byName.size < entries.length) throw damagedFile(origin, 'two of its parts have the same name');
  const packed = async (entry: ZipEntry): Promise<Buffer> =>
    readAt(handle, await contentStart(handle, entry, size, origin), entry.packedBytes, origin);
  return {
    origin,
    entries,
    find: (name) => byName.get(name.toLowerCase()),
    packed,
    read: (entry) => unpack(handle, entry, size, origin),
  };
}

async function readAt(handle: ByteSource, at: number, length: number, origin: string): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, at + done);
    if (bytesRead === 0) throw damagedFile(origin, 'it ends too early');
    done += bytesRead;
  }
  return buffer;
}

interface DirectoryPlace {
  readonly entries: number;
  readonly bytes: number;
  readonly at: number;
}

async function findEnd(handle: ByteSource, size: number, origin: string): Promise<DirectoryPlace> {
  const length = Math.min(size, END_BYTES + COMMENT_MAX);
  const tail = await readAt(handle, size - length, length, origin);
  for (let at = length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) > length) continue;
    const entries = tail.readUInt16LE(at + 10);
    const bytes = tail.readUInt32LE(at + 12);
    const directoryAt = tail.readUInt32LE(at + 16);
    const locator = at - END64_LOCATOR_BYTES;
    if (locator >= 0 && tail.readUInt32LE(locator) === END64_LOCATOR_SIGNATURE)
      return findEnd64(handle, large(tail, locator + 8, origin), size, origin);
    return { entries, bytes, at: directoryAt };
  }
  throw damagedFile(origin, 'it ends too early');
}

async function findEnd64(
  handle: ByteSource,
  at: number,
  size: number,
  origin: string,
): Promise<DirectoryPlace> {
  if (at + END64_BYTES > size) throw damagedFile(origin, 'its directory is not where it should be');
  const end = await readAt(handle, at, END64_BYTES, origin);
  if (end.readUInt32LE(0) !== END64_SIGNATURE) throw damagedFile(origin, 'it has no directory');
  return {
    entries: large(end, 32, origin),
    bytes: large(end, 40, origin),
    at: large(end, 48, origin),
  };
}

/** A number of eight bytes that is exact. */
function large(buffer: Buffer, at: number, origin: string): number {
  const value = buffer.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damagedFile(origin, 'a size in it is impossible');
  return Number(value);
}

function parseDirectory(
  directory: Buffer,
  count: number,
  { size, unpackedMax }: { readonly size: number; readonly unpackedMax: number },
  origin: string,
): readonly ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  let total = 0;
  while (entries.length < count) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_SIGNATURE)
      throw damagedFile(origin, 'its directory ends too early');
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const next = at + ENTRY_BYTES + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
    if (next > directory.length) throw damagedFile(origin, 'its directory ends too early');
    const entry = parseEntry(directory.subarray(at, next), nameBytes, extraBytes, origin);
    if (entry.localAt + LOCAL_BYTES + entry.packedBytes > size)
      throw damagedFile(origin, `${entry.name} is cut off`);
    total += entry.bytes;
    if (total > unpackedMax)
      throw unsafeFile(
        origin,
        `it unpacks to ${megabytes(total)} MB or more; at most ${megabytes(unpackedMax)} MB are read`,
      );
    entries.push(entry);
    at = next;
  }
  return entries;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);

function parseEntry(record: Buffer, nameBytes: number, extraBytes: number, origin: string): ZipEntry {
  const flags = record.readUInt16LE(8);
  const nameEnd = ENTRY_BYTES + nameBytes;
  const name = record.toString('utf8', ENTRY_BYTES, nameEnd);
  if (/[\0\\\ufffd]|^\/|^[a-z]:|(?:^|\/)\.\.(?:\/|$)/i.test(name))
    throw unsafeFile(origin, `the name of one of its parts leads out of it: ${JSON.stringify(name)}`);
  if ((flags & 0x41) !== 0) throw unsafeFile(origin, 'its parts are protected by a password');
  const sizes = {
    bytes: record.readUInt32LE(24),
    packedBytes: record.readUInt32LE(20),
    localAt: record.readUInt32LE(42),
  };
  if (Object.values(sizes).includes(IN_ZIP64))
    Object.assign(sizes, zip64Sizes(record.subarray(nameEnd, nameEnd + extraBytes), sizes, origin));
  const method = record.readUInt16LE(10);
  if (method !== 0 && method !== 8) throw damagedFile(origin, `${name} is packed in an unknown way`);
  if (method === 0 && sizes.bytes !== sizes.packedBytes)
    throw damagedFile(origin, `the sizes of ${name} do not fit`);
  if (sizes.bytes > RATIO_FROM && sizes.bytes > sizes.packedBytes * RATIO_MAX)
    throw unsafeFile(
      origin,
      `${name} unpacks to ${megabytes(sizes.bytes)} MB, more than ${RATIO_MAX} times its packed size`,
    );
  return { name, method, crc: record.readUInt32LE(16), ...sizes };
}

/** The sizes that do not fit into four bytes stand in an extra field of id 1, in this order. */
function zip64Sizes(
  extra: Buffer,
  sizes: Readonly<Record<'bytes' | 'packedBytes' | 'localAt', number>>,
  origin: string,
): Partial<Record<keyof typeof sizes, number>> {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    const found: Partial<Record<keyof typeof sizes, number>> = {};
    let read = 0;
    for (const key of ['bytes', 'packedBytes', 'localAt'] as const) {
      if (sizes[key] !== IN_ZIP64) continue;
      if (read + 8 > field.length) throw damagedFile(origin, 'a size in it is missing');
      found[key] = large(field, read, origin);
      read += 8;
    }
    return found;
  }
  throw damagedFile(origin, 'a size in it is missing');
}

async function contentStart(
  handle: ByteSource,
  entry: ZipEntry,
  size: number,
  origin: string,
): Promise<number> {
  const local = await readAt(handle, entry.localAt, LOCAL_BYTES, origin);
  if (local.readUInt32LE(0) !== LOCAL_SIGNATURE) throw damagedFile(origin, `${entry.name} is not there`);
  const start = entry.localAt + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (start + entry.packedBytes > size) throw damagedFile(origin, `${entry.name} is cut off`);
  return start;
}

async function* unpack(
  handle: ByteSource,
  entry: ZipEntry,
  size: number,
  origin: string,
): AsyncGenerator<Buffer, undefined> {
  const start = await contentStart(handle, entry, size, origin);
  const wrong = (cause?: unknown): ConfigError =>
    damagedFile(origin, `${entry.name} cannot be unpacked`, cause);
  let bytes = 0;
  let crc = 0;
  for await (const chunk of entry.packedBytes === 0 ? [] : pieces(handle, entry, start, wrong)) {
    bytes += chunk.length;
    if (bytes > entry.bytes) throw wrong();
    crc = crc32(chunk, crc);
    yield chunk;
  }
  if (bytes !== entry.bytes || crc !== entry.crc) throw wrong();
  return undefined;
}

async function* pieces(
  handle: ByteSource,
  { method, packedBytes }: ZipEntry,
  start: number,
  wrong: (cause: unknown) => ConfigError,
): AsyncGenerator<Buffer, undefined> {
  const packed = packedPieces(handle, start, packedBytes);
  const source =
    method === 0
      ? packed
      : pipeline(
          Readable.from(packed, { objectMode: false }),
          createInflateRaw({ chunkSize: CHUNK_BYTES }),
          () => {
            // An error of either stream ends the loop below.
          },
        );
  try {
    for await (const chunk of source) yield chunk as Buffer;
  } catch (cause) {
    throw wrong(cause);
  }
  return undefined;
}

async function* packedPieces(
  handle: ByteSource,
  start: number,
  length: number,
): AsyncGenerator<Buffer, undefined> {
  for (let done = 0; done < length;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - done));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start + done);
    if (bytesRead === 0) return undefined;
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
  return undefined;
}
