/**
 * Why no whole answer came. The first five surely happened before the service could read the request; the others may have come after it did.
 */
export type TransportFault =
  | 'refused'
  | 'dns'
  | 'connect_timeout'
  | 'certificate'
  | 'unusable_address'
  | 'reset'
  | 'timeout'
  | 'too_large';

const NEVER_SENT: ReadonlySet<TransportFault> = new Set([
  'refused',
  'dns',
  'connect_timeout',
  'certificate',
  'unusable_address',
]);

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
    return NEVER_SENT.has(this.fault);
  }
}
