import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inTurn } from '../../../../src/runtime/publish/in-turn.ts';
import { lockFolder, lockSite } from '../../../../src/state/sqlite/lock.ts';
import { testFolder } from '../../../support/test-folder.ts';

const folder = testFolder();

const env = (): Readonly<Record<string, string>> => ({ XDG_STATE_HOME: folder.path });
/** Time goes on by sleeping alone. */
const waiting = ({
  signal = new AbortController().signal,
  asleep = (_ms: number) => Promise.resolve(),
} = {}) => {
  let nowMs = 0;
  const sleep = async (ms: number): Promise<void> => {
    nowMs += ms;
    await asleep(nowMs);
    signal.throwIfAborted();
  };
  return { config: { env: env() }, clock: { monotonic: () => nowMs, sleep }, signal };
};
const site = () => ({ out: join(folder.path, 'public'), shownOut: 'public' });
const publishElsewhere = () => lockSite(lockFolder(env()), site().out, 'public');

it('waits for the publish that writes a folder', async () => {
  const other = await publishElsewhere();
  let left = 3;
  const asleep = async (): Promise<void> => {
    left -= 1;
    if (left === 0) await other.release();
  };
  expect(await inTurn(site(), waiting({ asleep }), () => Promise.resolve(left))).toBe(0);
});

it('does not wait for the publish of another folder, nor for one that ended, however it did', async () => {
  const other = await lockSite(lockFolder(env()), join(folder.path, 'elsewhere'), 'elsewhere');
  const failing = inTurn(site(), waiting(), () => Promise.reject(new Error('the disk is full')));
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await inTurn(site(), waiting(), () => Promise.resolve('done'))).toBe('done');
  await other.release();
});

it('names the other publish after a minute, and changes nothing', async () => {
  const other = await publishElsewhere();
  let waitedMs = 0;
  const asleep = (ms: number): Promise<void> => {
    waitedMs = ms;
    return Promise.resolve();
  };
  const stop = inTurn(site(), waiting({ asleep }), () => Promise.reject(new Error('it began')));
  await expect(stop).rejects.toMatchObject({
    code: 'publish.busy',
    exitCode: 6,
    message: expect.stringMatching(
      `^the folder public is being published by pid ${process.pid} \\(publish\\) on \\S+ since .* UTC; this publish changed nothing$`,
    ) as string,
    next: 'Wait until it ends, then run the command again.',
  });
  expect(waitedMs).toBe(60_000);
  await other.release();
});

it('ends by a signal while it waits', async () => {
  const other = await publishElsewhere();
  const stopping = new AbortController();
  const asleep = (): Promise<void> => {
    stopping.abort(new Error('SIGINT'));
    return Promise.resolve();
  };
  const publish = inTurn(site(), waiting({ signal: stopping.signal, asleep }), () =>
    Promise.reject(new Error('it began')),
  );
  await expect(publish).rejects.toThrow('SIGINT');
  await other.release();
});
