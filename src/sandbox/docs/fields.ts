import * as z from 'zod';
import { markup, type Markup } from '../../pages/markup.ts';
import { table } from '../../pages/parts.ts';

/** The fields of a schema; of what is sent, whether they are required. */
export function fieldTable(title: string, schema: z.ZodType, io: 'input' | 'output'): Markup {
  const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Described;
  const rows = fieldRows(described, '', true, described.$defs ?? {}).map(({ path, type, isRequired }) => [
    markup`<code>${path}</code>`,
    type,
    ...(io === 'input' ? [isRequired ? 'required' : 'optional'] : []),
  ]);
  return table(title, ['Field', 'Type', ...(io === 'input' ? ['Needed'] : [])], rows);
}

/** The part of JSON Schema that zod makes of the contract. */
interface Described {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Described>>;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
}

interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** One row for each leaf, with its dotted path; `[]` stands for each element of a list. */
function fieldRows(
  given: Described,
  path: string,
  isRequired: boolean,
  defs: Readonly<Record<string, Described>>,
): readonly FieldRow[] {
  const named = defs[given.$ref?.split('/').at(-1) ?? ''] ?? given;
  const present = named.anyOf?.filter((one) => kindOf(one) !== '') ?? [];
  const [only] = present;
  if (present.length > 1) return [{ path, type: kindsText(present), isRequired }];
  if (present.length === 1 && only !== undefined) return fieldRows(only, path, isRequired, defs);
  if (kindOf(named) === 'array' && named.items !== undefined) {
    const [first, ...rest] = fieldRows(named.items, `${path}[]`, isRequired, defs);
    const most = named.minItems === undefined ? '' : `, at least ${named.minItems}`;
    return first === undefined ? [] : [{ ...first, type: `${first.type}${most}` }, ...rest];
  }
  if (named.properties === undefined) return [{ path, type: typeText(named), isRequired }];
  const required = new Set(named.required);
  return Object.entries(named.properties).flatMap(([name, child]) =>
    fieldRows(child, path === '' ? name : `${path}.${name}`, isRequired && required.has(name), defs),
  );
}

/** What a value is when it is not null; empty for nothing but null. */
function kindOf({ type = 'any' }: Described): string {
  return [type]
    .flat()
    .filter((one) => one !== 'null')
    .join(' or ');
}

/** One of several: what each is, without its bounds. */
function kindsText(present: readonly Described[]): string {
  return [...new Set(present.map((one) => one.format ?? kindOf(one)))].join(' or ');
}

/** Integers have bounds of their own, which say nothing about the field. */
const isTelling = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

function typeText(described: Described): string {
  const { format, minimum, maximum, minLength, maxLength } = described;
  return [
    format ?? kindOf(described),
    isTelling(minimum) ? `from ${minimum}` : '',
    isTelling(maximum) ? `to ${maximum}` : '',
    minLength === undefined || minLength === 0
      ? ''
      : `at least ${minLength} character${minLength === 1 ? '' : 's'}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
