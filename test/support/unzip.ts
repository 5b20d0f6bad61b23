import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';

/** The texts of a ZIP archive's files by their names, read by its directory. */
export async function unzip(file: string): Promise<ReadonlyMap<string, string>> {
  const bytes = await readFile(file);
  const end = bytes.lastIndexOf('PK\x05\x06');
  let at = bytes.readUInt32LE(end + 16);
  const texts = new Map<string, string>();
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, packed] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const local = bytes.readUInt32LE(at + 42);
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = bytes.subarray(from, from + packed);
    texts.set(
      bytes.toString('utf8', at + 46, at + 46 + name),
      (method === 0 ? content : inflateRawSync(content)).toString('utf8'),
    );
    at += 46 + name + extra + comment;
  }
  return texts;
}
