import { keyDigest } from '../../model/key-digest.ts';
import { StoppedError } from '../../model/error.ts';
import type { Store } from '../../model/state/store.ts';
import { isLoopback } from './base-url.ts';
import type { Connection } from './connection.ts';

type Use = Pick<Connection, 'baseUrl' | 'apiKey'>;

/**
 * Refuses a key that was used with another origin before, unless that is trusted; this machine is exempt. Errors: StoppedError `origin.changed`.
 */
export async function checkOrigin(
  use: Use,
  store: Pick<Store, 'keyOrigin'>,
  isTrusted: boolean,
): Promise<void> {
  const { origin, hostname } = new URL(use.baseUrl);
  const before = isLoopback(hostname) ? undefined : await store.keyOrigin(keyDigest(use.apiKey));
  if (before === undefined || before === origin || isTrusted) return;
  throw new StoppedError(
    'origin.changed',
    `this key was used with ${before} before, and now would go to ${origin}`,
    {
      next: 'check base_url; if the move is intended, add --trust-origin once',
    },
  );
}

/** Remembers that a key was used: only a digest of it is kept. */
export async function rememberOrigin(use: Use, store: Pick<Store, 'setKeyOrigin'>): Promise<void> {
  const { origin, hostname } = new URL(use.baseUrl);
  if (!isLoopback(hostname)) await store.setKeyOrigin(keyDigest(use.apiKey), origin);
}
