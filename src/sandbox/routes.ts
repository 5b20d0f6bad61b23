import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Endpoint } from '../contract/endpoint.ts';
import { paging } from '../contract/envelope.ts';
import { endpoints } from '../contract/index.ts';
import type { OperationId } from '../contract/index.ts';
import type { Context } from './context.ts';
import { handlers } from './handlers/index.ts';

/** Adds the route of one operation: its schemas come from the contract, what it does from its handler. */
export function addOperation(service: FastifyInstance, context: Context, id: OperationId): void {
  const endpoint: Endpoint = endpoints[id];
  const handler = handlers[id] as LooseHandler;
  const created = endpoint.method === 'POST' ? 201 : 200;
  service.route({
    method: endpoint.method,
    url: endpoint.path.replace('{id}', ':id'),
    schema: schemaOf(id, endpoint, created),
    handler: (request, reply) => {
      const answer = run(context, endpoint, () => handler(context, callOf(request)));
      void reply.status(created);
      return { statusCode: created, ...answer };
    },
  });
}

/** The registry's handlers differ in what they take; the route's schemas have checked exactly that before one is called. */
type LooseHandler = (context: Context, call: ReturnType<typeof callOf>) => object;

function callOf(request: FastifyRequest) {
  const { id = '' } = request.params as { readonly id?: string | number };
  return { id: String(id), query: request.query as never, body: request.body as never };
}

/** What is written is written whole or, when the handler refuses, not at all. */
function run(context: Context, endpoint: Endpoint, work: () => object): object {
  return endpoint.method === 'GET' ? work() : context.store.transaction(work);
}

const errorSchema = z
  .object({ statusCode: z.int(), message: z.string(), data: z.null() })
  .meta({ id: 'Refusal', description: 'Every answer other than success.' });

function schemaOf(id: OperationId, endpoint: Endpoint, created: number) {
  const success = z.object({
    statusCode: z.literal(created),
    message: z.string(),
    data: endpoint.list ? z.array(endpoint.record) : endpoint.record,
    ...(endpoint.paged ? { paging } : {}),
  });
  return {
    operationId: id,
    summary: endpoint.summary,
    tags: [endpoint.path.split('/')[1] ?? ''],
    ...(endpoint.pathId === undefined ? {} : { params: z.object({ id: endpoint.pathId }) }),
    // Unknown query parameters are ignored, so the strictness of the contract's object is left behind.
    ...(endpoint.query === undefined ? {} : { querystring: z.object(endpoint.query.shape) }),
    ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
    response: { [created]: success, '4xx': errorSchema },
  };
}
