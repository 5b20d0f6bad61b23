import type { Envelope } from '../contract/envelope.ts';
import { excerptOf } from '../model/excerpt.ts';
import type { HttpRequest, HttpResponse } from '../model/ports.ts';
import { parseEnvelope, type ParsedBody } from './envelope.ts';
import { TransportError, type TransportFault } from './transport-error.ts';

/** The stable codes of answers that cannot be used. */
export type ServiceFault =
  | 'service.html'
  | 'service.no_envelope'
  | 'service.unreachable'
  | 'service.timeout'
  | 'service.redirect'
  | 'service.kept'
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
      /** That status is 409, and no envelope says otherwise. */
      readonly isConflict?: true;
    };

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422]);
const FAILURES = 500;
const NOT_MODIFIED = 304;
const CONFLICT = 409;
const TOO_MANY = 429;
/** Refusals of what was sent: whoever reads the reason needs the service's own words, whatever their shape. */
const SAYS_WHY: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** HTTP says yes; its envelope may say otherwise. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const FAULTS: { readonly [fault in TransportFault]?: ServiceFault } = {
  timeout: 'service.timeout',
  kept: 'service.kept',
};

function classifyFault(method: HttpRequest['method'], error: TransportError): Verdict {
  if (error.neverSent) return { kind: 'not_applied', fault: 'service.unreachable', reason: error.message };
  const fault = FAULTS[error.fault] ?? 'service.unreachable';
  return { kind: method === 'GET' ? 'retry' : 'ambiguous', fault, reason: error.message };
}

/** What an answer says in its own shape. */
function ownWords(body: string): string {
  const excerpt = excerptOf(body);
  return excerpt === '' ? '' : `: ${JSON.stringify(excerpt)}`;
}

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** What an envelope says, with the lists and objects beside its message as they came: they may say why, in whatever shape. */
function saidIn({ statusCode: _, message, ...others }: Envelope): string {
  const details = Object.entries(others).filter(([, value]) => isFilled(value));
  if (details.length === 0) return message;
  const excerpt = excerptOf(JSON.stringify(Object.fromEntries(details)));
  return message === '' ? excerpt : `${message}: ${excerpt}`;
}

/** The refusal that a whole envelope states; undefined for another status. */
function refusalOf(envelope: Envelope): Verdict | undefined {
  const { statusCode: status } = envelope;
  if (status === TOO_MANY) return { kind: 'throttled', status, message: saidIn(envelope) };
  return REFUSALS.has(status) ? { kind: 'refused', status, message: saidIn(envelope) } : undefined;
}

/** Bodies are read once, whoever asks: the retry, the budget and the client classify one answer in turn. */
const bodies = new WeakMap<HttpResponse, ParsedBody>();

function bodyOf(answer: HttpResponse): ParsedBody {
  const known = bodies.get(answer);
  if (known !== undefined) return known;
  const parsed = parseEnvelope(answer.body);
  bodies.set(answer, parsed);
  return parsed;
}

/** Whether an answer asks to slow down, in whichever place it says so. */
export function isThrottled(answer: HttpResponse): boolean {
  const parsed = bodyOf(answer);
  const isSaid = parsed.kind === 'envelope' && parsed.envelope.statusCode === TOO_MANY;
  return answer.status === TOO_MANY || (isSaid && answer.status < FAILURES);
}

/** Decides what is known of a request from its answer alone; the shape of `data` is checked by whoever reads the records. */
export function classify(method: HttpRequest['method'], answer: HttpResponse | TransportError): Verdict {
  if (answer instanceof TransportError) return classifyFault(method, answer);
  const { status } = answer;
  const doubtful = method === 'GET' ? 'retry' : 'ambiguous';
  const parsed = bodyOf(answer);
  if (parsed.kind === 'envelope') {
    // A read changes nothing, so its envelope is believed whatever HTTP says; of a write both must say the same.
    const isBelieved = method === 'GET' ? status < FAILURES : status === parsed.envelope.statusCode;
    const refusal = isBelieved ? refusalOf(parsed.envelope) : undefined;
    if (refusal !== undefined) return refusal;
  }
  if (status === NOT_MODIFIED) {
    const reason = `HTTP ${status} and no contents, as something on the way does that keeps answers`;
    return { kind: doubtful, fault: 'service.error', reason, status };
  }
  if (status >= 300 && status < 400) {
    const reason = `a redirect (HTTP ${status}), which is never followed, because it would send the key elsewhere`;
    return method === 'GET'
      ? { kind: 'redirected', fault: 'service.redirect', reason }
      : { kind: 'ambiguous', fault: 'service.redirect', reason };
  }
  if (parsed.kind !== 'envelope') {
    // A limiter in front of the service may refuse without the service's envelope; nothing was passed on.
    if (status === TOO_MANY) return { kind: 'throttled', status, message: 'too many requests' };
    return {
      kind: doubtful,
      fault: `service.${parsed.kind}`,
      reason: `${parsed.reason} (HTTP ${status})${parsed.kind === 'html' || !SAYS_WHY.has(status) ? '' : ownWords(answer.body)}`,
      status,
      ...(status === CONFLICT && { isConflict: true }),
    };
  }
  const { envelope } = parsed;
  if (isSuccess(status) && isSuccess(envelope.statusCode)) return { kind: 'applied', envelope };
  const message = JSON.stringify(saidIn(envelope));
  const reason =
    status === envelope.statusCode
      ? `HTTP ${status} and the message ${message}`
      : `HTTP ${status} but ${envelope.statusCode} in its envelope, with the message ${message}`;
  const said = isSuccess(status) ? envelope.statusCode : status;
  return {
    kind: doubtful,
    fault: 'service.error',
    reason,
    status: said,
    ...(said === CONFLICT && envelope.statusCode === CONFLICT && { isConflict: true }),
  };
}
