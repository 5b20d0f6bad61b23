import type { PushMapping } from '../../mapping/mapping.ts';
import { mappingParts, NO_CELLS, type SavedHeader, type SavedRow } from './saved-plan.ts';
import type { MappingPlan, PlannedChange } from '../ports.ts';

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
    if (mapping === undefined) return [ofMapping(name, [], 'it is not there any more')];
    const found = mappingParts(mapping);
    const changed = [...new Set([...Object.keys(parts), ...Object.keys(found)])].filter(
      (part) => parts[part] !== found[part],
    );
    if (changed.length === 0) return [];
    const words = changed.map(wordOf);
    const what = words.length === 1 ? 'is' : 'are';
    const message = `its ${words.join(', ')} ${what} not as planned, or a variable that it uses is another`;
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

/** What came of comparing the rows of two plans. */
interface RowDifferences {
  readonly differences: readonly Difference[];
  /** So many rows found no counterpart that the comparison was given up; nothing is then said of single rows. */
  readonly isCut: boolean;
}

/** Rows without a counterpart so far that are held in memory; a table in quite another order needs many of them. */
const MOST_HELD = 50_000;

/**
 * Compares the rows of a saved plan with those of a new one. Rows may stand elsewhere in their table: what is done with each key has to be the same.
 * Both are read side by side, so that only rows without a counterpart so far are held, {@link MOST_HELD} of them at most.
 */
export async function comparePlannedRows(
  saved: AsyncIterable<SavedRow>,
  now: AsyncIterable<SavedRow>,
  isFromMemory: (mapping: string) => boolean,
): Promise<RowDifferences> {
  const held = { saved: new Held(), now: new Held() };
  const [left, right] = [saved[Symbol.asyncIterator](), now[Symbol.asyncIterator]()];
  let isCut = false;
  try {
    for (let open = true; open && !isCut;) {
      const [before, after] = [await left.next(), await right.next()];
      open = before.done !== true || after.done !== true;
      if (before.done !== true && !held.now.takeSame(before.value)) held.saved.add(before.value);
      if (after.done !== true && !held.saved.takeSame(after.value)) held.now.add(after.value);
      isCut = held.saved.size + held.now.size > MOST_HELD;
    }
  } finally {
    await left.return?.();
    await right.return?.();
  }
  return { differences: isCut ? [] : differencesOf(held.saved, held.now, isFromMemory), isCut };
}

/** Rows without a counterpart so far, by key; several may have one key. */
class Held {
  readonly #rows = new Map<string, SavedRow[]>();
  size = 0;

  add(row: SavedRow): void {
    const label = labelOf(row);
    const rows = this.#rows.get(label);
    if (rows === undefined) this.#rows.set(label, [row]);
    else rows.push(row);
    this.size += 1;
  }

  /** Takes a row that is planned as this one is; false when there is none. */
  takeSame(row: SavedRow): boolean {
    return this.#take(labelOf(row), (other) => isPlannedAlike(row, other)) !== undefined;
  }

  /** Takes a row of the same key; without a key, the one at the same place. */
  takeLike(row: SavedRow): SavedRow | undefined {
    return this.#take(labelOf(row), (other) => row.key !== null || other.row === row.row);
  }

  all(): readonly SavedRow[] {
    return [...this.#rows.values()].flat();
  }

  #take(label: string, fits: (row: SavedRow) => boolean): SavedRow | undefined {
    const rows = this.#rows.get(label);
    const at = rows?.findIndex(fits) ?? -1;
    if (rows === undefined || at === -1) return undefined;
    const [row] = rows.splice(at, 1);
    if (rows.length === 0) this.#rows.delete(label);
    this.size -= 1;
    return row;
  }
}

const labelOf = ({ mapping, key, kind }: SavedRow): string =>
  JSON.stringify(key === null ? [mapping, null, kind] : [mapping, key]);

/** Whether the same is done with two rows, and the same is sent; where nothing is sent, whether the same is said. */
function isPlannedAlike(a: SavedRow, b: SavedRow): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'invalid') return a.message === b.message;
  if (a.kind === 'unchanged' || a.kind === 'excluded') return true;
  if (a.digest !== b.digest) return false;
  return a.kind === 'deferred' || (!differ(a.id, b.id) && changedFields(a, b).length === 0);
}

/** Two values of which one is not known do not differ: a list and the state's memory may show different fields. */
const differ = (a: unknown, b: unknown): boolean =>
  (a ?? null) !== null && (b ?? null) !== null && JSON.stringify(a) !== JSON.stringify(b);

function changedFields({ fields: a }: SavedRow, { fields: b }: SavedRow): readonly string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => {
    const [one, other] = [a[name], b[name]];
    if (one === undefined || other === undefined) return true;
    return differ(one.before, other.before) || JSON.stringify(one.after) !== JSON.stringify(other.after);
  });
}

function differencesOf(
  saved: Held,
  now: Held,
  isFromMemory: (mapping: string) => boolean,
): readonly Difference[] {
  const at = ({ mapping, row }: SavedRow): string => JSON.stringify([mapping, row]);
  const pairs: (readonly [before: SavedRow, after: SavedRow])[] = [];
  const gone: SavedRow[] = [];
  for (const before of saved.all()) {
    const after = now.takeLike(before);
    if (after === undefined) gone.push(before);
    else pairs.push([before, after]);
  }
  // Rows that came or went decide over the others of their key.
  const cameOrWent = new Set([...gone, ...now.all()].map(labelOf));
  // What is left has a key that the other plan does not have: at the same place it is the same row with another key.
  const added = new Map(now.all().map((row) => [at(row), row]));
  const left: SavedRow[] = [];
  for (const before of gone) {
    const after = added.get(at(before));
    if (after === undefined) left.push(before);
    else pairs.push([before, after]);
    added.delete(at(before));
  }
  return [
    ...pairs.map(([before, after]) =>
      changed(before, after, cameOrWent.has(labelOf(before)) ? 'source' : heldBy(before, isFromMemory)),
    ),
    ...left.map((row) => onlyIn(row, 'is not there any more')),
    ...[...added.values()].map((row) => onlyIn(row, `is new: ${meaning(row)}`)),
  ];
}

/** What a row was compared with. */
const heldBy = (
  { mapping }: Pick<SavedRow, 'mapping'>,
  isFromMemory: (mapping: string) => boolean,
): PlanPart => (isFromMemory(mapping) ? 'state' : 'service');

const nameOf = ({ mapping, row, key }: SavedRow): string =>
  `${mapping} row ${row}${key === null ? '' : ` (${key})`}`;

function onlyIn(row: SavedRow, what: string): Difference {
  return {
    // Users that are in no table any more have no cells: the state remembers them.
    part: row.cells === NO_CELLS ? 'state' : 'source',
    mapping: row.mapping,
    row: row.row,
    key: row.key,
    fields: [],
    message: `${nameOf(row)} ${what}`,
  };
}

function changed(before: SavedRow, after: SavedRow, otherwise: PlanPart): Difference {
  const isSource = before.cells !== after.cells && (before.digest !== after.digest || before.digest === null);
  const fields = before.key === after.key ? changedFields(before, after) : [];
  return {
    part: isSource ? 'source' : otherwise,
    mapping: after.mapping,
    row: after.row,
    key: after.key,
    fields,
    message: `${nameOf(after)} ${whatChanged(before, after, fields)}`,
  };
}

function whatChanged(before: SavedRow, after: SavedRow, fields: readonly string[]): string {
  if (before.key !== after.key) return `was ${before.key ?? 'without a key'} in the plan`;
  if (before.kind !== after.kind) return `${meaning(before)} in the plan and ${meaning(after)} now`;
  const said = fields.map((name) => fieldChange(name, before.fields[name], after.fields[name]));
  if (said.length > 0) return said.join(', ');
  return before.message === after.message
    ? 'is another now'
    : `was "${before.message}" in the plan and is "${after.message}" now`;
}

type FieldChange = PlannedChange['fields'][string];

function fieldChange(name: string, before: FieldChange | undefined, after: FieldChange | undefined): string {
  const show = (value: unknown): string => JSON.stringify(value ?? null);
  if (before === undefined)
    return `would change ${name} too (${show(after?.before)} to ${show(after?.after)})`;
  if (after === undefined) return `has ${name} ${show(before.after)} already`;
  return differ(before.before, after.before)
    ? `has ${name} ${show(after.before)} at the service, ${show(before.before)} in the plan`
    : `is to get ${name} ${show(after.after)}, ${show(before.after)} in the plan`;
}

const WORDS: Readonly<Record<PlannedChange['kind'], string>> = {
  create: 'to be created',
  update: 'to be changed',
  unchanged: 'unchanged',
  invalid: 'invalid',
  excluded: 'left out',
  deferred: 'deferred',
};

/** What a plan means to do with a row, with the reason where it does nothing. */
function meaning({ kind, message, fields }: SavedRow): string {
  if (kind === 'invalid' || kind === 'deferred')
    return message === '' ? WORDS[kind] : `${WORDS[kind]} (${message})`;
  if (kind !== 'update') return WORDS[kind];
  const changes = Object.entries(fields).map(
    ([name, { before, after }]) => `${name} ${JSON.stringify(before)} to ${JSON.stringify(after)}`,
  );
  return `${WORDS.update} (${changes.join(', ')})`;
}
