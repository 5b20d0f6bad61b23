import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A folder of the test that runs. */
export interface TestFolder {
  readonly path: string;
  readonly write: (name: string, text: string) => void;
}

/** A new folder for each test of a file or of a block, which goes with its test. */
export function testFolder(): TestFolder {
  const folder = {
    path: '',
    write: (name: string, text: string): void => {
      mkdirSync(dirname(join(folder.path, name)), { recursive: true });
      writeFileSync(join(folder.path, name), text);
    },
  };
  beforeEach(async () => {
    folder.path = await realpath(await mkdtemp(join(tmpdir(), 'teamsheet-')));
  });
  afterEach(() => rm(folder.path, { recursive: true, force: true }));
  return folder;
}
