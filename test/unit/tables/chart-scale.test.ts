import { expect, it } from 'vitest';
import type { ChartData, ChartSpec } from '../../../src/model/tables/layout.ts';
import { numberScale } from '../../../src/tables/chart-scale.ts';

const chart = (type: ChartSpec['type'], values: readonly (number | null)[], reverse = false): ChartData => ({
  spec: { title: 'A', type, x: 'Week', y: 'Points', series: undefined, limit: 10, reverse },
  categories: values.map((_, index) => String(index)),
  series: [{ name: 'One', values }],
});

it.each([
  ['ranks begin at 1 and end with the last', 'line', [3, 14, null], true, { min: 1, max: 14, majorUnit: 2 }],
  ['one rank is drawn with room below it', 'line', [1, 1], true, { min: 1, max: 2, majorUnit: 1 }],
  ['bars begin at 0', 'bar', [41, 60], false, { min: 0, max: 70, majorUnit: 10 }],
  ['bars below 0 are shown whole', 'column', [-3, 10], false, { min: -5, max: 15, majorUnit: 5 }],
  [
    'lines that differ little begin near the least',
    'line',
    [900, 1000],
    false,
    { min: 880, max: 1020, majorUnit: 20 },
  ],
  ['lines that differ much begin at 0', 'line', [10, 300], false, { min: 0, max: 350, majorUnit: 50 }],
  ['equal values have room', 'line', [50, 50], false, { min: 49, max: 51, majorUnit: 1 }],
  ['nothing but 0 has room', 'bar', [0, 0], false, { min: 0, max: 0.2, majorUnit: 0.2 }],
] as const)('%s', (_, type, values, reverse, scale) => {
  expect(numberScale(chart(type, values, reverse))).toEqual(scale);
});

it('no numbers have no scale', () => {
  expect(numberScale(chart('line', [null]))).toBeUndefined();
});
