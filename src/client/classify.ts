import type { Envelope } from '../contract/envelope.ts';
import type { HttpRequest, HttpResponse } from '../model/ports.ts';
import { parseEnvelope } from './envelope.ts';
import { TransportError } from './transport-error.ts';

/** The stable codes of answers that cannot be used. */
export type ServiceFault =
  | 'service.html'
  | 'service.no_envelope'
  | 'service.unreachable'
  | 'service.timeout'
  | 'service.redirect'
  | 'service.error';

/**
 * What one answer, or its absence, says about one request (push-protocol, "Classification"). `ambiguous` is for writes; a read that came to the
 * same is `retry`. `throttled` is a refusal that waiting may cure.
 */
export type Verdict =
  | { readonly kind: 'applied'; readonly envelope: Envelope }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | { readonly kind: 'throttled'; readonly status: number; readonly message: string }
  | {
      readonly kind: 'not_applied' | 'ambiguous' | 'retry' | 'redirected';
      readonly fault: ServiceFault;
      readonly reason: string;
      /** The status of an answer that came: that of its envelope where HTTP says success and the envelope does not. */
      readonly status?: number;
    };

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422]);
const TOO_MANY = 429;
/** Refusals of what was sent: whoever reads the reason needs the service's own words, whatever their shape. */
const SAYS_WHY: ReadonlySet<number> = new Set([400, 413, 422]);
const EXCERPT = 200;

/** HTTP says yes; its envelope may say otherwise. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function classifyFault(method: HttpRequest['method'], error: TransportError): Verdict {
  if (error.neverSent) return { kind: 'not_applied', fault: 'service.unreachable', reason: error.message };
  const fault = error.fault === 'timeout' ? 'service.timeout' : 'service.unreachable';
  return { kind: method === 'GET' ? 'retry' : 'ambiguous', fault, reason: error.message };
}

/** What an answer says in its own shape, in one line and with no character that a terminal would obey. */
function excerptOf(body: string): string {
  const text = body.replace(/[\p{C}\s]+/gu, ' ').trim();
  const cut = text.length > EXCERPT ? `${text.slice(0, EXCERPT).toWellFormed()}…` : text;
  return cut === '' ? '' : `: ${JSON.stringify(cut)}`;
}

/** Decides what is known of a request from its answer alone; the shape of `data` is checked by whoever reads the records. */
export function classify(method: HttpRequest['method'], answer: HttpResponse | TransportError): Verdict {
  if (answer instanceof TransportError) return classifyFault(method, answer);
  const { status } = answer;
  const doubtful = method === 'GET' ? 'retry' : 'ambiguous';
  if (status >= 300 && status < 400) {
    const reason = `a redirect (HTTP ${status}), which is never followed because it would carry the key elsewhere`;
    return method === 'GET'
      ? { kind: 'redirected', fault: 'service.redirect', reason }
      : { kind: 'ambiguous', fault: 'service.redirect', reason };
  }
  const parsed = parseEnvelope(answer.body);
  if (parsed.kind !== 'envelope') {
    // A limiter in front of the service may refuse without the service's envelope; nothing was passed on.
    if (status === TOO_MANY) return { kind: 'throttled', status, message: 'too many requests' };
    return {
      kind: doubtful,
      fault: `service.${parsed.kind}`,
      reason: `${parsed.reason} (HTTP ${status})${parsed.kind === 'html' || !SAYS_WHY.has(status) ? '' : excerptOf(answer.body)}`,
      status,
    };
  }
  const { envelope } = parsed;
  if (isSuccess(status) && isSuccess(envelope.statusCode)) return { kind: 'applied', envelope };
  if (status === envelope.statusCode) {
    if (status === TOO_MANY) return { kind: 'throttled', status, message: envelope.message };
    if (REFUSALS.has(status)) return { kind: 'refused', status, message: envelope.message };
  }
  const said = JSON.stringify(envelope.message);
  const reason =
    status === envelope.statusCode
      ? `HTTP ${status} and the message ${said}`
      : `HTTP ${status} but ${envelope.statusCode} in its envelope, with the message ${said}`;
  return {
    kind: doubtful,
    fault: 'service.error',
    reason,
    status: isSuccess(status) ? envelope.statusCode : status,
  };
}
