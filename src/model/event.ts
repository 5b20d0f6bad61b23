import type { Outcome } from './outcome.ts';

/** What library code tells whoever runs it; the command line renders these as progress, text or NDJSON. */
export type RunEvent =
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'note'; readonly message: string }
  /** Reading or checking rows: `done` so far. */
  | { readonly kind: 'reading'; readonly mapping: string; readonly done: number }
  /** Requests or records of one mapping: `total` is known and stays, or is left out. */
  | {
      readonly kind: 'progress';
      readonly mapping: string;
      readonly done: number;
      readonly total?: number;
      readonly unit: string;
    }
  /** What became of a row that was to be sent; rows of which nothing was sent, such as invalid ones, are told by the plan and the results alone. */
  | {
      readonly kind: 'outcome';
      readonly mapping: string;
      readonly rowNumber: number;
      readonly outcome: Outcome;
      readonly message: string;
    }
  /** A pause for the budget; `untilMs` is wall-clock time. */
  | { readonly kind: 'pause'; readonly seconds: number; readonly untilMs: number; readonly reason: string }
  | {
      readonly kind: 'retry';
      readonly operation: string;
      readonly attempt: number;
      readonly waitMs: number;
      readonly reason: string;
    };

export type Emit = (event: RunEvent) => void;
