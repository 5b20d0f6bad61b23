import type { Intent } from '../model/store.ts';

/** What the service showed before a write went out, so that reading back can tell what came of it. */
interface Evidence {
  /** When it was read. */
  readonly atMs: number;
  /** Records that the account counted and that no list had shown. */
  readonly unlisted?: number;
}

/** The evidence that was recorded with a write. */
export const readEvidence = ({ evidence }: Pick<Intent, 'evidence'>): Partial<Evidence> =>
  evidence === undefined ? {} : (JSON.parse(evidence) as Evidence);

/** The evidence as an intent keeps it. */
export const writeEvidence = (evidence: Evidence): string => JSON.stringify(evidence);
