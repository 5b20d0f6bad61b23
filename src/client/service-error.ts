import { AccessError, RefusedError, UnavailableError, type TeamsheetError } from '../model/error.ts';
import { lacksFiles, MORE_FILES } from '../model/fetch-error.ts';
import type { HttpRequest } from '../model/ports.ts';
import type { ServiceFault, Verdict } from './classify.ts';

const NEXT: Readonly<Record<ServiceFault, string>> = {
  'service.html': 'check base_url: it must be the address of the data service, without /v1',
  'service.no_envelope': 'check base_url: it must be the address of the data service, without /v1',
  'service.unreachable': 'check base_url and the network, then run the command again',
  'service.timeout': 'run the command again later, or raise push.timeout',
  'service.redirect': 'set base_url to the address that the service itself answers on',
  'service.kept': 'let a proxy, or whatever else keeps answers on the way to base_url, pass on every request',
  'service.error': 'run the command again later',
};

const NOT_FOUND = 404;

const CHECK_URL: ReadonlySet<ServiceFault> = new Set([
  'service.html',
  'service.no_envelope',
  'service.redirect',
]);

/** `GET https://host/base/v1/user`: where an answer came from; holds neither the key nor the query. */
function addressOf(request: HttpRequest): string {
  const { origin, pathname } = new URL(request.url);
  return `${request.method} ${origin}${pathname}`;
}

/** The error of an answer, or of no answer, that cannot be used. */
export function unavailable(
  request: HttpRequest,
  fault: ServiceFault,
  reason: string,
  cause?: unknown,
): UnavailableError {
  const address = addressOf(request);
  const message =
    fault === 'service.unreachable' || fault === 'service.timeout'
      ? `${address} got no answer: ${reason}`
      : `${address} answered with ${reason}${CHECK_URL.has(fault) ? ': is base_url right?' : ''}`;
  return new UnavailableError(fault, message, { next: lacksFiles(cause) ? MORE_FILES : NEXT[fault], cause });
}

/** The error of an account with a field of another kind than the interface documents; `issue` names it. */
export function unreadableAccount(request: HttpRequest, issue: string): UnavailableError {
  return new UnavailableError(
    'service.account',
    `${addressOf(request)} answered with an account that cannot be read (${issue})`,
    { next: 'ask your provider about that field of the account' },
  );
}

/** The error of a read that the service refused; on the account call a refusal tells about the key or the address. */
export function refusal(
  request: HttpRequest,
  operation: string,
  { status, message }: { readonly status: number; readonly message: string },
): TeamsheetError {
  const address = addressOf(request);
  const said = `${address} answered ${status} ${JSON.stringify(message)}`;
  const onAccount = operation === 'get-account';
  if (status === 401 || (status === 403 && onAccount)) {
    // Nothing says whether it is the key that is wrong or its rights.
    const rights =
      status === 401
        ? ''
        : ', or it may not read its account, which every command needs: its id and its limits stand there';
    return new AccessError('service.access', `${said}: the API key was refused${rights}`, { next: 'doctor' });
  }
  if (!onAccount) return new RefusedError(status, said);
  const hint = status === 404 ? ': base_url is probably wrong' : '';
  return new UnavailableError('service.error', `${said}${hint}`, {
    next: status === 404 ? NEXT['service.html'] : NEXT['service.error'],
  });
}

/** The error of an answer with another record than the one that was asked for. */
export function otherRecord(
  request: HttpRequest,
  asked: string | number,
  answered: string | number,
): UnavailableError {
  return new UnavailableError(
    'service.record',
    `${addressOf(request)} answered with the record of id ${answered}, not with that of id ${asked}`,
    { next: 'ask your provider why the answer is of another record' },
  );
}

/** The error of a record that a whole answer leaves out: services say so that there is none, as others do with 404. */
export function noRecord(request: HttpRequest): RefusedError {
  return new RefusedError(NOT_FOUND, `${addressOf(request)} answered with no record`);
}

/** The error of a read that was throttled however long the client waited. */
export function throttledForGood(request: HttpRequest): UnavailableError {
  return new UnavailableError(
    'service.throttled',
    `${addressOf(request)} was refused with 429 again and again, even after the waits that the service asked for: waiting does not help against this quota`,
    { next: 'look at the quotas with the account command, and ask your provider' },
  );
}

/** The error of a read that came to no usable answer, by its verdict. */
export function failedRead(
  request: HttpRequest,
  operation: string,
  verdict: Exclude<Verdict, { kind: 'applied' }>,
  cause?: unknown,
): TeamsheetError {
  if (verdict.kind === 'refused') return refusal(request, operation, verdict);
  if (verdict.kind === 'throttled') return throttledForGood(request);
  return unavailable(request, verdict.fault, verdict.reason, cause);
}
