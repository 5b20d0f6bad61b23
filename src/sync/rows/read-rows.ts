import type { PushMapping } from '../../mapping/mapping.ts';
import { createRowReader, type ParsedRow } from '../../mapping/rows.ts';
import { renderCountOf } from '../../model/count.ts';
import { ConfigError } from '../../model/error.ts';
import type { RunEvent } from '../../model/event.ts';
import { renderIssue, renderRowIssue, type Issue } from '../../model/issue.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { SourceDigest, SourceTable, TableLocation } from '../../model/tables/table.ts';
import { fromIssues } from '../../model/said.ts';
import { lookupFiles, readLookupTables } from './lookup-tables.ts';
import type { SyncPorts } from '../ports.ts';
import type { PlanOptions, RowChoice } from '../../plan/saved/push-plan.ts';
import { openWeekTable } from './league-weeks.ts';
import { movedRows } from './moved-rows.ts';
import { rowChecks } from './row-checks.ts';
import { settleDuplicates } from './settle-duplicates.ts';
import { countedWith, LeftRows, type Sieve, type WholeReading } from './left-rows.ts';
import { eachRow } from './row-pages.ts';

type ReadPorts = Pick<
  SyncPorts,
  'store' | 'tables' | 'emit' | 'signal' | 'variable' | 'timezone' | 'rulesOf'
> &
  Partial<Pick<SyncPorts, 'baseUrl' | 'service'>>;
type ReadOptions = Pick<PlanOptions, 'limit' | 'encoding' | 'allowKeyShape' | 'only' | 'weeks'>;

/** What the rows of a mapping are sifted by, made anew for each reading; undefined where all of them are kept. */
export type SieveOf = (mapping: PushMapping) => Sieve | undefined;

/** What is done beside reading. */
interface ReadingHooks {
  /** Is told of a mapping whose table is not there, which has no rows then. It may be told twice. */
  readonly onMissing?: ((mapping: PushMapping, error: ConfigError) => unknown) | undefined;
  readonly sieveOf?: SieveOf | undefined;
  /** Stands before the rows of the run: what is read is added through it. */
  readonly through?: ((rows: RunRows) => RunRows) | undefined;
}

/** What is read into the rows of a run, and how. */
interface Reading {
  readonly ports: ReadPorts;
  readonly runId: string | null;
  readonly mappings: readonly PushMapping[];
  readonly options: ReadOptions;
  readonly hooks: ReadingHooks;
}

/**
 * Reads the sources of all mappings into the rows of a run. Errors: those of reading, one for all tables that are not there unless `onMissing` is told of them;
 * nothing is left behind.
 */
export function readSources(
  ports: ReadPorts,
  runId: string | null,
  mappings: readonly PushMapping[],
  options: ReadOptions,
  hooks: ReadingHooks = {},
): Promise<RunRows> {
  const { sieveOf } = hooks;
  const reading = { ports, runId, mappings, options, hooks };
  return againIfChanged(
    () => (sieveOf === undefined ? readAll(reading) : readSifted(reading, sieveOf)),
    ports.emit,
  );
}

/** So many rows of keys that others have are remembered by their numbers; of more, all rows of all tables are kept. */
const MAX_REPEATED = 100_000;

/** Reads the sources; where rows have one key, or keys that look alike, once more, so that those rows are kept. */
async function readSifted(reading: Reading, sieveOf: SieveOf): Promise<RunRows> {
  const { ports, mappings } = reading;
  let kept: ReadonlyMap<string, ReadonlySet<number>> = new Map();
  for (let isFirst = true; ; isFirst = false) {
    const left = new Map<string, LeftRows>();
    for (const mapping of mappings) {
      const sieve = sieveOf(mapping);
      if (sieve !== undefined)
        left.set(mapping.name, new LeftRows(sieve, kept.get(mapping.name) ?? new Set()));
    }
    // What a reading has to tell is told once.
    const told: RunEvent[] = [];
    const emit = (event: RunEvent): unknown =>
      event.kind === 'reading' ? ports.emit(event) : told.push(event);
    const tell = (): void => told.forEach(ports.emit);
    let rows: RunRows;
    try {
      rows = await readAll({ ...reading, ports: { ...ports, emit } }, left);
    } catch (error) {
      tell();
      throw error;
    }
    kept = new Map([...left].map(([name, each]) => [name, new Set(each.repeated())]));
    const repeated = kept.values().reduce((sum, { size }) => sum + size, 0);
    if (repeated === 0) {
      tell();
      return countedWith(rows, left);
    }
    await rows.remove();
    // A table that changed meanwhile has other rows of one key.
    if (!isFirst || repeated > MAX_REPEATED) {
      // What the sieves found so far counts no more.
      mappings.forEach(sieveOf);
      return readAll(reading);
    }
  }
}

/** Does once more what met a file that changed while it was read. Errors: ConfigError `source.changed` the second time; those of `read`. */
export async function againIfChanged<T>(read: () => Promise<T>, emit?: SyncPorts['emit']): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code !== 'source.changed') throw error;
    emit?.({ kind: 'note', message: `${error.message}; it is read again` });
    return read();
  }
}

async function readAll(reading: Reading, left: ReadonlyMap<string, LeftRows> = new Map()): Promise<RunRows> {
  const { ports, mappings } = reading;
  const { onMissing, through = (read: RunRows) => read } = reading.hooks;
  announceSources(
    ports.tables,
    mappings.flatMap((mapping) => [
      ...(mapping.source.location.kind === 'weeks' ? [] : [mapping.source.location]),
      ...lookupFiles(mapping).map(({ location }) => location),
    ]),
  );
  const rows = through(await ports.store.openRunRows(reading.runId));
  return openOrRemove(rows, async () => {
    const missing: ConfigError[] = [];
    for (const mapping of mappings) {
      try {
        await readRows(reading, mapping, rows, left.get(mapping.name));
      } catch (error) {
        if (!isMissing(error)) throw error;
        missing.push(error);
        onMissing?.(mapping, error);
      }
    }
    if (onMissing === undefined) throwMissing(missing);
    return rows;
  });
}

const isMissing = (error: unknown): error is ConfigError =>
  error instanceof ConfigError && (error.code === 'source.missing' || error.code === 'source.missing_tab');

/** One error for all tables that are not there: its place and its code are those of the first one. */
export function throwMissing(missing: readonly ConfigError[]): void {
  const [first, second] = missing;
  if (first === undefined) return;
  if (second === undefined) throw first;
  const lines = (texts: readonly (string | undefined)[]): string =>
    [...new Set(texts.filter((text) => text !== undefined))].join('\n');
  const next = lines(missing.map((error) => error.next));
  throw new ConfigError(first.code, lines(missing.map(({ message }) => message)), { ...first.place, next });
}

/** Tells each kind of table which sources are going to be opened together. */
export function announceSources(tables: SyncPorts['tables'], locations: readonly TableLocation[]): void {
  for (const [kind, group] of Map.groupBy(locations, (location) => location.kind))
    tables[kind].announce?.(group);
}

/** What `open` answers; when it fails, the rows are removed. */
export async function openOrRemove<T>(rows: RunRows, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await rows.remove();
    throw error;
  }
}

/**
 * Reads the source of a mapping into the run's rows: every row after the header is there once, valid ones as `pending`. Rows of one key are
 * compared with each other. Sends nothing. Errors: ConfigError `source.*` and `header.*`.
 */
async function readRows(
  reading: Reading,
  mapping: PushMapping,
  rows: RunRows,
  left: LeftRows | undefined,
): Promise<void> {
  const { ports, options } = reading;
  const { source } = mapping;
  const { location } = source;
  if (left !== undefined && (await recallRows(ports, mapping, rows, left))) return;
  const isDigested = left?.memory !== undefined;
  const table =
    location.kind === 'weeks'
      ? await openWeekTable(ports, mapping, location, options.weeks?.[mapping.name])
      : await openSource(ports, mapping, location, options.encoding ?? source.encoding, isDigested);
  let read: Omit<WholeReading, 'counts'>;
  try {
    read = await addRows(reading, mapping, table, rows, left);
  } finally {
    await table.close();
  }
  await settleDuplicates(rows, mapping.name);
  await warnLookAlikes(ports, mapping, rows);
  const digest = table.digest?.();
  const counts = left?.whole();
  await left?.memory?.keep(
    digest === undefined || counts === undefined
      ? undefined
      : { source: { origin: table.origin, digest }, reading: { ...read, counts } },
  );
}

/** Whether the source and all that its rows were compared with are as they were: it is told then as it was, and not read. */
async function recallRows(
  ports: ReadPorts,
  { name, source }: PushMapping,
  rows: RunRows,
  left: LeftRows,
): Promise<boolean> {
  const { location, origin } = source;
  if (location.kind === 'weeks') return false;
  const digest = async (): Promise<SourceDigest | undefined> => {
    try {
      return await ports.tables[location.kind].digestOf?.(location, origin);
    } catch (error) {
      // Whoever opens the source says what is wrong with it.
      if (error instanceof ConfigError) return undefined;
      throw error;
    }
  };
  const reading = await left.memory?.recall(digest);
  if (reading === undefined) return false;
  for (const warning of reading.warnings) warn(ports, warning);
  await rows.setHeader(name, reading.header);
  left.recall(reading.counts);
  ports.emit({ kind: 'reading', mapping: name, done: reading.rows });
  return true;
}

/** Opens the source of a mapping. What Google says of a spreadsheet names the mapping too, which alone knows it. */
async function openSource(
  { tables }: ReadPorts,
  { name, place, source, writeBack = {} }: PushMapping,
  location: TableLocation,
  encoding: string,
  isDigested: boolean,
): Promise<SourceTable> {
  const { origin, headerRow, delimiter } = source;
  try {
    const how = { origin, headerRow, delimiter, encoding, isDigested, written: Object.values(writeBack) };
    return await tables[location.kind].open(location, how);
  } catch (cause) {
    const isBare = cause instanceof ConfigError && cause.place.file === undefined;
    if (!isBare || !cause.code.startsWith('google.')) throw cause;
    throw new ConfigError(cause.code, `mapping ${name}: ${cause.message}`, {
      ...place,
      next: cause.next,
      cause,
    });
  }
}

async function addRows(
  { ports, runId, options }: Reading,
  mapping: PushMapping,
  table: SourceTable,
  rows: RunRows,
  left: LeftRows | undefined,
): Promise<Omit<WholeReading, 'counts'>> {
  const reader = createRowReader(mapping, table.header, {
    allowKeyShape: options.allowKeyShape,
    variable: ports.variable,
    timezone: ports.timezone,
    tableTimezone: table.timezone,
    tables: await readLookupTables(ports, mapping),
  });
  const warnings = [...table.warnings, ...reader.warnings].map(
    (warning) => `${table.origin}: ${renderIssue(warning)}`,
  );
  for (const warning of warnings) warn(ports, warning);
  await rows.setHeader(mapping.name, reader.header);
  let done = 0;
  const { only = {} } = options;
  const chosen = Object.hasOwn(only, mapping.name) ? only[mapping.name] : undefined;
  const isWanted = choose(chosen);
  const moved = chosen && movedRows(chosen);
  const checks = rowChecks(ports, mapping, runId !== null);
  await left?.open(table);
  const add = async (parsed: readonly ParsedRow[], known = 0): Promise<void> => {
    moved?.look(parsed);
    const room = parsed.filter(isWanted).slice(0, Math.max(0, (options.limit ?? Infinity) - done));
    const read = (await checks.check(room)).map(toRunRow);
    await (left === undefined ? rows.add(mapping.name, read) : left.add(rows, mapping.name, read));
    done += room.length + known;
    ports.emit({ kind: 'reading', mapping: mapping.name, done });
  };
  for await (const batch of table.batches()) {
    ports.signal.throwIfAborted();
    const toRead = left?.toRead(batch) ?? batch;
    await add(reader.read(toRead), batch.length - toRead.length);
    if (done >= (options.limit ?? Infinity)) break;
  }
  await add(reader.end());
  checks.end();
  if (chosen !== undefined) {
    const wanted = chosenRows(chosen);
    // Several rows may have one refused key.
    const found =
      done > wanted
        ? `${done} rows found again for ${renderCountOf(wanted, 'refused key')}`
        : `${done} of ${renderCountOf(wanted, 'refused row')} found again`;
    ports.emit({ kind: 'note', message: `${mapping.name}: ${found}; no other row is read` });
    for (const message of moved?.told() ?? []) warn(ports, `${table.origin}: ${message}`);
  }
  return { header: reader.header, warnings, rows: done };
}

/** How many rows are asked for, where no two have one key. */
export const chosenRows = ({ keys, rowNumbers }: RowChoice): number => keys.length + rowNumbers.length;

/** Those that are asked for and that none of the rows of a mapping is. */
export async function missedRows(choice: RowChoice, rows: RunRows, mapping: string): Promise<RowChoice> {
  const { stoodAt = [], refusedBy = [] } = choice;
  const keys = new Set(choice.keys);
  const rowNumbers = new Set(choice.rowNumbers);
  for await (const { key, readKey, rowNumber } of eachRow(rows, mapping)) {
    keys.delete(readKey ?? key ?? '');
    rowNumbers.delete(rowNumber);
  }
  const isMissed = [
    ...choice.keys.map((key) => keys.has(key)),
    ...choice.rowNumbers.map((rowNumber) => rowNumbers.has(rowNumber)),
  ];
  const missed = <Value>(values: readonly Value[]): readonly Value[] =>
    values.filter((_, at) => isMissed[at]);
  return {
    keys: [...keys],
    rowNumbers: [...rowNumbers],
    stoodAt: missed(stoodAt),
    refusedBy: missed(refusedBy),
  };
}

function choose(only: RowChoice | undefined): (row: ParsedRow) => boolean {
  if (only === undefined) return () => true;
  const keys = new Set(only.keys);
  const rowNumbers = new Set(only.rowNumbers);
  return ({ key, rowNumber }) => (key !== null && keys.has(key)) || rowNumbers.has(rowNumber);
}

function toRunRow(parsed: ParsedRow): RunRow {
  const outcome = parsed.status === 'valid' ? null : parsed.status;
  return {
    rowNumber: parsed.rowNumber,
    lines: parsed.lines,
    key: parsed.key,
    folded: parsed.folded,
    fields: parsed.fields,
    change: outcome ?? 'pending',
    before: null,
    said: fromIssues(parsed.issues),
    outcome,
    id: null,
    ...(parsed.lookups === undefined ? {} : { lookups: parsed.lookups }),
  };
}

/** At most this many look-alike keys are spelt out; the rest are counted. */
const LOOK_ALIKES_SHOWN = 10;

async function warnLookAlikes(ports: ReadPorts, mapping: PushMapping, rows: RunRows): Promise<void> {
  let found = 0;
  for await (const { rowNumber, otherRow, otherKey } of rows.lookAlikes(mapping.name)) {
    found += 1;
    if (found > LOOK_ALIKES_SHOWN) continue;
    const issue: Issue = {
      code: 'key.look_alike',
      severity: 'warning',
      message: `its key looks like "${otherKey}" of row ${otherRow} but is another one; both are kept`,
    };
    warn(ports, renderRowIssue(mapping.source.origin, rowNumber, issue));
  }
  if (found > LOOK_ALIKES_SHOWN)
    warn(
      ports,
      `${mapping.source.origin}: ${renderCountOf(found - LOOK_ALIKES_SHOWN, 'more key looks', 'more keys look')} like others`,
    );
}

const warn = (ports: ReadPorts, message: string): void => ports.emit({ kind: 'warning', message });
