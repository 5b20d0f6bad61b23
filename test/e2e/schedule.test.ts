import { afterAll, describe, expect, it } from 'vitest';
import { makeFolder, runCli } from '../support/cli.ts';
import type { Outcome } from '../support/cli.ts';

describe('schedule', () => {
  const folder = makeFolder({ 'teamsheet.yaml': 'version: 1\ntimezone: Europe/London\n' });
  afterAll(() => folder.remove());
  const run = (...args: readonly string[]): Promise<Outcome> => runCli(args, { cwd: folder.path });

  it('prints, or writes files and never over others', async () => {
    expect((await run('schedule', 'print', 'cron')).stdout).toContain('sync --yes');
    const args = ['schedule', 'print', 'systemd', '--at', '06:30', '--out', 'units'];
    expect((await run(...args)).stdout).toMatch(/^units\/\S+\.service\nunits\/\S+\.timer\n$/);
    expect(await run(...args)).toMatchObject({ code: 4, stdout: '' });
  });

  it.each([
    [['schedule', 'run'], 'schedule run is not part of this version'],
    [['schedule', 'next'], 'schedule next is not part of this version'],
    [['schedule', 'print'], 'cron, systemd, windows, github, docker'],
    [['schedule', 'print', 'cron', '--every', '7m'], '--every takes'],
  ])('%j is refused', async (args, words) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(64);
    expect(stderr).toContain(words);
  });
});
