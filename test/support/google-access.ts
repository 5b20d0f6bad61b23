import { Secret } from '../../src/model/secret.ts';
import { createSheetsClient } from '../../src/tables/google/connection/client.ts';
import type { GoogleAccess } from '../../src/tables/google/sheets-client.ts';
import type { FakeGoogle } from './google/fake-google.ts';

/** A way to the fake with its service account: the real client, pauses that end at once, tabs remembered in memory, warnings written down. */
export function accessTo(
  fake: Pick<FakeGoogle, 'keyFile' | 'rootUrl'>,
): GoogleAccess & { readonly warnings: string[] } {
  const warnings: string[] = [];
  const known = new Map<string, number>();
  const key = (name: string): string => fake.keyFile[name] ?? '';
  const open = () =>
    createSheetsClient({
      credentials: {
        kind: 'service_account',
        origin: 'key',
        file: 'key.json',
        email: key('client_email'),
        keyId: key('private_key_id'),
        privateKey: new Secret(key('private_key')),
        tokenUri: new URL(key('token_uri')),
      },
      rootUrl: fake.rootUrl,
      readOnly: false,
      clock: {
        now: Date.now,
        monotonic: () => performance.now(),
        // These two are waits for an answer, which the fake always gives or breaks off.
        sleep: (ms, signal) =>
          ms !== 60_000 && ms !== 190_000
            ? Promise.resolve()
            : new Promise((_, reject) => {
                signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
              }),
      },
      random: { next: () => 0, ulid: () => '' },
      emit: () => undefined,
      signal: new AbortController().signal,
      maxWaitMs: 900_000,
    });
  let client: ReturnType<typeof open> | undefined;
  return {
    client: () => (client ??= open()),
    tabs: {
      recall: (spreadsheet, tab) => Promise.resolve(known.get(JSON.stringify([spreadsheet, tab]))),
      remember: (spreadsheet, tab, sheetId) => {
        known.set(JSON.stringify([spreadsheet, tab]), sheetId);
        return Promise.resolve();
      },
    },
    warn: (message) => warnings.push(message),
    warnings,
  };
}
