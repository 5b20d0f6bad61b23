import { formatValue } from 'hucre';
import { describe, expect, it } from 'vitest';
import { numberFormat } from '../../../src/tables/xlsx/read/number-format.ts';

const shown = (format: string, value: number): string => numberFormat(format, formatValue).shown(value);

describe('a number shown by its format', () => {
  it.each([
    { what: 'as it is, in a language', format: '[$-409]General', shows: { 7: '7', '-1.5': '-1.5' } },
    { what: 'as it is, in a colour', format: '[Red]General', shows: { 7: '7' } },
    { what: 'as it is, with a word', format: 'General" pts"', shows: { 7: '7 pts', '-1.5': '-1.5 pts' } },
    {
      what: 'as it is, by its sign',
      format: '"up "General;"down "General',
      shows: { 7: 'up 7', '-7': 'down 7' },
    },
    { what: 'as a text, with a word', format: '@" pts"', shows: { 7: '7 pts' } },
    { what: 'with a currency', format: '[$£-809]#,##0', shows: { 1001: '£1,001', '-7': '-£7' } },
    { what: 'with a currency behind', format: '#,##0.00 [$€-407]', shows: { 7: '7.00 €' } },
    { what: 'in a language', format: '[$-409]00000', shows: { 123: '00123' } },
    { what: 'in other digits', format: '[DBNum1]0', shows: { 5: '5' } },
    {
      what: 'by conditions',
      format: '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0',
      shows: { 5: '5', 1500: '1.5K', 2500000: '2.5M', '-5': '-5' },
    },
    {
      what: 'by its size',
      format: '[>=1000]#,##0;[<0]-0;0.0',
      shows: { 1001: '1,001', '-7': '-7', 7: '7.0' },
    },
    { what: 'by being a value', format: '[=1]"one";[<>2]0;"two"', shows: { 1: 'one', 2: 'two', 3: '3' } },
    { what: 'with a bracket and a semicolon as text', format: '"[a;"0"]"', shows: { 3: '[a;3]' } },
    { what: 'as nothing', format: '0;-0;', shows: { 0: '', 5: '5' } },
  ])('$what: $format', ({ format, shows }) => {
    const found = Object.keys(shows).map((value) => [value, shown(format, Number(value))]);
    expect(Object.fromEntries(found)).toEqual(shows);
  });

  it.each([
    ['[$-409]yyyy-mm-dd', 0],
    ['[$-F400]h:mm:ss AM/PM', 1],
    ['[h]:mm', Infinity],
    ['[Red]0" days"', undefined],
    ['[$USD-409] 0', undefined],
    ['General', undefined],
  ])('is a moment by %s from %s days on', (format, from) => {
    expect(numberFormat(format, formatValue).momentsFrom).toBe(from);
  });
});
