import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { OPERATION_IDS } from '../../contract/index.ts';
import type { Clock } from '../../model/ports.ts';
import type { Account } from './accounts.ts';
import { waitOn } from '../clock.ts';
import type { Context } from '../context.ts';
import { BODY_LIMIT_BYTES, errorAnswer, refuseUnknown } from './error-answer.ts';
import { controlOf } from '../control/index.ts';
import { addFaultHooks } from './fault-hooks.ts';
import { LOOPBACK_ADDRESS } from '../console/guard.ts';
import { consoleOf } from '../console/index.ts';
import { checkKey } from './keys.ts';
import { addLog, type AnswerLine } from './log.ts';
import { isOfInterest, openRecentRequests } from './recent-requests.ts';
import { refusalBody } from './refusal-body.ts';
import { MalformedBody, Refusal } from '../refusal.ts';
import { addOperation } from './routes.ts';
import { readSent } from './sent.ts';
import { DEFAULT_SETTINGS } from '../switches.ts';
import { validatorOf } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of the body as they came; null without one. */
    rawBody: Uint8Array | null;
    /** Whose key the request carries; null until it is known. */
    account: Account | null;
  }
}

const REQUEST_ID = /^[\w.:-]{1,100}$/;

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
  /** The first is the one whose clock the Date header follows. */
  readonly accounts: readonly [Account, ...Account[]];
  readonly controlKey: string;
  readonly clock: Clock;
  /** Aborted when the service ends: nothing waits any longer. */
  readonly closing: AbortSignal;
  readonly onFailure: ((error: unknown) => void) | undefined;
  readonly onAnswer: ((line: AnswerLine) => void) | undefined;
}

/** The service as a Fastify instance that listens nowhere yet: /v1 with all operations, /openapi.json, and /control for its operator. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { accounts, controlKey, onFailure, onAnswer } = options;
  const [{ context }] = accounts;
  const app = bareApp(onFailure);
  const requests = openRecentRequests();
  const keys = [...accounts.map(({ key }) => key), controlKey];
  const noteAnswer = (line: AnswerLine, request: FastifyRequest): void => {
    if (isOfInterest(line.path)) {
      const account = request.account === null ? null : accounts.indexOf(request.account) + 1;
      requests.add({ ...line, ...readSent(request, keys), account });
    }
    onAnswer?.(line);
  };
  addLog(app, noteAnswer, () => context.season.nowMs());
  app.addHook('onRequest', (request, reply, next) => {
    checkHost(request);
    void reply.header('x-request-id', request.id);
    next();
  });
  const dateText = dateHeader();
  // Stamped as the answer goes out: what was asked may have moved the clock.
  app.addHook('onSend', (_request, reply, _payload, next) => {
    void reply.header('date', dateText(context.season.nowMs()));
    next();
  });
  await app.register(swagger, {
    openapi: OPENAPI,
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(serviceOf(options), { prefix: '/v1' });
  for (const [index, account] of accounts.entries()) {
    const prefix = index === 0 ? '/control' : `/control/accounts/${index + 1}`;
    await app.register(controlOf(account.context, { controlKey, reset: account.reset }), { prefix });
  }
  await app.register(
    consoleOf({ accounts, controlKey, requests, nowMs: () => options.clock.now(), onFailure }),
  );
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
  await app.ready();
  return app;
}

/** A Fastify instance that reads JSON, checks it by zod schemas and refuses everything in an envelope. */
function bareApp(onFailure: AppOptions['onFailure']): FastifyInstance {
  const answerError = errorAnswer(onFailure, DEFAULT_SETTINGS);
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    // A client's own id of a request, where it is harmless, so that both sides' logs can be joined.
    genReqId: ({ headers: { 'x-request-id': sent } }) =>
      typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID(),
    // An overlong id is then refused by its schema, which names it.
    routerOptions: { maxParamLength: 1_000 },
    // Those that are answering go on until they have answered; see server.ts.
    forceCloseConnections: 'idle',
    frameworkErrors: answerError,
    clientErrorHandler: (_error, socket) => {
      const { body } = refusalBody('envelope', 400, 'the request is not HTTP');
      const head =
        'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close';
      if (socket.writable) socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
  });
  app.setErrorHandler(answerError);
  refuseUnknown(app, answerError);
  app.setValidatorCompiler(({ schema, httpPart }) => validatorOf(schema, httpPart));
  // Answers are built by the handlers' types and checked against the contract in tests, not on every request.
  app.setSerializerCompiler(() => JSON.stringify);
  parseJsonAlone(app);
  app.decorateRequest('rawBody', null);
  app.decorateRequest('account', null);
  app.decorateRequest('fault', null);
  return app;
}

/** The header Date, which is the same for a whole second. */
function dateHeader(): (nowMs: number) => string {
  let second = Number.NaN;
  let text = '';
  return (nowMs) => {
    const now = Math.floor(nowMs / 1_000);
    if (now !== second) text = new Date(nowMs).toUTCString();
    second = now;
    return text;
  };
}

/** Everything below /v1: after the wait that was asked for the key is checked, then the windows count the request, then the season catches up with its clock. */
function serviceOf({ accounts, clock, closing, onFailure }: AppOptions) {
  return (service: FastifyInstance, _options: object, done: () => void): void => {
    const { settings } = accounts[0].context;
    service.setErrorHandler(errorAnswer(onFailure, settings));
    const wait = waitOn(clock, closing);
    if (settings.latency_ms > 0) service.addHook('onRequest', () => wait(settings.latency_ms));
    service.addHook('onRequest', (request, _reply, next) => {
      const { context } = (request.account = checkKey(request, 'x-api-key', accounts));
      admit(context, request.routeOptions.config.operation === 'get-account');
      context.answers.refresh();
      context.views.refresh();
      next();
    });
    const contextOf = (request: FastifyRequest): Context => {
      if (request.account === null) throw new Refusal(401, 'the header x-api-key is missing');
      return request.account.context;
    };
    addFaultHooks(service, contextOf, wait);
    for (const id of OPERATION_IDS) addOperation(service, { settings, contextOf }, id);
    done();
  };
}

/** @throws Refusal 401, 403 or 429 when the account may not ask (more) now. The account call itself may be free, and tells an inactive account. */
function admit({ limits, settings }: Context, isAccountCall: boolean): void {
  if (!isAccountCall || settings.account_call !== 'free') limits.admit();
  if (isAccountCall) return;
  if (settings.account_state === 'inactive_refusing') throw new Refusal(403, 'the account is not active');
  if (settings.account_state === 'key_inactive_refusing') throw new Refusal(401, 'the key is not active');
}

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])?(:\d+)?$/i;

/** A name of somewhere else that leads to this machine alone is a web page that would talk to the sandbox through a browser. */
function checkHost({ socket, headers }: FastifyRequest): void {
  if (!LOOPBACK_ADDRESS.test(socket.localAddress ?? '') || LOOPBACK_NAME.test(headers.host ?? '')) return;
  throw new Refusal(421, 'the header Host does not name this machine');
}

/** The one content type: valid UTF-8 and JSON; anything else is refused with 415. */
function parseJsonAlone(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    request.rawBody = body;
    let text: string;
    try {
      text = utf8.decode(body);
    } catch {
      done(new MalformedBody('not valid UTF-8'));
      return;
    }
    void parse(request, text, (error, value: unknown) => {
      done(error === null ? null : new MalformedBody(error.message), value);
    });
  });
}
