import * as z from 'zod';
import { endpoints } from '../../src/contract/index.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { OperationId } from '../../src/contract/index.ts';
import type { Clock, HttpResponse } from '../../src/model/ports.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';

/** A clock that moves only when it is told to, or when somebody sleeps on it. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export const TEST_START = '2026-09-01T00:00:00.000Z';

export function testClock(): TestClock {
  let nowMs = Date.parse(TEST_START);
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** A record of an answer, to be asserted on. */
export type Fields = Record<string, unknown>;

export interface Reply extends HttpResponse {
  readonly message: string;
  /** `data` when it is an object, else empty. */
  readonly record: Fields;
  /** `data` when it is an array, else empty. */
  readonly list: readonly Fields[];
  readonly paging: Fields;
}

interface Request {
  readonly id?: string | number;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON, a string as it stands. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Closed by `close` or with its block; either throws where the sandbox made a mistake. */
export interface TestSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly clock: TestClock;
  /** What `onFailure` was told. */
  readonly failures: unknown[];
  /** One call; every answer is checked against the contract, field by field. */
  call(operation: OperationId, request?: Request): Promise<Reply>;
  /** Any request, with the key. */
  send(method: 'GET' | 'POST' | 'PATCH', path: string, request?: Request): Promise<Reply>;
  close(): Promise<void>;
}

export async function openSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const clock = testClock();
  const failures: unknown[] = [];
  const sandbox = await createSandbox({
    clock,
    port: null,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  const send: TestSandbox['send'] = async (method, path, request = {}) => {
    const { body, headers = {}, query = {} } = request;
    const text = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const response = await sandbox.inject({
      method,
      url: `http://sandbox.test${path}${text === '' ? '' : `?${text}`}`,
      headers: {
        'x-api-key': sandbox.apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return replyOf(response);
  };
  const close = async (): Promise<void> => {
    await sandbox.close();
    if (failures.length > 0) throw new AggregateError(failures, 'the sandbox failed');
  };
  return {
    sandbox,
    clock,
    failures,
    send,
    call: async (operation, request = {}) => {
      const endpoint: Endpoint = endpoints[operation];
      const path = endpoint.path.replace('{id}', encodeURIComponent(String(request.id ?? '')));
      const reply = await send(endpoint.method, `/v1${path}`, request);
      if (reply.status < 400) checkAnswer(endpoint, reply);
      return reply;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const envelope = z.strictObject({
  statusCode: z.int(),
  message: z.string().min(1),
  data: z.unknown(),
  paging: z.record(z.string(), z.int().nullable()).optional(),
});

export function replyOf(response: HttpResponse): Reply {
  const parsed = envelope.parse(JSON.parse(response.body));
  if (parsed.statusCode !== response.status) throw new Error(`envelope and HTTP disagree: ${response.body}`);
  if (response.status >= 400 && parsed.data !== null)
    throw new Error(`a refusal with data: ${response.body}`);
  return {
    ...response,
    message: parsed.message,
    record: isFields(parsed.data) ? parsed.data : {},
    list: Array.isArray(parsed.data) ? (parsed.data as Fields[]) : [],
    paging: parsed.paging ?? {},
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The service itself must be exact where the contract's reading is tolerant: every field there, none beside, nothing mistyped. */
function checkAnswer(endpoint: Endpoint, reply: Reply): void {
  const { data, paging } = JSON.parse(reply.body) as { data: unknown; paging?: unknown };
  if (Array.isArray(data) !== (endpoint.list === true))
    throw new Error(`data is not ${endpoint.list === true ? 'a list' : 'a record'}`);
  if ((paging !== undefined) !== (endpoint.paged === true)) throw new Error('paging is missing or too much');
  for (const record of Array.isArray(data) ? (data as unknown[]) : [data]) {
    endpoint.record.parse(record);
    const differences = fieldDifferences(endpoint.record, record, '');
    if (differences.length > 0) throw new Error(`${endpoint.path}: ${differences.join(', ')}`);
  }
}

function fieldDifferences(schema: unknown, value: unknown, path: string): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return value === null ? [] : fieldDifferences(schema.unwrap(), value, path);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => fieldDifferences(schema.element, item, `${path}[${index}]`));
  }
  if (schema instanceof z.ZodPipe) {
    // A preprocessing schema reads several spellings; the service writes the documented type alone.
    if (typeof value === 'object') return fieldDifferences(schema.out, value, path);
    const isExact = (schema.out as z.ZodType).safeParse(value).success;
    return isExact ? [] : [`${path} has another type`];
  }
  if (!(schema instanceof z.ZodObject) || !isFields(value)) return [];
  const shape = schema.shape as Record<string, unknown>;
  const beside = Object.keys(value).filter((name) => !(name in shape));
  return [
    ...beside.map((name) => `${path}.${name} is not of the interface`),
    ...Object.entries(shape).flatMap(([name, child]) =>
      name in value
        ? fieldDifferences(child, value[name], `${path}.${name}`)
        : [`${path}.${name} is missing`],
    ),
  ];
}

/** A points configuration with a value for every setting; `over` replaces some. */
export function pointsConfigBody(over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const shape = endpoints['set-points-config'].body.shape;
  const minutes = ['clean_sheet_eligibility_minutes', 'time_onfield_eligibility_minutes'];
  return {
    ...Object.fromEntries(Object.keys(shape).map((name) => [name, minutes.includes(name) ? 60 : 1])),
    ...over,
  };
}

/** The value at a dotted path of a record. */
export function at(record: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isFields(value) || Array.isArray(value) ? (value as Fields)[name] : undefined),
      record,
    );
}
