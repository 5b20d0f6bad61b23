import { simulate, type SimulateOptions } from './simulate.ts';

/** The first seed of several that broke a promise, and what all of them met. */
export interface BatchResult {
  readonly seeds: number;
  readonly requests: number;
  readonly met: ReadonlyMap<string, number>;
  readonly failed: readonly { readonly seed: number; readonly message: string }[];
}

/** Lives seeds through one after the other. */
export async function simulateBatch(
  from: number,
  count: number,
  options: SimulateOptions & { readonly stopAtFirst?: boolean } = {},
): Promise<BatchResult> {
  const met = new Map<string, number>();
  const failed: { seed: number; message: string }[] = [];
  let requests = 0;
  let seeds = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const { violation, history, requests: sent } = await simulate(seed, options);
    seeds += 1;
    requests += sent;
    for (const [what, times] of history.met) met.set(what, (met.get(what) ?? 0) + times);
    if (violation === undefined) continue;
    failed.push({ seed, message: violation.message });
    if (options.stopAtFirst !== false) break;
  }
  return { seeds, requests, met, failed };
}
