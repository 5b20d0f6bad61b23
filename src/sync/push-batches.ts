import type { RunRow } from '../model/run-rows.ts';
import type { Intent } from '../model/store.ts';
import type { Service } from '../model/service.ts';
import type { Confirmation, PushRequests } from '../plan/requests.ts';
import { batchSize, needsLogCount, shrinkBatch } from './batch-size.ts';
import { createPool, type Pool } from './pool.ts';
import { asksForLess, joined, type PushWriter } from './push-writer.ts';
import { readBack, readBackNow } from './read-back.ts';

/** The creates of a mapping, and what goes like them, in batches. */
export async function openBatches(
  writer: PushWriter,
  requests: PushRequests,
): Promise<Pick<BatchPush, 'run'>> {
  const { ports, account, mapping } = writer.task;
  const size = await batchSize(ports.store, account, mapping);
  return new BatchPush(writer, requests, size, watchLog(ports.service));
}

/** Tells, by the length of the upload log, whether refused price uploads left anything behind. */
interface Evidence {
  /** Reads the length before the first write. */
  begin(): Promise<void>;
  /** Adds rows that were confirmed as applied. */
  applied(rows: number): void;
  /** True when the length proves that nothing beyond the confirmed rows was applied; false when it moved or was never read. */
  nothingApplied(): Promise<boolean>;
}

/** Watches the length of the upload log of prices. The account's counters are no such evidence: they may lag. */
function watchLog(service: Service): Evidence {
  const read = async (): Promise<number | undefined> =>
    (await service.get('list-prices', { query: {} })).paging?.total ?? undefined;
  let expected: number | undefined;
  let begun = false;
  return {
    begin: async () => {
      if (begun) return;
      begun = true;
      expected = await read();
    },
    applied: (rows) => {
      if (expected !== undefined) expected += rows;
    },
    nothingApplied: async () => expected !== undefined && (await read()) === expected,
  };
}

/** A batch that the service refused, and whose intent stays open until it is known that no part of it was applied. */
interface RefusedBatch {
  readonly batch: readonly RunRow[];
  readonly intent: Intent;
  readonly status: number;
  readonly reason: string;
}

/** Parts of a refused batch: reading back may cost many requests, so the bad rows stand alone after few rounds. */
const PARTS = 10;
const TOO_LARGE = 413;

class BatchPush {
  readonly #writer: PushWriter;
  readonly #requests: PushRequests;
  readonly #evidence: Evidence;
  /** Refused batches wait until nothing else is under way, so that what they left behind can be counted. */
  #refusedBatches: readonly RefusedBatch[] = [];
  #size: number;
  /** The most rows in a request of the next round: a service that failed over a batch may manage a smaller one. */
  #nextSize = Infinity;

  constructor(writer: PushWriter, requests: PushRequests, size: number, evidence: Evidence) {
    this.#writer = writer;
    this.#requests = requests;
    this.#size = size;
    this.#evidence = evidence;
  }

  /** Sends the rows that are open, each once at most. */
  async run(): Promise<void> {
    const { ports, mapping } = this.#writer.task;
    this.#size = Math.min(this.#size, this.#nextSize);
    const pool = createPool(this.#requests.parallel ? ports.concurrency : 1);
    const buffers = new Map<string, RunRow[]>();
    for await (const row of this.#writer.openRows((each) => this.#goesInBatch(each))) {
      if (needsLogCount(mapping, this.#size)) await this.#evidence.begin();
      const group = this.#requests.groupOf(row);
      const batch = [...(buffers.get(group) ?? []), row];
      buffers.set(group, batch);
      if (batch.length < this.#size) continue;
      buffers.delete(group);
      if (!(await this.#queue(pool, batch))) break;
    }
    for (const batch of buffers.values()) await this.#queue(pool, batch);
    await pool.done();
    while (this.#refusedBatches.length > 0) {
      const round = this.#refusedBatches;
      this.#refusedBatches = [];
      await this.#divide(round);
    }
  }

  #queue(pool: Pool, batch: readonly RunRow[]): Promise<boolean> {
    return pool.add(() => this.#sendBatch(batch));
  }

  #goesInBatch(row: RunRow): boolean {
    if (this.#requests.updatesLikeCreates) return row.change === 'create' || row.change === 'update';
    // A row that has an id was created already and waits for its change.
    return row.change === 'create' && row.id === null;
  }

  async #sendBatch(batch: readonly RunRow[]): Promise<void> {
    const { result, intent } = await this.#writer.send(
      this.#requests.operation,
      batch,
      this.#requests.body(batch),
    );
    switch (result.kind) {
      case 'applied':
        return this.#applied(intent, batch, result.records);
      case 'refused':
        return this.#refused(intent, batch, result);
      case 'ambiguous':
        await this.#writer.settle(intent, 'ambiguous', result.reason, []);
        await this.#lower(batch, result.status);
        return this.#readBackRows(intent, batch, result.reason);
    }
  }

  async #applied(intent: Intent, batch: readonly RunRow[], records: readonly unknown[]): Promise<void> {
    const confirmations = this.#requests.match(batch, records);
    const unanswered = batch.filter((row) => row.key === null || !confirmations.has(row.key));
    const agreed = [...confirmations.values()].filter(({ disagrees }) => disagrees === undefined);
    this.#evidence.applied(batch.length - unanswered.length);
    const result = unanswered.length === 0 ? 'applied' : 'ambiguous';
    await this.#writer.settle(
      intent,
      result,
      '',
      agreed.map(({ record }) => record),
    );
    await this.#writer.patchConfirmed(batch, confirmations);
    await this.#rememberConfigId(confirmations);
    if (unanswered.length > 0)
      await this.#readBackRows(intent, unanswered, 'the answer does not name this row');
  }

  /** A points configuration is read by an id that only its upload answers with. */
  async #rememberConfigId(confirmations: ReadonlyMap<string, Confirmation>): Promise<void> {
    const { ports, account, mapping } = this.#writer.task;
    if (mapping.resource !== 'points_config') return;
    for (const [league, { id }] of confirmations) {
      if (id !== null) await ports.store.setFact(account, `points_config_id:${league}`, id);
    }
  }

  /** A refused row is rejected; a refused batch is divided until the bad rows stand alone. */
  async #refused(
    intent: Intent,
    batch: readonly RunRow[],
    { status, message }: { readonly status: number; readonly message: string },
  ): Promise<void> {
    const reason = `the service refused it (${status}): ${message}`;
    if (batch.length === 1) {
      await this.#writer.settle(intent, 'refused', reason, []);
      const patches = batch.map((row) => ({
        rowNumber: row.rowNumber,
        message: joined(row.message, reason),
      }));
      return this.#writer.patch(patches.map((patch) => ({ ...patch, outcome: 'rejected' })));
    }
    await this.#writer.settle(intent, 'ambiguous', reason, []);
    if (status === TOO_LARGE) await this.#lower(batch, status);
    this.#refusedBatches = [...this.#refusedBatches, { batch, intent, status, reason }];
  }

  /** What comes goes out in smaller requests; a limit that the service states is remembered. */
  async #lower(batch: readonly RunRow[], status: number | undefined): Promise<void> {
    const { ports, account, mapping } = this.#writer.task;
    const half = Math.ceil(batch.length / 2);
    if (asksForLess(batch, status)) this.#size = Math.min(this.#size, half);
    else if (status !== undefined && status >= 500) this.#nextSize = Math.min(this.#nextSize, half);
    if (status === TOO_LARGE && batch.length > 1)
      this.#size = Math.min(this.#size, await shrinkBatch(ports.store, account, mapping, batch.length));
  }

  /** Sends the parts of refused batches, without the rows that were applied all the same. */
  async #divide(round: readonly RefusedBatch[]): Promise<void> {
    const found = await this.#appliedOf(round);
    const parts: (readonly RunRow[])[] = [];
    // Everything is recorded before anything more is sent, because sending may end the run.
    for (const { batch, intent, status, reason } of round) {
      if (found === undefined) {
        await this.#writer.hold(batch, `${reason}, and some rows of its request may have been applied`);
        continue;
      }
      const applied = batch.filter((row) => row.key !== null && found.has(row.key));
      this.#evidence.applied(applied.length);
      await this.#writer.patchConfirmed(applied, found);
      await this.#writer.settle(intent, 'refused', reason, []);
      const left = batch.filter((row) => !applied.includes(row));
      const size = Math.ceil(left.length / (status === TOO_LARGE ? 2 : PARTS));
      for (let at = 0; at < left.length; at += size) parts.push(left.slice(at, at + size));
    }
    for (const part of parts) await this.#sendBatch(part);
  }

  /** The rows of refused batches that were applied all the same; undefined when that cannot be found out. */
  async #appliedOf(round: readonly RefusedBatch[]): Promise<ReadonlyMap<string, Confirmation> | undefined> {
    const { ports, account, mapping } = this.#writer.task;
    if (mapping.resource === 'prices') return (await this.#evidence.nothingApplied()) ? new Map() : undefined;
    const open = round.map(({ batch, intent }) => ({ intent, rows: batch }));
    const { found, others } = await readBack(ports, account, mapping, open);
    return others === 'absent' ? found : undefined;
  }

  /** Rows without a trustworthy answer: those that the service lists are confirmed, the others are held. */
  async #readBackRows(intent: Intent, batch: readonly RunRow[], reason: string): Promise<void> {
    const { ports, mapping } = this.#writer.task;
    const found = await readBackNow(ports, mapping, batch);
    const missing = batch.filter((row) => row.key === null || !found.has(row.key));
    this.#evidence.applied(batch.length - missing.length);
    await this.#writer.patchConfirmed(batch, found);
    if (missing.length === 0) {
      const records = [...found.values()].map(({ record }) => record);
      await this.#writer.settle(intent, 'applied', 'found by reading back', records);
    } else {
      await this.#writer.hold(missing, `no trustworthy answer (${reason})`);
    }
    this.#writer.checkAmbiguous(reason);
  }
}
