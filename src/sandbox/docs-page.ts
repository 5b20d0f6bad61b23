import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { Endpoint } from '../contract/endpoint.ts';
import { paging } from '../contract/envelope.ts';
import { OPERATION_IDS, endpoints } from '../contract/index.ts';
import { markup } from './console/markup.ts';
import type { Markup } from './console/markup.ts';
import { hidden } from './control/answer.ts';

const STYLE = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
nav ul { columns: 3 14rem; padding-left: 1.2rem } section { border-top: 1px solid #8888; margin-top: 2rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .2rem .6rem .2rem 0; vertical-align: top }
th { border-bottom: 1px solid #8888 } code { font: .9em ui-monospace, monospace } h3 { font-size: 1rem; margin-bottom: .2rem }
.method { display: inline-block; min-width: 3.5rem; font-weight: bold }`;

/** Nothing but this page's own style; no script, no frame, no other address. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/** GET /docs: the interface for people, made of the same contract that requests are checked against. */
export function addDocsPage(app: FastifyInstance): void {
  const page = docsPage();
  app.get('/docs', hidden(), (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      .send(page),
  );
}

function docsPage(): string {
  const links = OPERATION_IDS.map((id) => markup`<li><a href="#${id}">${id}</a></li>`);
  // The style stands there as it was hashed.
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fantasy football data service</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head>`;
  const body = markup`<body><h1>Fantasy football data service</h1>
<p>Every request carries the header <code>x-api-key</code>. Every answer is JSON with <code>statusCode</code>, <code>message</code> and
<code>data</code>; lists have <code>paging</code> beside them. The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>
<nav><ul>${links}</ul></nav>
${OPERATION_IDS.map((id) => operationSection(id, endpoints[id]))}</body></html>`;
  return `${head}${body.text}`;
}

function operationSection(id: string, endpoint: Endpoint): Markup {
  const { method, path, summary, pathId, query, body, record, list, paged } = endpoint;
  return markup`<section id="${id}"><h2>${summary}</h2>
<p><span class="method">${method}</span> <code>/v1${path}</code></p>
${pathId !== undefined && fieldTable('Path', z.object({ id: pathId }), 'input')}
${query !== undefined && fieldTable('Query', query, 'input')}
${body !== undefined && fieldTable('Body', body, 'input')}
${fieldTable(list ? 'Each record of data' : 'data', record, 'output')}
${paged && fieldTable('paging', paging, 'output')}</section>
`;
}

function fieldTable(title: string, schema: z.ZodType, io: 'input' | 'output'): Markup {
  const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Described;
  const rows = fieldRows(described, '', true, described.$defs ?? {}).map(
    ({ path, type, isRequired }) =>
      markup`<tr><td><code>${path}</code></td><td>${type}</td><td>${io === 'input' && isRequired ? 'required' : ''}</td></tr>`,
  );
  return markup`<h3>${title}</h3><table><thead><tr><th>field</th><th>type</th><th></th></tr></thead><tbody>${rows}</tbody></table>`;
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

/** Integers have bounds of their own, which say nothing about the field. */
const isTelling = (bound: number | undefined): bound is number =>
  bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

function typeText(described: Described): string {
  const { format, minimum, maximum, minLength, maxLength } = described;
  return [
    format ?? kindOf(described),
    isTelling(minimum) ? `from ${minimum}` : '',
    isTelling(maximum) ? `to ${maximum}` : '',
    minLength === undefined ? '' : `at least ${minLength} characters`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
