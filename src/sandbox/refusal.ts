/** An answer other than success; the error handler of the app turns it into the answer that the settings ask for. */
export class Refusal extends Error {
  readonly statusCode: number;
  /** Answered as the header Retry-After. */
  readonly retryAfter: string | undefined;
  constructor(statusCode: number, message: string, retryAfter?: string) {
    super(message);
    this.name = 'Refusal';
    this.statusCode = statusCode;
    this.retryAfter = retryAfter;
  }
}

/** The refusal of a body that is no JSON, whatever it was meant to hold. */
export class MalformedBody extends Refusal {
  constructor(message: string) {
    super(400, `body: ${message}`);
    this.name = 'MalformedBody';
  }
}

/** The refusal of a batch whose first rows were applied nevertheless; it is thrown on once they are kept. */
export class HalfDone extends Refusal {
  /** The ids of what was written. */
  readonly records: readonly string[];
  constructor(cause: Refusal, records: readonly string[]) {
    super(cause.statusCode, cause.message);
    this.name = 'HalfDone';
    this.records = records;
  }
}

/** The refusal for an id that nothing has. `field` is where the request names it. */
export function unknownId(field: string, what: string, id: string | number): Refusal {
  return new Refusal(404, `${field}: there is no ${what} ${JSON.stringify(id)}`);
}

/** The number that an id in an address is; 0, which nothing has, for any other text: Number takes " 1" and 1e0 for 1. */
export const numberOfId = (id: string | number): number =>
  /^[1-9]\d{0,14}$/.test(String(id)) ? Number(id) : 0;

/** Sums of points and prices stay exact below this; the interface states no limit of its own. */
const LARGEST = 1_000_000_000;

/** @throws Refusal 400 for a number that no real setting or price comes near. */
export function checkSize(field: string, value: number): void {
  if (Math.abs(value) > LARGEST) throw new Refusal(400, `${field}: must be from -${LARGEST} to ${LARGEST}`);
}

/** @throws Refusal 400 for a word that is not one of those, where the settings restrict texts to lists of words. */
export function checkWord(
  isRestricted: boolean,
  field: string,
  word: string,
  words: readonly string[],
): void {
  if (word === '') throw new Refusal(400, `${field}: must not be empty`);
  if (isRestricted && !words.includes(word)) {
    throw new Refusal(400, `${field}: must be one of ${words.join(', ')}`);
  }
}
