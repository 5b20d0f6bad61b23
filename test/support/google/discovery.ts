import { existsSync, readFileSync } from 'node:fs';
import { isObject, type Mask } from './field-mask.ts';

/** One schema of a discovery document. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly repeated?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

interface Method {
  readonly httpMethod: string;
  readonly path: string;
  readonly id: string;
  readonly parameters?: Readonly<Record<string, Schema>>;
  readonly request?: { readonly $ref: string };
  readonly response?: { readonly $ref: string };
}

interface Resource {
  readonly methods?: Readonly<Record<string, Method>>;
  readonly resources?: Readonly<Record<string, Resource>>;
}

interface Document extends Resource {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly parameters: Readonly<Record<string, Schema>>;
}

const FILE = new URL('../../../../shared/google/sheets-v4.discovery.json', import.meta.url);
/** Where a request's mask is rooted, by the kind of request. */
const MASK_ROOTS: Readonly<Record<string, string>> = {
  updateCells: 'CellData',
  repeatCell: 'CellData',
  updateSheetProperties: 'SheetProperties',
  updateDimensionProperties: 'DimensionProperties',
  updateEmbeddedObjectPosition: 'OverlayPosition',
  updateDeveloperMetadata: 'DeveloperMetadata',
};

function methodsOf({ methods = {}, resources = {} }: Resource): Method[] {
  return [...Object.values(methods), ...Object.values(resources).flatMap(methodsOf)];
}

/** A check of requests against Google's own description of the interface; answers what is wrong, in Google's words as far as they are known. */
export interface Validator {
  /** The problems of a request: path parameters, query and body. */
  request(method: string, path: string, query: URLSearchParams, body: unknown): string[];
  /** The problems of a value of a named schema. */
  value(value: unknown, schema: string, at: string): string[];
  /** The problems of a field mask over a named schema. */
  mask(mask: Mask | true, schema: string, at?: string): string[];
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  any: () => true,
};

/** Makes a check from a discovery document. */
export function createValidator(document: Document): Validator {
  const methods = methodsOf(document).map((method) => ({
    method,
    // `{range}` may hold a colon, `{spreadsheetId}` may not; the custom verb stands after the last colon.
    pattern: new RegExp(
      `^/${method.path.replaceAll('{spreadsheetId}', '[^/:]+').replace(/\{\w+\}/g, '[^/]+')}$`,
    ),
  }));

  const check = (value: unknown, schema: Schema, at: string): string[] => {
    if (schema.$ref !== undefined) return checkRef(value, schema.$ref, at);
    if (schema.type === 'array') {
      if (!Array.isArray(value)) return [`Invalid value at '${at}' (not a list), ${JSON.stringify(value)}`];
      const items = schema.items ?? {};
      return value.flatMap((item, index) => check(item, items, `${at}[${index}]`));
    }
    if (schema.type === 'object' && schema.additionalProperties !== undefined) {
      const inner = schema.additionalProperties;
      if (!isObject(value)) return [`Invalid value at '${at}' (not an object), ${JSON.stringify(value)}`];
      return Object.entries(value).flatMap(([key, part]) => check(part, inner, `${at}.${key}`));
    }
    const fits = TYPES[schema.type ?? 'any']?.(value) ?? true;
    if (!fits || (schema.enum !== undefined && !schema.enum.includes(String(value))))
      return [
        `Invalid value at '${at}' (TYPE_${(schema.format ?? schema.type ?? '').toUpperCase()}), ${JSON.stringify(value)}`,
      ];
    return [];
  };

  const checkRef = (value: unknown, name: string, at: string): string[] => {
    const properties = document.schemas[name]?.properties ?? {};
    if (!isObject(value)) return [`Invalid value at '${at}' (${name}), ${JSON.stringify(value)}`];
    return Object.entries(value).flatMap(([key, part]) => {
      const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (schema === undefined)
        return [`Invalid JSON payload received. Unknown name "${key}" at '${at}': Cannot find field.`];
      // A field of null is a field that is left out.
      return part === null ? [] : check(part, schema, at === '' ? key : `${at}.${key}`);
    });
  };

  const mask = (parts: Mask | true, name: string, at = ''): string[] => {
    if (parts === true) return [];
    const properties = document.schemas[name]?.properties ?? {};
    return Object.entries(parts).flatMap(([field, inner]) => {
      if (field === '*') return [];
      const path = at === '' ? field : `${at}.${field}`;
      const schema = Object.hasOwn(properties, field) ? properties[field] : undefined;
      if (schema === undefined)
        return [`Error expanding 'fields' parameter. Cannot find matching fields for path '${path}'.`];
      const target = schema.$ref ?? schema.items?.$ref ?? schema.additionalProperties?.$ref;
      if (inner === true) return [];
      return target === undefined
        ? [
            `Error expanding 'fields' parameter. Cannot find matching fields for path '${path}.${Object.keys(inner)[0] ?? ''}'.`,
          ]
        : mask(inner, target, path);
    });
  };

  const checkQuery = (method: Method, query: URLSearchParams): string[] =>
    [...query].flatMap(([key, text]) => {
      const schema = method.parameters?.[key] ?? document.parameters[key];
      if (schema === undefined)
        return [`Invalid JSON payload received. Unknown name "${key}": Cannot bind query parameter.`];
      const value = schema.type === 'boolean' ? ['true', 'false'].includes(text) : text;
      if (value === false || (schema.enum !== undefined && !schema.enum.includes(text)))
        return [`Invalid value at '${key}' (TYPE_ENUM), "${text}"`];
      return [];
    });

  return {
    request(httpMethod, path, query, body) {
      const found = methods.find(
        ({ method, pattern }) => method.httpMethod === httpMethod && pattern.test(path),
      )?.method;
      if (found === undefined) return [`No method for ${httpMethod} ${path}`];
      if (found.request === undefined)
        return [...checkQuery(found, query), ...(body === undefined ? [] : ['Unexpected body.'])];
      return [...checkQuery(found, query), ...checkRef(body ?? {}, found.request.$ref, '')];
    },
    value: checkRef,
    mask,
  };
}

/** The schema that the mask of a request is rooted in; undefined for requests without one. */
export function maskRoot(kind: string): string | undefined {
  return MASK_ROOTS[kind];
}

let known: Validator | undefined;

/** The check by the discovery document that stands beside the repository; undefined where there is none. */
export function readValidator(): Validator | undefined {
  if (known === undefined && existsSync(FILE))
    known = createValidator(JSON.parse(readFileSync(FILE, 'utf8')) as Document);
  return known;
}
