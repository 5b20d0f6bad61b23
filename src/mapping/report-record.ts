import * as z from 'zod';
import { pullTarget } from '../contract/index.ts';
import type { ResourceName, RowAsked } from '../contract/resource.ts';

/** The shape of what one report row is made of, with the paths that are added to the record (interfaces.md, section 4). */
export function reportRecord(resource: ResourceName, asked: RowAsked): z.core.$ZodType {
  const target = pullTarget(resource);
  return target?.rowRecord?.(asked) ?? target?.record ?? z.looseObject({});
}
