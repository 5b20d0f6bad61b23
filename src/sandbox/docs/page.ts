import * as z from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';
import { paging } from '../../contract/envelope.ts';
import { OPERATION_IDS, endpoints, type OperationId } from '../../contract/index.ts';
import { markup, type Markup } from '../../pages/markup.ts';
import { card } from '../../pages/parts.ts';
import { withQuery, type View, type Visit } from '../console/visit.ts';
import { examplesOf, type Example } from '../handlers/index.ts';
import { fieldTable } from './fields.ts';

/** The operations for people, made of the same contract that requests are checked against, each with a request to copy. */
export const docs: View = ({ origin, context }: Visit) => {
  const links = OPERATION_IDS.map((id) => markup`<li><a href="#${id}">${id}</a></li>`);
  const examples = examplesOf(context.store);
  return {
    title: 'Operations',
    body: markup`${card(
      'Fantasy football data service',
      markup`<p>Every request carries the header <code>x-api-key</code>. Every answer is JSON with <code>statusCode</code>, <code>message</code> and
        <code>data</code>; lists have <code>paging</code> beside them. The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>
        <p>The examples take the key from a variable of the shell. The key stands as <code>api_key</code> in the line that <code>teamsheet sandbox</code> prints.
        Ids are those of this sandbox, where it has such a record.</p>
        <pre>API_KEY='...'</pre>`,
      markup`<nav class="operations" aria-label="Operations"><ul>${links}</ul></nav>`,
    )}${OPERATION_IDS.map((id) => operationSection(id, curl(origin, endpoints[id], examples[id])))}`,
  };
};

function operationSection(id: OperationId, example: string): Markup {
  const { method, path, summary, pathId, query, body, record, list, paged }: Endpoint = endpoints[id];
  const fields = (title: string, schema: z.ZodType, io: 'input' | 'output'): Markup =>
    fieldTable(`${id}: ${title}`, schema, io);
  return markup`<section class="card" id="${id}"><h2>${summary} <span class="badge">${id}</span></h2>
<p><span class="method">${method}</span> <code>/v1${path}</code></p>
<h3>Example</h3><pre class="example" tabindex="0">${example}</pre>
${pathId !== undefined && titled('Path', fields('Path', z.object({ id: pathId }), 'input'))}
${query !== undefined && titled('Query', fields('Query', query, 'input'))}
${body !== undefined && titled('Body', fields('Body', body, 'input'))}
<details><summary>Answer: ${list ? 'each record of data' : 'data'}</summary>${fields('data', record, 'output')}</details>
${paged && markup`<details><summary>Answer: paging</summary>${fields('paging', paging, 'output')}</details>`}</section>
`;
}

const titled = (title: string, content: Markup): Markup => markup`<h3>${title}</h3>${content}`;

/** A request for the shell. */
function curl(origin: string, { method, path }: Endpoint, { id = '', query, body }: Example): string {
  const address = `${origin}/v1${path.replace('{id}', String(id))}`;
  const lines = [
    `curl ${method === 'PATCH' ? '-X PATCH ' : ''}${quoted(query === undefined ? address : withQuery(address, query))}`,
    '-H "x-api-key: $API_KEY"',
    ...(body === undefined
      ? []
      : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
