import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/model/error.ts';
import { createSlicer } from '../../src/tables/csv/slices.ts';
import { readCsv } from '../unit/tables/csv-source.ts';
import { runs } from '../support/long.ts';

const RUNS = runs(100, 2000);

const piece = fc.constantFrom('a', 'é', '👩', '"', ',', ';', '\n', '\r\n', '\r', ' ', '\0', 'zz');
const cell = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(''));
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Cells that always stand in quotes, so that any text is a cell. */
const table = fc.array(fc.tuple(cell, cell), { maxLength: 20 });

describe('reading CSV', () => {
  test('any cells come back as they were, at the lines they stand in, whatever the line ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        async (cells, end, ended) => {
          const lines = [['key', 'name'], ...cells].map((row) => row.map(quote).join(','));
          const { rows } = await readCsv(lines.join(end) + (ended ? end : ''));
          let line = 2;
          const expected = cells.flatMap(([key, name]) => {
            const rowNumber = line;
            line += 1 + [key, name].join('|').split(/\r\n|\n|\r/).length - 1;
            return key.trim() === '' && name.trim() === '' ? [] : [{ rowNumber, cells: [key, name] }];
          });
          expect(rows.map(({ rowNumber, cells: found }) => ({ rowNumber, cells: found }))).toEqual(expected);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('bare lines are split as the parser would', async () => {
    const bare = fc.array(fc.constantFrom('a', 'é', ',', ' ', ';', '\n', '\r\n', '\r'), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(bare, async (parts) => {
        const body = parts.join('');
        const parsed: string[][] = parse(body, {
          relax_column_count: true,
          record_delimiter: ['\r\n', '\n', '\r'],
        });
        const { rows } = await readCsv(`x,y\n${body}`, { delimiter: ',' });
        expect(rows.map(({ cells }) => cells)).toEqual(
          parsed.filter((cells) => cells.some((text) => text.trim() !== '')),
        );
      }),
      { numRuns: RUNS },
    );
  });

  test('any bytes give rows or one error of the file', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(piece, { maxLength: 80 }).map((parts) => Buffer.from(parts.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        try {
          const { header, rows } = await readCsv(content);
          for (const { cells, issues } of rows)
            expect(cells.length === header.length).toBe(issues?.[0]?.code !== 'row.cells');
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('slices are the whole text in order, and each but the last ends with a record', () => {
    const text = fc.array(piece, { maxLength: 80 }).map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (bytes, size) => {
        const slicer = createSlicer();
        const slices: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size) {
          const slice = slicer.push(bytes.subarray(at, at + size));
          if (slice !== undefined) slices.push(slice);
        }
        for (const slice of slices) {
          expect(slice.toString('latin1').split('"').length % 2).toBe(1);
          expect(slice.at(-1) === 0x0a || slice.at(-1) === 0x0d).toBe(true);
        }
        const whole = Buffer.concat([...slices, slicer.end()]);
        expect(whole.equals(bytes)).toBe(true);
        slices.slice(1).forEach((slice, index) => {
          expect(slices[index]?.at(-1) === 0x0d && slice[0] === 0x0a).toBe(false);
        });
      }),
      { numRuns: RUNS * 5 },
    );
  });
});
