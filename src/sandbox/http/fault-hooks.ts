import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OperationId } from '../../contract/index.ts';
import type { Wait } from '../clock.ts';
import type { Context } from '../context.ts';
import { isProcessed, type Fault } from '../faults.ts';
import { JSON_TYPE } from './refusal-body.ts';
import { spell } from '../spell.ts';
import { DEFAULT_SETTINGS } from '../switches.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What goes wrong with the request, if anything. */
    fault: Fault | null;
  }
  interface FastifyContextConfig {
    /** The operation of a route of the service. */
    operation?: OperationId;
  }
}

const LONGEST_MS = 600_000;
const STEP_MS = 100;
const LARGE_BYTES = 67_108_864;
const CHUNK = Buffer.alloc(65_536, ' ');

/** The body that stands for an answer to a request that is not carried out. */
const NOTHING = JSON.stringify({ statusCode: 200, message: 'ok', data: null });

/** Lets faults happen: a request may be kept from its handler, and its answer may be spoilt or lost. */
export function addFaultHooks(
  service: FastifyInstance,
  contextOf: (request: FastifyRequest) => Context,
  wait: Wait,
): void {
  const earlier = new WeakMap<Context, string>();
  const prepare = async (fault: Fault, reply: FastifyReply): Promise<'answered' | 'go on'> => {
    if (fault.kind === 'late') await wait(fault.after_ms ?? LONGEST_MS);
    if (isProcessed(fault)) return 'go on';
    void reply.type(JSON_TYPE).send(NOTHING);
    return 'answered';
  };
  // Most requests meet no fault, and wait for nothing here.
  service.addHook('preValidation', (request, reply, next) => {
    const { operation } = request.routeOptions.config;
    const { faults } = contextOf(request);
    request.fault = (operation && faults.take(operation, () => textOf(request))) ?? null;
    if (request.fault === null) {
      next();
      return;
    }
    void prepare(request.fault, reply).then((what) => {
      if (what === 'go on') next();
    }, next);
  });
  service.addHook('onSend', (request, reply, payload: string, next) => {
    if (request.fault === null) {
      if (reply.statusCode < 300 && request.account !== null) earlier.set(request.account.context, payload);
      next(null, payload);
      return;
    }
    const before = earlier.get(contextOf(request)) ?? payload;
    void spoil(request.fault, reply, request.fault.kind === 'replay' ? before : payload, wait).then(
      (body) => next(null, body),
      next,
    );
  });
}

/** As it was sent: what a client nests without end is read by nobody. */
function textOf({ url, rawBody }: FastifyRequest): string {
  return `${url}\n${rawBody === null ? '' : Buffer.from(rawBody).toString()}`;
}

/** The body that goes out instead of `payload`, with status and headers set to match. */
async function spoil(
  fault: Fault,
  reply: FastifyReply,
  payload: string,
  wait: Wait,
): Promise<string | Buffer | Readable> {
  switch (fault.kind) {
    case 'reset':
      return breakOff(reply);
    case 'hang':
      await wait(fault.after_ms ?? LONGEST_MS);
      return breakOff(reply);
    case 'drip':
      await wait(fault.after_ms ?? 0);
      void reply.header('content-length', Buffer.byteLength(payload));
      return Readable.from(drip(payload, fault.every_ms ?? STEP_MS, wait));
    case 'cut':
      return payload.slice(0, Math.floor(payload.length / 2));
    case 'empty':
      return '';
    case 'html':
      void reply.code(fault.status ?? 502).type('text/html');
      return '<!doctype html><title>Bad Gateway</title><h1>Bad Gateway</h1>';
    case 'content_type':
      void reply.type('text/plain');
      return payload;
    case 'lying_error':
      void reply.code(200);
      return envelope(fault.status ?? 500, REFUSALS.status.message);
    case 'lying_success':
      void reply.code(fault.status ?? 500);
      return payload;
    case 'gzip_bomb':
      void reply.header('content-encoding', 'gzip');
      return gzipSync(Buffer.alloc(fault.bytes ?? LARGE_BYTES));
    case 'endless':
      return Readable.from(chunks(fault.bytes ?? LARGE_BYTES));
    case 'strange':
      return strange(payload, reply.getHeader('content-type'));
    case 'late':
    case 'replay':
      return payload;
    case 'status':
    case 'redirect':
    case 'too_many':
    case 'quota_gone':
    case 'key_inactive':
      return refuse(fault.kind, fault, reply);
  }
}

const envelope = (statusCode: number, message: string): string =>
  JSON.stringify({ statusCode, message, data: null });

/** Faults that are refusals, as they are unless the fault says otherwise. */
const REFUSALS = {
  status: { status: 500, message: 'a fault that was asked for' },
  redirect: { status: 307, message: 'moved' },
  too_many: { status: 429, message: 'too many requests' },
  quota_gone: { status: 403, message: 'the quota is used up' },
  key_inactive: { status: 401, message: 'the key is not active' },
} as const;

function refuse(kind: keyof typeof REFUSALS, fault: Fault, reply: FastifyReply): string {
  const { status, message } = REFUSALS[kind];
  const shown = kind === 'too_many' ? status : (fault.status ?? status);
  if (kind === 'redirect') void reply.header('location', fault.location ?? 'https://elsewhere.example/v1');
  if (kind === 'too_many' && fault.retry_after !== undefined)
    void reply.header('retry-after', fault.retry_after);
  void reply.code(shown).type(JSON_TYPE);
  return envelope(shown, message);
}

/** Ends the connection. What is answered then reaches nobody. */
async function breakOff(reply: FastifyReply): Promise<string> {
  reply.raw.destroy();
  // Whoever listens to the end of the connection hears it before an answer is tried.
  await turn();
  return '';
}

async function* drip(payload: string, everyMs: number, wait: Wait): AsyncGenerator<Buffer> {
  for (const byte of Buffer.from(payload)) {
    await wait(everyMs);
    yield Buffer.of(byte);
  }
}

function* chunks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
}

/** Other words and more fields; an answer that has no fields stays as it is. */
function strange(payload: string, type: unknown): string {
  if (type !== JSON_TYPE) return payload;
  const how = { ...DEFAULT_SETTINGS, enumerations: 'unknown', extra_fields: 'some' } as const;
  return JSON.stringify(spell(JSON.parse(payload), how));
}
