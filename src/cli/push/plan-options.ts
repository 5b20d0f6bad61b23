import type { PlanOptions } from '../../sync/ports.ts';
import type { ArgsOf } from '../command.ts';
import type { sourceFlags } from '../flags.ts';

/** What only commands that compare are asked. */
interface Comparing {
  readonly compare?: PlanOptions['compare'] | undefined;
  readonly adopt?: boolean | undefined;
  readonly again?: boolean | undefined;
  readonly onAmbiguous?: PlanOptions['onAmbiguous'] | undefined;
}

/** What the flags ask of a plan. */
export function planOptions(args: ArgsOf<typeof sourceFlags> & Comparing): PlanOptions {
  return {
    limit: args.limit,
    allowEmpty: args.allowEmpty === true,
    allowKeyShape: args.allowKeyShape === true,
    encoding: args.encoding,
    compare: args.compare,
    allowGuards: args.allowGuard,
    adopt: args.adopt === true,
    ...(args.again === true && { again: true }),
    ...(args.onAmbiguous !== undefined && { onAmbiguous: args.onAmbiguous }),
  };
}
