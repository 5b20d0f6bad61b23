import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRows } from '../../model/state/run-rows.ts';
import type { Comparison, OpenAccount, ReadingPorts, ReadTask } from '../ports.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import { asReadAt, maySendStill } from '../../plan/reconcile/intents.ts';
import { openWrites, unansweredKeys } from '../journal/open-writes.ts';
import { strategies } from '../resources/index.ts';
import { compareListed } from './compare-listed.ts';

/**
 * Finds what the rows of a mapping are compared with (push-protocol.md, "What is known already"). Only reads.
 * Errors: those of reading.
 */
export async function prepareComparison(
  ports: ReadingPorts,
  mapping: PushMapping,
  account: OpenAccount,
  rows: RunRows,
  options: Pick<PlanOptions, 'compare' | 'adopt' | 'again'>,
): Promise<Comparison> {
  const readAtMs = ports.clock.now();
  const { record, service } = account;
  const wanted = options.compare ?? mapping.compare;
  const asked = { ports, mapping, account: service, record, rows, wanted, options };
  const strategy = strategies[mapping.resource];
  const comparison =
    strategy.listed === undefined
      ? await strategy.compare(asked)
      : await compareListed(asked, strategy.listed);
  return withSilent(asked, comparison, readAtMs);
}

/** What may still go out holds its keys: it would come beside what is sent now, or over it. */
async function withSilent(
  { ports, mapping: { resource }, account }: ReadTask,
  comparison: Comparison,
  readAtMs: number,
): Promise<Comparison> {
  const writes = await openWrites(ports, account, resource);
  const open = writes.map((write) => asReadAt(write, readAtMs, ports.settleMs));
  const silent = open.filter((write) => maySendStill(write) !== undefined);
  if (silent.length === 0) return comparison;
  return { ...comparison, silent: await unansweredKeys(ports, account, resource, silent) };
}
