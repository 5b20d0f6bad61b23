import { pushTarget, type ResourceName } from '../../contract/index.ts';
import { shownLine, type FieldValue, type Fields } from '../../model/tables/cell.ts';
import type { KnownRecord, RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';
import { sourceHeader } from '../../mapping/bind.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { nearest } from '../../model/nearest.ts';
import { digestOf } from '../../plan/digest.ts';
import { eachRow } from '../rows/row-pages.ts';
import { keySpeller } from '../rows/spelling.ts';

/** Keys that the nearest one is looked for among, and times that it is looked for: a wrong column must not take minutes. */
const MAX_NEAR_KEYS = 2000;
const MAX_NEAR = 50;

/** A record that a lookup may mean: one that the service has, or a row of this run that may make one. */
export type Candidate =
  | { readonly kind: 'known'; readonly record: KnownRecord }
  | { readonly kind: 'row'; readonly mapping: PushMapping; readonly row: RunRow };

/** Finds records by the texts of some of their fields. */
export interface RecordFinder {
  /** What each of the texts may mean, in their order. */
  find(wanted: readonly (readonly string[])[]): Promise<readonly (readonly Candidate[])[]>;
  nearest(texts: readonly string[]): Promise<string | undefined>;
}

/** The value of a field of a record that the service has; undefined where it is not known. */
export function valueOf(resource: ResourceName, record: KnownRecord, field: string): FieldValue | undefined {
  if (field === 'id') return record.id ?? undefined;
  const { key = [], lookup } = pushTarget(resource) ?? {};
  if (field === lookup?.number) return record.number ?? undefined;
  return key.length === 1 && key[0] === field ? record.key : record.values[field];
}

/** Finds records by a text of each of the fields: `known` holds those of the service, `mappings` the rows that may make more. */
export function findRecords(
  {
    store,
    account,
    rows,
  }: { readonly store: Store; readonly account: ServiceAccount; readonly rows: RunRows },
  resource: ResourceName,
  match: readonly string[],
  known: (keys: readonly string[]) => Promise<ReadonlyMap<string, readonly KnownRecord[]>>,
  mappings: readonly PushMapping[],
): RecordFinder {
  const key = pushTarget(resource)?.key ?? [];
  const byKey = key.length === match.length && key.every((field) => match.includes(field));
  const keyFrom = (texts: readonly string[]): string =>
    key.map((field) => texts[match.indexOf(field)] ?? '').join('/');
  const digest = digestMaker(resource, match);
  let planned: ReadonlyMap<string, readonly Candidate[]> | undefined;
  let spell: ((key: string) => string) | undefined;
  let confirmed: ReadonlyMap<string, readonly KnownRecord[]> | undefined;
  const indexPlanned = async (): Promise<ReadonlyMap<string, readonly Candidate[]>> => {
    const index = new Map<string, Candidate[]>();
    const same = (spell ??= await keySpeller({ store }, account, resource));
    for (const mapping of mappings) {
      for await (const row of eachRow(rows, mapping.name)) {
        const under = isCandidate(row) && (byKey ? row.key : row.fields && digest.ofFields(row.fields));
        if (typeof under === 'string') add(index, byKey ? same(under) : under, { kind: 'row', mapping, row });
      }
    }
    return index;
  };
  const indexConfirmed = async (): Promise<ReadonlyMap<string, readonly KnownRecord[]>> => {
    const index = new Map<string, KnownRecord[]>();
    for await (const page of store.allSnapshots(account, resource)) {
      for (const record of page) {
        const under = digest.ofRecord(record);
        if (under !== undefined) add(index, under, record);
      }
    }
    return index;
  };
  const near = nearestKeys(() => keysOf(store, account, resource, rows, mappings));
  return {
    find: async (wanted) => {
      const names = wanted.map((texts) => (byKey ? keyFrom(texts) : digest.ofTexts(texts)));
      const held = byKey ? await known(names) : (confirmed ??= await indexConfirmed());
      return Promise.all(
        names.map(async (name) => {
          const records = (held.get(name) ?? []).map((record): Candidate => ({ kind: 'known', record }));
          if (byKey && records.length > 0) return records;
          planned ??= await indexPlanned();
          const rowsFound = planned.get(byKey && spell !== undefined ? spell(name) : name) ?? [];
          // A row that is no create stands for a record that the service has.
          return records.length === 0
            ? preferred(rowsFound)
            : [...records, ...preferred(rowsFound.filter((each) => isNew(each)))];
        }),
      );
    },
    nearest: async (texts) => (byKey || match.length === 1 ? near(keyFrom(texts)) : undefined),
  };
}

/** Finds rows of a mapping by the texts of fields or of columns of its source. */
export function findRows(rows: RunRows, mapping: PushMapping, match: readonly string[]): RecordFinder {
  let planned: ReadonlyMap<string, readonly Candidate[]> | undefined;
  const texts = new Set<string>();
  const index = async (): Promise<ReadonlyMap<string, readonly Candidate[]>> => {
    const found = new Map<string, Candidate[]>();
    const read = textsOf(mapping, await rows.header(mapping.name), match);
    for await (const row of eachRow(rows, mapping.name)) {
      const values = isCandidate(row) ? read(row) : [];
      if (values.includes(undefined) || values.length === 0) continue;
      add(found, JSON.stringify(values), { kind: 'row', mapping, row });
      if (texts.size < MAX_NEAR_KEYS && match.length === 1) texts.add(values[0] ?? '');
    }
    return found;
  };
  const near = nearestKeys(() => Promise.resolve([...texts]));
  return {
    find: async (wanted) => {
      const all = (planned ??= await index());
      return wanted.map((each) => preferred(all.get(JSON.stringify(each)) ?? []));
    },
    nearest: async (each) => (match.length === 1 ? near(each[0] ?? '') : undefined),
  };
}

/** Reads the text of a field, or of a column of the source, of a row. */
export function textsOf(
  mapping: PushMapping,
  header: readonly string[],
  names: readonly string[],
): (row: RunRow) => readonly (string | undefined)[] {
  const places = sourceHeader(mapping, header);
  const fields = pushTarget(mapping.resource)?.fields ?? {};
  return (row) =>
    names.map((name) => {
      if (Object.hasOwn(fields, name)) {
        const value = row.fields?.[name];
        return value === undefined ? undefined : String(value);
      }
      const at = places.find([name]);
      if (at === undefined) return undefined;
      const line = shownLine(row.lines[0] ?? []);
      return line[at]?.trim().normalize('NFC');
    });
}

/** A repeated row says what the row before says; one that is left out says nothing. */
const isCandidate = ({ change, id, key, outcome }: RunRow): boolean =>
  key !== null &&
  change !== 'excluded' &&
  !(change === 'unchanged' && id === null && outcome === 'unchanged');

const isNew = (candidate: Candidate): boolean =>
  candidate.kind === 'row' && candidate.row.change === 'create' && candidate.row.id === null;

/** Of rows with one key, that which makes the record. */
function preferred(candidates: readonly Candidate[]): readonly Candidate[] {
  const byKey = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const name = candidate.kind === 'row' ? (candidate.row.key ?? '') : candidate.record.key;
    const before = byKey.get(name);
    const isBetter = before?.kind === 'row' && before.row.change === 'invalid';
    if (before === undefined || isBetter) byKey.set(name, candidate);
  }
  return [...byKey.values()];
}

function add<T>(index: Map<string, T[]>, name: string, value: T): void {
  const there = index.get(name);
  if (there === undefined) index.set(name, [value]);
  else there.push(value);
}

/** Texts and values of some fields as one digest, so that what is only remembered by its digest can be found. */
function digestMaker(resource: ResourceName, match: readonly string[]) {
  const { fields = {}, lookup } = pushTarget(resource) ?? {};
  const isNumber = (name: string): boolean => fields[name]?.type === 'integer' || name === lookup?.number;
  const one = (name: string, value: FieldValue | undefined): string =>
    value === undefined ? '' : name === 'id' ? String(value).toLowerCase() : digestOf(value);
  return {
    ofTexts: (texts: readonly string[]): string =>
      match.map((name, at) => one(name, isNumber(name) ? Number(texts[at]) : (texts[at] ?? ''))).join('/'),
    ofFields: (values: Fields): string => match.map((name) => one(name, values[name])).join('/'),
    ofRecord: (record: KnownRecord): string | undefined => {
      const parts = match.map((name) => {
        const value = valueOf(resource, record, name);
        return value === undefined ? record.digests[name] : one(name, value);
      });
      return parts.includes(undefined) ? undefined : parts.join('/');
    },
  };
}

function nearestKeys(keys: () => Promise<readonly string[]>): (text: string) => Promise<string | undefined> {
  let all: readonly string[] | undefined;
  let asked = 0;
  return async (text) => {
    asked += 1;
    if (asked > MAX_NEAR) return undefined;
    all ??= await keys();
    const found = nearest(text, all);
    return found === undefined ? undefined : show(found);
  };
}

async function keysOf(
  store: Store,
  account: ServiceAccount,
  resource: ResourceName,
  rows: RunRows,
  mappings: readonly PushMapping[],
): Promise<readonly string[]> {
  const keys = new Set<string>();
  for await (const page of store.allSnapshots(account, resource)) {
    for (const { key } of page) keys.add(key);
    if (keys.size >= MAX_NEAR_KEYS) return [...keys];
  }
  for (const mapping of mappings) {
    for await (const { key } of eachRow(rows, mapping.name)) {
      if (key !== null) keys.add(key);
      if (keys.size >= MAX_NEAR_KEYS) return [...keys];
    }
  }
  return [...keys];
}
