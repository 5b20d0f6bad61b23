import { Buffer } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/model/error.ts';
import { push } from '../../src/sync/push.ts';
import { csv } from '../../src/tables/csv.ts';
import { PLAN_OPTIONS, withEngine } from '../support/engine.ts';
import { readCsv } from '../unit/tables/csv-source.ts';
import { approve, expectNoKeyTwice, expectWholeCounts, mappingOn } from '../support/push-case.ts';
import { runs } from '../support/long.ts';

/** Pushes a real file of those bytes: one clear error and nothing sent, or every record of it ends in one outcome. */
function expectAddsUp(content: Uint8Array, expectedRows?: readonly number[]): Promise<void> {
  return withEngine(async (engine) => {
    const file = path.join(engine.folder, 'users.csv');
    await writeFile(file, content);
    const mapping = mappingOn(file);
    const ports = { ...engine.ports, tables: { ...engine.ports.tables, csv } };
    const options = { ...PLAN_OPTIONS, allowEmpty: true };
    try {
      const result = await push(ports, 'push', [mapping], options, approve);
      const rowNumbers = expectedRows ?? (await readCsv(content)).rows.map(({ rowNumber }) => rowNumber);
      expectWholeCounts(engine, result, rowNumbers);
      expectNoKeyTwice(engine);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(expectedRows).toBeUndefined();
      expect(error.exitCode).toBe(4);
      expect(error.message).toContain('users.csv');
      expect(engine.service.counts().sent).toBe(0);
    }
  });
}

const text = fc.oneof(
  fc.constantFrom('', 'A', 'B', ' A ', '"', ',', 'é', '\0', 'x\ny', '#N/A', 'true', '0012'),
  fc.string({ unit: 'grapheme', maxLength: 5 }).filter((each) => !/[\r\n]/.test(each)),
);
const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const record = fc.array(text, { minLength: 1, maxLength: 4 });

describe('the counts of a push add up', () => {
  it('for any records, each of them numbered by its line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 15 }), fc.constantFrom('\n', '\r\n'), (records, end) => {
        const lines = [
          'external_id,display_name,is_active',
          ...records.map((cells) => cells.map(quote).join(',')),
        ];
        const rowNumbers: number[] = [];
        let line = 2;
        for (const cells of records) {
          if (cells.some((cell) => cell.trim() !== '')) rowNumbers.push(line);
          line += 1 + cells.filter((cell) => cell === 'x\ny').length;
        }
        return expectAddsUp(Buffer.from(lines.join(end)), rowNumbers);
      }),
      { numRuns: runs(25, 3000) },
    );
  }, 600_000);

  it('for any bytes, and any damage to a good file', async () => {
    const good = Buffer.from(
      'external_id,display_name,is_active\nA,Ann,true\r\nB,"Bo ""b""",\nC,Zoë,false\n\n0012,"x,y",1\n',
    );
    const edit = fc.record({
      at: fc.nat(good.length),
      remove: fc.nat(6),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc
          .constantFrom('"', ',', ';', '\n', '\r', '\0', '\ufeff', 'A,Ann,true\n')
          .map((each) => Buffer.from(each)),
      ),
    });
    const damaged = fc
      .array(edit, { minLength: 1, maxLength: 4 })
      .map((edits) =>
        edits.reduce<Uint8Array>(
          (bytes, { at, remove, insert }) =>
            Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)]),
          good,
        ),
      );
    const header = Buffer.from('external_id,display_name\n');
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          { weight: 6, arbitrary: damaged },
          { weight: 1, arbitrary: bytes },
          { weight: 2, arbitrary: bytes.map((each) => Buffer.concat([header, each])) },
        ),
        (content) => expectAddsUp(content),
      ),
      { numRuns: runs(50, 10_000) },
    );
  }, 600_000);
});
