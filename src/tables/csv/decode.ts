import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { ConfigError } from '../../model/error.ts';

/** How the bytes of a text file become characters. */
export interface Encoding {
  /** The WHATWG name, such as `utf-8`, `utf-16le` or `windows-1252`. */
  readonly name: string;
  /** Bytes of the byte order mark, which is no part of the text. */
  readonly markBytes: number;
}

const LF = 0x0a;
const CR = 0x0d;
const SAMPLE_BYTES = 4096;

/**
 * The encoding of a file from its first bytes: a byte order mark wins, then `wanted` (a WHATWG label), then UTF-8.
 * Errors: ConfigError `source.encoding` for a label that is not known, for UTF-32, and for UTF-16 without a byte order mark when
 * `wanted` is `auto`.
 */
export function chooseEncoding(head: Buffer, wanted: string, origin: string): Encoding {
  const utf32 = utf32Of(head, wanted);
  if (utf32 !== undefined)
    throw new ConfigError('source.encoding', `${origin}: the file is ${utf32} text, which cannot be read`, {
      file: origin,
      next: 'Save the file as UTF-8.',
    });
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { name: 'utf-8', markBytes: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { name: 'utf-16le', markBytes: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { name: 'utf-16be', markBytes: 2 };
  if (wanted !== 'auto') return { name: knownEncoding(wanted, origin), markBytes: 0 };
  const utf16 = utf16WithoutMark(head);
  if (utf16 === undefined) return { name: 'utf-8', markBytes: 0 };
  throw new ConfigError(
    'source.encoding',
    `${origin}: the file looks like ${utf16.toUpperCase()} without a byte order mark`,
    { file: origin, next: `Add --encoding ${utf16}, or save the file as UTF-8.` },
  );
}

function knownEncoding(label: string, origin: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    throw new ConfigError('source.encoding', `${origin}: no encoding is called "${label}"`, {
      file: origin,
      next: 'Use utf-8, utf-16le, utf-16be, windows-1252 or another WHATWG label.',
      cause,
    });
  }
}

/** Text in UTF-32 has a byte order mark, or leaves its two high bytes at 0 in every character of the usual planes. */
function utf32Of(head: Buffer, wanted: string): 'UTF-32LE' | 'UTF-32BE' | undefined {
  const mark = head.toString('hex', 0, 4);
  if (mark === 'fffe0000') return 'UTF-32LE';
  if (mark === '0000feff') return 'UTF-32BE';
  if (wanted !== 'auto') return undefined;
  const fours = Math.min(head.length, SAMPLE_BYTES) >> 2;
  const isZero = (byte: number): boolean =>
    Array.from({ length: fours }, (_, at) => head.readUInt16BE(4 * at + byte)).every((pair) => pair === 0);
  const [first, second] = [isZero(0), isZero(2)];
  if (first === second) return undefined;
  return second ? 'UTF-32LE' : 'UTF-32BE';
}

/** Latin text in UTF-16 has a zero in nearly every second byte, and always on the same side. */
function utf16WithoutMark(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(head.length, SAMPLE_BYTES) & ~1;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (head[at] === 0) even++;
    if (head[at + 1] === 0) odd++;
  }
  const pairs = length / 2;
  if (pairs < 2) return undefined;
  if (odd > pairs * 0.6 && even < pairs * 0.1) return 'utf-16le';
  if (even > pairs * 0.6 && odd < pairs * 0.1) return 'utf-16be';
  return undefined;
}

/** Turns the bytes of a file, chunk by chunk, into UTF-8 bytes. Errors: ConfigError `source.encoding` at the first byte that is no text. */
export type Recode = (chunk: Buffer, last: boolean) => Buffer;

/** Encodings of one byte for each character, in which what UTF-8 makes of an accented letter are two odd ones: `Ã©`. */
const LATIN = /^(?:windows-125\d|iso-8859-\d+|macintosh)$/;
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Recodes from any encoding but UTF-8, which is checked slice by slice with {@link requireUtf8} instead. Text that was named otherwise and is UTF-8 is
 * refused, as soon as a byte tells: its letters would come out as others.
 */
export function recoder(encoding: Encoding, origin: string): Recode {
  let mayBeUtf8 = LATIN.test(encoding.name);
  const decoder = new TextDecoder(encoding.name, { fatal: true, ignoreBOM: true });
  let offset = encoding.markBytes;
  let line = 1;
  let afterCr = false;
  return (chunk, last) => {
    if (mayBeUtf8 && !isAscii(chunk)) {
      if (NOT_ASCII.test(utf8Prefix(chunk) ?? '')) throw namedOtherwise(encoding, origin);
      mayBeUtf8 = false;
    }
    try {
      const utf8 = Buffer.from(decoder.decode(chunk, { stream: !last }));
      offset += chunk.length;
      // A CR LF that two chunks share is one line end.
      line += countLines(utf8) - (afterCr && utf8[0] === LF ? 1 : 0);
      afterCr = utf8.length === 0 ? afterCr : utf8.at(-1) === CR;
      return utf8;
    } catch (cause) {
      throw new ConfigError(
        'source.encoding',
        `${origin}: not ${encoding.name} text in the ${chunk.length} bytes from byte offset ${offset}, line ${line} on`,
        { file: origin, line, next: 'Save the file as UTF-8, or name its encoding with --encoding.', cause },
      );
    }
  };
}

const namedOtherwise = ({ name }: Encoding, origin: string): ConfigError =>
  new ConfigError('source.encoding', `${origin}: the encoding is named as ${name}, but the text is UTF-8`, {
    file: origin,
    next: 'Leave the encoding out; where other files need it, name it in their mappings alone.',
  });

/**
 * Returns when `slice` is UTF-8 throughout. `firstLine` and `firstByte` (0-based) say where the slice stands in the file.
 * Errors: ConfigError `source.encoding` naming line, byte within the line and offset, with the line as windows-1252 would read it.
 */
export function requireUtf8(slice: Buffer, origin: string, firstLine: number, firstByte: number): void {
  if (isUtf8(slice)) return;
  const { at, lines, lineStart, found } = notUtf8(slice);
  const line = firstLine + lines;
  const byte = at - lineStart + 1;
  throw new ConfigError(
    'source.encoding',
    `${origin} line ${line}, byte ${byte} (offset ${firstByte + at}): ${found} is not UTF-8`,
    { file: origin, line, column: byte, next: windowsHint(slice, lineStart, at) },
  );
}

/** Where the first byte stands that is not UTF-8, all counted from 0, and the byte as it is written. There must be one. */
export function notUtf8(bytes: Buffer): {
  readonly at: number;
  readonly lines: number;
  readonly lineStart: number;
  readonly found: string;
} {
  const at = firstInvalid(bytes);
  return {
    at,
    lines: countLines(bytes.subarray(0, at)),
    lineStart: Math.max(bytes.lastIndexOf(LF, at), bytes.lastIndexOf(CR, at)) + 1,
    found: bytes.toString('hex', at, at + 1).toUpperCase(),
  };
}

function windowsHint(slice: Buffer, lineStart: number, at: number): string {
  const from = Math.max(lineStart, at - 20);
  const end = slice.subarray(at, at + 20).findIndex((byte) => byte === LF || byte === CR);
  const text = new TextDecoder('windows-1252').decode(slice.subarray(from, at + (end === -1 ? 20 : end)));
  const shown = text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u00b7');
  return `Save the file as UTF-8; or, if "${shown}" reads right, add --encoding windows-1252.`;
}

/** The offset of the first byte that cannot stand in UTF-8: a prefix up to a character's start is valid exactly as far as this. */
function firstInvalid(slice: Buffer): number {
  let good = 0;
  let bad = slice.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (validPrefix(slice, middle)) good = middle;
    else bad = middle;
  }
  let start = good;
  // Step back over a character that began well and was cut, so that its first byte is named.
  while (start > 0 && start > good - 3 && !isUtf8(slice.subarray(0, start))) start--;
  return start;
}

/** Whether the first `length` bytes are UTF-8, where the last character may still be incomplete. */
const validPrefix = (slice: Buffer, length: number): boolean =>
  utf8Prefix(slice.subarray(0, length)) !== undefined;

/** The text of bytes that are UTF-8, without a last character that is incomplete; undefined for any others. */
function utf8Prefix(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** Line ends in `text`; CR LF counts once, and a CR at the very end counts. */
export function countLines(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(LF); at !== -1; at = text.indexOf(LF, at + 1)) count++;
  for (let at = text.indexOf(CR); at !== -1; at = text.indexOf(CR, at + 1)) if (text[at + 1] !== LF) count++;
  return count;
}
