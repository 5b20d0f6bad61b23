import type { RunRow } from '../../model/state/run-rows.ts';
import { quotaUsed } from '../../model/quota.ts';
import { readEvidence } from '../../plan/reconcile/evidence.ts';
import type { OpenWrite } from '../../plan/reconcile/seen.ts';
import { countKnown } from '../evidence/full-list.ts';
import { countStrange } from '../evidence/pre-image.ts';
import type { PushTask } from '../ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/**
 * Stands for the list of a service that cannot be listed: shows by the account's counter alone that refused batches left nothing. It proves that only where the
 * account counts exactly the records that are known, before the writes of the mapping and twice after the refusal, and moved with the writes that were applied:
 * a record that nobody explains speaks against it, counted or shown by a part of the list, and so does a counter that stands still or comes late.
 */
export class CounterWitness {
  readonly #task: PushTask;
  /** Every batch that went out, in order, by the monotonic clock. */
  readonly #sent: { readonly atMs: number; readonly rows: number }[] = [];
  /** The counter surely shows what was applied so long ago; undefined while it was not seen to move. */
  #lagMs: number | undefined;
  #used: number | undefined;

  constructor(task: PushTask) {
    this.#task = task;
  }

  /** Notes a batch that goes out now. */
  sends(batch: readonly RunRow[]): void {
    this.#sent.push({ atMs: this.#task.ports.clock.monotonic(), rows: batch.length });
  }

  /** The first reading: how long from now the second one must wait; undefined where the counter proves nothing. */
  async waitMs(refused: readonly OpenWrite[]): Promise<number | undefined> {
    const { ports } = this.#task;
    this.#used = await this.#usedWhereAllKnown(refused);
    if (this.#used === undefined) return undefined;
    this.#learnLag(this.#used, refused);
    return this.#lagMs === undefined ? undefined : Math.max(ports.settleMs, this.#lagMs);
  }

  /** The second reading: whether it says the same as the first. */
  async agrees(refused: readonly OpenWrite[]): Promise<boolean> {
    const used = await this.#usedWhereAllKnown(refused);
    return used !== undefined && used === this.#used;
  }

  /** The account's counter where it counts what is known and nothing else; undefined where it does not, or where a refused row is known to be there. */
  async #usedWhereAllKnown(refused: readonly OpenWrite[]): Promise<number | undefined> {
    const { ports, account, mapping } = this.#task;
    const listed = resourcePlans[mapping.resource].listed;
    if (listed === undefined) return undefined;
    const used = quotaUsed(await ports.service.account(), listed.feature);
    const keys = refused.flatMap(({ rows }) => rows.flatMap(({ key }) => key ?? []));
    // A part of the list may have shown some of them.
    const isSeen = (await ports.store.snapshots(account, mapping.resource, keys)).size > 0;
    // Or it showed them under other keys.
    const writes = refused.map(({ intent }) => intent);
    if (isSeen || (await countStrange(this.#task, writes)) > 0) return undefined;
    return used === (await countKnown(ports, account, mapping.resource)) ? used : undefined;
  }

  /** What the counter shows beyond its reading before the writes cannot all be older than the write that makes it up to that number of rows. */
  #learnLag(used: number, refused: readonly OpenWrite[]): void {
    const { ports, used: before } = this.#task;
    if (this.#lagMs !== undefined || before === undefined) return;
    if (!refused.every(({ intent }) => readEvidence(intent)?.known === before)) return;
    let left = used - before;
    const shown = this.#sent.find(({ rows }) => (left -= rows) <= 0);
    if (used > before && shown !== undefined) this.#lagMs = ports.clock.monotonic() - shown.atMs;
  }
}
