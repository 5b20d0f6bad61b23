import type { PushMapping } from '../../mapping/mapping.ts';
import { digestOf } from '../digest.ts';
import { mappingParts, NO_CELLS, type SavedHeader, type SavedRow } from './saved-plan.ts';
import type { MappingPlan, PlannedChange } from './push-plan.ts';

/** Where a plan and what is there now part, in the order in which a person looks. */
export const PLAN_PARTS = ['mapping', 'source', 'state', 'service'] as const;
type PlanPart = (typeof PLAN_PARTS)[number];

/** One thing that is another than a saved plan says. */
export interface Difference {
  readonly part: PlanPart;
  readonly mapping: string;
  readonly row: number | null;
  readonly key: string | null;
  /** The fields that differ, or the parts of the mapping. */
  readonly fields: readonly string[];
  readonly message: string;
}

/** The mappings of a saved plan that are others now, or gone. */
export function compareMappings(
  saved: Pick<SavedHeader, 'mappings'>,
  now: readonly PushMapping[],
): readonly Difference[] {
  return saved.mappings.flatMap(({ name, parts }): readonly Difference[] => {
    const mapping = now.find((each) => each.name === name);
    if (mapping === undefined) return [ofMapping(name, [], 'it is no longer there')];
    const found = mappingParts(mapping);
    const changed = [...new Set([...Object.keys(parts), ...Object.keys(found)])].filter(
      (part) => parts[part] !== found[part],
    );
    if (changed.length === 0) return [];
    const words = changed.map(wordOf);
    const what = words.length === 1 ? 'is' : 'are';
    const message = `its ${words.join(', ')} ${what} not as planned, or a variable that it uses has changed`;
    return [ofMapping(name, words, message)];
  });
}

const ofMapping = (mapping: string, fields: readonly string[], message: string): Difference => ({
  part: 'mapping',
  mapping,
  row: null,
  key: null,
  fields,
  message: `${mapping}: ${message}`,
});

/** `missingRows` is `missing_rows` to the people who wrote it. */
const wordOf = (part: string): string =>
  part === 'autoValues' ? 'vars' : part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Counters of the account that moved although a plan that creates such records was compared with what this state remembers: then only they tell that
 * somebody else created some.
 */
export function compareCounters(
  saved: Pick<SavedHeader, 'mappings'>,
  now: readonly MappingPlan[],
): readonly Difference[] {
  return now.flatMap(({ mapping: { name }, resource, fromMemory, outcomes, used }): readonly Difference[] => {
    const before = saved.mappings.find((each) => each.name === name)?.used;
    if (!fromMemory || outcomes.created === 0 || used === before) return [];
    const message = `${name}: the account counts ${used ?? 'no'} ${resource} now, ${before ?? 'no'} in the plan, and it is not known which`;
    return [{ part: 'service', mapping: name, row: null, key: null, fields: ['used'], message }];
  });
}

/** How the rows of a mapping were compared, in the saved plan and in the new one. */
export interface Witness {
  /** The new plan compared them with what the state remembers, not with the service. */
  readonly fromMemory: boolean;
  /** So did the saved one, or neither did. Otherwise one may know values until now that the other does not. */
  readonly isSame: boolean;
}

type Witnesses = ReadonlyMap<string, Witness>;
type Rows = () => AsyncIterable<SavedRow>;
type MeaningOf = (row: SavedRow) => string;

/** Rows of each plan that differences are made of; those after them are not named. */
const MOST_ROWS = 10_000;

/**
 * What a new plan does otherwise than the saved one: nothing where each mapping has the same digest, else the first rows that differ. Rows may stand
 * elsewhere in their table: what is done with each key has to be the same.
 */
export async function comparePlannedRows(
  saved: Rows,
  now: Rows,
  witnesses: Witnesses,
): Promise<readonly Difference[]> {
  const meaningOf: MeaningOf = (row) => meaning(row, witnesses.get(row.mapping)?.isSame === true);
  const [before, after] = [await mappingDigests(saved(), meaningOf), await mappingDigests(now(), meaningOf)];
  const names = new Set([...before.keys(), ...after.keys()]);
  const others = new Set([...names].filter((name) => before.get(name) !== after.get(name)));
  return others.size === 0
    ? []
    : differencesOf(await differingRows(saved, now, others, meaningOf), witnesses);
}

/** The digest of what is done with a row. Why nothing is sent of one does not count: a reason may name rows that moved, and names that are near. */
function meaning({ key, kind, digest, id, fields }: SavedRow, knowsBefore: boolean): string {
  if (kind === 'unchanged' || kind === 'excluded') return digestOf([key, kind]);
  if (kind === 'invalid' || kind === 'deferred') return digestOf([key, kind, digest]);
  const values = Object.entries(fields).map(([name, { before, after }]) => [
    name,
    after,
    knowsBefore ? before : null,
  ]);
  return digestOf([key, kind, digest, values, knowsBefore ? id : null]);
}

/** For each mapping the sum of its rows' digests, so that their order does not count. */
async function mappingDigests(
  rows: AsyncIterable<SavedRow>,
  meaningOf: MeaningOf,
): Promise<ReadonlyMap<string, bigint>> {
  const sums = new Map<string, bigint>();
  for await (const row of rows)
    sums.set(row.mapping, (sums.get(row.mapping) ?? 0n) + BigInt(`0x${meaningOf(row)}`));
  return sums;
}

interface DifferingRows {
  readonly before: readonly SavedRow[];
  readonly after: readonly SavedRow[];
}

/** The first rows of each plan that the other does not have. Of the others a digest is kept. */
async function differingRows(
  saved: Rows,
  now: Rows,
  mappings: ReadonlySet<string>,
  meaningOf: MeaningOf,
): Promise<DifferingRows> {
  const open = new Map<string, number>();
  const take = (row: SavedRow): boolean => {
    const label = row.mapping + meaningOf(row);
    const count = open.get(label) ?? 0;
    if (count > 0) open.set(label, count - 1);
    return count > 0;
  };
  for await (const row of saved()) {
    const label = row.mapping + meaningOf(row);
    if (mappings.has(row.mapping)) open.set(label, (open.get(label) ?? 0) + 1);
  }
  const [before, after]: [SavedRow[], SavedRow[]] = [[], []];
  for await (const row of now())
    if (mappings.has(row.mapping) && !take(row) && after.length < MOST_ROWS) after.push(row);
  for await (const row of saved()) if (take(row) && before.length < MOST_ROWS) before.push(row);
  return { before, after };
}

/** Rows of one key beside each other, in the order of both plans; rows without a key by their place. */
function differencesOf({ before, after }: DifferingRows, witnesses: Witnesses): readonly Difference[] {
  const labelOf = ({ mapping, key, row }: SavedRow): string =>
    JSON.stringify(key === null ? [mapping, key, row] : [mapping, key]);
  const [were, are] = [Map.groupBy(before, labelOf), Map.groupBy(after, labelOf)];
  return [...new Set([...were.keys(), ...are.keys()])].flatMap((label) => {
    const [old, found] = [were.get(label) ?? [], are.get(label) ?? []];
    const pairs = Math.min(old.length, found.length);
    // Rows that came or went decide over the others of their key.
    const isSource = old.length !== found.length;
    return [
      ...old.slice(0, pairs).map((row, at) => changed(row, found[at] ?? row, isSource, witnesses)),
      ...old.slice(pairs).map((row) => onlyIn(row, 'is no longer there')),
      ...found.slice(pairs).map((row) => onlyIn(row, `is new: ${described(row)}`)),
    ];
  });
}

const nameOf = ({ mapping, row, key }: SavedRow): string =>
  `${mapping} row ${row}${key === null ? '' : ` (${key})`}`;

/** Users that are in no table any more have no cells: the state remembers them. */
const onlyIn = (row: SavedRow, what: string): Difference => ({
  part: row.cells === NO_CELLS ? 'state' : 'source',
  mapping: row.mapping,
  row: row.row,
  key: row.key,
  fields: [],
  message: `${nameOf(row)} ${what}`,
});

function changed(before: SavedRow, after: SavedRow, isSource: boolean, witnesses: Witnesses): Difference {
  const saysOther =
    before.cells !== after.cells && (before.digest !== after.digest || before.digest === null);
  const witness = witnesses.get(after.mapping);
  const fields = changedFields(before, after, witness?.isSame === true);
  // Fields that both plans change alike are not what differs.
  const shown = before.kind === after.kind ? fields : undefined;
  const [was, is] = [described(before, shown), described(after, shown)];
  return {
    part: isSource || saysOther ? 'source' : witness?.fromMemory === true ? 'state' : 'service',
    mapping: after.mapping,
    row: after.row,
    key: after.key,
    fields,
    message: `${nameOf(after)} ${was === is ? 'has changed' : `${was} in the plan and ${is} now`}`,
  };
}

function changedFields(
  { fields: a }: SavedRow,
  { fields: b }: SavedRow,
  knowsBefore: boolean,
): readonly string[] {
  const valuesOf = (change: SavedRow['fields'][string] | undefined): string =>
    JSON.stringify([change === undefined, change?.after, knowsBefore && change?.before]);
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (name) => valuesOf(a[name]) !== valuesOf(b[name]),
  );
}

const WORDS: Readonly<Record<PlannedChange['kind'], string>> = {
  create: 'to be created',
  update: 'to be changed',
  unchanged: 'unchanged',
  invalid: 'invalid',
  excluded: 'left out',
  deferred: 'deferred',
};

/** What a plan means to do with a row, with the reason where it does nothing; of a create only the fields that are asked for are shown. */
function described({ kind, message, fields }: SavedRow, shown?: readonly string[]): string {
  const names = shown ?? (kind === 'update' ? Object.keys(fields) : []);
  const changes = names.map((name) => {
    const { before = null, after = null } = fields[name] ?? {};
    const value = JSON.stringify(after);
    return kind === 'create' ? `${name} ${value}` : `${name} ${JSON.stringify(before)} to ${value}`;
  });
  const more =
    changes.length > 0 ? changes.join(', ') : kind === 'invalid' || kind === 'deferred' ? message : '';
  return more === '' ? WORDS[kind] : `${WORDS[kind]} (${more})`;
}
