import type { PushMapping } from '../../mapping/mapping.ts';
import { changedBy } from '../../model/changed-by.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import { rowAfter } from '../../plan/row-lifecycle.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import type { OpenAccount } from '../ports.ts';
import { rowPages } from '../rows/row-pages.ts';
import { equalTo } from './compare-rows.ts';
import { foresee, type ComparedAhead, type ForeseeingPorts, type Foreseen } from './foreseen.ts';

interface Mark extends Foreseen {
  /** Whether nothing was confirmed since the run began to read. */
  readonly isAsItWas: () => Promise<boolean>;
}

/** The rows of a run that are marked while they are read. */
export interface MarkedRows {
  /** The rows of the run, in which rows are marked as they are added. */
  readonly through: (rows: RunRows) => RunRows;
  /** By mapping, what its rows were compared with, once the run has its lock. Of the other mappings the rows are opened that were marked. */
  readonly ahead: (account: OpenAccount, rows: RunRows) => Promise<ReadonlyMap<string, ComparedAhead>>;
}

/**
 * Finds the rows of a run that say just what is known while they are read, before the run has its lock: they are unchanged at once, and all others are compared later.
 * Where another process confirms something until then, or the account counts otherwise, they are opened again. Sends nothing.
 */
export async function markRows(
  ports: ForeseeingPorts,
  mappings: readonly PushMapping[],
  options: PlanOptions,
): Promise<MarkedRows> {
  const { random, clock, store } = ports;
  const { comparisons } = store;
  const marks = new Map<string, Mark>();
  for (const foreseen of await foresee(ports, mappings, options)) {
    const { mapping, service: account } = foreseen;
    // Of an account of which nothing is known, no row says what is known.
    if (account === undefined) continue;
    // A comparison that is begun for no other reason than that it is dropped once anything is confirmed.
    const watched = { account, resource: mapping.resource, mapping: `${mapping.name} (push)` };
    const id = random.ulid(clock.now());
    await comparisons.begin(watched, id);
    await comparisons.keep(watched, id, id);
    const isAsItWas = async (): Promise<boolean> => (await comparisons.last(watched)) === id;
    marks.set(mapping.name, { ...foreseen, isAsItWas });
  }
  const marked = async (mapping: string, batch: readonly RunRow[]): Promise<readonly RunRow[]> => {
    const ids = (await marks.get(mapping)?.comparing.findEqual(batch)) ?? [];
    return batch.map((row, at) => {
      const id = ids[at];
      return id === undefined || row.said.length > 0 ? row : { ...row, ...equalTo(row, id) };
    });
  };
  return {
    through: (rows) =>
      changedBy<RunRows>(rows, {
        add: async (mapping, batch) => rows.add(mapping, await marked(mapping, batch)),
      }),
    ahead: async (account, rows) => {
      const ahead = new Map<string, ComparedAhead>();
      for (const [name, { isAsItWas, provedRight }] of marks) {
        const comparison = (await isAsItWas()) ? await provedRight(account) : undefined;
        const isAnyCompared = ((await rows.countChanges(name)).get('unchanged') ?? 0) > 0;
        if (comparison === undefined) await unmark(rows, name);
        else ahead.set(name, { comparison, isAnyCompared });
      }
      return ahead;
    },
  };
}

/** Opens the rows that were marked. */
async function unmark(rows: RunRows, mapping: string): Promise<void> {
  for await (const page of rowPages(rows, mapping, { outcomes: ['unchanged'], only: 'fields' })) {
    // Of one that another row of its key made unchanged, that is said.
    const marked = page.filter(({ said }) => said.length === 0);
    await rows.patch(
      mapping,
      marked.map((row) => rowAfter(row, { kind: 'counts-no-more' })),
    );
  }
}
