import type { PushMapping } from '../../src/mapping/mapping.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import type { Fields } from '../../src/model/tables/cell.ts';
import type { KnownRecord, RunRow } from '../../src/model/state/run-rows.ts';
import { digestFields } from '../../src/plan/digest.ts';

/** A users mapping on `users.csv` with every default of the mapping format. */
export function pushMapping(changes: Partial<PushMapping> = {}): PushMapping {
  return {
    direction: 'push',
    name: 'users',
    place: { file: 'mappings/users.yaml', line: 1 },
    resource: 'users',
    operation: 'upsert',
    source: {
      location: { kind: 'csv', path: '/nowhere/users.csv' },
      origin: 'users.csv',
      headerRow: 1,
      where: [],
      delimiter: 'auto',
      encoding: 'auto',
      locale: 'en',
      layout: { kind: 'table' },
    },
    columns: 'auto',
    autoValues: {},
    missingRows: 'ignore',
    writeBack: undefined,
    rejectMode: 'skip',
    guards: {
      minRows: 1,
      maxChangePct: 100,
      maxDeactivate: 0,
      maxStep: undefined,
      maxStepPct: undefined,
    },
    batchSize: 100,
    compare: 'auto',
    ...changes,
  };
}

/** The mappings of a text; their tables stand where it says, and nothing comes from outside of it. */
export const mappingsOf = (text: string, file = 'mappings.yaml'): readonly PushMapping[] =>
  parseMappings(text, file, {
    variable: () => undefined,
    resolvePath: (path) => path,
    readLayout: () => ({ file: '', text: '' }),
  }) as readonly PushMapping[];

/** A mapping from the line of its columns; it reads a table of its own name. */
export function mappingFrom(
  name: string,
  resource: string,
  operation: string,
  columns: string,
  more = '',
): PushMapping {
  const text = `
version: 1
name: ${name}
push: ${resource}
source: { csv: ${name}.csv }
operation: ${operation}
${more}
columns: ${columns}
`;
  return mappingsOf(text, `${name}.yaml`)[0] as PushMapping;
}

/** An open row with the given fields, numbered and keyed as a users row is. */
export function runRow(rowNumber: number, fields: Fields, changes: Partial<RunRow> = {}): RunRow {
  const key = typeof fields.external_id === 'string' ? fields.external_id : `key-${rowNumber}`;
  return {
    rowNumber,
    lines: [Object.values(fields).map(String)],
    key,
    folded: key.toLowerCase(),
    fields,
    change: 'pending',
    before: null,
    said: [],
    outcome: null,
    id: null,
    ...changes,
  };
}

/** A row that creates the user of this number. */
export const createUser = (at: number, changes: Partial<RunRow> = {}): RunRow =>
  runRow(at, { external_id: `U${at}`, display_name: `Name ${at}` }, { change: 'create', ...changes });

/** A known record whose values are all kept. */
export function knownRecord(key: string, values: Fields, id: string | null = `id-${key}`): KnownRecord {
  return { key, id, number: null, digests: digestFields(values), values };
}
