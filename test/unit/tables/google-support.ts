import { generateKeyPairSync } from 'node:crypto';
import type { RunEvent } from '../../../src/model/event.ts';
import type { Clock } from '../../../src/model/ports.ts';
import { Secret } from '../../../src/model/secret.ts';
import { createSheetsClient } from '../../../src/tables/google/connection/client.ts';
import type { ClientOptions } from '../../../src/tables/google/connection/client.ts';
import type { Credentials } from '../../../src/tables/google/connection/credentials.ts';
import type { SheetsClient } from '../../../src/tables/google/sheets-client.ts';

/** How long is waited for an answer, of the spreadsheets and of the server for tokens. */
const TIMEOUTS_MS: readonly number[] = [190_000, 60_000];
export const EMAIL = 'sync@fictional-league.example';
export const ROOT = 'https://sheets.googleapis.com';
export const SHEET = '1fictionalSpreadsheetId';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** A private key as Google writes it into key files. */
export const PRIVATE_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export const SERVICE_ACCOUNT: Credentials = {
  kind: 'service_account',
  origin: 'key',
  file: '/keys/league.json',
  email: EMAIL,
  keyId: 'k1',
  privateKey: new Secret(PRIVATE_KEY),
  tokenUri: undefined,
};

export const PERSON: Credentials = {
  kind: 'user',
  origin: 'login',
  file: '/league/.teamsheet/google-token.json',
  login: {
    clientId: 'desktop-1',
    clientSecret: new Secret('canary-client-secret'),
    refreshToken: new Secret('canary-refresh-token'),
    email: 'ada@fictional-league.example',
    scopes: [],
    tokenUri: undefined,
  },
  quotaProject: undefined,
};

/**
 * A clock whose pauses end at once and are written down. Waits as long as the timeout are those for an answer: they last until `expire` is called.
 */
export function pausingClock(): Clock & { readonly pauses: number[]; expire: () => void } {
  const pauses: number[] = [];
  let waiting: (() => void)[] = [];
  let nowMs = Date.now();
  return {
    pauses,
    now: () => nowMs,
    monotonic: () => nowMs,
    expire: () => {
      for (const wake of waiting) wake();
      waiting = [];
    },
    sleep: (ms, signal) => {
      if (!TIMEOUTS_MS.includes(ms)) {
        pauses.push(ms);
        nowMs += ms;
        return signal?.aborted === true ? Promise.reject(signal.reason as Error) : Promise.resolve();
      }
      return new Promise((resolve, reject) => {
        waiting.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
  };
}

export interface Opened {
  readonly client: SheetsClient;
  readonly clock: ReturnType<typeof pausingClock>;
  readonly events: RunEvent[];
  readonly abort: AbortController;
}

/** A client of Google itself, whose answers nock gives, without jitter. */
export async function openClient(options: Partial<ClientOptions> = {}): Promise<Opened> {
  const clock = pausingClock();
  const events: RunEvent[] = [];
  const abort = new AbortController();
  const client = await createSheetsClient({
    credentials: SERVICE_ACCOUNT,
    rootUrl: undefined,
    readOnly: false,
    clock,
    random: { next: () => 0, ulid: () => '' },
    emit: (event) => events.push(event),
    signal: abort.signal,
    maxWaitMs: 900_000,
    ...options,
  });
  return { client, clock, events, abort };
}

/** Google's way of refusing something. */
export function refusal(
  code: number,
  status: string,
  message: string,
  details: readonly object[] = [],
): object {
  return { error: { code, message, status, details } };
}
