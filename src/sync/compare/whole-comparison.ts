import { pushTarget, type PushedResource } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { variableOf } from '../../mapping/push-fields.ts';
import { UnavailableError } from '../../model/error.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import type { SourceDigest } from '../../model/tables/table.ts';
import { digestOf } from '../../plan/digest.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import type { SyncPorts } from '../ports.ts';
import type { WholeReading } from '../rows/left-rows.ts';

/** Of another shape, what was kept is not read. */
const FORMAT = 1;

type Ports = Pick<SyncPorts, 'store' | 'random' | 'clock' | 'variable' | 'timezone' | 'release'>;

/** What is kept of a comparison in which no row was found that anybody asks for again. */
interface KeptComparison {
  /** The digest of all that it went by, but for the source and what is confirmed. */
  readonly by: string;
  readonly source: SourceDigest;
  readonly reading: WholeReading;
  /** Rows that were compared. */
  readonly compared: number;
}

/**
 * Remembers what comparing a whole source with the state came to, where nothing was to be said of any row: with the same source, mapping and options, and a state in which
 * nothing was confirmed since, it comes to the same.
 */
export class WholeComparison {
  readonly #ports: Ports;
  readonly #mapping: PushMapping;
  readonly #service: ServiceAccount;
  readonly #by: string;
  #id: string | undefined;

  private constructor(ports: Ports, mapping: PushMapping, service: ServiceAccount, by: string) {
    this.#ports = ports;
    this.#mapping = mapping;
    this.#service = service;
    this.#by = by;
  }

  /** Undefined where more than the source, the mapping and the state decides on rows, or not all of the source is read. */
  static of(
    ports: Ports,
    mapping: PushMapping,
    service: ServiceAccount,
    { allowKeyShape, encoding, limit, only = {} }: PlanOptions,
  ): WholeComparison | undefined {
    const { release, timezone, variable } = ports;
    const { columns, resource } = mapping;
    const looksUp = columns !== 'auto' && columns.some(({ lookup }) => lookup !== undefined);
    const isPart = limit !== undefined || Object.hasOwn(only, mapping.name);
    const { ruleIssues } = resourcePlans[resource];
    if (release === undefined || looksUp || isPart || ruleIssues !== undefined) return undefined;
    const variables = variablesOf(resource).map((name) => [name, variable(name)]);
    const by = digestOf([FORMAT, release, mapping, allowKeyShape, encoding ?? null, timezone, variables]);
    return new WholeComparison(ports, mapping, service, by);
  }

  /** What comparing the source would come to; undefined where that is not known, and a comparison has begun that may be kept. */
  async recall(
    digest: () => Promise<SourceDigest | undefined>,
  ): Promise<Pick<KeptComparison, 'reading' | 'compared'> | undefined> {
    const { store, random, clock } = this.#ports;
    const { name, resource } = this.#mapping;
    this.#id = undefined;
    const last = await store.comparisons.last(this.#service, resource, name);
    const kept = last === undefined ? undefined : (JSON.parse(last) as KeptComparison);
    if (kept?.by === this.#by) {
      const source = await digest();
      if (source?.digest === kept.source.digest && source.origin === kept.source.origin) return kept;
    }
    const id = random.ulid(clock.now());
    await unlessUnavailable(async () => {
      await store.comparisons.begin(this.#service, resource, name, id);
      this.#id = id;
    });
    return undefined;
  }

  /** Keeps what the comparison that was begun came to. */
  async keep(source: SourceDigest, reading: WholeReading, compared: number): Promise<void> {
    const id = this.#id;
    if (id === undefined) return;
    const { name, resource } = this.#mapping;
    const kept: KeptComparison = { by: this.#by, source, reading, compared };
    await unlessUnavailable(() =>
      this.#ports.store.comparisons.keep(this.#service, resource, name, id, JSON.stringify(kept)),
    );
  }
}

/** The variables that a table of a resource may be read with. */
function variablesOf(resource: PushedResource): readonly string[] {
  const fields = Object.keys(pushTarget(resource)?.fields ?? {});
  return fields.flatMap((field) => variableOf(resource, field) ?? []);
}

/** Whoever only looks needs no room on the disk. */
async function unlessUnavailable(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
  }
}
