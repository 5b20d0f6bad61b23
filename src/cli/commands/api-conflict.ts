import { parseEnvelope } from '../../client/envelope.ts';
import type { OperationId, PushedResource } from '../../contract/index.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { HttpResponse } from '../../model/ports.ts';
import { quotaUsed } from '../../model/quota.ts';
import type { Account } from '../../contract/resources/account.ts';
import type { SyncPorts } from '../../sync/ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

export const CONFLICT = 409;

type Body = Readonly<Record<string, unknown>>;

/** The key of the one record that a body makes; undefined where it makes several, or has no key that a list shows. */
const KEYS: Readonly<Partial<Record<OperationId, (body: Body) => string | undefined>>> = {
  'create-users': ({ users }) => {
    const [user, ...others] = users as readonly { readonly external_id: string }[];
    return others.length === 0 ? user?.external_id.normalize('NFC') : undefined;
  },
  'create-mini-league': ({ fantasy_league_id, name }) =>
    `${String(fantasy_league_id)}/${String(name).normalize('NFC')}`,
  'create-squad': ({ fantasy_league_id, user_id, name }) =>
    `${String(fantasy_league_id)}/${String(user_id)}/${String(name).normalize('NFC')}`,
};

/**
 * What a whole 409 says where it surely refused a raw call for one record: the account counts as many as before, and the list holds the key. Undefined where
 * that is not known.
 */
export async function conflictSays(
  { service, signal, emit }: Pick<SyncPorts, 'service' | 'signal' | 'emit'>,
  operation: OperationId,
  resource: PushedResource,
  body: unknown,
  before: Account,
  answer: HttpResponse | undefined,
): Promise<string | undefined> {
  const parsed = answer?.status === CONFLICT ? parseEnvelope(answer.body) : undefined;
  const listed = resourcePlans[resource].listed;
  const key = KEYS[operation]?.(body as Body);
  if (parsed?.kind !== 'envelope' || parsed.envelope.statusCode !== CONFLICT) return undefined;
  if (listed === undefined || key === undefined) return undefined;
  const used = quotaUsed(before, listed.feature);
  try {
    if (used === undefined || quotaUsed(await service.account(), listed.feature) !== used) return undefined;
    for await (const page of service.list(listed.operation, {}, signal))
      if (page.some((record) => listed.known(record)?.key === key)) return parsed.envelope.message;
  } catch (error) {
    if (!(error instanceof UnavailableError) && !(error instanceof RefusedError)) throw error;
    emit({ kind: 'warning', message: `${operation}: reading back failed: ${error.message}` });
  }
  return undefined;
}
