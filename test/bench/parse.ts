/**
 * Goal G4: parsing and validating a million rows of users costs at most 0.8 of csv-parse streaming objects without validation, in at most
 * 120 MB. Run: `npm run bench -- parse [ROWS]`. Each side runs in a process of its own, interleaved.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import { createRowReader } from '../../src/mapping/rows.ts';
import { openCsv } from '../../src/tables/csv/read.ts';
import { median } from './support/measure.ts';

const ROUNDS = 3;
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

async function writeUsers(path: string, rows: number): Promise<void> {
  const out = createWriteStream(path);
  out.write('Member ID,Display name,Active,Club\n');
  let block = '';
  for (let row = 1; row <= rows; row++) {
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

interface Sample {
  readonly rows: number;
  readonly ms: number;
  readonly rssMb: number;
}

async function measure(side: string, path: string): Promise<Sample> {
  const start = performance.now();
  const rows = await (side === 'ours' ? ours(path) : yardstick(path));
  const ms = performance.now() - start;
  return { rows, ms, rssMb: process.resourceUsage().maxRSS / 1024 };
}

async function compare(rows: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'teamsheet-bench-'));
  const path = join(folder, 'users.csv');
  const samples: Record<'yardstick' | 'ours', Sample[]> = { yardstick: [], ours: [] };
  try {
    await writeUsers(path, rows);
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of ['yardstick', 'ours'] as const) {
        const out = execFileSync(process.execPath, [fileURLToPath(import.meta.url), '--side', side, path], {
          encoding: 'utf8',
        });
        samples[side].push(JSON.parse(out) as Sample);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const ms = {
    yardstick: median(samples.yardstick.map((one) => one.ms)),
    ours: median(samples.ours.map((one) => one.ms)),
  };
  const rss = Math.max(...samples.ours.map(({ rssMb }) => rssMb));
  console.log(
    `csv-parse streaming objects  ${ms.yardstick.toFixed(0)} ms for ${samples.yardstick[0]?.rows ?? 0} rows`,
  );
  console.log(
    `parse and validate           ${ms.ours.toFixed(0)} ms for ${samples.ours[0]?.rows ?? 0} valid rows`,
  );
  console.log(
    `G4: ratio ${(ms.ours / ms.yardstick).toFixed(2)} (goal 0.80), RSS ${rss.toFixed(0)} MB (goal 120)`,
  );
}

const [first = '1000000', side, path] = process.argv.slice(2);
if (first === '--side' && side !== undefined && path !== undefined) {
  console.log(JSON.stringify(await measure(side, path)));
} else {
  await compare(Number(first));
}
