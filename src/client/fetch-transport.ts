import { isUtf8 } from 'node:buffer';
import type { HttpRequest, HttpResponse, Transport } from '../model/ports.ts';
import { rootsOf, type SystemError } from '../model/fetch-error.ts';
import { TransportError, type TransportFault } from './transport-error.ts';

/** Most bytes of one decoded body. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

const FAULTS: readonly (readonly [RegExp, TransportFault, string])[] = [
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns', 'the host name is not known'],
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'connect_timeout', 'no connection in time'],
  [
    /^(CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_\w*HANDSHAKE\w*|HOSTNAME_MISMATCH)$/,
    'certificate',
    'no trusted TLS connection',
  ],
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/,
    'refused',
    'the connection was refused',
  ],
];

function faultOf(root: SystemError): readonly [TransportFault, string] {
  const code = typeof root.code === 'string' ? root.code : '';
  const known = FAULTS.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return [known[1], `${known[2]} (${code})`];
  if (root.syscall === 'connect') {
    return code === 'ETIMEDOUT'
      ? ['connect_timeout', 'no connection in time (ETIMEDOUT)']
      : ['refused', `no connection (${code})`];
  }
  if (root.message === 'bad port') return ['unusable_address', 'fetch does not open this port'];
  return ['reset', `the connection broke (${code === '' ? root.message : code})`];
}

/** The error of a failed fetch. It surely was not sent only if every address that was tried failed to connect. */
function toTransportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error;
  const faults = rootsOf(error).map(faultOf);
  const [fault, message] = faults.find(([kind]) => kind === 'reset') ??
    faults[0] ?? ['reset', 'the connection broke'];
  return new TransportError(fault, message, error);
}

/** JSON is UTF-8, whatever its label says; what is not is read as labelled, for a letter that is lost makes another key of it. */
function textOf(body: Uint8Array, contentType: string): string {
  const label = isUtf8(body) ? undefined : /charset="?([^\s;"]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

async function readBody(response: Response): Promise<string> {
  if (response.body === null) return '';
  const read: Uint8Array[] = [];
  let bytes = 0;
  const chunks: AsyncIterable<Uint8Array> = response.body;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) {
      throw new TransportError('too_large', `the answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`);
    }
    read.push(chunk);
  }
  return textOf(Buffer.concat(read), response.headers.get('content-type') ?? '');
}

async function fetchWhole(request: HttpRequest): Promise<HttpResponse> {
  const { method, url, headers, body, signal } = request;
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await readBody(response),
  };
}

/**
 * A transport over the global fetch. It follows no redirect (a 3xx is returned as it is), reads bodies as a stream up to 16 MiB decoded, and
 * rejects with the signal's reason when that is aborted. Errors: TransportError, which says whether the request surely was never sent.
 */
export function fetchTransport(): Transport {
  return async (request) => {
    try {
      return await fetchWhole(request);
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      throw toTransportError(error);
    }
  };
}
