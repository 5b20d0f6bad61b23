/**
 * Goal G4: parsing and validating a million rows of users costs at most 0.8 of csv-parse streaming objects without validation, in at most
 * 120 MB. Run: `npm run bench -- parse [ROWS]`. Each side runs in a process of its own, interleaved.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { parse } from 'csv-parse';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import { createRowReader } from '../../src/mapping/rows.ts';
import { openCsv } from '../../src/tables/csv/read.ts';
import { readByTurns } from './support/by-turns.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const MAPPING = `
version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns:
  external_id: { from: Member ID, required: true }
  display_name: { from: Display name, transform: [trim, squeeze] }
  is_active: { from: Active, type: boolean }
`;

async function writeUsers(path: string): Promise<void> {
  const out = createWriteStream(path);
  out.write('Member ID,Display name,Active,Club\n');
  let block = '';
  for (let row = 1; row <= ROWS; row++) {
    const name = row % 10 === 0 ? `"Member, ${row} of many"` : `Fictional Member ${row}`;
    block += `M${String(row).padStart(7, '0')},${name},${row % 7 === 0 ? 'FALSE' : 'TRUE'},Harbour Town\n`;
    if (block.length < 1 << 16) continue;
    if (!out.write(block)) await once(out, 'drain');
    block = '';
  }
  out.end(block);
  await once(out, 'close');
}

async function yardstick(path: string): Promise<number> {
  let rows = 0;
  const records = createReadStream(path).pipe(parse({ columns: true }));
  for await (const record of records) if (record !== null) rows++;
  return rows;
}

async function ours(path: string): Promise<number> {
  const [mapping] = parseMappings(MAPPING, 'users.yaml', {
    variable: () => undefined,
    resolvePath: () => path,
    readLayout: (file) => ({ file, text: '' }),
  });
  const push = mapping as PushMapping;
  const table = await openCsv(path, {
    origin: 'users.csv',
    headerRow: 1,
    delimiter: 'auto',
    encoding: 'auto',
  });
  const reader = createRowReader(push, table.header, { allowKeyShape: false, variable: () => undefined });
  let valid = 0;
  for await (const batch of table.batches()) {
    for (const row of reader.read(batch)) if (row.status === 'valid') valid++;
  }
  return valid;
}

await readByTurns(import.meta.filename, { yardstick, ours }, writeUsers, (of) => {
  console.log(`csv-parse streaming objects  ${of.yardstick.ms.toFixed(0)} ms for ${of.yardstick.rows} rows`);
  console.log(`parse and validate           ${of.ours.ms.toFixed(0)} ms for ${of.ours.rows} valid rows`);
  console.log(
    `G4: ratio ${(of.ours.ms / of.yardstick.ms).toFixed(2)} (goal 0.80), RSS ${of.ours.peakMb.toFixed(0)} MB (goal 120)`,
  );
});
