import { completePlanOptions, type AskedOptions } from '../../runtime/plan-options.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import type { ArgsOf } from '../command.ts';
import type { sourceFlags } from '../flags.ts';

/** What only commands that compare are asked. */
type Comparing = Pick<AskedOptions, 'compare' | 'adopt' | 'again' | 'onAmbiguous'>;

/** What the flags ask of a plan. */
export function planOptions(args: ArgsOf<typeof sourceFlags> & Comparing): PlanOptions {
  return completePlanOptions({ ...args, allowGuards: args.allowGuard });
}
