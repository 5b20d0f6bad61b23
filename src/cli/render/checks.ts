import type { Style } from '../screen.ts';
import { safeText } from './text.ts';

/** One line of `doctor`: what was looked at, what was found, and how to correct it. */
export interface Check {
  readonly level: 'good' | 'warning' | 'bad';
  readonly name: string;
  readonly found: string;
  readonly fix?: string | undefined;
}

const MARKS = { good: ['green', '✓'], warning: ['yellow', '!'], bad: ['red', '✗'] } as const;

/** `✓ key  accepted`, and below a bad one how to correct it. */
export function renderCheck({ level, name, found, fix }: Check, style: Style): string {
  const [colour, mark] = MARKS[level];
  const line = `${style(colour, mark)} ${name.padEnd(13)} ${safeText(found)}`;
  return fix === undefined ? line : `${line}\n  ${' '.repeat(13)} ${style('bold', 'fix:')} ${safeText(fix)}`;
}
