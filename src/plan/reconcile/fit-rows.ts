import type { ResourceName } from '../../contract/index.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import {
  LOOSE,
  SHORTEST_CUT,
  bothSpellings,
  keyText,
  partsOfKey,
  speltKey,
  speltText,
  spellingOf,
  textOfKey,
  type Spelling,
} from '../../model/state/spelling.ts';

/** A record that the service shows, under the key that it shows. */
export interface Shown {
  readonly key: string;
  readonly record: unknown;
}

/** Which of the records are rows. */
export interface Fit {
  /** By the key of a row: its records, which say the key as the row does. */
  readonly records: ReadonlyMap<string, readonly unknown[]>;
  /** By the key of a row: how the service spells it, where that is another way. */
  readonly kept: ReadonlyMap<string, string>;
  /** The spelling that shows in them, with what was known of it; undefined where nothing new shows. */
  readonly seen: Spelling | undefined;
}

/** A text of a key, in the spelling of a row. */
function respell(resource: ResourceName, record: unknown, key: string): unknown {
  const field = keyText(resource);
  if (field === undefined) return record;
  const text = textOfKey(resource, key);
  return (record as { readonly [name: string]: unknown })[field] === text
    ? record
    : { ...(record as object), [field]: text };
}

/**
 * Finds the records of rows: by the same key, by a key that is the same for a service whose spelling is known, and what is left over one to one by
 * case, width, blanks around it and a cut end. `isOld` says of what was there before the rows were sent.
 */
export function fitRows(
  resource: ResourceName,
  rows: readonly Pick<RunRow, 'key'>[],
  shown: readonly Shown[],
  spelling: Spelling | undefined,
  isOld: (shown: Shown) => boolean,
): Fit {
  const keys = new Set(rows.flatMap(({ key }) => key ?? []));
  const exact = shown.filter(({ key }) => keys.has(key));
  const pairs = [...knownPairs(resource, keys, shown, spelling)];
  const found = new Set([...exact, ...pairs.map(([, each]) => each)].map(({ key }) => key));
  const taken = new Set([...exact.map(({ key }) => key), ...pairs.map(([key]) => key)]);
  const left = [...keys].filter((key) => !taken.has(key));
  const rest = shown.filter((each) => !found.has(each.key) && !isOld(each));
  const wholePairs = loosePairs(resource, left, rest, (key) => [speltKey(resource, key, LOOSE)]);
  const wholes = new Set(wholePairs.map(([, { key }]) => key));
  const cutPairs = loosePairs(
    resource,
    left,
    rest.filter(({ key }) => !wholes.has(key)),
    (key) => looseNames(resource, key),
  );
  const isKept = exact.map(({ key }) => [key, key] as const);
  const texts = (all: readonly (readonly [string, Shown])[]): readonly (readonly [string, string])[] =>
    [...isKept, ...all.map(([row, { key }]) => [row, key] as const)].map(
      ([row, key]) => [textOfKey(resource, row), textOfKey(resource, key)] as const,
    );
  // A cut that what came whole does not bear out is none.
  const all = [...wholePairs, ...cutPairs];
  const fresh = spellingOf(texts(all)) === undefined ? wholePairs : all;
  const shownBy = fresh.length === 0 ? undefined : spellingOf(texts(fresh));
  const other = [...pairs, ...fresh];
  const records = Map.groupBy([...exact.map((each) => [each.key, each] as const), ...other], ([row]) => row);
  return {
    records: new Map(
      [...records].map(([row, group]) => [
        row,
        group.map(([, { record }]) => respell(resource, record, row)),
      ]),
    ),
    kept: new Map(other.map(([row, { key }]) => [row, textOfKey(resource, key)])),
    seen: shownBy && bothSpellings(spelling, shownBy),
  };
}

/** Records of which it is known that they are rows. */
function* knownPairs(
  resource: ResourceName,
  keys: ReadonlySet<string>,
  shown: readonly Shown[],
  spelling: Spelling | undefined,
): Generator<readonly [string, Shown]> {
  const rows = new Map([...keys].map((key) => [speltKey(resource, key, spelling), key]));
  for (const each of shown) {
    const row = keys.has(each.key) ? undefined : rows.get(speltKey(resource, each.key, spelling));
    if (row !== undefined) yield [row, each];
  }
}

/** A key in the form that its loose spellings have in common, and what cuts leave of it. */
function looseNames(resource: ResourceName, key: string): readonly string[] {
  const parts = partsOfKey(resource, key);
  if (parts === undefined) return [key];
  return [...new Set(cutsOf(speltText(parts.text, LOOSE)))].map((name) => parts.before + name);
}

/** A text, and what cuts leave of it. */
function cutsOf(text: string): readonly string[] {
  const letters = Array.from(text);
  const cuts = Math.max(0, letters.length - SHORTEST_CUT);
  return Array.from({ length: cuts + 1 }, (_, cut) => letters.slice(0, letters.length - cut).join(''));
}

/** Tells which keys may be spellings of those of rows, so that not all of a list has to be kept. */
export function mayFit(
  resource: ResourceName,
  rows: readonly Pick<RunRow, 'key'>[],
): (key: string) => boolean {
  const names = new Set(rows.flatMap(({ key }) => (key === null ? [] : looseNames(resource, key))));
  return (key) => names.has(speltKey(resource, key, LOOSE));
}

/** The forms in which a service may keep a key that it spells another way. */
export function formsOf(resource: ResourceName, key: string): readonly string[] {
  const parts = partsOfKey(resource, key);
  if (parts === undefined) return [];
  const { before, text } = parts;
  const wholes = [text, text.normalize('NFKC')].flatMap((each) => [
    each,
    each.toLowerCase(),
    each.toUpperCase(),
  ]);
  const forms = new Set([...new Set(wholes)].flatMap(cutsOf));
  return [...forms].map((form) => before + form).filter((form) => form !== key);
}

/** Rows and records that fit each other and nothing else: but for case, width and blanks, the record has one of the names that a row may have. */
function loosePairs(
  resource: ResourceName,
  keys: readonly string[],
  shown: readonly Shown[],
  namesOf: (key: string) => readonly string[],
): readonly (readonly [string, Shown])[] {
  const rows = new Map<string, string[]>();
  for (const key of keys) for (const name of namesOf(key)) rows.set(name, [...(rows.get(name) ?? []), key]);
  const pairs = shown.flatMap((each): [string, Shown][] =>
    (rows.get(speltKey(resource, each.key, LOOSE)) ?? []).map((row) => [row, each]),
  );
  const byRow = Map.groupBy(pairs, ([row]) => row);
  const byRecord = Map.groupBy(pairs, ([, { key }]) => key);
  return pairs.filter(
    ([row, { key }]) =>
      new Set(byRow.get(row)?.map(([, other]) => other.key)).size === 1 &&
      new Set(byRecord.get(key)?.map(([other]) => other)).size === 1,
  );
}
