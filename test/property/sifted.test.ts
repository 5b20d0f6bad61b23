import { Buffer } from 'node:buffer';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { ConfigError } from '../../src/model/error.ts';
import type { RunRows } from '../../src/model/run-rows.ts';
import { eachRow } from '../../src/sync/rows/row-pages.ts';
import { readSources } from '../../src/sync/rows/read-rows.ts';
import { validateSources } from '../../src/sync/validate.ts';
import { csv } from '../../src/tables/csv.ts';
import { PLAN_OPTIONS, withEngine, type Engine } from '../support/engine.ts';
import { mappingOn, runs } from '../support/push-case.ts';

/** Files in which keys come again, look alike, are wrong in every way, and whose bytes are anything. */
const KEYS = [
  'A',
  'a',
  'А',
  'é',
  'e\u0301',
  '12',
  '012',
  ' B',
  'B',
  'B ',
  '',
  'NULL',
  '1E+05',
  'Ｂ',
  'x\ny',
  '\0',
];
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...KEYS) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }).filter((each) => !/[\r\n]/.test(each)),
  },
);
const name = fc.constantFrom('', 'Ann', 'Ann', 'Bo', 'Zoë', 'N/A', 'x'.repeat(51), 'a "b", c', '\u202e');
const active = fc.constantFrom('', 'true', 'true', 'false', 'yes');
const cells = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(key, name, active) },
  { weight: 1, arbitrary: fc.array(name, { minLength: 1, maxLength: 5 }) },
);
const quote = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const HEADER = 'external_id,display_name,is_active\n';
const table = fc
  .array(cells, { maxLength: 25 })
  .map((lines) => Buffer.from(HEADER + lines.map((line) => `${line.map(quote).join(',')}\n`).join('')));
const damaged = fc
  .tuple(table, fc.array(fc.tuple(fc.nat(400), fc.nat(4), fc.uint8Array({ maxLength: 3 })), { maxLength: 3 }))
  .map(([bytes, edits]) =>
    edits.reduce(
      (all, [at, remove, insert]) => Buffer.concat([all.subarray(0, at), insert, all.subarray(at + remove)]),
      bytes,
    ),
  );
const anyBytes = fc
  .uint8Array({ maxLength: 200 })
  .map((bytes) => Buffer.concat([Buffer.from(HEADER), bytes]));
const files = fc.oneof(
  { weight: 6, arbitrary: table },
  { weight: 2, arbitrary: damaged },
  { weight: 1, arbitrary: anyBytes },
);

/** What a reading tells: its warnings, and its end or its error. */
async function told<T>(
  engine: Engine,
  read: () => Promise<T>,
): Promise<{ readonly said: unknown; readonly end: T | string }> {
  engine.events.length = 0;
  let end: T | string;
  try {
    end = await read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    end = `${error.code}: ${error.message}`;
  }
  return { said: engine.events.filter(({ kind }) => kind !== 'reading'), end };
}

async function contentOf(rows: RunRows, mapping: PushMapping) {
  const all = await Array.fromAsync(eachRow(rows, mapping.name));
  const outcomes = new Map([...(await rows.countOutcomes(mapping.name))].sort());
  const changes = new Map([...(await rows.countChanges(mapping.name))].sort());
  const open = new Map([...(await rows.countChanges(mapping.name, true))].sort());
  await rows.remove();
  const named = all.filter(({ outcome, said }) => outcome === 'invalid' || said.length > 0);
  return { named, outcomes, changes, open };
}

async function inFile<T>(
  content: Uint8Array,
  work: (engine: Engine, mapping: PushMapping) => Promise<T>,
): Promise<T> {
  return withEngine(async (engine) => {
    const file = path.join(engine.folder, 'users.csv');
    await writeFile(file, content);
    const ports = { ...engine.ports, tables: { ...engine.ports.tables, csv } };
    return work({ ...engine, ports }, mappingOn(file));
  });
}

describe('rows that are left out', () => {
  it('change nothing of what validate says of the others, and are counted', async () => {
    await fc.assert(
      fc.asyncProperty(files, (content) =>
        inFile(content, async (engine, mapping) => {
          const whole = await told(engine, async () =>
            contentOf(await readSources(engine.ports, null, [mapping], PLAN_OPTIONS), mapping),
          );
          const sifted = await told(engine, async () => {
            const { rows } = await validateSources(engine.ports, [mapping], PLAN_OPTIONS);
            return contentOf(rows, mapping);
          });
          expect(sifted).toEqual(whole);
        }),
      ),
      { numRuns: runs(60, 10_000) },
    );
  }, 600_000);
});
