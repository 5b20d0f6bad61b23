import type { PlanOptions } from '../plan/saved/push-plan.ts';

/** What may be asked of a plan; what is left out is not asked. */
export type AskedOptions = {
  readonly [Name in Exclude<keyof PlanOptions, 'only' | 'deadlines' | 'weeks'>]?:
    PlanOptions[Name] | undefined;
};

/** The same with everything that is not asked said. */
export function completePlanOptions(asked: AskedOptions): PlanOptions {
  const { limit, encoding, compare, allowGuards = [], onAmbiguous } = asked;
  return {
    limit,
    allowEmpty: asked.allowEmpty === true,
    allowKeyShape: asked.allowKeyShape === true,
    encoding,
    compare,
    allowGuards,
    adopt: asked.adopt === true,
    ...(asked.again === true && { again: true }),
    ...(onAmbiguous !== undefined && { onAmbiguous }),
  };
}
