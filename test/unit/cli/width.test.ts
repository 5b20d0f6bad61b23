import { stripVTControlCharacters, styleText } from 'node:util';
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
      'next: npx teamsheet plan users prices',
      '{"a":"b c d e f g h i j k"}',
      'x'.repeat(30),
    ])
      expect(wrapLines(line, 20)).toBe(line);
    expect(wrapLines('a b c d e f g h i j k', 0)).toBe('a b c d e f g h i j k');
  });

  it('is set in behind its mark or its number', () => {
    expect(wrapLines('  ✗ one two three four five', 20)).toBe('  ✗ one two three\n    four five');
    expect(wrapLines('1. one two three four five', 20)).toBe('1. one two three\n   four five');
    const dim = (text: string): string => styleText('dim', text, { validateStream: false });
    expect(stripVTControlCharacters(wrapLines(dim('  one two three four five'), 20))).toBe(
      '  one two three four\n    five',
    );
  });

  it('keeps the columns of a table: the last cell wraps in its own', () => {
    expect(wrapLines('  per day  ░░░░  1 / 10  99,998 left, new at 00:00:00, in 20 h', 49)).toBe(
      '  per day  ░░░░  1 / 10  99,998 left, new at\n                         00:00:00, in 20 h',
    );
    expect(wrapLines('+  row 2  name: Anna Maria, active: true  ! is long', 40)).toBe(
      '+  row 2  name: Anna Maria, active: true\n          ! is long',
    );
  });

  it('does not break the name of a tab', () => {
    expect(wrapLines('✓  table  60 records  out/a.xlsx tab "League table"', 46)).toBe(
      '✓  table  60 records  out/a.xlsx tab\n                      "League table"',
    );
    expect(wrapLines('out/a.xlsx tab "a name that is very long" and', 30)).toBe(
      'out/a.xlsx tab "a name that is\n  very long" and',
    );
  });

  it('does not break a command to copy, and wraps the words around it', () => {
    const bold = (text: string): string => styleText('bold', text, { validateStream: false });
    const command = "npx teamsheet push users --set 'name=A B' --config a.yaml";
    const shown = [
      ['next: correct that and then type: |', 'next: correct that and then\n  type: |'],
      ['next: run the command again (|).', 'next: run the command again (|).'],
      [`${bold('next:')} |, which goes on with it`, `${bold('next:')} |,\n  which goes on with it`],
    ] as const;
    for (const [line, wrapped] of shown)
      expect(wrapLines(line.replace('|', command), 30)).toBe(wrapped.replace('|', command));
    expect(wrapLines('then type: teamsheet plan users. It reads the tables alone', 30)).toBe(
      'then type:\n  teamsheet plan users. It\n  reads the tables alone',
    );
  });

  it('wraps a sentence that is no command after next:', () => {
    expect(wrapLines('next: correct the rows in their table', 20)).toBe(
      'next: correct the\n  rows in their\n  table',
    );
  });

  it('leaves what fits alone, also the lines beside it', () => {
    expect(wrapLines('fits\n\nthis line is too long', 20)).toBe('fits\n\nthis line is too\n  long');
    expect(wrapLines('a\nb', 80)).toBe('a\nb');
  });
});
