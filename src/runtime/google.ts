import { join, resolve } from 'node:path';
import { ConfigError } from '../model/error.ts';
import type { Store } from '../model/state/store.ts';
import type { SyncPorts } from '../sync/ports.ts';
import {
  createGoogleAccess,
  type CountedAccess,
  type GoogleConnection,
} from '../tables/google/connection/access.ts';
import type { TabMemory } from '../tables/google/sheets-client.ts';
import { stepLink } from '../tables/google/connection/steps.ts';
import { isLoopback } from './config/base-url.ts';
import type { Config } from './config/config.ts';
import { replaceNames } from './config/names.ts';

interface Parts extends Pick<SyncPorts, 'clock' | 'random' | 'signal' | 'emit'> {
  readonly store: Pick<Store, 'fact' | 'setFact'>;
  /** The longest that the pauses of one call may last together. */
  readonly maxWaitMs: number;
  /** Asks for no right to write. */
  readonly readOnly: boolean;
}

/** Google Sheets for the mappings of a configuration; nothing is read or asked before a table needs it. */
export function openGoogle(config: Config, { store, ...ports }: Parts): CountedAccess {
  return createGoogleAccess({
    ...ports,
    connection: () => googleConnectionOf(config),
    tabs: rememberTabs(store),
  });
}

/** Where and as whom Google is asked. Errors: ConfigError `config.unset`, `google.root_url`. */
export function googleConnectionOf(
  config: Pick<Config, 'google' | 'env' | 'folder' | 'placeOf' | 'stateFolder'>,
): GoogleConnection {
  const { google, env, folder, placeOf } = config;
  const file = google?.credentials?.file;
  const written = google?.root_url ?? '';
  const given = env['TEAMSHEET_GOOGLE_ROOT_URL'] ?? '';
  const rootUrl = given === '' ? replaceNames(written, env, placeOf(['google', 'root_url'])) : given;
  const keyFile =
    file && resolve(folder, replaceNames(file, env, placeOf(['google', 'credentials', 'file'])));
  return {
    credentials: { keyFile, loginFile: loginFileOf(config), env },
    rootUrl: rootUrl === '' ? undefined : parseRootUrl(rootUrl),
  };
}

/** The file of a person's login, beside the state. */
export function loginFileOf({ stateFolder }: Pick<Config, 'stateFolder'>): string {
  return join(stateFolder, 'google-token.json');
}

/** Errors: ConfigError `google.root_url` for anything but the origin of an https address, or of http on this machine. */
function parseRootUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const trusted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url !== undefined && trusted && url.href === `${url.origin}/`) return url.href;
  throw new ConfigError(
    'google.root_url',
    'the address of Google Sheets (TEAMSHEET_GOOGLE_ROOT_URL or google.root_url) must be https://HOST/, or http:// on this machine',
    { next: `leave it out: Google is asked without it; see ${stepLink('network')}` },
  );
}

/** The host of Google Sheets stands for a service, a spreadsheet for its account: what is remembered of one never meets another. */
const sheetAccount = (accountId: string) => ({ baseUrl: 'https://sheets.googleapis.com', accountId });

/** The id of a tab by the name under which it was last seen; undefined where it never was. Google is not asked. */
export async function knownTab(
  store: Pick<Store, 'fact'>,
  spreadsheetId: string,
  tab: string,
): Promise<number | undefined> {
  const fact = await store.fact(sheetAccount(spreadsheetId), `tab ${tab}`);
  const value = Number(fact?.value);
  return Number.isSafeInteger(value) ? value : undefined;
}

const rememberTabs = (store: Parts['store']): TabMemory => ({
  recall: (spreadsheetId, tab) => knownTab(store, spreadsheetId, tab),
  remember: (spreadsheetId, tab, sheetId) =>
    store.setFact(sheetAccount(spreadsheetId), `tab ${tab}`, String(sheetId)),
});
