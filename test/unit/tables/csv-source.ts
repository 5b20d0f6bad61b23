import { Buffer } from 'node:buffer';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PushMapping } from '../../../src/mapping/mapping.ts';
import { parseMappings } from '../../../src/mapping/parse/parse-mappings.ts';
import { createRowReader } from '../../../src/mapping/rows.ts';
import type { ParsedRow, RowOptions } from '../../../src/mapping/rows.ts';
import { renderRowIssue } from '../../../src/model/issue.ts';
import type { ReadOptions, SourceRow, SourceTable } from '../../../src/model/tables/table.ts';
import { openCsv } from '../../../src/tables/csv/read.ts';

/** A table that was read to its end. */
export interface ReadTable {
  readonly header: readonly string[];
  readonly rows: readonly SourceRow[];
}

/** Writes `content` into a file in a folder of its own, reads it as `open` does and removes it. */
export async function readTable(
  name: string,
  content: string | Uint8Array,
  open: (path: string) => Promise<SourceTable>,
): Promise<ReadTable> {
  const folder = await mkdtemp(join(tmpdir(), 'teamsheet-table-'));
  try {
    const path = join(folder, name);
    await writeFile(path, content);
    const table = await open(path);
    return { header: table.header, rows: (await Array.fromAsync(table.batches())).flat() };
  } finally {
    await rm(folder, { recursive: true });
  }
}

const DEFAULTS: ReadOptions = { origin: 'users.csv', headerRow: 1, delimiter: 'auto', encoding: 'auto' };

/** What a CSV file of this content holds. */
export const readCsv = (
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<ReadTable> =>
  readTable('users.csv', content, (path) => openCsv(path, { ...DEFAULTS, ...options }));

/** `4A 6F` as bytes. */
export function hex(bytes: string): Buffer {
  return Buffer.from(bytes.replaceAll(' ', ''), 'hex');
}

/** A mapping from its YAML; the variables fantasy_league_id and price_type are set. */
export function pushMapping(yaml: string): PushMapping {
  const variables: Readonly<Record<string, string>> = { fantasy_league_id: '1', price_type: 'initial' };
  const [mapping] = parseMappings(`version: 1\n${yaml}`, 'mappings/test.yaml', {
    variable: (name) => variables[name],
    resolvePath: (path) => `/season/${path}`,
    readLayout: (file) => ({ file, text: '' }),
  });
  if (mapping?.direction !== 'push') throw new Error('the test needs a mapping that pushes');
  return mapping;
}

/** The mapping of users that most tests read with. */
export const USERS = `
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns:
  external_id: { from: Member ID, required: true }
  display_name: { from: Display name }
  is_active: { from: Active, type: boolean }
`;

/** The rows of a CSV file, parsed with a mapping. */
export async function parseRows(
  content: string | Uint8Array,
  mapping: PushMapping = pushMapping(USERS),
  options: Partial<ReadOptions & RowOptions> = {},
): Promise<readonly ParsedRow[]> {
  return parseTable(await readCsv(content, { ...options, origin: mapping.source.origin }), mapping, options);
}

/** The rows of a table, parsed with a mapping. */
export function parseTable(
  { header, rows }: ReadTable,
  mapping: PushMapping,
  options: Partial<RowOptions> = {},
): readonly ParsedRow[] {
  const reader = createRowReader(mapping, header, {
    allowKeyShape: false,
    variable: () => undefined,
    ...options,
  });
  return [...reader.read(rows), ...reader.end()];
}

/** Every issue as a person reads it: `users.csv row 2, column "Active": ...`. */
export function messagesOf(rows: readonly ParsedRow[], origin = 'users.csv'): readonly string[] {
  return rows.flatMap(({ rowNumber, issues }) =>
    issues.map((issue) => renderRowIssue(origin, rowNumber, issue)),
  );
}
