import type { Words } from '../../model/said.ts';
import type { StoredIntent } from '../../model/state/store.ts';

/** Statuses that say no to what was sent: a smaller batch may pass. */
const SAYS_NO: ReadonlySet<number> = new Set([400, 413, 422]);

/** Whether the status of an answer that could not be trusted says no to what was sent. */
export const saysNo = (status: number | undefined): boolean => status !== undefined && SAYS_NO.has(status);

/** What is recorded of a write whose answer could not be trusted. */
export const doubtDetail = (reason: string, status: number | undefined): Words => [
  saysNo(status) ? { code: 'refused-doubtful', reason } : { code: 'answer-seen', reason },
];

/** Whether the answer of a write said no without being a refusal that can be trusted: only reading back shows that nothing was applied. */
export const saidNo = ({ detail }: Pick<StoredIntent, 'detail'>): boolean =>
  detail.some(({ code }) => code === 'refused-doubtful');

/**
 * The most rows that a request with a row may hold, by row number: half of the smallest one that was refused in other words than the envelope. A row is so sent
 * as often as its first batch can be halved, at most.
 */
export function sizeLimits(intents: readonly StoredIntent[]): ReadonlyMap<number, number> {
  const limits = new Map<number, number>();
  for (const intent of intents.filter(saidNo)) {
    const half = Math.ceil(intent.rowNumbers.length / 2);
    for (const row of intent.rowNumbers) limits.set(row, Math.min(half, limits.get(row) ?? half));
  }
  return limits;
}
