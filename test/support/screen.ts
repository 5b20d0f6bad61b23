import type { Screen, Style } from '../../src/cli/screen.ts';

export const plain: Style = (_format, text) => text;

/** A screen that shows nothing, and what was said on it. */
interface Said {
  readonly screen: Screen;
  readonly lines: string[];
  readonly redrawn: (string | undefined)[];
}

export function fakeScreen(changes: Partial<Screen> = {}): Said {
  const lines: string[] = [];
  const redrawn: (string | undefined)[] = [];
  const screen: Screen = {
    json: false,
    quiet: false,
    verbose: false,
    color: false,
    progress: true,
    style: plain,
    dataStyle: plain,
    live: false,
    columns: 80,
    data: () => Promise.resolve(),
    exact: () => Promise.resolve(),
    say: (text) => lines.push(text),
    tell: (text) => lines.push(text),
    warn: (text) => lines.push(`! ${text}`),
    redraw: (text) => redrawn.push(text),
    withhold: () => undefined,
    ...changes,
  };
  return { screen, lines, redrawn };
}
