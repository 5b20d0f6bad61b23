import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESOURCES } from '../../src/contract/index.ts';
import type { ReportValue } from '../../src/model/tables/table.ts';
import { bindColumns, cellsOf } from '../../src/report/column.ts';
import { reportOf } from '../../src/report/index.ts';
import { fanOut } from '../../src/sync/pulling/fan-out.ts';
import { writeCsvReport } from '../../src/tables/csv/write.ts';
import { batchesOf, PLAIN } from '../support/report-tab.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('=', '+', '-', '@', '"', "'", ',', '\n', '\r', '\t', 'é', '＝'),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
});
const value: fc.Arbitrary<ReportValue> = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

describe('a CSV report', () => {
  it('reads back as it was written, and holds no text that a spreadsheet evaluates', async () => {
    const file = path.join(folder.path, 'r.csv');
    const rowsOf = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      );
    await fc.assert(
      fc.asyncProperty(rowsOf, async (rows) => {
        const columns = (rows[0] ?? []).map((_, index) => ({ header: `h${index}`, type: 'text' as const }));
        const table = { name: 'r', columns, rows: batchesOf(rows) };
        expect(await writeCsvReport(file, table, PLAIN)).toBe(rows.length);
        const content = await readFile(file, 'utf8');
        expect(content.endsWith('\n')).toBe(true);
        const back: string[][] = parse(content, { record_delimiter: '\n' });
        const expected = rows.map((row) =>
          row.map((cell) => {
            const shown = cell === null ? '' : String(cell);
            return typeof cell === 'string' && FORMULA.test(cell) ? `'${shown}` : shown;
          }),
        );
        expect(back.slice(1)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });
});

describe('reports', () => {
  it('make a full row of any record whatsoever', () => {
    const options = fc.record({ detail: fc.boolean(), explode: fc.constantFrom(undefined, 'weekly_stats') });
    fc.assert(
      fc.property(fc.constantFrom(...RESOURCES), options, fc.jsonValue(), (resource, asked, record) => {
        const report = reportOf(resource, asked);
        const columns = bindColumns(report, undefined);
        for (const row of report.rows(record)) {
          const cells = cellsOf(columns, row, new Map());
          expect(cells).toHaveLength(columns.length);
          expect(
            cells.every((cell) => cell === null || ['string', 'number', 'boolean'].includes(typeof cell)),
          ).toBe(true);
        }
      }),
    );
  });
});

describe('a fan-out', () => {
  it('keeps the order and never exceeds its concurrency, whatever the order of answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(6), { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        async (delays, concurrency) => {
          let inFlight = 0;
          let peak = 0;
          const read = async (index: number): Promise<number> => {
            inFlight += 1;
            peak = Math.max(peak, inFlight);
            for (let turn = 0; turn < (delays[index] ?? 0); turn += 1) await Promise.resolve();
            inFlight -= 1;
            return index;
          };
          const results: number[] = [];
          for await (const result of fanOut(batchesOf(...delays.keys()), concurrency, read))
            results.push(result);
          expect(results).toEqual([...delays.keys()]);
          expect(peak).toBeLessThanOrEqual(concurrency);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('begins nothing after a failure and leaves nothing in flight', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.nat(39), async (count, at) => {
        const bad = at % count;
        let open = 0;
        let started = 0;
        const read = async (index: number): Promise<number> => {
          started += 1;
          open += 1;
          await Promise.resolve();
          open -= 1;
          if (index === bad) throw new Error('bad');
          return index;
        };
        const results: number[] = [];
        const run = async (): Promise<void> => {
          for await (const result of fanOut(batchesOf(...Array(count).keys()), 4, read)) results.push(result);
        };
        await expect(run()).rejects.toThrow('bad');
        const then = started;
        await Promise.resolve();
        expect([open, started, results]).toEqual([0, then, [...Array(bad).keys()]]);
      }),
      { numRuns: 60 },
    );
  });
});
