import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRows } from '../../model/run-rows.ts';
import type { ComparePorts, Comparison, OpenAccount } from '../ports.ts';
import type { PlanOptions } from '../../plan/push-plan.ts';
import { strategies } from '../resources/index.ts';
import { compareListed } from './compare-listed.ts';

/**
 * Finds what the rows of a mapping are compared with (push-protocol.md, "What is known already"). Only reads.
 * Errors: those of reading.
 */
export async function prepareComparison(
  ports: ComparePorts,
  mapping: PushMapping,
  account: OpenAccount,
  rows: RunRows,
  options: Pick<PlanOptions, 'compare' | 'adopt' | 'again'>,
): Promise<Comparison> {
  const wanted = options.compare ?? mapping.compare;
  const strategy = strategies[mapping.resource];
  return strategy.listed === undefined
    ? strategy.compare({ ports, mapping, account, rows, wanted, options })
    : compareListed(ports, mapping, strategy.listed, account, rows, wanted, options.adopt);
}
