import { parseEnvelope } from '../../client/envelope.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import {
  endpoints,
  isChange,
  resources,
  type OperationId,
  type PushedResource,
} from '../../contract/index.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { HttpResponse } from '../../model/ports.ts';
import { quotaUsed } from '../../model/quota.ts';
import type { Account } from '../../contract/resources/account.ts';
import type { SyncPorts } from '../../sync/ports.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

export const CONFLICT = 409;

type Body = Readonly<Record<string, unknown>>;

/** The key of the one record that a body makes; undefined where it makes several, or changes one. */
function keyMade(operation: OperationId, resource: PushedResource, body: Body): string | undefined {
  if (isChange(operation)) return undefined;
  const { batch }: Endpoint = endpoints[operation];
  const [record, ...others] = batch === undefined ? [body] : (body[batch] as readonly Body[]);
  if (record === undefined || others.length > 0) return undefined;
  const { key } = resources[resource].push;
  return key.map((field) => String(record[field]).normalize('NFC')).join('/');
}

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
  const key = keyMade(operation, resource, body as Body);
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
