/** What surely happened before the service could read the request. */
const NEVER_SENT = ['refused', 'dns', 'connect_timeout', 'certificate', 'unusable_address'] as const;

/** Why no whole answer of the service came; `kept`: what came is older than the question. All other faults may have come after the service read the request. */
export type TransportFault = (typeof NEVER_SENT)[number] | 'reset' | 'timeout' | 'too_large' | 'kept';

/** A request that got no whole answer; thrown by transports and by the timeout, and always turned into a value or a TeamsheetError by the client. */
export class TransportError extends Error {
  readonly fault: TransportFault;
  constructor(fault: TransportFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TransportError';
    this.fault = fault;
  }
  /** True when the request surely never reached the service. */
  get neverSent(): boolean {
    return NEVER_SENT.some((fault) => fault === this.fault);
  }
}
