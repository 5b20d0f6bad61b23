import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SendFault, SendResult } from '../model/state/alerts.ts';
import type { Clock } from '../model/ports.ts';
import type { Secret } from '../model/secret.ts';
import { packageVersion } from './package.ts';
import { isPublicAddress } from './public-address.ts';

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** One request to an address that somebody outside of the program gave. */
export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly address: Secret;
  /** Added to the path, such as `/start`. */
  readonly below?: string | undefined;
  /** JSON. */
  readonly body?: string | undefined;
  /** The address may be of this machine or of a private network. */
  readonly allowPrivate: boolean;
}

export interface GuardedWorld {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** In place of the system's. */
  readonly resolve?: Resolve | undefined;
}

/** The longest that one request takes, with its answer. */
const TIMEOUT_MS = 10_000;
/** What is read of an answer, only so that its sender is not cut off; it is thrown away. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** A request that was not sent, or that nothing whole came back from. Its message is a code, so that it cannot quote the address. */
class Fault extends Error {
  readonly fault: SendFault;
  constructor(fault: SendFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Sends one request and answers what came back: nothing of the answer but its status. A redirect is a fault, and so is an address of which any is not public,
 * unless that is allowed; the connection goes to an address that was looked at. Proxies of the environment are not used, and certificates are always checked.
 * Throws only the reason of the signal.
 */
export async function sendGuarded(wanted: GuardedRequest, world: GuardedWorld): Promise<SendResult> {
  const { signal, clock } = world;
  const done = new AbortController();
  const late = new AbortController();
  const expiry = clock.sleep(TIMEOUT_MS, AbortSignal.any([signal, done.signal])).then(
    () => late.abort(new Fault('timeout')),
    // The answer came first, or the signal, which ends the request itself.
    () => undefined,
  );
  try {
    const status = await statusOf(wanted, world, AbortSignal.any([signal, late.signal]));
    if (status >= 300 && status < 400) return { ok: false, status, fault: 'redirect' };
    return { ok: status >= 200 && status < 300, status, fault: null };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, status: null, fault: faultOf(error) };
  } finally {
    done.abort();
    await expiry;
  }
}

async function statusOf(
  { method, address, below = '', body, allowPrivate }: GuardedRequest,
  { resolve = systemResolve }: GuardedWorld,
  signal: AbortSignal,
): Promise<number> {
  const url = urlOf(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // Node looks up no name that is an address already.
  if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw new Fault('private');
  url.pathname = url.pathname.replace(/\/+$/, '') + below;
  const options = {
    method,
    agent: false,
    signal,
    lookup: lookupBy(resolve, allowPrivate),
    rejectUnauthorized: true,
    headers: {
      'user-agent': `teamsheet/${packageVersion()}`,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    },
  };
  const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
  const answer = await answerTo(request, body);
  await throwAway(answer);
  return answer.statusCode ?? 0;
}

function urlOf(address: Secret): URL {
  const text = address.reveal();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new Fault('address');
  return url;
}

const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true });

/** Gives the connection only addresses that were looked at, so that a name cannot lead elsewhere the second time. */
function lookupBy(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new Fault('dns'), '', 4);
        else if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address)))
          callback(new Fault('private'), '', 4);
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      () => callback(new Fault('dns'), '', 4),
    );
  };
}

function answerTo(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((answered, fail) => {
    request.on('response', answered);
    // Stays, so that what breaks after the answer is nobody's unhandled error.
    request.on('error', fail);
    // Node ends what speaks another protocol without an error.
    request.on('close', () => fail(new Fault('broken')));
    request.end(body);
  });
}

/** Resolves however the answer ends: its status is all that counts. */
function throwAway(answer: IncomingMessage): Promise<void> {
  return new Promise((done) => {
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) answer.destroy();
    });
    answer.on('error', () => done());
    answer.on('close', done);
  });
}

const CERTIFICATE = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_|EPROTO)/;

function faultOf(error: unknown): SendFault {
  if (error instanceof Fault) return error.fault;
  if (error instanceof AggregateError) return faultOf(error.errors[0]);
  const {
    code = '',
    name,
    cause,
  } = error as { readonly code?: string; readonly name?: string; readonly cause?: unknown };
  if (name === 'AbortError' && cause instanceof Fault) return cause.fault;
  if (CERTIFICATE.test(code)) return 'certificate';
  return ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'].includes(code)
    ? 'refused'
    : 'broken';
}
