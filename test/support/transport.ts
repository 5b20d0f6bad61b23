import type { HttpRequest, HttpResponse, Transport } from '../../src/model/ports.ts';

/** One scripted answer: a response, an error to throw, or a function of the request. */
export type Scripted =
  HttpResponse | Error | ((request: HttpRequest) => HttpResponse | Promise<HttpResponse>);

/** A transport that gives the scripted answers in order and keeps what it was asked. */
export interface ScriptedTransport {
  readonly transport: Transport;
  readonly requests: readonly HttpRequest[];
  /** Adds answers; a request beyond the last one fails the test. */
  answer(...answers: readonly Scripted[]): void;
}

export function scriptedTransport(...script: readonly Scripted[]): ScriptedTransport {
  const requests: HttpRequest[] = [];
  const left = [...script];
  return {
    requests,
    answer: (...answers) => {
      left.push(...answers);
    },
    transport: async (request) => {
      requests.push(request);
      const next = left.shift();
      if (next === undefined) throw new Error(`nothing scripted for ${request.method} ${request.url}`);
      if (next instanceof Error) throw next;
      return typeof next === 'function' ? next(request) : next;
    },
  };
}

/** An answer in the service's envelope; `paging` and headers are optional. */
export function envelopeAnswer(
  status: number,
  data: unknown,
  {
    message = 'ok',
    statusCode = status,
    paging,
    headers = {},
  }: {
    readonly message?: string;
    readonly statusCode?: number;
    readonly paging?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): HttpResponse {
  return { status, headers, body: JSON.stringify({ statusCode, message, data, paging }) };
}

/** A whole account whose windows are given; without them the service sets no limit. */
export function accountData(rateLimit: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: '0b0e3c9a-0000-4000-8000-000000000001',
    tier: 'gold',
    is_active: true,
    api_key_active: true,
    config: { rate_limit: rateLimit },
  };
}
