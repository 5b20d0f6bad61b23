import { hash } from 'node:crypto';
import type { OperationId } from '../../contract/index.ts';
import { int, text, type Row, type Store } from './store.ts';

type RecordId = string | number;

/** A request that may change something. */
interface Write {
  readonly operation: OperationId;
  readonly requestId: string;
  /** The bytes as they came; null without any. */
  readonly body: Uint8Array | null;
  /** The time of the season. */
  readonly now: string;
  /** The fault that its answer met, or null. */
  readonly fault: string | null;
}

/** What a handler answers; `records` are the ids of what it wrote, where `data` does not show them. */
interface Written {
  readonly data: object;
  readonly records?: readonly RecordId[];
}

/** Most record ids that a list of effects shows of one. */
const SHOWN_IDS = 100;

/** Does `work`, and when that changed anything keeps it as an effect beside the change: both or neither, in the caller's transaction. */
export function recordEffect<T extends Written>(store: Store, write: Write, work: () => T): T {
  const before = store.changes();
  const answer = work();
  if (store.changes() === before) return answer;
  const ids = answer.records ?? idsOf(answer.data);
  store.run(
    'INSERT INTO effects VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)',
    ...[write.operation, write.requestId, hash('sha256', write.body ?? '')],
    ...[write.now, ids.length, JSON.stringify(ids), write.fault],
  );
  return answer;
}

function idsOf(data: object): readonly RecordId[] {
  const records = (Array.isArray(data) ? data : [data]) as readonly { readonly id?: RecordId }[];
  return records.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/** Effects in the order in which they were applied, from the one after number `after` on. Of each, the first record ids; {@link readEffect} has all. */
export function listEffects(store: Store, after: number, limit: number) {
  return store.all('SELECT * FROM effects WHERE number > ? ORDER BY number LIMIT ?', [after, limit], (row) =>
    toEffect(row, SHOWN_IDS),
  );
}

/** One effect with all its record ids, or undefined. */
export function readEffect(store: Store, number: number) {
  return store.get('SELECT * FROM effects WHERE number = ?', [number], (row) => toEffect(row, Infinity));
}

function toEffect(row: Row, mostIds: number) {
  return {
    number: int(row, 'number'),
    operation: text(row, 'operation'),
    request_id: text(row, 'request_id'),
    body_sha256: text(row, 'body_sha256'),
    created_at: text(row, 'created_at'),
    fault: row['fault'],
    record_count: int(row, 'record_count'),
    // The column is only ever written by recordEffect.
    record_ids: (JSON.parse(text(row, 'record_ids')) as readonly RecordId[]).slice(0, mostIds),
  };
}
