/** An answer other than success; the error handler of the app turns it into an envelope with this status and message. */
export class Refusal extends Error {
  readonly statusCode: number;
  /** Answered as Retry-After, whole seconds. */
  readonly retryAfterSeconds: number | undefined;
  constructor(statusCode: number, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'Refusal';
    this.statusCode = statusCode;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The refusal for an id that nothing has. `field` is where the request names it. */
export function unknownId(field: string, what: string, id: string | number): Refusal {
  return new Refusal(404, `${field}: there is no ${what} ${JSON.stringify(id)}`);
}

/** Sums of points and prices stay exact below this; the interface states no limit of its own. */
const LARGEST = 1_000_000_000;

/** @throws Refusal 400 for a number that no real setting or price comes near. */
export function checkSize(field: string, value: number): void {
  if (Math.abs(value) > LARGEST) throw new Refusal(400, `${field}: must be from -${LARGEST} to ${LARGEST}`);
}
