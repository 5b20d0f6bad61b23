/** What became of a row: exactly one of these (interfaces.md, section 1). */
export const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'invalid',
  'rejected',
  'excluded',
  'deferred',
  'unknown',
  'conflict',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How many rows ended in each outcome, and how many there were. */
export type OutcomeCounts = Readonly<Record<Outcome, number>> & { readonly rows: number };

/** What a plan means to do with a row. `pending` rows are read and valid but not yet compared. */
export const CHANGE_KINDS = [
  'pending',
  'create',
  'update',
  'unchanged',
  'invalid',
  'excluded',
  'conflict',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];
