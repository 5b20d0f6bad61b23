import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeAtomically } from '../../../src/tables/atomic-write.ts';
import { testFolder } from '../../support/test-folder.ts';

const WRITER = join(import.meta.dirname, '../../support/draft-writer.ts');
const folder = testFolder();

const there = (): readonly string[] => readdirSync(folder.path).toSorted();
const drafts = (): readonly string[] => there().filter((name) => name.endsWith('.tmp'));
const write = (): Promise<void> =>
  writeAtomically(join(folder.path, 'report.csv'), (append) => append('whole\n'));

/** Another process that writes a file of the folder; answers what kills it. */
async function beginElsewhere(): Promise<() => Promise<unknown>> {
  const writer = spawn(process.execPath, [WRITER, join(folder.path, 'other.csv')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const kill = (): Promise<unknown> => {
    const ended = once(writer, 'close');
    writer.kill('SIGKILL');
    return ended;
  };
  onTestFinished(() => void writer.kill('SIGKILL'));
  await once(writer.stdout, 'data');
  return kill;
}

it('leaves what another process writes, and removes what it wrote when it was killed', async () => {
  const kill = await beginElsewhere();
  const [draft = ''] = drafts();
  await write();
  expect(there()).toEqual([draft, 'report.csv']);
  await kill();
  expect(there()).toEqual([draft, 'report.csv']);
  await write();
  expect(there()).toEqual(['report.csv']);
});

it('leaves the files of other machines and of people', async () => {
  const kill = await beginElsewhere();
  await kill();
  const [draft = ''] = drafts();
  const elsewhere = draft.replace(/^\.teamsheet-[\da-f]{8}/, '.teamsheet-00000000');
  renameSync(join(folder.path, draft), join(folder.path, elsewhere));
  const others = [elsewhere, '.teamsheet-mine.tmp', `${draft}.bak`];
  for (const name of others.slice(1)) writeFileSync(join(folder.path, name), 'mine');
  await write();
  expect(there()).toEqual([...others, 'report.csv'].toSorted());
});
