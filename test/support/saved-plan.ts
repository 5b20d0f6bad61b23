import type { PushMapping } from '../../src/mapping/mapping.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import type { Approve, PushResult } from '../../src/sync/push.ts';
import { pushSavedPlan } from '../../src/sync/push-saved-plan.ts';
import { openSavedPlan, type SavedPlan } from '../../src/plan/saved/read-saved-plan.ts';
import { savedPlanLines } from '../../src/sync/plan/save-plan.ts';
import type { PlanOptions } from '../../src/plan/saved/push-plan.ts';
import { PLAN_OPTIONS, type Engine } from './engine.ts';

/** A saved plan in memory, opened as a file is. */
export const openLines = (lines: readonly string[]): Promise<SavedPlan> =>
  openSavedPlan('week.plan', async function* () {
    await Promise.resolve();
    yield* lines;
  });

/** The lines that `plan --out` would write. */
export async function planLines(
  { ports, clock }: Engine,
  mappings: readonly PushMapping[],
  options: PlanOptions = PLAN_OPTIONS,
): Promise<readonly string[]> {
  const planned = await planPush(ports, mappings, options);
  try {
    const maker = {
      id: ports.random.ulid(clock.now()),
      version: '1.2.3',
      madeAtMs: clock.now(),
      typed: ['plan', '--out', 'week.plan'],
      options,
    };
    return await Array.fromAsync(savedPlanLines(planned, maker));
  } finally {
    await planned.rows.remove();
  }
}

/** A plan made now, saved and opened. */
export const savePlan = async (...args: Parameters<typeof planLines>): Promise<SavedPlan> =>
  openLines(await planLines(...args));

export const pushSaved = (
  { ports }: Engine,
  saved: SavedPlan,
  mappings: readonly PushMapping[],
  approve: Approve = () => Promise.resolve(),
): Promise<PushResult> => pushSavedPlan(ports, saved, mappings, 'plan --out week.plan', approve);
