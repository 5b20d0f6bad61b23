import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Endpoint } from '../../contract/endpoint.ts';
import { paging } from '../../contract/envelope.ts';
import { endpoints, type OperationId } from '../../contract/index.ts';
import type { Context } from '../context.ts';
import { recordEffect } from '../store/effects.ts';
import { handlers } from '../handlers/index.ts';
import { spellPaging, type Paging } from './paging.ts';
import { JSON_TYPE } from './refusal-body.ts';
import { HalfDone } from '../refusal.ts';
import { isPlain, shownIn, spell } from '../spell.ts';
import type { Settings } from '../switches.ts';

/** Adds the route of one operation: its schemas come from the contract, what it does from its handler, and for whom from the request. */
export function addOperation(
  service: FastifyInstance,
  { settings, contextOf }: OperationOptions,
  id: OperationId,
): void {
  const endpoint: Endpoint = endpoints[id];
  const handler = handlers[id] as LooseHandler;
  const isReading = endpoint.method === 'GET';
  const created = endpoint.method === 'POST' ? Number(settings.created_status) : 200;
  const how = shownIn(settings, endpoint.paged ? 'lists' : 'answers');
  const spelled = isPlain(how) ? plainly : (answer: LooseAnswer) => spellAnswer(answer, how);
  service.route({
    config: { operation: id },
    method: endpoint.method,
    url: endpoint.path.replace('{id}', ':id'),
    schema: schemaOf(id, endpoint, created),
    // What was answered once was asked rightly.
    preValidation: (request, reply, next) => {
      const kept = isReading ? contextOf(request).answers.get(request.url) : undefined;
      if (kept === undefined) next();
      else void reply.status(created).type(JSON_TYPE).send(kept);
    },
    handler: (request, reply) => {
      const context = contextOf(request);
      const bodyOf = (answer: LooseAnswer): string => {
        const { message, data, paging: pages } = spelled(answer);
        const shownPages = pages && spellPaging(pages, settings.page_fields);
        return JSON.stringify({ statusCode: created, message, data, paging: shownPages });
      };
      void reply.status(created).type(JSON_TYPE);
      if (!isReading) {
        return bodyOf(write(context, id, request, () => handler(context, callOf(request))));
      }
      const body = bodyOf(handler(viewOf(context, endpoint), callOf(request)));
      // The account tells what each request changes.
      if (id !== 'get-account') context.answers.keep(request.url, body);
      return body;
    },
  });
}

interface OperationOptions {
  /** Those that are the same for all accounts. */
  readonly settings: Settings;
  readonly contextOf: (request: FastifyRequest) => Context;
}

const plainly = (answer: LooseAnswer): LooseAnswer => answer;

function spellAnswer(answer: LooseAnswer, settings: Settings): LooseAnswer {
  return { ...answer, data: spell(answer.data, settings) as object };
}

/** What a reading operation sees, which may be older than what is there. */
function viewOf(context: Context, { paged }: Endpoint): Context {
  const { lists, records } = context.views;
  return { ...context, store: paged ? lists : records };
}

/** The registry's handlers differ in what they take; the route's schemas have checked exactly that before one is called. */
type LooseHandler = (context: Context, call: ReturnType<typeof callOf>) => LooseAnswer;

interface LooseAnswer {
  readonly message: string;
  readonly data: object;
  readonly records?: readonly string[];
  readonly paging?: Paging;
}

function callOf(request: FastifyRequest) {
  const { id = '' } = request.params as { readonly id?: string | number };
  return { id: String(id), query: request.query as never, body: request.body as never };
}

/** What is written is written whole, with its effect, or, when the handler refuses, not at all; unless it refuses half done. */
function write(
  { store, season, views }: Context,
  operation: OperationId,
  request: FastifyRequest,
  work: () => LooseAnswer,
): LooseAnswer {
  const { id: requestId, rawBody: body } = request;
  const fault = request.fault?.kind ?? null;
  const written = store.transaction(() =>
    recordEffect(store, { operation, requestId, body, now: season.now(), fault }, () => keepHalf(work)),
  );
  views.note();
  if (written.refusal !== undefined) throw written.refusal;
  return written;
}

/** A refusal that leaves something behind, as a value, so that what it leaves is not rolled back. */
function keepHalf(work: () => LooseAnswer): LooseAnswer & { readonly refusal?: HalfDone } {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof HalfDone)) throw cause;
    return { message: cause.message, data: [], records: cause.records, refusal: cause };
  }
}

const errorSchema = z
  .object({ statusCode: z.int(), message: z.string(), data: z.null() })
  .meta({ id: 'Refusal', description: 'Every answer other than success.' });

function schemaOf(id: OperationId, endpoint: Endpoint, created: number) {
  // What the settings spell otherwise is described as the interface shows it.
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
