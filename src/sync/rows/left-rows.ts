import { changedBy } from '../../model/changed-by.ts';
import type { ChangeKind, Outcome } from '../../model/outcome.ts';
import { RepeatedTexts, sumsOf } from '../../model/repeated-texts.ts';
import type { RunRow, RunRowPatch, RunRows } from '../../model/state/run-rows.ts';
import type { SourceDigest, SourceRow, SourceTable } from '../../model/tables/table.ts';
import { openRow, rowAfter } from '../../plan/row-lifecycle.ts';
import { rowDigest, type SameRows } from '../../plan/same-rows.ts';

/** A row that says just what is known of its record, and of which nothing is to be said: it is left out. */
export const SAME = 'same';

/** What reading a source came to where no row was kept. */
export interface WholeReading {
  readonly header: readonly string[];
  /** What was told of the table as a whole, as warnings. */
  readonly warnings: readonly string[];
  readonly rows: number;
  readonly counts: readonly (Counted & { readonly count: number })[];
}

/** What is remembered of the last reading of a source, and kept of this one. */
export interface ReadingMemory {
  /** What reading the source comes to; undefined where it is to be read. */
  recall(digest: () => Promise<SourceDigest | undefined>): Promise<WholeReading | undefined>;
  /** The rows that are known to be the same as their records, and place for more. */
  sameRows(table: Pick<SourceTable, 'header' | 'timezone'>): Promise<SameRows>;
  /** Puts the rows away that were gathered so far. */
  keepRows(): Promise<void>;
  /** Keeps what reading the source came to: the rows that are the same and, where no row was kept, the whole. */
  keep(whole: { readonly source: SourceDigest; readonly reading: WholeReading } | undefined): Promise<void>;
}

/** Says while the rows of a mapping are read which of them nobody will ask for again. */
export interface Sieve {
  /** What each of some valid rows is found to be, in order; left out where rows are not compared yet. */
  readonly compare?: (rows: readonly RunRow[]) => Promise<readonly (RunRowPatch | typeof SAME)[]>;
  /** Whether a row need not be kept, by what it was found to be. Asked once of each row that is neither invalid nor the same. */
  readonly leaves: (row: RunRow, found: RunRowPatch | undefined) => boolean;
  readonly memory?: ReadingMemory | undefined;
}

type Counted = Pick<RunRow, 'change' | 'outcome'>;
const UNCHANGED: Counted = { ...openRow(0), ...rowAfter(openRow(0), { kind: 'is-equal' }) };

/** The rows of one mapping: those that are left out are counted alone, and their keys are seen. */
export class LeftRows {
  readonly #sieve: Sieve;
  readonly #kept: ReadonlySet<number>;
  #isAnyKept = false;
  readonly #texts = new RepeatedTexts();
  readonly #counts = new Map<string, { readonly row: Counted; count: number }>();
  #last: { readonly row: Counted; count: number } | undefined;
  #same: SameRows | undefined;

  /** `kept`: numbers of rows that are kept as they are read, whatever the sieve says. */
  constructor(sieve: Sieve, kept: ReadonlySet<number>) {
    this.#sieve = sieve;
    this.#kept = kept;
  }

  /** The rows that come are those of a table. */
  async open(table: Pick<SourceTable, 'header' | 'timezone'>): Promise<void> {
    this.#same = await this.#sieve.memory?.sameRows(table);
  }

  /** The rows of a batch that have to be read: the others are counted as what they were. */
  toRead(batch: readonly SourceRow[]): readonly SourceRow[] {
    const same = this.#same;
    if (same === undefined) return batch;
    same.begin();
    return batch.filter(({ rowNumber, cells, issues }) => {
      if (issues !== undefined || this.#kept.has(rowNumber)) return true;
      const sums = same.find(rowDigest(cells), rowNumber);
      if (sums === undefined) return true;
      this.#texts.addSums(sums, rowNumber);
      this.#count(UNCHANGED);
      return false;
    });
  }

  /** Adds those rows of a batch that are to be kept. */
  async add(rows: RunRows, mapping: string, batch: readonly RunRow[]): Promise<void> {
    const sifted: RunRow[] = [];
    for (const row of batch) {
      if (row.outcome !== null) continue;
      if (row.key !== null) this.#texts.add(row.folded ?? row.key, row.rowNumber);
      if (!this.#kept.has(row.rowNumber)) sifted.push(row);
    }
    const found = (await this.#sieve.compare?.(sifted)) ?? [];
    const kept: RunRow[] = [];
    const patches: RunRowPatch[] = [];
    let at = 0;
    for (const row of batch) {
      const isSifted = row === sifted[at];
      const patch = isSifted ? found[at++] : undefined;
      if (patch === SAME) {
        if (row.key !== null) this.#same?.add(row.rowNumber, sumsOf(row.folded ?? row.key));
        this.#count(UNCHANGED);
        continue;
      }
      const isAsked = isSifted || (row.outcome !== null && row.outcome !== 'invalid');
      if (isAsked && this.#sieve.leaves(row, patch)) {
        this.#count(row, patch);
        continue;
      }
      kept.push(row);
      if (patch !== undefined) patches.push(patch);
    }
    this.#isAnyKept ||= kept.length > 0;
    if (kept.length > 0) await rows.add(mapping, kept);
    // What was found may quote the API key, which is taken out of patches alone: the cells of a table stay as they are.
    if (patches.length > 0) await rows.patch(mapping, patches);
    await this.memory?.keepRows();
  }

  get memory(): ReadingMemory | undefined {
    return this.#sieve.memory;
  }

  /** What was left out, where that was every row and none of them is to be read again. */
  whole(): WholeReading['counts'] | undefined {
    if (this.#isAnyKept || this.repeated().length > 0) return undefined;
    return [...this.#counts.values()].map(({ row: { change, outcome }, count }) => ({
      change,
      outcome,
      count,
    }));
  }

  /** Counts rows that were left out of an earlier reading, and of this one. */
  recall(counts: WholeReading['counts']): void {
    for (const { change, outcome, count } of counts)
      this.#counts.set(`${change} ${outcome}`, { row: { change, outcome }, count });
  }

  /** Rows with a text that another row has too, where they were sifted: they must be kept, for what they say decides. */
  repeated(): readonly number[] {
    const numbers = this.#texts.groups().flat();
    return numbers.every((rowNumber) => this.#kept.has(rowNumber)) ? [] : numbers;
  }

  /** How many rows were left out, by what each of them is. */
  counts<Name extends string>(nameOf: (row: Counted) => Name | undefined): ReadonlyMap<Name, number> {
    const counts = new Map<Name, number>();
    for (const { row, count } of this.#counts.values()) {
      const name = nameOf(row);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return counts;
  }

  #count(row: Counted, { change = row.change, outcome = row.outcome }: Partial<Counted> = {}): void {
    // Most rows are what the row before was.
    let counted = this.#last;
    if (counted?.row.change !== change || counted.row.outcome !== outcome) {
      const name = `${change} ${outcome}`;
      counted = this.#counts.get(name) ?? { row: { change, outcome }, count: 0 };
      this.#counts.set(name, counted);
      this.#last = counted;
    }
    counted.count += 1;
  }
}

/** The same rows, counted with those that were left out. */
export function countedWith(rows: RunRows, left: ReadonlyMap<string, LeftRows>): RunRows {
  const add = <Name extends string>(
    kept: ReadonlyMap<Name, number>,
    mapping: string,
    nameOf: (row: Counted) => Name | undefined,
  ): ReadonlyMap<Name, number> => {
    const sum = new Map(kept);
    for (const [name, count] of left.get(mapping)?.counts(nameOf) ?? [])
      sum.set(name, (sum.get(name) ?? 0) + count);
    return sum;
  };
  return changedBy<RunRows>(rows, {
    countOutcomes: async (mapping) =>
      add<Outcome | 'open'>(await rows.countOutcomes(mapping), mapping, ({ outcome }) => outcome ?? 'open'),
    countChanges: async (mapping, open = false) =>
      add<ChangeKind>(await rows.countChanges(mapping, open), mapping, ({ change, outcome }) =>
        open && outcome !== null ? undefined : change,
      ),
  });
}
