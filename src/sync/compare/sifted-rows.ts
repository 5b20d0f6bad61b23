import { resources } from '../../contract/index.ts';
import { quotaRoom } from '../../model/quota.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import type { OpenAccount, SyncPorts } from '../ports.ts';
import { SAME, type ReadingMemory, type Sieve } from '../rows/left-rows.ts';
import { ChangeCounts, equalTo } from './compare-rows.ts';
import type { ComparedAhead, ForeseeingPorts, Foreseen } from './foreseen.ts';
import { LastComparison } from './last-comparison.ts';

/** Rows of each kind that a plan shows one by one; the counts stand for the rest. */
export const SHOWN_ROWS = 12;

type Ports = ForeseeingPorts & Pick<SyncPorts, 'variable' | 'timezone' | 'release'>;

/**
 * The rows of a mapping, compared while they are read. Whoever plans so sends nothing, and asks for no row again but for those that are shown: the others are left
 * out.
 */
export class SiftedRows {
  readonly #ports: Ports;
  readonly #foreseen: Foreseen;
  readonly #options: PlanOptions;
  #counts = new ChangeCounts();
  #isAnyCompared = false;

  constructor(ports: Ports, foreseen: Foreseen, options: PlanOptions) {
    this.#ports = ports;
    this.#foreseen = foreseen;
    this.#options = options;
  }

  /** Compares the rows of one reading, and leaves out those that a plan only counts. */
  sieve(): Sieve {
    this.#counts = new ChangeCounts();
    this.#isAnyCompared = false;
    const { mapping, comparing } = this.#foreseen;
    return {
      memory: this.#memory(),
      compare: (rows) => {
        this.#isAnyCompared ||= rows.length > 0;
        return comparing.compare(rows, (row, id) => (row.said.length > 0 ? equalTo(row, id) : SAME));
      },
      leaves: (row, found) => {
        const { change = row.change, outcome = row.outcome, said = row.said } = found ?? {};
        if (outcome !== null) return said.length === 0 && outcome !== 'conflict' && outcome !== 'invalid';
        if (change !== 'create' && change !== 'update') return false;
        this.#counts.add(mapping, row, change);
        return change === 'create' && said.length === 0 && this.#counts.creates > SHOWN_ROWS;
      },
    };
  }

  #memory(): ReadingMemory | undefined {
    const { mapping, service, comparison } = this.#foreseen;
    if (service === undefined || comparison.known === 0) return undefined;
    return LastComparison.of(this.#ports, mapping, service, this.#options);
  }

  /** What the rows were compared with; undefined where they are to be read and compared as ever. */
  async ahead(account: OpenAccount, rows: RunRows): Promise<ComparedAhead | undefined> {
    const { mapping, provedRight } = this.#foreseen;
    const comparison = await provedRight(account);
    if (comparison === undefined) return undefined;
    const pending = (await rows.countChanges(mapping.name, true)).get('pending') ?? 0;
    const { quota } = resources[mapping.resource].push;
    // Which rows wait for room is told by their order, the others among them.
    if (quota !== undefined && this.#counts.creates + pending > quotaRoom(account.record, quota))
      return undefined;
    // Those that were found without being compared are among the unchanged.
    const isAnyCompared =
      this.#isAnyCompared || ((await rows.countChanges(mapping.name)).get('unchanged') ?? 0) > 0;
    return { comparison, counts: this.#counts, isAnyCompared };
  }
}
