import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeAtomically } from './atomic-write.ts';
import { systemCode } from './system-error.ts';

/** What teamsheet wrote into files that people edit, or has read of them since. */
export interface WrittenFiles {
  /** Whether a file is there and holds anything else. One that nothing is known of counts as changed. */
  isChanged(file: string): Promise<boolean>;
  /** What a file holds now is known. */
  add(file: string): Promise<void>;
}

/** The digests of files, kept as JSON in one private file under the names that `nameOf` gives. */
export function openWrittenFiles(digestFile: string, nameOf: (file: string) => string): WrittenFiles {
  return {
    isChanged: async (file) => {
      const found = await digestOf(file);
      return found !== undefined && found !== (await readDigests(digestFile)).get(nameOf(file));
    },
    add: async (file) => {
      const digests = await readDigests(digestFile);
      const found = await digestOf(file);
      if (found === undefined) digests.delete(nameOf(file));
      else digests.set(nameOf(file), found);
      const text = JSON.stringify(Object.fromEntries(digests));
      await writeAtomically(digestFile, (append) => append(text), 0o600);
    },
  };
}

/** Undefined where there is no file, or a folder has its name. */
async function digestOf(file: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
  return hash.digest('hex');
}

/** None where they are lost or damaged: then every file counts as changed, and nothing of it is lost. */
async function readDigests(digestFile: string): Promise<Map<string, unknown>> {
  let text: string;
  try {
    text = await readFile(digestFile, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    throw error;
  }
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, unknown>));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return new Map();
    throw error;
  }
}
