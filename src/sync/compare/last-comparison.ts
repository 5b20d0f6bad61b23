import { createHash, type Hash } from 'node:crypto';
import { pushTarget, type PushedResource } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { variableOf } from '../../mapping/push-fields.ts';
import type { ComparedMapping, ServiceAccount } from '../../model/state/store.ts';
import type { SourceDigest, SourceTable } from '../../model/tables/table.ts';
import { digestOf } from '../../plan/digest.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import { SameRows } from '../../plan/same-rows.ts';
import type { SyncPorts } from '../ports.ts';
import type { ReadingMemory, WholeReading } from '../rows/left-rows.ts';
import { isKept } from './known-count.ts';

/** Of another shape, what was kept is not read. */
const FORMAT = 2;

type Ports = Pick<SyncPorts, 'store' | 'random' | 'clock' | 'variable' | 'timezone' | 'release'>;

/** What is kept of a comparison. */
interface KeptComparison {
  /** The digest of all that it went by, but for the source and what is confirmed. */
  readonly by: string;
  /** The rows that say just what is known; undefined where the next comparison is to gather them anew. */
  readonly same?: SameRowsKept | undefined;
  /** The source, where nothing was to be said of any of its rows. */
  readonly whole?: { readonly source: SourceDigest; readonly reading: WholeReading } | undefined;
}

interface SameRowsKept {
  /** The id of the comparison, whose rows are kept beside it. */
  readonly id: string;
  readonly parts: number;
  readonly bytes: number;
  readonly digest: string;
  /** The digest of the header and the time zone of the table. */
  readonly table: string;
}

/**
 * Remembers what comparing a source with the state came to. With the same mapping and options, and a state in which nothing was confirmed since, a row that said just what is
 * known says so again, and a source of which nothing was to be said comes to the same.
 */
export class LastComparison implements ReadingMemory {
  readonly #ports: Ports;
  readonly #compared: ComparedMapping;
  readonly #by: string;
  /** Undefined where nothing is kept. */
  #id: string | undefined;
  #known: { readonly same: SameRowsKept; readonly rows: ArrayBuffer; readonly digest: Hash } | undefined;
  #table = '';
  #same = new SameRows();
  #parts = 0;
  #bytes = 0;
  #digest = createHash('sha256');

  private constructor(ports: Ports, compared: ComparedMapping, by: string) {
    this.#ports = ports;
    this.#compared = compared;
    this.#by = by;
  }

  /** Undefined where more than the source, the mapping and the state decides on rows, or not all of the source is read. */
  static of(
    ports: Ports,
    mapping: PushMapping,
    account: ServiceAccount,
    { allowKeyShape, encoding, limit, only = {} }: PlanOptions,
  ): LastComparison | undefined {
    const { release, timezone, variable } = ports;
    const { columns, resource, source } = mapping;
    const looksUp = columns !== 'auto' && columns.some(({ lookup }) => lookup !== undefined);
    const isPart = limit !== undefined || Object.hasOwn(only, mapping.name);
    const { ruleIssues } = resourcePlans[resource];
    // Rows of settings are one record together.
    const isPairs = source.layout.kind === 'key_value';
    if (release === undefined || looksUp || isPart || isPairs || ruleIssues !== undefined) return undefined;
    const variables = variablesOf(resource).map((name) => [name, variable(name)]);
    const by = digestOf([FORMAT, release, mapping, allowKeyShape, encoding ?? null, timezone, variables]);
    return new LastComparison(ports, { account, resource, mapping: mapping.name }, by);
  }

  async recall(digest: () => Promise<SourceDigest | undefined>): Promise<WholeReading | undefined> {
    const last = await this.#ports.store.comparisons.last(this.#compared);
    const kept = last === undefined ? undefined : (JSON.parse(last) as KeptComparison);
    if (kept?.by !== this.#by) return undefined;
    const { whole, same } = kept;
    const source = whole && (await digest());
    if (
      whole !== undefined &&
      source?.digest === whole.source.digest &&
      source.origin === whole.source.origin
    )
      return whole.reading;
    if (same !== undefined) await this.#readRows(same);
    return undefined;
  }

  async sameRows({ header, timezone }: Pick<SourceTable, 'header' | 'timezone'>): Promise<SameRows> {
    this.#table = digestOf([header, timezone ?? null]);
    const known = this.#known;
    this.#known = undefined;
    if (known?.same.table === this.#table) {
      ({ id: this.#id, parts: this.#parts, bytes: this.#bytes } = known.same);
      this.#digest = known.digest;
      this.#same = new SameRows(known.rows);
      return this.#same;
    }
    const { store, random, clock } = this.#ports;
    const id = random.ulid(clock.now());
    await this.#write(async () => {
      await store.comparisons.begin(this.#compared, id);
      this.#id = id;
    });
    return this.#same;
  }

  async keepRows(isEnd = false): Promise<void> {
    const rows = this.#same.take(isEnd);
    const [id, part] = [this.#id, this.#parts];
    if (rows === undefined || id === undefined) return;
    this.#parts += 1;
    this.#bytes += rows.length;
    this.#digest.update(rows);
    await this.#write(() => this.#ports.store.comparisons.addRows(id, part, rows));
  }

  async keep(whole: KeptComparison['whole']): Promise<void> {
    await this.keepRows(true);
    const { areMostGone } = this.#same;
    this.#same.forget();
    const id = this.#id;
    if (id === undefined) return;
    const digest = this.#digest.digest('hex');
    const same = { id, parts: this.#parts, bytes: this.#bytes, digest, table: this.#table };
    const kept: KeptComparison = { by: this.#by, same: areMostGone ? undefined : same, whole };
    await this.#write(() => this.#ports.store.comparisons.keep(this.#compared, id, JSON.stringify(kept)));
  }

  /** Knows the rows of earlier comparisons, where they are as they were kept. */
  async #readRows(same: SameRowsKept): Promise<void> {
    const rows = new Uint8Array(same.bytes);
    const digest = createHash('sha256');
    let from = 0;
    for (let part = 0; part < same.parts; part += 1) {
      const next = await this.#ports.store.comparisons.rows(same.id, part);
      if (next === undefined || from + next.length > rows.length) return;
      rows.set(next, from);
      from += next.length;
      digest.update(next);
    }
    if (from === rows.length && digest.copy().digest('hex') === same.digest)
      this.#known = { same, rows: rows.buffer, digest };
  }

  async #write(write: () => Promise<void>): Promise<void> {
    if (!(await isKept(write()))) this.#id = undefined;
  }
}

/** The variables that a table of a resource may be read with. */
function variablesOf(resource: PushedResource): readonly string[] {
  const fields = Object.keys(pushTarget(resource)?.fields ?? {});
  return fields.flatMap((field) => variableOf(resource, field) ?? []);
}
