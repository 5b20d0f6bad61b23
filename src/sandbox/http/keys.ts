import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store/store.ts';

/** The key that the store keeps under `name`: the given one, else the one from before, else a new random one. */
export function keepKey(store: Store, name: 'api_key' | 'control_key', given: string | undefined): string {
  const key = given ?? store.readMeta(name) ?? randomBytes(24).toString('base64url');
  store.writeMeta(name, key);
  return key;
}

/**
 * Whose key a header carries. Each key is compared in constant time, whatever the length of what was sent, and all of them are.
 * @throws Refusal 401 when it is the key of nobody.
 */
export function checkKey<Owner extends { readonly key: string }>(
  request: FastifyRequest,
  header: string,
  owners: readonly Owner[],
): Owner {
  const sent = request.headers[header];
  const known = typeof sent === 'string' ? owners.filter(({ key }) => isSame(sent, key)) : [];
  const [owner] = known;
  if (owner !== undefined) return owner;
  throw new Refusal(
    401,
    sent === undefined ? `the header ${header} is missing` : `the ${header} is not known`,
  );
}

/** Whether a text that was sent is the secret, in a time that does not tell where they differ. */
export function isSame(sent: string, secret: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(secret)];
  const isAsLong = one.length === other.length;
  return timingSafeEqual(isAsLong ? one : other, other) && isAsLong;
}
