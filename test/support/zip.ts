import { Buffer } from 'node:buffer';
import { crc32, deflateRawSync } from 'node:zlib';

/** One file of an archive; what its headers say may differ from what is there. */
export interface ZipPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly stored?: boolean;
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly declaredBytes?: number;
  /** Writes the sizes as zip64 does, in an extra field. */
  readonly zip64?: boolean;
}

/** A ZIP archive made by hand, so that a test can also make a bad one. */
export function makeZip(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const content = Buffer.from(part.content);
    const packed = part.stored === true ? content : deflateRawSync(content);
    const name = Buffer.from(part.name);
    const bytes = part.declaredBytes ?? content.length;
    const extra = part.zip64 === true ? Buffer.alloc(28) : Buffer.alloc(0);
    if (part.zip64 === true) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(bytes), 4);
      extra.writeBigUInt64LE(BigInt(packed.length), 12);
      extra.writeBigUInt64LE(BigInt(at), 20);
    }
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(part.flags ?? 0, 2);
    shared.writeUInt16LE(part.method ?? (part.stored === true ? 0 : 8), 4);
    shared.writeUInt32LE(part.crc ?? crc32(content), 10);
    shared.writeUInt32LE(part.zip64 === true ? 0xffffffff : packed.length, 14);
    shared.writeUInt32LE(part.zip64 === true ? 0xffffffff : bytes, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, packed]);
    shared.writeUInt16LE(extra.length, 24);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(part.zip64 === true ? 0xffffffff : at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0'), shared, rest, name, extra);
    files.push(local);
    at += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(Math.min(parts.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(parts.length, 0xffff), 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, entries, end]);
}
