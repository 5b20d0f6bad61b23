import { chainOf, rootsOf } from '../../../model/fetch-error.ts';
import type { Clock } from '../../../model/ports.ts';
import { parseObject, textIn } from './json-file.ts';

/** Which of Google's doors was knocked at: the spreadsheets, or the one that gives out access tokens. */
export type Door = 'sheets' | 'token';

/** What came instead of a usable answer. */
export type Fault =
  /** An answer with another status than 2xx, or a 2xx that is not whole JSON. The text is Google's, at most {@link LONGEST_TEXT} long. */
  | {
      readonly kind: 'answer';
      readonly door: Door;
      readonly status: number;
      readonly text: string;
      readonly retryAfterMs: number | undefined;
    }
  /** `sent` says whether the request may have reached Google. */
  | {
      readonly kind: 'network';
      readonly door: Door;
      readonly fault: 'unreachable' | 'certificate' | 'reset' | 'timeout';
      readonly sent: boolean;
      readonly reason: string;
    };

/** Carries a fault through the library's own error. It holds no header, no body that was sent and no query, so that it can be printed. */
export class WireFailure extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(
      fault.kind === 'answer'
        ? `Google (${fault.door}) answered ${fault.status}`
        : `Google (${fault.door}): ${fault.reason}`,
    );
    this.name = 'WireFailure';
    this.fault = fault;
  }
}

/** Google's explanations are short; a page of HTML is not worth more. */
const LONGEST_TEXT = 20_000;

/** The fault in whatever the library threw; undefined when it is about something else than the wire. */
export function faultIn(error: unknown): Fault | undefined {
  return chainOf(error).find((each) => each instanceof WireFailure)?.fault;
}

/** Google gives up a request after 180 s. A change is waited for longer: nobody knows what became of one without an answer. */
const WRITE_TIMEOUT_MS = 190_000;
const TIMEOUT_MS = 60_000;

export interface WireOptions {
  readonly clock: Clock;
  /** Ends requests for a token at once; requests for spreadsheets have a signal of their own. */
  readonly signal: AbortSignal;
  /** Told of each request before it goes out. */
  readonly onRequest?: (door: Door, method: string) => void;
}

/**
 * A `fetch` for the library: no redirect is followed, an answer is read to its end within the timeout on the clock port, and everything but a whole
 * 2xx is thrown as WireFailure. An abort rejects with its signal's reason.
 */
export function createWire({ clock, signal: ended, onRequest }: WireOptions): typeof fetch {
  return async (input, init) => {
    const door = doorOf(input);
    const method = init?.method ?? 'GET';
    onRequest?.(door, method);
    const timeoutMs = door === 'sheets' && method !== 'GET' ? WRITE_TIMEOUT_MS : TIMEOUT_MS;
    const given = door === 'token' ? ended : (init?.signal ?? undefined);
    const answered = new AbortController();
    const late = new AbortController();
    const signal = given === undefined ? late.signal : AbortSignal.any([given, late.signal]);
    const expiry = clock.sleep(timeoutMs, answered.signal).then(
      () => {
        const reason = `no whole answer within ${timeoutMs / 1000} s`;
        const failure = new WireFailure({ kind: 'network', door, fault: 'timeout', sent: true, reason });
        late.abort(failure);
        throw failure;
      },
      // The sleep was cut short because the answer is there: the race is over.
      () => new Promise<never>(() => undefined),
    );
    try {
      return await Promise.race([
        exchange(input, { ...init, signal, redirect: 'manual' }, door, clock),
        expiry,
      ]);
    } catch (error) {
      // The library gives the reason of an abort another shape; what matters is whose abort it was.
      if (given?.aborted === true) throw given.reason as Error;
      throw error;
    } finally {
      answered.abort();
    }
  };
}

async function exchange(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  door: Door,
  clock: Pick<Clock, 'now'>,
): Promise<Response> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(input, init);
    text = await response.text();
  } catch (error) {
    throw error instanceof WireFailure ? error : new WireFailure(networkFault(error, door));
  }
  const { status, headers } = response;
  if (!response.ok || !isWhole(text, input, door)) {
    const retryAfterMs = waitAskedFor(headers, clock.now());
    const told = withoutSecrets(plainText(text), secretsOf(input, init, door)).slice(0, LONGEST_TEXT);
    throw new WireFailure({ kind: 'answer', door, status, text: told, retryAfterMs });
  }
  return new Response(text === '' ? null : text, { status, headers });
}

/** Where a token is asked for, an answer without one is none. Taking back a right may be answered with nothing; a spreadsheet never is. */
function isWhole(text: string, input: Parameters<typeof fetch>[0], door: Door): boolean {
  if (text === '') return door === 'token' && !asksForToken(input);
  return isJson(text) && (door === 'sheets' || !asksForToken(input) || hasToken(text));
}

const asksForToken = (input: Parameters<typeof fetch>[0]): boolean =>
  urlOf(input).pathname.endsWith('/token');

const hasToken = (text: string): boolean => textIn(parseObject(text) ?? {}, 'access_token') !== undefined;

/** Looked at before the library, which would take an answer that was cut for one without rows. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON in one way of writing, so that what it holds can be searched for. */
const plainText = (text: string): string => (isJson(text) ? JSON.stringify(JSON.parse(text)) : text);

const SHORTEST_SECRET = 6;

/** What a request proves itself with: a server may tell it again, and messages quote servers. */
function secretsOf(
  input: Parameters<typeof fetch>[0],
  { headers, body }: RequestInit,
  door: Door,
): readonly string[] {
  const bearer = new Headers(headers).get('authorization')?.replace(/^Bearer /, '') ?? '';
  if (door === 'sheets') return [bearer];
  const form = typeof body === 'string' || body instanceof URLSearchParams ? new URLSearchParams(body) : [];
  const query = urlOf(input).searchParams;
  return [bearer, ...[...form, ...query].flatMap(([name, value]) => (name === 'grant_type' ? [] : [value]))];
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .reduce((left, secret) => left.replaceAll(secret, '[hidden]'), text);
}

function doorOf(input: Parameters<typeof fetch>[0]): Door {
  return urlOf(input).pathname.startsWith('/v4/spreadsheets') ? 'sheets' : 'token';
}

const urlOf = (input: Parameters<typeof fetch>[0]): URL =>
  new URL(input instanceof Request ? input.url : input);

/** Retry-After as seconds or as a date against the answer's own; undefined when it is absent, garbage or past. */
function waitAskedFor(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  const serverMs = Date.parse(headers.get('date') ?? '');
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : Date.parse(text) - (Number.isNaN(serverMs) ? nowMs : serverMs);
  return ms > 0 ? ms : undefined;
}

/** The request surely was not sent only if every address that was tried failed to connect. */
function networkFault(error: unknown, door: Door): Fault {
  const faults = rootsOf(error).map(({ code, syscall, message }) => {
    const name = typeof code === 'string' ? code : '';
    if (/^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_)/.test(name))
      return { fault: 'certificate', sent: false, reason: `no trusted TLS connection (${name})` } as const;
    const connecting = syscall === 'connect' || syscall === 'getaddrinfo';
    if (connecting || name === 'UND_ERR_CONNECT_TIMEOUT' || message === 'bad port')
      return { fault: 'unreachable', sent: false, reason: `no connection (${name || message})` } as const;
    return { fault: 'reset', sent: true, reason: `the connection broke (${name || message})` } as const;
  });
  const found = faults.find(({ sent }) => sent) ?? faults[0];
  return {
    kind: 'network',
    door,
    ...(found ?? { fault: 'reset', sent: true, reason: 'the connection broke' }),
  };
}
