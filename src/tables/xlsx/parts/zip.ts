import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { fromBufferPromise, fromFdPromise, type Entry, type ZipFile, type ZipFileOptions } from 'yauzl';
import { ConfigError } from '../../../model/error.ts';

/** The most bytes that a workbook may hold when it is unpacked. */
const UNPACKED_MAX = 100 * 1024 * 1024;
const RATIO_MAX = 200;
/** Below this size any ratio is harmless. */
const RATIO_FROM = 1024 * 1024;
const ENTRIES_MAX = 1_000;

/** One file in the archive, as its directory declares it. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly bytes: number;
}

/** An archive whose directory was read and found harmless. */
export interface Zip {
  readonly origin: string;
  /** In the order of the directory. */
  readonly entries: readonly ZipEntry[];
  /** The entry of a name, whatever its case, as in the format's rules. */
  find(name: string): ZipEntry | undefined;
  /** The bytes of an entry as they are packed. */
  packed(entry: ZipEntry): Promise<Buffer<ArrayBuffer>>;
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

/** Names stay bytes until they are checked here, and the archive stays open for as long as its parts are read. */
const OPTIONS = { autoClose: false, decodeStrings: false } as const;

/**
 * Reads the directory of a ZIP archive and checks it before anything is unpacked: at most 1,000 entries that unpack to at most 100 MiB and to at
 * most 200 times their packed size, no names that lead out of the archive, nothing encrypted. A file that we write ourselves may be larger: `unpackedMax`.
 * Errors: ConfigError `source.damaged`, `source.unsafe`.
 */
export async function openZip(
  source: FileHandle | Uint8Array,
  origin: string,
  unpackedMax = UNPACKED_MAX,
): Promise<Zip> {
  const found = new Map<ZipEntry, Entry>();
  let archive: ZipFile;
  try {
    archive = await (source instanceof Uint8Array
      ? fromBufferPromise(Buffer.from(source.buffer, source.byteOffset, source.byteLength), OPTIONS)
      : fromFdPromise(source.fd, OPTIONS));
    if (archive.entryCount > ENTRIES_MAX)
      throw unsafeFile(origin, `it holds ${archive.entryCount} parts; a workbook has at most ${ENTRIES_MAX}`);
    let total = 0;
    for await (const declared of archive.eachEntry()) {
      const entry = checkEntry(declared, origin);
      total += entry.bytes;
      if (total > unpackedMax)
        throw unsafeFile(
          origin,
          `it unpacks to ${megabytes(total)} MB or more; at most ${megabytes(unpackedMax)} MB are read`,
        );
      found.set(entry, declared);
    }
  } catch (cause) {
    throw cause instanceof ConfigError
      ? cause
      : damagedFile(origin, 'the list of its parts cannot be read', cause);
  }
  const entries = [...found.keys()];
  const byName = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  if (byName.size < entries.length) throw damagedFile(origin, 'two of its parts have the same name');
  const stream = (entry: ZipEntry, options: ZipFileOptions): Promise<Readable> => {
    const declared = found.get(entry);
    if (declared === undefined) throw new TypeError(`${entry.name} is an entry of another archive`);
    return archive.openReadStreamPromise(declared, options);
  };
  const packed = async (entry: ZipEntry): Promise<Buffer<ArrayBuffer>> => {
    try {
      return Buffer.concat(await (await stream(entry, { decodeFileData: false })).toArray());
    } catch (cause) {
      throw damagedFile(origin, `${entry.name} cannot be read`, cause);
    }
  };
  return {
    origin,
    entries,
    find: (name) => byName.get(name.toLowerCase()),
    packed,
    read: (entry) => unpack(() => stream(entry, {}), entry, origin),
  };
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);

/** What the directory says of an entry. Errors: ConfigError `source.damaged`, `source.unsafe`. */
function checkEntry(declared: Entry, origin: string): ZipEntry {
  const name = declared.fileNameRaw.toString('utf8');
  if (/[\0\\\ufffd]|^\/|^[a-z]:|(?:^|\/)\.\.(?:\/|$)/i.test(name))
    throw unsafeFile(origin, `the name of one of its parts leads out of it: ${JSON.stringify(name)}`);
  if (declared.isEncrypted()) throw unsafeFile(origin, 'its parts are protected by a password');
  const { compressionMethod: method, uncompressedSize: bytes, compressedSize: packedBytes } = declared;
  if (method !== 0 && method !== 8) throw damagedFile(origin, `${name} is packed in an unknown way`);
  if (bytes > RATIO_FROM && bytes > packedBytes * RATIO_MAX)
    throw unsafeFile(
      origin,
      `${name} unpacks to ${megabytes(bytes)} MB, more than ${RATIO_MAX} times its packed size`,
    );
  return { name, method, crc: declared.crc32, bytes };
}

/** The library stops at the size that was declared; the checksum is compared here. */
async function* unpack(
  open: () => Promise<Readable>,
  entry: ZipEntry,
  origin: string,
): AsyncGenerator<Buffer, undefined> {
  const wrong = (cause?: unknown): ConfigError =>
    damagedFile(origin, `${entry.name} cannot be unpacked`, cause);
  let crc = 0;
  try {
    for await (const chunk of (await open()) as AsyncIterable<Buffer>) {
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (cause) {
    throw wrong(cause);
  }
  if (crc !== entry.crc) throw wrong();
  return undefined;
}
