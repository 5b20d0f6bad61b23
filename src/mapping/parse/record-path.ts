import * as z from 'zod';
import { leavesOf, unwrap } from '../../contract/field.ts';
import { didYouMean } from '../../model/nearest.ts';
import { show } from '../show.ts';

/** What is wrong with a dotted path into a record, or undefined when it leads somewhere. An object whose contents are not shown takes any path. */
export function pathProblem(record: z.core.$ZodType, path: string): string | undefined {
  let schema = record;
  const parts = path.split('.');
  for (const [index, part] of parts.entries()) {
    const inner = unwrap(schema);
    const [leaf] = leavesOf(inner);
    const before = parts.slice(0, index).join('.');
    if (leaf?.path === '') {
      return leaf.type === 'json'
        ? undefined
        : `${show(path)}: ${before} is a ${leaf.type} and holds nothing; write ${before}`;
    }
    if (inner instanceof z.ZodArray) {
      if (!/^\d+$/.test(part))
        return `${show(path)}: ${before} is a list; write the position in it, such as ${before}.0`;
      schema = inner.element;
      continue;
    }
    const shape =
      inner instanceof z.ZodObject ? (inner.shape as Readonly<Record<string, z.core.$ZodType>>) : {};
    const child = Object.hasOwn(shape, part) ? shape[part] : undefined;
    if (child === undefined) return unknownPart(path, before, part, Object.keys(shape));
    schema = child;
  }
  return undefined;
}

function unknownPart(path: string, before: string, part: string, known: readonly string[]): string {
  const where = before === '' ? 'the record' : before;
  const close = didYouMean(part, known);
  return `${show(path)}: ${where} has no ${show(part)}${close === '' ? `; it has ${known.join(', ')}` : close}`;
}
