import { resources } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { KnownRecord, RunRow, RunRowPatch, RunRows } from '../../model/state/run-rows.ts';
import { siblingOther, type Said } from '../../model/said.ts';
import type { WantedDigests } from '../../model/state/store.ts';
import { changedFields, comparedDigests, diff } from '../../plan/diff.ts';
import { stepPct, stepSize, type Step } from '../../plan/guards.ts';
import { waitingFields } from '../../plan/lookups.ts';
import { keysWithZeros } from '../../plan/lost-zeros.ts';
import { needsChangeAfterCreate } from '../../plan/requests.ts';
import { rowAfter } from '../../plan/row-lifecycle.ts';
import type { Comparison } from '../ports.ts';
import { PENDING, rowPages } from '../rows/row-pages.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** Changes that are to be sent, row by row. */
export class ChangeCounts {
  /** Rows that go out in batches, by the group that may share a request. */
  readonly batched = new Map<string, number>();
  creates = 0;
  updates = 0;
  /** Requests for one row each: changes, and changes that follow a create. */
  single = 0;

  add({ resource }: PushMapping, row: RunRow, change: 'create' | 'update'): void {
    const { requests } = resourcePlans[resource];
    if (change === 'create') this.creates += 1;
    else this.updates += 1;
    if (change === 'update' && requests.change !== undefined) {
      this.single += 1;
      return;
    }
    const group = requests.groupOf(row);
    this.batched.set(group, (this.batched.get(group) ?? 0) + 1);
    if (needsChangeAfterCreate(row)) this.single += 1;
  }
}

/** What comparing found beside the changes themselves. */
export interface Compared {
  readonly counts: Readonly<ChangeCounts>;
  /** Rows that would be created, and that the quota has no room for. */
  readonly overQuota: number;
  /** A row that would be created, and the key of a record that it may be; of a state that has written nothing only where no row is known. */
  readonly stranger: { readonly row: RunRow; readonly key: string } | undefined;
  readonly largestStep: Step | undefined;
  readonly largestStepPct: Step | undefined;
}

interface CompareOptions {
  /** Records that may still be created; creates beyond it are deferred. */
  readonly quotaRoom: number;
  readonly allowKeyShape: boolean;
  readonly signal: AbortSignal;
  /** Changes of rows that were compared before. */
  readonly counts?: ChangeCounts | undefined;
}

/** Compares all pending rows of a mapping and records their changes; rows that need no write get their outcome at once. */
export async function compareRows(
  mapping: PushMapping,
  rows: RunRows,
  comparison: Comparison,
  options: CompareOptions,
): Promise<Compared> {
  const { counts = new ChangeCounts() } = options;
  let overQuota = 0;
  let stranger: Compared['stranger'];
  let found = 0;
  let largestStep: Step | undefined;
  let largestStepPct: Step | undefined;
  const comparing = new RowComparison(mapping, comparison, options.allowKeyShape);
  for await (const page of rowPages(rows, mapping.name, PENDING)) {
    options.signal.throwIfAborted();
    const patches = await comparing.compare(page, equalTo);
    const compared = patches.map((patch, index): RunRowPatch => {
      const row = page[index];
      if (row === undefined || patch.outcome !== undefined) return patch;
      if (patch.change === 'create') stranger ??= strangerOf(mapping, row, comparison);
      if (patch.change === 'create' && counts.creates >= options.quotaRoom) {
        overQuota += 1;
        return { ...patch, ...rowAfter(row, { kind: 'must-wait', said: [{ code: 'quota-no-room' }] }) };
      }
      if (patch.change === 'create' || patch.change === 'update') counts.add(mapping, row, patch.change);
      return patch;
    });
    found += compared.filter(
      ({ change, outcome }) =>
        change !== 'create' && change !== 'invalid' && !(change === 'unchanged' && outcome === undefined),
    ).length;
    for (const step of compared.flatMap((patch, index) => stepOf(mapping, page[index], patch))) {
      if (largestStep === undefined || stepSize(step) > stepSize(largestStep)) largestStep = step;
      if (largestStepPct === undefined || stepPct(step) > stepPct(largestStepPct)) largestStepPct = step;
    }
    await rows.patch(mapping.name, compared);
  }
  return {
    ...{ counts, overQuota, largestStep, largestStepPct },
    stranger: found > 0 && comparison.isWritten !== true ? undefined : stranger,
  };
}

/** The record of the list that says what a row says, under another key. */
function strangerOf({ resource }: PushMapping, row: RunRow, { strangers }: Comparison): Compared['stranger'] {
  const besideKey = resourcePlans[resource].listed?.besideKey(row.key ?? '', row.fields ?? {});
  const key = besideKey === undefined || besideKey === '' ? undefined : strangers?.get(besideKey);
  return key === undefined ? undefined : { row, key };
}

function stepOf({ resource }: PushMapping, row: RunRow | undefined, patch: RunRowPatch): readonly Step[] {
  const { step = '' } = resources[resource].push;
  const before = patch.before?.[step];
  const after = row?.fields?.[step];
  if (row === undefined || typeof before !== 'number' || typeof after !== 'number') return [];
  return [{ rowNumber: row.rowNumber, before, after }];
}

/** Says page by page what the rows of a mapping are found to be. */
export class RowComparison {
  readonly #mapping: PushMapping;
  readonly #comparison: Comparison;
  readonly #allowKeyShape: boolean;
  #areMostEqual = true;

  constructor(mapping: PushMapping, comparison: Comparison, allowKeyShape: boolean) {
    this.#mapping = mapping;
    this.#comparison = comparison;
    this.#allowKeyShape = allowKeyShape;
  }

  /** What each row of a page is found to be, in order; `equal` makes it of one that says just what is known of the record of an id. */
  async compare<Equal>(
    page: readonly RunRow[],
    equal: (row: RunRow, id: string | null) => Equal,
  ): Promise<readonly (RunRowPatch | Equal)[]> {
    const ids = await this.findEqual(page);
    const others = page.filter((_, at) => ids[at] === undefined);
    const compared = await comparePage(this.#mapping, others, this.#comparison, this.#allowKeyShape);
    const different = compared.filter(({ change }) => change !== 'unchanged');
    this.#areMostEqual = 2 * different.length <= page.length;
    let next = 0;
    const found: (RunRowPatch | Equal)[] = [];
    page.forEach((row, at) => {
      const id = ids[at];
      const patch = id === undefined ? compared[next++] : equal(row, id);
      if (patch !== undefined) found.push(patch);
    });
    return found;
  }

  /**
   * By place, the id of the record of which a row says just what is known, found without a look at the records. None is looked for once most are other rows: it would
   * be a second look.
   */
  async findEqual(page: readonly RunRow[]): Promise<readonly (string | null | undefined)[]> {
    const { knownWith, unanswered } = this.#comparison;
    if (knownWith === undefined || !this.#areMostEqual) return [];
    const wanted: WantedDigests[] = [];
    const isAsked = page.map((row) => {
      const { key, fields } = row;
      if (key === null || fields === null || unanswered?.(key) !== undefined || waitingFields(row).length > 0)
        return false;
      wanted.push({ key, digests: comparedDigests(fields, this.#mapping.resource) });
      return true;
    });
    const found = await knownWith(wanted);
    let next = 0;
    const ids = isAsked.map((is) => (is ? found[next++] : undefined));
    const equal = found.reduce((count, id) => (id === undefined ? count : count + 1), 0);
    this.#areMostEqual = 2 * equal >= page.length;
    return ids;
  }
}

/** What becomes of a row that says just what is known of a record. */
export const equalTo = (row: RunRow, id: string | null): RunRowPatch =>
  rowAfter(row, { kind: 'is-equal', id });

/** What each row of a page is found to be by a look at the records. */
async function comparePage(
  mapping: PushMapping,
  page: readonly RunRow[],
  comparison: Comparison,
  allowKeyShape: boolean,
): Promise<readonly RunRowPatch[]> {
  const known = await comparison.lookup(page.flatMap((row) => (row.key === null ? [] : [row.key])));
  const fresh = page.flatMap((row) => (row.key === null || known.has(row.key) ? [] : [row.key]));
  const { keysLoseZeros } = resourcePlans[mapping.resource];
  const checkZeros = keysLoseZeros === true && !allowKeyShape && comparison.known > 0;
  const zeros = checkZeros
    ? await comparison.lookup(fresh.flatMap(keysWithZeros))
    : new Map<string, unknown>();
  const planned = (await comparison.planned?.(fresh)) ?? new Map<string, readonly KnownRecord[]>();
  return page.map((row) => comparedRow(mapping, row, { known, zeros, planned }, comparison));
}

/** What a page of rows is compared with, by key. */
interface Held {
  readonly known: ReadonlyMap<string, readonly KnownRecord[]>;
  /** Keys that are known with zeros before those of the rows. */
  readonly zeros: ReadonlyMap<string, unknown>;
  /** What earlier mappings of the run are going to create. */
  readonly planned: ReadonlyMap<string, readonly KnownRecord[]>;
}

function comparedRow(
  mapping: PushMapping,
  row: RunRow,
  { known, zeros, planned }: Held,
  { unanswered, silent, unknownKeysWait }: Pick<Comparison, 'unanswered' | 'silent' | 'unknownKeysWait'>,
): RunRowPatch {
  const { key, fields } = row;
  if (key === null || fields === null) return rowAfter(row, { kind: 'breaks-rule' });
  const later = (change: RunRowPatch, why: Said): RunRowPatch => ({
    ...change,
    ...rowAfter(row, { kind: 'must-wait', said: [why] }),
  });
  const create = (): RunRowPatch => rowAfter(row, { kind: 'is-new' });
  const waiting = (why: Said): RunRowPatch => later(create(), why);
  const wait = unanswered?.(key);
  if (wait !== undefined) return waiting(wait);
  const coming = silent?.(key);
  // What hangs on a record that is still to be made cannot be there.
  if (waitingFields(row).length > 0) return create();
  const difference = diff(
    mapping.operation,
    key,
    fields,
    known.get(key) ?? [],
    mapping.resource,
    resourcePlans[mapping.resource].hidden,
  );
  switch (difference.change) {
    case 'create': {
      const problem = resourcePlans[mapping.resource].lacks?.(row) ?? lostZeros(key, zeros);
      if (problem !== undefined) return rowAfter(row, { kind: 'breaks-rule', said: [problem] });
      const [earlier] = planned.get(key) ?? [];
      const others = earlier === undefined ? [] : changedFields(fields, earlier, mapping.resource);
      if (others.length > 0) return waiting(siblingOther(others));
      const why = coming ?? unknownKeysWait;
      if (why !== undefined) return waiting(why);
      if (earlier?.managedBy === undefined) return create();
      return rowAfter(row, {
        kind: 'is-made',
        said: [{ code: 'sibling-makes', mapping: earlier.managedBy }],
      });
    }
    case 'update': {
      const change = rowAfter(row, { kind: 'is-changed', before: difference.before, id: difference.id });
      return coming === undefined ? change : later(change, coming);
    }
    case 'unchanged': {
      const { id, said } = difference;
      return rowAfter(row, { kind: 'is-equal', id, ...(said !== undefined && { said: [said] }) });
    }
    case 'invalid':
      return rowAfter(row, { kind: 'breaks-rule', said: [difference.said] });
    case 'conflict':
      return rowAfter(row, { kind: 'is-unclear', said: [difference.said] });
  }
}

function lostZeros(key: string, zeros: ReadonlyMap<string, unknown>): Said | undefined {
  const full = keysWithZeros(key).find((candidate) => zeros.has(candidate));
  return full === undefined ? undefined : { code: 'key-zeros-lost', key, full };
}
