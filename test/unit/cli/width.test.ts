import { styleText } from 'node:util';
import { describe, expect, it } from 'vitest';
import { visibleWidth, wrapLines } from '../../../src/cli/render/width.ts';

describe('a line that is wider than the terminal', () => {
  it('is broken between words, and what follows is set in', () => {
    expect(wrapLines('! users.csv row 17: this name is too long', 20)).toBe(
      '! users.csv row 17:\n  this name is too\n  long',
    );
    expect(wrapLines('  one two three four five six', 20)).toBe('  one two three four\n    five six');
  });

  it('counts what is seen, not the colours', () => {
    const red = styleText('red', '✗', { validateStream: false });
    const wrapped = wrapLines(`${red} one two three four and`, 20);
    expect(wrapped).toBe(`${red} one two three four\n  and`);
    expect(wrapped.split('\n').map(visibleWidth)).toEqual([20, 5]);
  });

  it('stays where it is a row of a table, a command to copy, or one long word', () => {
    for (const line of [
      'users  1,234  0  unchanged',
      '  next: teamsheet resume 01J8ZAAAAAAA',
      '{"a":"b c d e f g h i j k"}',
      'x'.repeat(30),
    ])
      expect(wrapLines(line, 20)).toBe(line);
    expect(wrapLines('a b c d e f g h i j k', 0)).toBe('a b c d e f g h i j k');
  });

  it('leaves what fits alone, also the lines beside it', () => {
    expect(wrapLines('fits\n\nthis line is too long', 20)).toBe('fits\n\nthis line is too\n  long');
    expect(wrapLines('a\nb', 80)).toBe('a\nb');
  });
});
