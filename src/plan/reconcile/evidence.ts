import type { Shown } from './fit-rows.ts';
import type { KnownRecord } from '../../model/state/run-rows.ts';
import { keyText } from '../../model/state/spelling.ts';
import type { Intent } from '../../model/state/store.ts';

/** What the service showed before a write went out, so that reading back can tell what came of it. */
export interface Evidence {
  /** When it was read. */
  readonly atMs: number;
  /** Records that the account counted and that no list had shown. */
  readonly unlisted?: number;
  /** Records that were known. */
  readonly known?: number;
  /** Of these, the keys that were sent, and those that may be other spellings of them. */
  readonly alike?: readonly string[];
  /** The ids of their records, in the same order. */
  readonly alikeIds?: readonly (string | null)[];
  /** The digests of their fields, in the same order. */
  readonly alikeDigests?: readonly KnownRecord['digests'][];
  /** Fantasy leagues that the account counted when the run began. */
  readonly used?: number;
  /** Records of the log. */
  readonly count?: number;
  /** The references of the uploads in the log. */
  readonly refs?: readonly string[];
  /** Prices, where the log has no references: the player of each of its records, by league and player. */
  readonly players?: readonly string[];
  /** Prices: the players of uploads that nobody of this state is known to have made, by league and player; those that the run sends are left out. */
  readonly strangers?: readonly string[];
}

/** The evidence that was recorded with a write; undefined where nothing could be read. */
export const readEvidence = ({ evidence }: Pick<Intent, 'evidence'>): Evidence | undefined =>
  evidence === undefined ? undefined : (JSON.parse(evidence) as Evidence);

/** Tells which records that were there before some writes hold other values now. A service that takes a repeat for the record that it has may write it over. */
export function isChangedSince(
  writes: readonly Pick<Intent, 'evidence' | 'resource'>[],
): (key: string, record: Pick<KnownRecord, 'id' | 'digests'>) => boolean {
  const before = writes.flatMap((write) => {
    const { alike = [], alikeIds = [], alikeDigests = [] } = readEvidence(write) ?? {};
    return alike.map((key, at) => ({
      key,
      text: keyText(write.resource),
      id: alikeIds[at] ?? null,
      digests: alikeDigests[at] ?? {},
    }));
  });
  return (key, { id, digests }) =>
    before.some(
      (each) =>
        each.key === key &&
        each.id?.toLowerCase() === id?.toLowerCase() &&
        Object.entries(each.digests).some(
          ([field, digest]) => field !== each.text && (digests[field] ?? digest) !== digest,
        ),
    );
}

/** Tells which records that may be rows were there before some writes: by their ids, and by their keys where an id is not known. */
export function wasThere(writes: readonly Pick<Intent, 'evidence'>[]): (shown: Shown) => boolean {
  const before = new Map<string, Set<string | null>>();
  for (const write of writes) {
    const { alike = [], alikeIds = [] } = readEvidence(write) ?? {};
    for (const [index, key] of alike.entries())
      before.set(key, (before.get(key) ?? new Set()).add(alikeIds[index]?.toLowerCase() ?? null));
  }
  return ({ key, record }) => {
    const ids = before.get(key);
    const { id } = record as { readonly id?: unknown };
    if (typeof id !== 'string' && typeof id !== 'number') return ids !== undefined;
    return ids !== undefined && (ids.has(null) || ids.has(String(id).toLowerCase()));
  };
}
