import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

/** A new folder for each test of a file or of a block, which goes with its test; `path` is that of the test that runs. */
export function testFolder(): { readonly path: string } {
  const folder = { path: '' };
  beforeEach(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'teamsheet-'));
  });
  afterEach(() => rm(folder.path, { recursive: true, force: true }));
  return folder;
}
