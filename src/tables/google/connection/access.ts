import type { ClientOptions } from './client.ts';
import { findCredentials, type CredentialPlaces } from './credentials.ts';
import type { GoogleAccess, GoogleCounts, SheetsClient, TabMemory } from '../sheets-client.ts';

/** Where to ask, and as whom. */
export interface GoogleConnection extends Pick<ClientOptions, 'rootUrl'> {
  readonly credentials: CredentialPlaces;
}

export interface AccessOptions extends Omit<ClientOptions, 'credentials' | 'rootUrl'> {
  /** Found out when Google is needed, so that a mistake in it stops nobody else. */
  readonly connection: () => GoogleConnection;
  readonly tabs: TabMemory;
}

/** Google as a run uses it: one client, made when it is first asked for, and what was asked of Google by then. */
export interface CountedAccess extends GoogleAccess {
  /** Undefined while nothing was asked. */
  counts(): GoogleCounts | undefined;
}

/**
 * The way to Google Sheets; nothing of googleapis is loaded and no file is read before the first `client()`. Errors of `client()`: those of
 * `connection`, of {@link findCredentials} and of the client.
 */
export function createGoogleAccess(options: AccessOptions): CountedAccess {
  const { connection, emit, tabs } = options;
  let client: Promise<SheetsClient> | undefined;
  let made: SheetsClient | undefined;
  const warned = new Set<string>();
  const open = async (): Promise<SheetsClient> => {
    const { credentials: places, rootUrl } = connection();
    const { credentials, warnings } = findCredentials(places);
    for (const message of warnings) emit({ kind: 'warning', message });
    const { createSheetsClient } = await import('./client.ts');
    return (made = await createSheetsClient({ ...options, credentials, rootUrl }));
  };
  return {
    client: () => (client ??= open()),
    counts: () => {
      const counts = made?.counts();
      return counts === undefined || counts.reads + counts.writes === 0 ? undefined : counts;
    },
    tabs,
    // A tab is looked for before each read and each write; what is odd about it is said once.
    warn: (message) => {
      if (warned.has(message)) return;
      warned.add(message);
      emit({ kind: 'warning', message });
    },
  };
}
