import { AccessError, IncompleteError, InterruptedError, UnavailableError } from '../../model/error.ts';
import type { KnownRecord, RunRow, RunRowPatch } from '../../model/state/run-rows.ts';
import { renderSaid, stopWords, type Words } from '../../model/said.ts';
import { isUnsendable, type CallInput, type WriteResult } from '../../model/service.ts';
import type { Intent, Recorded } from '../../model/state/store.ts';
import { digestOf } from '../../plan/digest.ts';
import { intentAfter, type IntentEvent, isOpenIntent } from '../../plan/intent-lifecycle.ts';
import { rowAfter } from '../../plan/row-lifecycle.ts';
import {
  unsetWords,
  type ChangeOperation,
  type Confirmation,
  type CreateOperation,
} from '../../plan/requests.ts';
import { evidenceFor, type TakeEvidence } from '../evidence/pre-image.ts';
import { createPool, type Pool } from './pool.ts';
import { createDoubt } from '../../plan/reconcile/known-conflict.ts';
import { mayBeApplied } from '../../plan/reconcile/intents.ts';
import { refusedIn } from '../../plan/reconcile/refused-entries.ts';
import { saidNo } from '../../plan/reconcile/soft-refusal.ts';
import { rowPages } from '../rows/row-pages.ts';
import { strategies } from '../resources/index.ts';
import type { PushTask } from '../ports.ts';
import { managed } from '../../plan/missing-mapping.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

/** The deadline of the game week that a mapping's rows belong to is over. What other mappings send is not concerned. */
export class DeadlineError extends IncompleteError {
  constructor(mapping: string, deadlineMs: number, runId: string) {
    const deadline = new Date(deadlineMs).toISOString();
    super('deadline.passed', `the deadline of mapping ${mapping} was ${deadline}`, {
      next: `resume ${runId} --after-deadline`,
    });
  }
}

/** An answer that waits for the next intent, and what follows once it is recorded. */
interface Answered extends Recorded {
  readonly follow: () => Promise<void>;
}

type WriteOperation = CreateOperation | ChangeOperation;

/** Ambiguous answers in a row that end the run: the service is in no state to be written to. */
const MAX_AMBIGUOUS = 3;
/** Times that a run sends a row whose answers do not come. */
export const MAX_ATTEMPTS = 3;
const TOO_MANY = 429;

const recorded = ({ follow: _, ...rest }: Answered): Recorded => rest;

/** The writes of one mapping: each with a durable intent before it goes out and a durable result before the next step. */
export class PushWriter {
  readonly task: PushTask;
  /** When the last write without a trustworthy answer was surely sent, on the monotonic clock; undefined when none is open. */
  openSinceMs: number | undefined;
  /** Times that a row had no trustworthy answer, and what came last instead. */
  readonly #lost = new Map<number, { readonly times: number; readonly reason: Words }>();
  readonly #takeEvidence: TakeEvidence;
  readonly #answered: Answered[] = [];
  #pool: Pool | undefined;
  #done = 0;
  #ambiguousInARow = 0;

  constructor(task: PushTask) {
    this.task = task;
    this.#takeEvidence = evidenceFor(task, strategies[task.mapping.resource]);
  }

  /** A pool for writes; done once what came of them is recorded. */
  openPool(size: number): Pick<Pool, 'add' | 'done'> {
    const pool = createPool(size);
    this.#pool = pool;
    return {
      add: pool.add,
      done: async () => {
        try {
          await pool.done();
        } finally {
          this.#pool = undefined;
          await this.recordAnswered();
        }
      },
    };
  }

  /** Open rows in row order. */
  async *openRows(wanted: (row: RunRow) => boolean): AsyncIterable<RunRow> {
    const { rows, mapping } = this.task;
    for await (const page of rowPages(rows, mapping.name, { open: true, only: 'fields' }))
      yield* page.filter(wanted);
  }

  /**
   * Errors: those of the service before it sends; UnavailableError `service.unreachable` when the request never reached it, `service.throttled` when no
   * waiting helped.
   */
  async send<Id extends WriteOperation>(
    operation: Id,
    batch: readonly RunRow[],
    input: CallInput<Id>,
  ): Promise<{
    readonly result: Exclude<WriteResult<Id>, { kind: 'not_applied' }>;
    readonly intent: Intent;
    /** What is recorded of an answer that cannot be trusted. */
    readonly doubt: Words;
  }> {
    this.task.ports.signal.throwIfAborted();
    this.#checkDeadline();
    const intent = await this.#recordIntent(operation, batch, input.body);
    if (this.#done === 0) this.#progress();
    const result = await this.#attempt(operation, input, intent);
    const doubt = result.kind === 'ambiguous' ? this.#doubtOf(operation, batch, result, intent) : [];
    // What said no speaks against what was sent, and not against the service itself.
    const isDoubtful = result.kind === 'ambiguous' && !saidNo({ detail: doubt });
    this.#ambiguousInARow = isDoubtful ? this.#ambiguousInARow + 1 : 0;
    if (result.kind === 'not_applied') {
      await this.recordResult(intent, 'not-sent', [{ code: 'answer-seen', reason: result.reason }], []);
      throw new UnavailableError(
        'service.unreachable',
        `the service could not be reached (${result.reason}); nothing of this request was sent`,
        { next: `resume ${this.task.runId}` },
      );
    }
    if (result.kind === 'refused' && result.status === TOO_MANY && result.quota === undefined)
      await this.#throttled(intent, batch, result.message);
    // What said no is bounded by its size instead: it goes on in smaller requests.
    if (isDoubtful) this.countLost(batch, [{ code: 'answer-seen', reason: result.reason }]);
    this.#done += 1;
    this.#progress();
    return { result, intent, doubt };
  }

  #doubtOf(
    operation: WriteOperation,
    batch: readonly RunRow[],
    result: Extract<WriteResult<WriteOperation>, { kind: 'ambiguous' }>,
    intent: Intent,
  ): Words {
    const { resource } = this.task.mapping;
    const refusals = refusedIn(resource, operation, batch, batch, result.entries ?? []);
    return refusals.length > 0 ? refusals : createDoubt(result, intent);
  }

  #checkDeadline(): void {
    const { ports, deadlineMs, mapping, runId } = this.task;
    // Game weeks are by the service's clock.
    const nowMs = ports.service.timeMs() ?? ports.clock.now();
    if (deadlineMs === undefined || nowMs < deadlineMs) return;
    throw new DeadlineError(mapping.name, deadlineMs, runId);
  }

  /** All waiting was in vain: no other request would fare better. Of a batch a part may have been applied, so that its intent stays open. */
  async #throttled(intent: Intent, batch: readonly RunRow[], said: string): Promise<never> {
    const stop = new UnavailableError(
      'service.throttled',
      `the service answered 429 (${said}) again and again, even after the waits that it asked for`,
      { next: `resume ${this.task.runId}` },
    );
    const reason = stopWords(stop);
    if (batch.length === 1) {
      await this.recordResult(intent, 'refused', reason, []);
      // What was sent before may have been applied: the end of the run says what is known of it.
      if (!(await this.#wasSentBefore(intent))) await this.defer(batch, reason);
    } else {
      await this.recordResult(intent, 'doubted', reason, []);
      await this.hold(batch, [{ code: 'answer-none', reason }]);
    }
    throw stop;
  }

  /** Whether an earlier write of the row may have been applied. */
  async #wasSentBefore({ rowNumbers: [row = 0] }: Intent): Promise<boolean> {
    const { ports, runId, mapping } = this.task;
    const before = await ports.store.intents(runId);
    return before.some(
      (intent) =>
        intent.mapping === mapping.name &&
        intent.rowNumbers.includes(row) &&
        (isOpenIntent(intent) || mayBeApplied(intent)),
    );
  }

  countLost(batch: readonly RunRow[], reason: Words): void {
    for (const { rowNumber } of batch)
      this.#lost.set(rowNumber, { times: (this.#lost.get(rowNumber)?.times ?? 0) + 1, reason });
  }

  /** What came instead of a trustworthy answer when a row was sent last. */
  lastReason(rowNumber: number): Words {
    return this.#lost.get(rowNumber)?.reason ?? [];
  }

  /** Whether a row was sent without a trustworthy answer as often as one run may send it. */
  isSpent(rowNumber: number): boolean {
    return (this.#lost.get(rowNumber)?.times ?? 0) >= MAX_ATTEMPTS;
  }

  async #recordIntent(operation: WriteOperation, batch: readonly RunRow[], body: unknown): Promise<Intent> {
    const { ports, runId, account, mapping } = this.task;
    const evidence = await this.#takeEvidence(batch, () =>
      this.#answered.flatMap(({ confirmed }) => confirmed),
    );
    const sentAtMs = ports.clock.now();
    const intent: Intent = {
      id: ports.random.ulid(sentAtMs),
      runId,
      mapping: mapping.name,
      resource: mapping.resource,
      operation,
      rowNumbers: batch.map((row) => row.rowNumber),
      keys: batch.map((row) => row.key ?? ''),
      bodyDigest: digestOf(body),
      sentAtMs,
      ...(evidence !== undefined && { evidence: JSON.stringify(evidence) }),
      ...(resourcePlans[mapping.resource].listed === undefined && {
        fields: batch.map(({ fields }) => fields ?? {}),
      }),
    };
    const answered = this.#answered.splice(0);
    try {
      await ports.store.addIntent(account, intent, answered.map(recorded));
    } catch (error) {
      // None of it was recorded: the answers wait for another try, without an intent.
      this.#answered.unshift(...answered);
      throw error;
    }
    for (const { follow } of answered) await follow();
    return intent;
  }

  /**
   * Records an answer that shows every row of a request; then `follow` happens. While other rows wait to be sent, it is recorded with the intent of the next
   * request in one commit: nothing depends on it before.
   */
  async recordAnswer(
    { id: intentId }: Intent,
    records: readonly KnownRecord[],
    follow: () => Promise<void>,
  ): Promise<void> {
    const confirmed = this.#managed(records);
    this.#answered.push({ intentId, result: intentAfter('answered'), detail: [], confirmed, follow });
    if ((this.#pool?.waiting ?? 0) === 0) await this.recordAnswered();
  }

  /** Records the answers that wait for an intent. */
  async recordAnswered(): Promise<void> {
    const { ports, account } = this.task;
    for (const { follow, intentId, result, detail, confirmed } of this.#answered.splice(0)) {
      await ports.store.recordResult(account, intentId, result, detail, confirmed);
      await follow();
    }
  }

  async #attempt<Id extends WriteOperation>(
    operation: Id,
    input: CallInput<Id>,
    intent: Intent,
  ): Promise<WriteResult<Id>> {
    try {
      return await this.task.ports.service.send(operation, input);
    } catch (error) {
      // These stop a request before it is sent, or are a whole refusal of the key. After any other error the intent stays open for `resume`.
      if (
        error instanceof IncompleteError ||
        error instanceof InterruptedError ||
        error instanceof AccessError ||
        isUnsendable(error)
      ) {
        await this.recordResult(intent, 'not-sent', stopWords(error), []);
      }
      throw error;
    }
  }

  #progress(): void {
    const { ports, mapping, writes } = this.task;
    ports.emit({
      kind: 'progress',
      mapping: mapping.name,
      done: this.#done,
      total: Math.max(writes, this.#done),
      unit: 'requests',
    });
  }

  async recordResult(
    { id }: Intent,
    event: IntentEvent,
    detail: Words,
    confirmed: readonly KnownRecord[],
  ): Promise<void> {
    const { ports, account } = this.task;
    // What is in doubt is looked for among all that is known.
    if (this.#answered.length > 0) await this.recordAnswered();
    const result = intentAfter(event);
    if (result === 'ambiguous') this.openSinceMs = ports.clock.monotonic();
    await ports.store.recordResult(account, id, result, detail, this.#managed(confirmed));
  }

  async patch(patches: readonly RunRowPatch[]): Promise<void> {
    const { rows, mapping, ports } = this.task;
    await rows.patch(mapping.name, patches);
    for (const { rowNumber, outcome, said } of patches) {
      if (outcome !== undefined && outcome !== null) {
        const message = renderSaid(said ?? []);
        ports.emit({ kind: 'outcome', mapping: mapping.name, rowNumber, outcome, message });
      }
    }
  }

  /** Remembers what a reading showed of rows, before the rows are marked: what is done and not remembered would be sent again by a later run. */
  async remember(batch: readonly RunRow[], found: ReadonlyMap<string, Confirmation>): Promise<void> {
    const { ports, account, mapping } = this.task;
    const records = batch.flatMap(({ key }) => found.get(key ?? '')?.record ?? []);
    await ports.store.confirm(account, mapping.resource, this.#managed(records));
  }

  #managed(records: readonly KnownRecord[]): readonly KnownRecord[] {
    return records.map((record) => managed(this.task.mapping, record));
  }

  /** Marks the rows that an answer, or a list read afterwards, confirms. */
  async patchConfirmed(batch: readonly RunRow[], found: ReadonlyMap<string, Confirmation>): Promise<void> {
    await this.patch(
      batch.flatMap((row): RunRowPatch[] => {
        const confirmation = row.key === null ? undefined : found.get(row.key);
        return confirmation === undefined ? [] : [rowAfter(row, { kind: 'confirmed', found: confirmation })];
      }),
    );
  }

  /** Rows of which nobody can say what became of them: never sent again silently. */
  async hold(batch: readonly RunRow[], reason: Words | ((row: RunRow) => Words)): Promise<void> {
    const looks = { code: 'resume-looks', run: this.task.runId } as const;
    const reasonOf = typeof reason === 'function' ? reason : () => reason;
    await this.patch(
      batch.map((row) => rowAfter(row, { kind: 'unanswered', said: [...reasonOf(row), looks] })),
    );
  }

  /** Rows whose write surely was not applied and is not sent now. */
  async defer(batch: readonly RunRow[], reason: Words): Promise<void> {
    await this.patch(batch.map((row) => rowAfter(row, { kind: 'must-wait', said: unsetWords(row, reason) })));
  }

  /** Errors: UnavailableError `service.ambiguous` after too many answers in a row that cannot be trusted. */
  checkAmbiguous(reason: Words): void {
    if (this.#ambiguousInARow < MAX_AMBIGUOUS) return;
    throw new UnavailableError(
      'service.ambiguous',
      `${MAX_AMBIGUOUS} writes in a row had no trustworthy answer (the last: ${renderSaid(reason)}), so the run stopped`,
      { next: `resume ${this.task.runId}` },
    );
  }
}
