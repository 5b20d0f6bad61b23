import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createScreen, screenFlags } from '../../../src/cli/screen.ts';
import type { Screen } from '../../../src/cli/screen.ts';

/** A stream of a process; a terminal where it has columns. */
function stream(columns?: number): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), {
    isTTY: columns !== undefined,
    columns,
  }) as unknown as NodeJS.WriteStream;
}

/** What was written to a stream since. Newer Node versions read a chunk at a time. */
function textOf(written: NodeJS.WriteStream): string {
  const chunks = written as unknown as { read(): Buffer | null };
  let text = '';
  for (let chunk = chunks.read(); chunk !== null; chunk = chunks.read()) text += String(chunk);
  return text;
}

/** A screen of a command line whose standard output is such a stream, and what stands on it. */
function screenOn(
  columns: number | undefined,
  argv: readonly string[] = [],
): { readonly screen: Screen; readonly shown: () => string } {
  const stdout = stream(columns);
  const screen = createScreen({ stdout, stderr: stream(), env: { NO_COLOR: '1' } }, screenFlags(argv));
  return { screen, shown: () => textOf(stdout) };
}

const LINE = 'quotas  users 999,920 left, squads 999,940 left';

describe('data for people', () => {
  it('wraps at words on a terminal', async () => {
    const { screen, shown } = screenOn(40);
    await screen.data(LINE);
    expect(shown()).toBe('quotas  users 999,920 left, squads\n        999,940 left\n');
  });

  it('stays one line for each fact where it is piped', async () => {
    const { screen, shown } = screenOn(undefined);
    await screen.data(LINE);
    expect(shown()).toBe(`${LINE}\n`);
  });

  it('stays as it is where it is JSON, or is to be copied', async () => {
    const json = screenOn(40, ['plan', '--json']);
    await json.screen.data(`["${LINE}"]`);
    expect(json.shown()).toBe(`["${LINE}"]\n`);
    const path = screenOn(40);
    await path.screen.exact(`/home/ann/My fantasy league of 2026/out/users.csv`);
    expect(path.shown()).toBe(`/home/ann/My fantasy league of 2026/out/users.csv`);
  });
});

describe('a warning', () => {
  function warnings(): { readonly screen: Screen; readonly shown: () => string } {
    const stderr = stream();
    const screen = createScreen({ stdout: stream(), stderr, env: { NO_COLOR: '1' } }, screenFlags([]));
    return { screen, shown: () => textOf(stderr) };
  }

  it('is told as often as it comes', () => {
    const { screen, shown } = warnings();
    for (const text of ['a', 'a']) screen.warn(text);
    expect(shown()).toBe('! a\n! a\n');
  });

  it('of what lasts is told once, and again where it changes', () => {
    const { screen, shown } = warnings();
    for (const text of ['a', 'a', 'b', 'a', 'b']) screen.warn(text, true);
    expect(shown()).toBe('! a\n! b\n');
  });
});
