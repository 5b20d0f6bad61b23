import { createHash, timingSafeEqual } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastify from 'fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { OPERATION_IDS } from '../contract/index.ts';
import type { Clock } from '../model/ports.ts';
import type { Context } from './context.ts';
import { advance } from './play.ts';
import { Refusal } from './refusal.ts';
import { addOperation } from './routes.ts';
import { validatorOf } from './validation.ts';

const BODY_LIMIT_BYTES = 1_048_576;

const OPENAPI: NonNullable<FastifyDynamicSwaggerOptions['openapi']> = {
  openapi: '3.1.0',
  info: {
    title: 'Fantasy football data service (teamsheet sandbox)',
    description: 'A sandbox of the whole service on one machine, with a fictional season.',
    version: '1',
  },
  components: {
    securitySchemes: { apiKey: { type: 'apiKey', name: 'x-api-key', in: 'header' } },
  },
  security: [{ apiKey: [] }],
};

interface AppOptions {
  readonly apiKey: string;
  readonly clock: Clock;
  readonly onFailure: ((error: unknown) => void) | undefined;
}

/** The service as a Fastify instance that listens nowhere yet: /v1 with all operations, and /openapi.json. */
export async function createApp(
  context: Context,
  { apiKey, clock, onFailure }: AppOptions,
): Promise<FastifyInstance> {
  const answerError = errorAnswer(onFailure);
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    // An overlong id is then refused by its schema, which names it.
    routerOptions: { maxParamLength: 1_000 },
    forceCloseConnections: true,
    frameworkErrors: answerError,
    clientErrorHandler: (_error, socket) => {
      const body = JSON.stringify(errorEnvelope(400, 'the request is not HTTP'));
      const head =
        'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close';
      if (socket.writable) socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) =>
    answerError(
      new Refusal(404, `there is no ${request.method} ${request.url.split('?')[0] ?? ''}`),
      request,
      reply,
    ),
  );
  app.setValidatorCompiler(({ schema, httpPart }) => validatorOf(schema, httpPart));
  // Answers are built by the handlers' types and checked against the contract in tests, not on every request.
  app.setSerializerCompiler(() => JSON.stringify);
  parseJsonAlone(app);
  app.addHook('onRequest', async (request, reply) => {
    checkHost(request);
    if (context.settings.latency_ms > 0) await clock.sleep(context.settings.latency_ms);
    reply.header('date', new Date(clock.now()).toUTCString());
  });
  await app.register(swagger, {
    openapi: OPENAPI,
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(serviceOf(context, apiKey), { prefix: '/v1' });
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  await app.ready();
  return app;
}

/** Everything below /v1: the key is checked first, then the windows count the request, then the season catches up with its clock. */
function serviceOf(context: Context, apiKey: string) {
  return (service: FastifyInstance, _options: object, done: () => void): void => {
    service.addHook('onRequest', (request, _reply, next) => {
      checkKey(request, apiKey);
      context.limits.admit();
      advance(context.store, context.season.now());
      next();
    });
    for (const id of OPERATION_IDS) addOperation(service, context, id);
    done();
  };
}

const LOOPBACK_ADDRESS = /^(::ffff:)?127\.|^::1$/;
const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])?(:\d+)?$/i;

/** A name of somewhere else that leads to this machine alone is a web page that would talk to the sandbox through a browser. */
function checkHost({ socket, headers }: FastifyRequest): void {
  if (!LOOPBACK_ADDRESS.test(socket.localAddress ?? '') || LOOPBACK_NAME.test(headers.host ?? '')) return;
  throw new Refusal(421, 'the header Host does not name this machine');
}

/** In constant time, whatever the length of what was sent. */
function checkKey(request: FastifyRequest, apiKey: string): void {
  const sent = request.headers['x-api-key'];
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  if (typeof sent === 'string' && timingSafeEqual(digest(sent), digest(apiKey))) return;
  throw new Refusal(
    401,
    sent === undefined ? 'the header x-api-key is missing' : 'the x-api-key is not known',
  );
}

/** The one content type: valid UTF-8 and JSON; anything else is refused with 415. */
function parseJsonAlone(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      done(new Refusal(400, 'body: not valid UTF-8'));
      return;
    }
    void parse(request, text, (error, value: unknown) => {
      done(error === null ? null : new Refusal(400, `body: ${error.message}`), value);
    });
  });
}

/** Fastify's own refusals that do not say what would be right. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the content type of a body must be application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: `body: larger than ${BODY_LIMIT_BYTES} bytes`,
};

/** Answers with an envelope whatever went wrong; what is no refusal is our own mistake, and its message is not for clients. */
function errorAnswer(onFailure: AppOptions['onFailure']) {
  return (error: FastifyError | Refusal, _request: FastifyRequest, reply: FastifyReply): void => {
    const status = error.statusCode !== undefined && error.statusCode >= 400 ? error.statusCode : 500;
    if (status >= 500) onFailure?.(error);
    if (error instanceof Refusal && error.retryAfterSeconds !== undefined) {
      void reply.header('retry-after', String(error.retryAfterSeconds));
    }
    const known = 'code' in error ? PLAIN_WORDS[error.code] : undefined;
    const message =
      status >= 500 ? 'the sandbox failed; this is a mistake of its own' : (known ?? error.message);
    void reply.status(status).type('application/json; charset=utf-8').send(errorEnvelope(status, message));
  };
}

function errorEnvelope(statusCode: number, message: string) {
  return { statusCode, message, data: null };
}
