import * as z from 'zod';
import { Refusal } from '../refusal.ts';

/** Issues that one message names; a batch may hold thousands. */
const MOST_ISSUES = 5;

/** A Fastify validator for a zod schema of the contract. Query and path carry text, so digits become the number that the schema asks for. */
export function validatorOf(schema: unknown, httpPart: string | undefined) {
  if (!(schema instanceof z.ZodObject)) throw new TypeError('a route has a schema that is not of zod');
  const isText = httpPart === 'querystring' || httpPart === 'params';
  const numbers = isText ? numbersOf(schema) : [];
  return (sent: unknown) => {
    const result = schema.safeParse(isText ? withNumbers(sent, numbers) : sent);
    if (result.success) return checkText(result.data);
    return { error: refusalOf(result.error, httpPart === 'body' ? 'body' : 'query') };
  };
}

function numbersOf(schema: z.ZodObject): readonly string[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(([, field]) => (field instanceof z.ZodOptional ? field.unwrap() : field) instanceof z.ZodNumber)
    .map(([name]) => name);
}

function withNumbers(sent: unknown, numbers: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(sent ?? {}).map(([name, value]: [string, unknown]) => {
      const isNumber = numbers.includes(name) && typeof value === 'string' && /^-?\d{1,15}$/.test(value);
      return [name, isNumber ? Number(value) : value];
    }),
  );
}

/** `prices[3].player_id: Invalid input: expected number, received string; ...` */
function refusalOf(error: z.ZodError, whole: string): Refusal {
  const named = error.issues
    .slice(0, MOST_ISSUES)
    .map((issue) => `${pathText(issue.path) || whole}: ${issue.message}`);
  const more = error.issues.length - named.length;
  return new Refusal(400, [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; '));
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}

/** Half of a surrogate pair is no text, and SQLite would change it silently. */
function checkText(value: Record<string, unknown>): { value: unknown } | { error: Refusal } {
  const path = illFormed(value, []);
  if (path === undefined) return { value };
  return { error: new Refusal(400, `${pathText(path)}: holds half of a surrogate pair`) };
}

function illFormed(value: unknown, path: readonly PropertyKey[]): readonly PropertyKey[] | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = illFormed(child, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
