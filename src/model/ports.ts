import type { OperationId } from '../contract/index.ts';

/** Time as an argument. Milliseconds throughout. */
export interface Clock {
  /** Wall-clock time since the epoch, for stamps and for what people read. */
  now(): number;
  /** A clock that never jumps, for durations and waits. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Chance as an argument. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A new ULID for the given time. */
  ulid(nowMs: number): string;
}

/** One HTTP request to the service; `headers` may hold the API key, so a request is never printed. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** The operation that it is a call of, for whoever observes answers; it is not sent. */
  readonly operation?: OperationId;
}

/** A whole answer, read to its end. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Carries one request to the service and back; wrappers (timeout, budget, retry) have the same shape. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;
export type Wrap = (next: Transport) => Transport;
