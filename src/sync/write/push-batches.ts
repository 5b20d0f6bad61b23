import type { Endpoint, Feature } from '../../contract/endpoint.ts';
import { endpoints, type OperationId } from '../../contract/index.ts';
import type { QuotaRefusal } from '../../model/quota.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import { type Said, type Words, renderSaid } from '../../model/said.ts';
import type { WriteResult } from '../../model/service.ts';
import type { Intent } from '../../model/state/store.ts';
import type { Confirmation, PushRequests } from '../../plan/requests.ts';
import { rowAfter } from '../../plan/row-lifecycle.ts';
import { writtenOver } from '../evidence/pre-image.ts';
import { batchSize, shrinkBatch } from '../journal/batch-size.ts';
import { CounterWitness } from './counter-witness.ts';
import { wasThere } from '../../plan/reconcile/evidence.ts';
import { createDoubt, saysNoTo, withoutKnown } from '../../plan/reconcile/known-conflict.ts';
import { giveBack, overQuota, takeRoom } from '../../plan/over-quota.ts';
import type { Pool } from './pool.ts';
import type { PushWriter } from './push-writer.ts';
import { readBack, readBackNow, readBackTwice } from '../reconcile/read-back.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import { strategies } from '../resources/index.ts';
import { asAnswered } from '../../plan/known-records.ts';
import { refusalsOf, refusedIn } from '../../plan/reconcile/refused-entries.ts';
import type { OpenWrite, Seen } from '../../plan/reconcile/seen.ts';
import { saysNo, sizeLimits } from '../../plan/reconcile/soft-refusal.ts';
import { confirmAnswer } from '../rows/spelling.ts';
import { knownAlike, speltAlikeSince } from '../compare/spelt-alike.ts';
import { waitSettled } from '../journal/wait-settled.ts';

/** Rows that wait for more to go with, and the most rows that each of them may go with. */
interface Buffered {
  readonly rows: RunRow[];
  limit: number;
}

/** A batch that the service refused, and whose intent stays open until it is known that no part of it was applied. */
interface RefusedBatch extends OpenWrite {
  readonly status: number;
  readonly reason: Words;
}

/**
 * Parts of a refused batch: halves take the fewest requests until the bad rows stand alone. But before each division everything is read back, so that tenths are
 * cheaper where that costs many requests.
 */
const PARTS = { few: 2, many: 10 } as const;
const CHEAP_PAGES = 10;
const TOO_LARGE = 413;
const TOO_MANY = 429;

type AppliedWrite = Extract<WriteResult<OperationId>, { kind: 'applied' }>;
type RefusedWrite = Extract<WriteResult<OperationId>, { kind: 'refused' }>;

const keptFact = ({ resource }: PushMapping): string => `keeps_parts:${resource}`;

/** The creates of a mapping, and what goes like them, in batches. */
export class BatchPush {
  readonly #writer: PushWriter;
  readonly #requests: PushRequests;
  readonly #feature: Feature | undefined;
  readonly #counter: CounterWitness;
  /** Refused batches wait until nothing else is under way, so that what they left behind can be counted. */
  #refusedBatches: readonly RefusedBatch[] = [];
  #size = Infinity;
  /** The most rows of a request that the service applied: what is refused at that size is refused for its rows. */
  #largestApplied = 0;
  /** The most rows in a request of the next round: a service that failed over a batch may manage a smaller one. */
  #nextSize = Infinity;
  /** The service showed in this run that it spells keys its own way. */
  #isRespelt = false;
  /** The one row that goes alone before others, because the service may have its record under another spelling: its answer tells how it spells keys. */
  #probe: Promise<void> | undefined;

  constructor(writer: PushWriter) {
    this.#writer = writer;
    this.#requests = resourcePlans[writer.task.mapping.resource].requests;
    this.#counter = new CounterWitness(writer.task);
    const endpoint: Endpoint = endpoints[this.#requests.operation];
    this.#feature = endpoint.quota;
  }

  /** Sends the rows that are open, each once at most. */
  async run(): Promise<void> {
    const { ports, runId, account, mapping } = this.#writer.task;
    this.#size = Math.min(this.#size, this.#nextSize, await batchSize(ports.store, account, mapping));
    const intents = await ports.store.intents(runId);
    const limits = sizeLimits(intents.filter((intent) => intent.mapping === mapping.name));
    const limitOf = (row: RunRow): number => limits.get(row.rowNumber) ?? Infinity;
    const pool = this.#writer.openPool(this.#requests.parallel ? ports.concurrency : 1);
    const buffers = new Map<string, Buffered>();
    try {
      for await (const row of this.#writer.openRows((each) => this.#goesInBatch(each))) {
        const group = this.#requests.groupOf(row);
        const before = buffers.get(group);
        const fits = before === undefined || before.rows.length < Math.min(before.limit, limitOf(row));
        if (!fits && !(await this.#queue(pool, before.rows))) {
          buffers.delete(group);
          break;
        }
        const buffer = fits && before !== undefined ? before : { rows: [], limit: Infinity };
        buffer.rows.push(row);
        buffer.limit = Math.min(buffer.limit, limitOf(row));
        buffers.set(group, buffer);
        if (buffer.rows.length < Math.min(this.#size, buffer.limit)) continue;
        buffers.delete(group);
        if (!(await this.#queue(pool, buffer.rows))) break;
      }
      for (const { rows } of buffers.values()) await this.#queue(pool, rows);
    } finally {
      // Nothing goes out once the lock was let go, also where the rows could not be read.
      await pool.done();
    }
    while (this.#refusedBatches.length > 0) {
      const round = this.#refusedBatches;
      this.#refusedBatches = [];
      await this.#divide(round);
    }
  }

  #queue(pool: Pick<Pool, 'add'>, batch: readonly RunRow[]): Promise<boolean> {
    return pool.add(() => this.#sendBatch(batch));
  }

  #goesInBatch(row: RunRow): boolean {
    if (this.#requests.change === undefined) return row.change === 'create' || row.change === 'update';
    // A row that has an id was created already and waits for its change.
    return row.change === 'create' && row.id === null;
  }

  async #sendBatch(rows: readonly RunRow[]): Promise<void> {
    // Once rows were applied, it is known.
    const isKnown = this.#probe !== undefined || this.#largestApplied > 0;
    const first = isKnown ? undefined : await this.#firstAlike(rows);
    // Another batch may have begun meanwhile.
    const isProbe = first !== undefined && this.#probe === undefined;
    if (isProbe) this.#probe = this.#sendRows([first]);
    await this.#probe;
    return this.#sendRows(isProbe ? rows.filter((row) => row !== first) : rows);
  }

  /** The first row of a batch whose record the service may have under another spelling. */
  async #firstAlike(rows: readonly RunRow[]): Promise<RunRow | undefined> {
    const known = await knownAlike(this.#writer.task, rows);
    return rows.find(({ key }) => key !== null && known.has(key));
  }

  async #sendRows(rows: readonly RunRow[]): Promise<void> {
    const batch = await this.#withinQuota(this.#isRespelt ? await this.#withoutAlike(rows) : rows);
    if (batch.length === 0) return;
    this.#counter.sends(batch);
    const { result, intent, doubt } = await this.#writer.send(this.#requests.operation, batch, {
      body: this.#requests.body(batch),
    });
    switch (result.kind) {
      case 'applied':
        return this.#applied(intent, batch, result);
      case 'refused':
        return this.#refused(intent, batch, result);
      case 'ambiguous':
        await this.#writer.recordResult(intent, 'doubted', doubt, []);
        await this.#lower(batch, result.status);
        return this.#readBackRows(intent, batch, [{ code: 'answer-seen', reason: result.reason }], doubt);
    }
  }

  /** The rows that are still one record each, now that it is known how the service spells keys. */
  async #withoutAlike(rows: readonly RunRow[]): Promise<readonly RunRow[]> {
    const { task } = this.#writer;
    await this.#writer.recordAnswered();
    const { left, refused } = await speltAlikeSince(task, task.runId, rows);
    await this.#writer.patch(refused);
    return left;
  }

  /** The rows that the quota has room for, as far as is known; the others are deferred. */
  async #withinQuota(rows: readonly RunRow[]): Promise<readonly RunRow[]> {
    const { quotas, runId } = this.#writer.task;
    const taken = takeRoom(quotas, this.#feature, rows.length);
    if (taken === rows.length || this.#feature === undefined) return rows;
    await this.#writer.defer(rows.slice(taken), overQuota(this.#feature, runId));
    return rows.slice(0, taken);
  }

  /** A quota has no room for the batch: what it has room for goes out once it is known that no part was applied. */
  async #overQuota(
    intent: Intent,
    batch: readonly RunRow[],
    reason: Words,
    quota: QuotaRefusal,
  ): Promise<void> {
    const { quotas, runId } = this.#writer.task;
    quotas.set(quota.feature, quota.room);
    await this.#writer.recordResult(intent, batch.length === 1 ? 'refused' : 'doubted', reason, []);
    if (batch.length === 1) return this.#writer.defer(batch, overQuota(quota.feature, runId));
    this.#refusedBatches = [...this.#refusedBatches, { rows: batch, intent, status: TOO_MANY, reason }];
  }

  async #applied(
    intent: Intent,
    batch: readonly RunRow[],
    { records: answered, entries = [] }: AppliedWrite,
  ): Promise<void> {
    const { task } = this.#writer;
    const { ports, account, mapping } = task;
    const confirmations = await confirmAnswer(task, batch, answered, wasThere([intent]));
    this.#noteSpelling(confirmations);
    const unanswered = batch.filter((row) => row.key === null || !confirmations.has(row.key));
    // What disagrees is remembered too: the key is there, with the values that were shown.
    const records = [...confirmations.values()].map(({ record, disagrees }) =>
      disagrees?.code === 'held-other'
        ? asAnswered(undefined, record, { [disagrees.field]: disagrees.wanted })
        : record,
    );
    const isOther = answered.length > confirmations.size;
    const unnamed: Words = [{ code: 'answer-unnamed', what: 'row', ...(isOther && { others: true }) }];
    // A service that leaves out what it holds already says no to it; a record that it shows instead may be what it took the row for.
    const doubt = { reason: renderSaid(unnamed), ...(!isOther && { isConflict: true as const }) };
    const isKnown = unanswered.length > 0 && saysNoTo(doubt, intent);
    const told = refusedIn(mapping.resource, this.#requests.operation, batch, unanswered, entries);
    const detail = isKnown && told.length === 0 ? createDoubt(doubt, intent) : [...unnamed, ...told];
    this.#largestApplied = Math.max(this.#largestApplied, batch.length);
    const follow = async (): Promise<void> => {
      await this.#writer.patchConfirmed(batch, confirmations);
      await strategies[mapping.resource].keepAnswer(ports, account, confirmations);
    };
    if (unanswered.length === 0) return this.#writer.recordAnswer(intent, records, follow);
    await this.#writer.recordResult(intent, 'doubted', detail, records);
    await follow();
    // What the answer speaks of is refused by its key, or bounded by the size of its request.
    const unsaid = unanswered.filter((row) => refusalsOf(told, row).length === 0);
    this.#writer.countLost(unsaid, unnamed);
    await this.#readBackRows(intent, unanswered, unnamed, detail);
  }

  #noteSpelling(found: ReadonlyMap<string, Confirmation>): void {
    if (found.values().some(({ keptAs }) => keptAs !== undefined)) this.#isRespelt = true;
  }

  /** A refused row is rejected; a refused batch is divided until the bad rows stand alone. */
  async #refused(
    intent: Intent,
    batch: readonly RunRow[],
    { status, message, quota }: RefusedWrite,
  ): Promise<void> {
    const reason: Words = [{ code: 'refused', status, message }];
    if (quota !== undefined) return this.#overQuota(intent, batch, reason, quota);
    giveBack(this.#writer.task.quotas, this.#feature, batch.length);
    if (batch.length === 1) {
      await this.#writer.recordResult(intent, 'refused', reason, []);
      return this.#writer.patch(batch.map((row) => rowAfter(row, { kind: 'refused', said: reason })));
    }
    await this.#writer.recordResult(intent, 'doubted', reason, []);
    if (status === TOO_LARGE) await this.#lower(batch, status);
    this.#refusedBatches = [...this.#refusedBatches, { rows: batch, intent, status, reason }];
  }

  /** What comes goes out in smaller requests; a limit that the service states is remembered. */
  async #lower(batch: readonly RunRow[], status: number | undefined): Promise<void> {
    const { ports, account, mapping } = this.#writer.task;
    const half = Math.ceil(batch.length / 2);
    if (status === TOO_LARGE && batch.length > 1)
      this.#size = Math.min(this.#size, await shrinkBatch(ports.store, account, mapping, batch.length));
    else if (saysNo(status)) this.#size = Math.min(this.#size, Math.max(half, this.#largestApplied));
    else if (status !== undefined && status >= 500) this.#nextSize = Math.min(this.#nextSize, half);
  }

  /** Sends the parts of refused batches, without the rows that were applied all the same. */
  async #divide(round: readonly RefusedBatch[]): Promise<void> {
    const { ports, account } = this.#writer.task;
    const seen = await this.#seenOf(round);
    const parts: (readonly RunRow[])[] = [];
    // Everything is recorded before anything more is sent, because sending may end the run.
    for (const { rows: batch, intent, status, reason } of round) {
      if (seen.others === 'unclear') {
        this.#nextSize = Math.min(this.#nextSize, Math.ceil(batch.length / 2));
        await this.#writer.hold(batch, [{ code: 'refused-in-part', reason }]);
        continue;
      }
      const applied = batch.filter((row) => row.key !== null && seen.found.has(row.key));
      await this.#writer.remember(applied, seen.found);
      await this.#writer.patchConfirmed(applied, seen.found);
      // A power cut would leave a refused write and rows that do not say what was applied of it.
      if (applied.length > 0) await this.#writer.task.rows.sync();
      const changed = await writtenOver(ports, account, intent);
      await this.#writer.recordResult(intent, 'refused', [...reason, ...changed], []);
      const left = batch.filter((row) => !applied.includes(row));
      const isCheap = status === TOO_LARGE || (seen.pages ?? 1) <= CHEAP_PAGES;
      // What a quota refused goes again as it was, cut to the room that there is.
      const into = status === TOO_MANY ? 1 : isCheap ? PARTS.few : PARTS.many;
      const size = Math.ceil(left.length / into);
      for (let at = 0; at < left.length; at += size) parts.push(left.slice(at, at + size));
    }
    for (const part of parts) {
      for (let at = 0; at < part.length;) {
        // A limit that was met by a part before holds for those behind it.
        const some = part.slice(at, at + this.#size);
        at += some.length;
        await this.#sendBatch(some);
      }
    }
  }

  /**
   * What the service shows of the rows of refused batches: at once, where it never kept a part of such a batch and nothing speaks against what it shows; else
   * once nothing can come late any more.
   */
  async #seenOf(round: readonly RefusedBatch[]): Promise<Seen> {
    const { task } = this.#writer;
    const { ports, account, mapping } = task;
    const now = await readBack(task, round, 'now');
    const isKept = now.found.size > 0 || (await ports.store.fact(account, keptFact(mapping))) !== undefined;
    const isWhole = round.every(({ rows }) => rows.every(({ key }) => now.found.has(key ?? '')));
    if (isWhole || (!isKept && now.others !== 'unclear')) return this.#learnKept(now);
    // Refused with 429, a batch may have met a limiter and no envelope.
    const mayCount = now.isUnlisted === true && round.every(({ status }) => status !== TOO_MANY);
    const countsMs = mayCount ? await this.#counter.waitMs(round) : undefined;
    const nowMs = ports.clock.monotonic();
    const openMs = this.#writer.openSinceMs ?? nowMs;
    const sinceMs = countsMs === undefined ? openMs : nowMs + countsMs - ports.settleMs;
    if (!(await waitSettled(ports, sinceMs))) return this.#learnKept({ ...now, others: 'unclear' });
    const later = await readBackTwice(task, round);
    if (countsMs !== undefined && later.isUnlisted === true && (await this.#counter.agrees(round)))
      return { found: new Map(), others: 'absent' };
    return this.#learnKept({ ...later, found: new Map([...now.found, ...later.found]) });
  }

  /** A service that kept a part of a refused batch once may do so again. */
  async #learnKept(seen: Seen): Promise<Seen> {
    const { ports, account, mapping } = this.#writer.task;
    if (seen.found.size > 0 || seen.grew === true)
      await ports.store.setFact(account, keptFact(mapping), 'true');
    return seen;
  }

  /** Rows without a trustworthy answer: those that the service lists are confirmed, the others are unknown. */
  async #readBackRows(intent: Intent, batch: readonly RunRow[], reason: Words, detail: Words): Promise<void> {
    const shown = await readBackNow(this.#writer.task, { intent, rows: batch });
    this.#noteSpelling(shown);
    const found = withoutKnown(intent, detail, shown);
    const missing = batch.filter((row) => row.key === null || !found.has(row.key));
    const records = [...found.values()].map(({ record }) => record);
    // What is remembered before its row is done cannot be sent twice, wherever the process ends.
    if (missing.length === 0)
      await this.#writer.recordResult(intent, 'shown', [{ code: 'read-back-found' }], records);
    else await this.#writer.recordResult(intent, 'doubted', detail, records);
    await this.#writer.patchConfirmed(batch, found);
    if (missing.length > 0)
      await this.#writer.hold(missing, (row) => {
        const told = refusalsOf(detail, row).map((part): Said => ({
          code: 'answer-seen',
          reason: part.reason,
        }));
        return [{ code: 'answer-none', reason: told.length > 0 ? told : reason }];
      });
    this.#writer.checkAmbiguous(reason);
  }
}
