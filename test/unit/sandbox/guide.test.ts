import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAULT_KINDS, faultSchema } from '../../../src/sandbox/faults.ts';
import { PROFILES } from '../../../src/sandbox/profiles.ts';
import { DEFAULT_SETTINGS, SWITCHES, SWITCH_NAMES, valuesOf } from '../../../src/sandbox/switches.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/sandbox.md'), 'utf8');

/** The rows of the table whose first column has this heading, cells without backquotes. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`)) + 2;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

it('docs/sandbox.md has every profile', () => {
  expect(rowsOf('profile')).toEqual(
    Object.entries(PROFILES).map(([name, { about, settings }]) => [
      name,
      about,
      Object.entries(settings)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(' '),
    ]),
  );
});

it('docs/sandbox.md has every switch', () => {
  expect(rowsOf('switch')).toEqual(
    SWITCH_NAMES.map((name) => [name, String(DEFAULT_SETTINGS[name]), SWITCHES[name].about, valuesOf(name)]),
  );
});

it('docs/sandbox.md has every kind of fault and every field of one', () => {
  expect(rowsOf('kind')).toEqual(
    Object.entries(FAULT_KINDS).map(([kind, { about, processed }]) => [
      kind,
      about.replaceAll('`', ''),
      processed ? 'yes' : 'no',
    ]),
  );
  const fields = rowsOf('part of a fault').flatMap(([names = '']) => names.split(', '));
  expect(fields).toEqual(
    expect.arrayContaining(Object.keys(faultSchema.shape).filter((name) => name !== 'kind')),
  );
});
