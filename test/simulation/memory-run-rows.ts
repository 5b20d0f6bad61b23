import type { ChangeKind, Outcome } from '../../src/model/outcome.ts';
import type {
  DuplicateGroup,
  KnownRecord,
  LookAlike,
  RowQuery,
  RunRow,
  RunRowPatch,
  RunRows,
} from '../../src/model/state/run-rows.ts';
import { fromIssues, issuesAmong, type Words } from '../../src/model/said.ts';
import { InternalError } from '../../src/model/error.ts';

interface MappingRows {
  readonly rows: Map<number, RunRow>;
  readonly known: Map<string, Map<string, KnownRecord>>;
  header: readonly string[];
}

/** The rows of one run, which outlive whoever holds them open. */
export class RunRowsData {
  /** Files carry the machine's own time, whatever a clock port says. */
  readonly createdAtMs = Date.now();
  readonly mappings = new Map<string, MappingRows>();
  /** What outlasts a power cut; undefined before anything does. */
  synced: ReadonlyMap<string, MappingRows> | undefined;
}

/** What is kept of the words of a refused row: no value of a cell. */
const wrongColumns = ({ outcome, said }: RunRow): Words =>
  outcome === 'rejected'
    ? []
    : fromIssues(
        issuesAmong(said).flatMap(({ code, severity, column }) =>
          column === undefined ? [] : [{ code, severity, column, message: '' }],
        ),
      );

/** Rows are never changed, only replaced; what is known of the service is found again. */
const copyOf = (mappings: ReadonlyMap<string, MappingRows>): Map<string, MappingRows> =>
  new Map(
    [...mappings].map(([name, { rows, header }]) => [
      name,
      { rows: new Map(rows), known: new Map(), header },
    ]),
  );

/** Takes what was not synced away; false when nothing is left. */
export function loseUnsynced({ mappings, synced }: RunRowsData): boolean {
  mappings.clear();
  for (const [name, rows] of copyOf(synced ?? new Map())) mappings.set(name, rows);
  return synced !== undefined;
}

const values = <T>(result: T): Promise<T> => Promise.resolve(result);

/** The rows of a run in memory, each method one step that is wholly done or not at all. */
export class MemoryRunRows implements RunRows {
  readonly #data: RunRowsData;
  readonly #forget: () => void;

  constructor(data: RunRowsData, forget: () => void) {
    this.#data = data;
    this.#forget = forget;
  }

  add(mapping: string, rows: readonly RunRow[]): Promise<void> {
    const held = this.#of(mapping).rows;
    const numbers = rows.map(({ rowNumber }) => rowNumber);
    if (numbers.some((number) => held.has(number)) || new Set(numbers).size < numbers.length)
      return Promise.reject(new Error('UNIQUE: a row number comes twice'));
    for (const row of rows) held.set(row.rowNumber, row);
    return values(undefined);
  }

  patch(mapping: string, patches: readonly RunRowPatch[]): Promise<void> {
    const held = this.#of(mapping).rows;
    const missing = patches.find(({ rowNumber }) => !held.has(rowNumber));
    if (missing !== undefined)
      return Promise.reject(new InternalError('state.no_row', `${mapping} has no row ${missing.rowNumber}`));
    for (const patch of patches) {
      const given = Object.entries<unknown>(patch).filter(([, value]) => value !== undefined);
      const row = held.get(patch.rowNumber) as RunRow;
      const read = row.readKey ?? row.key;
      const isOther = patch.key !== undefined && read !== null && patch.key !== read;
      held.set(patch.rowNumber, {
        ...row,
        ...Object.fromEntries(given),
        ...(isOther && { readKey: read }),
      });
    }
    return values(undefined);
  }

  page(
    mapping: string,
    { change, open, told, outcomes, afterRow, limit }: RowQuery,
  ): Promise<readonly RunRow[]> {
    return values(
      this.#sorted(mapping)
        .filter(
          (row) =>
            row.rowNumber > afterRow &&
            (change === undefined || row.change === change) &&
            (outcomes === undefined || (row.outcome !== null && outcomes.includes(row.outcome))) &&
            (told !== true || row.said.length > 0) &&
            (open !== true || row.outcome === null),
        )
        .slice(0, limit),
    );
  }

  rows(mapping: string, rowNumbers: readonly number[]): Promise<readonly RunRow[]> {
    const wanted = new Set(rowNumbers);
    return values(this.#sorted(mapping).filter(({ rowNumber }) => wanted.has(rowNumber)));
  }

  deferOpen(mapping: string, said: Words, change?: ChangeKind): Promise<void> {
    return this.#each(
      mapping,
      (row) => row.outcome === null && (change === undefined || row.change === change),
      { outcome: 'deferred', said },
    );
  }

  reopenDeferred(mapping: string): Promise<void> {
    return this.#each(mapping, (row) => row.outcome === 'deferred', { outcome: null, said: [] });
  }

  restart(mapping: string): Promise<void> {
    this.#of(mapping).known.clear();
    return this.#each(
      mapping,
      ({ outcome, change, id }) =>
        outcome === null &&
        (change === 'update' || change === 'unchanged' || (change === 'create' && id === null)),
      { change: 'pending', before: null },
    );
  }

  countOutcomes(mapping: string): Promise<ReadonlyMap<Outcome | 'open', number>> {
    return values(counted(this.#sorted(mapping).map(({ outcome }) => outcome ?? 'open')));
  }

  countChanges(mapping: string, open = false): Promise<ReadonlyMap<ChangeKind, number>> {
    const rows = this.#sorted(mapping).filter(({ outcome }) => !open || outcome === null);
    return values(counted(rows.map(({ change }) => change)));
  }

  async *duplicates(mapping: string): AsyncGenerator<DuplicateGroup> {
    const valid = this.#sorted(mapping).filter(isValid);
    for (const [key, rows] of Map.groupBy(valid, (row) => row.key ?? '')) {
      if (rows.length > 1) yield await values({ key, rows });
    }
  }

  async *lookAlikes(mapping: string): AsyncGenerator<LookAlike> {
    const valid = this.#sorted(mapping).filter((row) => isValid(row) && row.folded !== null);
    for (const [, rows] of Map.groupBy(valid, (row) => row.folded)) {
      for (const [index, row] of rows.entries()) {
        const other = rows.slice(0, index).find(({ key }) => key !== row.key);
        if (other !== undefined)
          yield await values({
            rowNumber: row.rowNumber,
            otherRow: other.rowNumber,
            otherKey: other.key ?? '',
          });
      }
    }
  }

  addKnown(mapping: string, records: readonly KnownRecord[]): Promise<void> {
    const { known } = this.#of(mapping);
    for (const record of records) {
      const ids = known.get(record.key) ?? new Map<string, KnownRecord>();
      known.set(record.key, ids.set(record.id ?? '', record));
    }
    return values(undefined);
  }

  known(mapping: string, keys: readonly string[]): Promise<ReadonlyMap<string, readonly KnownRecord[]>> {
    const { known } = this.#of(mapping);
    return values(
      new Map(
        [...new Set(keys)].flatMap((key) => {
          const ids = known.get(key);
          return ids === undefined ? [] : [[key, [...ids.values()]] as const];
        }),
      ),
    );
  }

  countKnown(mapping: string): Promise<number> {
    return values(this.#of(mapping).known.size);
  }

  setHeader(mapping: string, header: readonly string[]): Promise<void> {
    this.#of(mapping).header = header;
    return values(undefined);
  }

  header(mapping: string): Promise<readonly string[]> {
    return values(this.#of(mapping).header);
  }

  mappings(): Promise<readonly string[]> {
    return values([...this.#data.mappings.keys()]);
  }

  keepWritten(): Promise<void> {
    for (const { rows, known } of this.#data.mappings.values()) {
      known.clear();
      for (const [rowNumber, row] of rows) {
        const written = row.outcome === 'created' || row.outcome === 'updated';
        const bare = { lines: [], before: null, lookups: null, folded: null, said: [] };
        if (written) rows.set(rowNumber, { ...row, ...bare });
        else if (row.outcome === 'invalid' || row.outcome === 'rejected')
          rows.set(rowNumber, { ...row, ...bare, said: wrongColumns(row), fields: null });
        else rows.delete(rowNumber);
      }
    }
    const left = [...this.#data.mappings.values()].some(({ rows }) => rows.size > 0);
    return left ? this.close() : this.remove();
  }

  sync(): Promise<void> {
    this.#data.synced = copyOf(this.#data.mappings);
    return values(undefined);
  }

  close(): Promise<void> {
    return this.sync();
  }

  remove(): Promise<void> {
    this.#forget();
    return values(undefined);
  }

  #of(name: string): MappingRows {
    const found = this.#data.mappings.get(name) ?? { rows: new Map(), known: new Map(), header: [] };
    this.#data.mappings.set(name, found);
    return found;
  }

  #sorted(mapping: string): readonly RunRow[] {
    return [...this.#of(mapping).rows.values()].toSorted((a, b) => a.rowNumber - b.rowNumber);
  }

  #each(mapping: string, wanted: (row: RunRow) => boolean, change: Partial<RunRow>): Promise<void> {
    const { rows } = this.#of(mapping);
    for (const [rowNumber, row] of rows) if (wanted(row)) rows.set(rowNumber, { ...row, ...change });
    return values(undefined);
  }
}

const isValid = ({ key, change }: RunRow): boolean =>
  key !== null && change !== 'invalid' && change !== 'excluded';

function counted<Name>(names: readonly Name[]): ReadonlyMap<Name, number> {
  const counts = new Map<Name, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
