import * as z from 'zod';
import { OPERATION_IDS, type OperationId } from '../contract/index.ts';

/** What may go wrong with a request: what it stands for, and whether the request is carried out when the fault does not say. */
export const FAULT_KINDS = {
  reset: { about: 'the connection breaks instead of an answer', processed: true },
  hang: { about: 'no answer until the connection ends, after_ms at most', processed: true },
  late: { about: 'carried out and answered after_ms later', processed: true },
  drip: { about: 'headers after after_ms, then a byte each every_ms', processed: true },
  cut: { about: 'the body ends in the middle', processed: true },
  empty: { about: 'an empty body', processed: true },
  html: { about: 'a page of HTML with a status, 502 by default', processed: false },
  content_type: { about: 'the right body under text/plain', processed: true },
  status: { about: 'a refusal with a status, 500 by default', processed: false },
  lying_error: { about: 'HTTP 200 around an envelope that says 500', processed: false },
  lying_success: { about: 'HTTP 500 around the envelope of a success', processed: true },
  redirect: { about: 'a redirect to location, 307 by default', processed: false },
  too_many: { about: '429, with retry_after when given', processed: false },
  quota_gone: { about: '403: the quota is used up', processed: false },
  key_inactive: { about: '401: the key is not active', processed: false },
  gzip_bomb: { about: 'a small gzip body that becomes `bytes` zeros', processed: true },
  endless: { about: 'a body that goes on for `bytes`', processed: true },
  replay: { about: 'the answer of an earlier request', processed: true },
  strange: { about: 'unknown words and fields beside those of the interface', processed: true },
} as const;
type FaultKind = keyof typeof FAULT_KINDS;

const MOST_MS = 600_000;
const MOST_BYTES = 268_435_456;
/** Most faults that may wait at a time. */
export const MOST_FAULTS = 1_000;

/** One fault as an operator asks for it. */
export const faultSchema = z.strictObject({
  kind: z.enum(Object.keys(FAULT_KINDS) as [FaultKind, ...FaultKind[]]),
  /** An operation, or `*` for any. */
  operation: z.enum(['*', ...OPERATION_IDS]).default('*'),
  /** Met by the nth call that it matches, and by the calls after that until `count` is used up. */
  nth: z.int().min(1).default(1),
  count: z.int().min(1).max(1_000_000).default(1),
  /** A text that the path, the query or the body must hold. */
  match: z.string().min(1).max(1_000).optional(),
  /** Whether the request is carried out; the kind knows best when left out. */
  processed: z.boolean().optional(),
  status: z.int().min(200).max(599).optional(),
  after_ms: z.int().min(0).max(MOST_MS).optional(),
  every_ms: z.int().min(0).max(MOST_MS).optional(),
  bytes: z.int().min(1).max(MOST_BYTES).optional(),
  retry_after: z
    .string()
    .max(100)
    .regex(/^[\x20-\x7e]*$/)
    .optional(),
  location: z
    .string()
    .max(1_000)
    .regex(/^[\x21-\x7e]+$/)
    .optional(),
});
/** Several of them. */
export const faultsSchema = z.strictObject({ faults: z.array(faultSchema).min(1).max(MOST_FAULTS) });

export type Fault = z.infer<typeof faultSchema>;
/** A fault as it may be written: what has a default may be left out. */
export type FaultInput = z.input<typeof faultSchema>;

/** The faults that wait for their requests. */
export interface Faults {
  add(faults: readonly Fault[]): void;
  /** Each with its number and how often it was met. */
  list(): readonly (Fault & { readonly number: number; readonly met: number })[];
  /** How many wait for a request still. */
  unmet(): number;
  clear(): void;
  /** The fault that a call with this path, query and body meets, if any: the first added of those that match. Every fault that matches has seen the call. */
  take(operation: OperationId, text: () => string): Fault | undefined;
}

/** No faults yet. */
export function openFaults(): Faults {
  let waiting: { readonly number: number; readonly fault: Fault; seen: number; met: number }[] = [];
  let last = 0;
  return {
    add: (faults) => {
      const added = faults.map((fault) => ({ number: (last += 1), fault, seen: 0, met: 0 }));
      // Those that are used up are shown while there is room.
      if (waiting.length + added.length > MOST_FAULTS) waiting = waiting.filter(isUnmet);
      waiting = [...waiting, ...added];
    },
    unmet: () => waiting.filter(isUnmet).length,
    list: () => waiting.map(({ number, fault, met }) => ({ number, ...fault, met })),
    clear: () => {
      waiting = [];
    },
    take: (operation, text) => {
      if (waiting.length === 0) return undefined;
      const matching = waiting.filter(
        ({ fault, met }) =>
          isUnmet({ fault, met }) &&
          (fault.operation === '*' || fault.operation === operation) &&
          (fault.match === undefined || text().includes(fault.match)),
      );
      for (const one of matching) one.seen += 1;
      const first = matching.find(({ fault, seen }) => seen >= fault.nth);
      if (first === undefined) return undefined;
      first.met += 1;
      return first.fault;
    },
  };
}

function isUnmet({ fault, met }: { readonly fault: Fault; readonly met: number }): boolean {
  return met < fault.count;
}

/** Whether a request that meets the fault is carried out. */
export function isProcessed(fault: Fault): boolean {
  return fault.processed ?? FAULT_KINDS[fault.kind].processed;
}
