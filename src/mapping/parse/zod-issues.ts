import type * as z from 'zod';
import { ConfigError } from '../../model/error.ts';
import { either, showAny } from '../show.ts';
import { keysOf, placed, type Path, type YamlDocument } from './yaml-document.ts';

type Issue = z.core.$ZodIssue;

/** One thing that is wrong with a mapping, and where. */
export interface Finding {
  readonly path: Path;
  /** Whether the key or the value at `path` is meant. */
  readonly of: 'key' | 'value';
  readonly message: string;
}

/**
 * What zod found, in words, with the alternatives of a union reduced to the one that was meant. A key that is missing only because it is
 * misspelt is told once.
 */
export function findingsOf(issues: readonly Issue[], value: unknown, base: Path): readonly Finding[] {
  const found = issues.flatMap((issue) =>
    findings(issue, valueAt(value, issue.path), [...base, ...(issue.path as Path)]),
  );
  return found.filter((one) => !found.some((other) => other.of === 'key' && meansKeyOf(other, one)));
}

/** Whether `unknown` is an unknown key that stands for the key which `missing` complains of. */
function meansKeyOf(unknown: Finding, missing: Finding): boolean {
  const parent = (path: Path): string => path.slice(0, -1).join('\0');
  return (
    missing.message.startsWith('is missing') &&
    parent(unknown.path) === parent(missing.path) &&
    unknown.message.endsWith(`: did you mean "${String(missing.path.at(-1))}"?`)
  );
}

function findings(issue: Issue, value: unknown, path: Path): readonly Finding[] {
  switch (issue.code) {
    case 'invalid_union': {
      const branch = meantBranch(issue.errors, value);
      return branch === undefined
        ? [about(path, expected(either(kindsOf(issue.errors)), value))]
        : findingsOf(branch, value, path);
    }
    case 'unrecognized_keys':
      return issue.message.split('; unknown key').map((part, index) => ({
        path: [...path, issue.keys[index] ?? ''],
        of: 'key' as const,
        message: index === 0 ? part : `unknown key${part}`,
      }));
    case 'invalid_type':
      return [about(path, expected(TYPE_NAMES[issue.expected] ?? issue.expected, value))];
    case 'invalid_value':
      return [
        about(path, issue.message.startsWith('Invalid') ? notOneOf(issue.values, value) : issue.message),
      ];
    case 'too_small':
      return [about(path, tooSmall(issue, value))];
    case 'too_big':
      return [about(path, tooLarge(issue, value))];
    case 'invalid_format':
      return [
        about(path, issue.format === 'guid' ? `${showAny(value)} is not a UUID; correct it` : issue.message),
      ];
    default:
      return [about(path, issue.message)];
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

function about(path: Path, message: string): Finding {
  return { path, of: 'value', message };
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, value: unknown): string {
  if (issue.origin === 'string')
    return value === ''
      ? 'is empty; write something'
      : `${showAny(value)} is too short, at least ${issue.minimum} characters`;
  if (issue.origin === 'array')
    return Number(issue.minimum) > 1
      ? `has too few; write at least ${issue.minimum}`
      : 'is empty; write at least one';
  return `${showAny(value)} is too small, ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
}

function tooLarge(issue: z.core.$ZodIssueTooBig, value: unknown): string {
  const unit = issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' elements' : '';
  return `${showAny(value)} is too large, at most ${issue.maximum}${unit}`;
}

function expected(what: string, value: unknown): string {
  if (value === undefined) return `is missing; write ${what}`;
  return value === null ? `is empty; write ${what}` : `${showAny(value)} is not ${what}`;
}

function notOneOf(values: readonly unknown[], value: unknown): string {
  const list = `write ${either(values.map(String))}`;
  if (value === undefined) return `is missing; ${list}`;
  return value === null ? `is empty; ${list}` : `${showAny(value)} is not known; ${list}`;
}

/** The kinds of value that the alternatives of a union take; a text may also be written as a number or truth value. */
function kindsOf(branches: readonly (readonly Issue[])[]): readonly string[] {
  const kinds = branches.flatMap(([issue]): readonly string[] => {
    if (issue?.code === 'invalid_union') return kindsOf(issue.errors);
    if (issue?.code === 'invalid_value') return issue.values.map(String);
    return issue?.code === 'invalid_type' ? [TYPE_NAMES[issue.expected] ?? issue.expected] : [];
  });
  const distinct = [...new Set(kinds)];
  return distinct.includes('a text')
    ? distinct.filter((kind) => kind !== 'a number' && kind !== 'true or false')
    : distinct;
}

/** The alternative whose own shape fits: the one without a complaint about the value's type as a whole. */
function meantBranch(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] | undefined {
  if (value === undefined) return undefined;
  const fits = branches.filter((issues) =>
    issues.every(
      (issue) => issue.path.length > 0 || (issue.code !== 'invalid_type' && !isNestedUnion(issue)),
    ),
  );
  return fits.find((issues) => issues.some(({ path }) => path.length > 0)) ?? fits[0];
}

/** A union that fails as a whole says that none of its types fit. */
function isNestedUnion(issue: Issue): boolean {
  return (
    issue.code === 'invalid_union' &&
    issue.errors.every((inner) =>
      inner.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
    )
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[part];
  }
  return current;
}

/** A value of a document, found at `base`, as its schema makes it. Errors: ConfigError `mapping.invalid`, naming everything that is wrong. */
export function checked<S extends z.ZodType>(
  schema: S,
  value: unknown,
  document: YamlDocument,
  base: Path,
): z.output<S> {
  // Compiling a schema pays for itself only when it is used many times.
  const result = schema.safeParse(value, { jitless: true });
  if (result.success) return result.data;
  throw findingsError(document, findingsOf(result.error.issues, value, base));
}

/** One ConfigError `mapping.invalid` for all findings, in the order of the file; its place is the first one's. */
export function findingsError(document: YamlDocument, findings: readonly Finding[]): ConfigError {
  const spots = findings
    .map((finding) => ({ ...finding, spot: document.spot(finding.path, finding.of) }))
    .sort((left, right) => left.spot.line - right.spot.line || left.spot.column - right.spot.column);
  const text = spots.map(({ path, of, message, spot }) =>
    placed(document.file, spot, of === 'key' ? message : named(path, message)),
  );
  const [first] = spots;
  return new ConfigError('mapping.invalid', text.join('\n'), {
    file: document.file,
    ...first?.spot,
    problems: spots.map(({ path, message }) => ({ keys: keysOf(path), message })),
  });
}

/** `batch_size: 5000 is too large`: the keys before a message, without the positions in lists. */
function named(path: Path, message: string): string {
  const keys = keysOf(path).join('.');
  return keys === '' ? message : `${keys}: ${message}`;
}
