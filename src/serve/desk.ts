import { basename } from 'node:path';
import type { Clock } from '../model/ports.ts';
import type { LockLook, ServiceAccount, Store } from '../model/state/store.ts';
import { withholder } from '../model/withhold.ts';
import type { Watch } from '../pages/dashboard/words.ts';
import { type Config } from '../runtime/config/config.ts';
import { connectionOf, type Connection } from '../runtime/config/connection.ts';
import { accountsAt } from '../runtime/remembered-account.ts';
import { accountsOf } from '../runtime/config/leagues.ts';
import { rememberedBaseUrl, withState } from '../runtime/state.ts';
import { withoutKey } from '../runtime/withheld/withhold-key.ts';

/** Where the dashboard finds what it shows. */
export interface Folder {
  /** Reads the configuration as it is now. Errors: ConfigError. */
  readonly readConfig: () => Config;
  /** The folder that messages name files from. */
  readonly cwd: string;
  readonly clock: Clock;
  /** `isLasting`: it stays so until somebody corrects it. */
  readonly warn: (message: string, isLasting?: boolean) => void;
  /** What to do next as it is shown: a command has the program's name. */
  readonly renderNext: (next: string) => string;
}

/** What one page is made of: the state as it is at this moment. Nothing of it asks the service. */
export interface Desk extends Pick<Folder, 'cwd'> {
  readonly config: Config;
  readonly store: Store;
  readonly lock: LockLook;
  readonly watch: Watch;
  /** The accounts that the configuration works with, as the state knows them. */
  readonly accounts: readonly ServiceAccount[];
  /** Whether a run or a memory is of these accounts, or of one at their addresses that could not be read. */
  readonly isOurs: (of: { readonly account: ServiceAccount }) => boolean;
  /** The same value without an API key in its texts. */
  readonly withhold: <T>(value: T) => T;
}

/** Opens the state, lets something be made of it and closes it. Errors: those of the configuration, the state and the work. */
export async function withDesk<T>(folder: Folder, work: (desk: Desk) => Promise<T>): Promise<T> {
  const { clock, cwd, warn } = folder;
  const config = folder.readConfig();
  const connections = accountsOf(config).map(connectionOf);
  const warnOnce = (message: string): void => warn(message, true);
  return withState(config, clock, warnOnce, async (state) => {
    const { store, lock } = state;
    const baseUrls = new Set<string>();
    const ours = new Map<string, ServiceAccount>();
    for (const { baseUrl, apiKey } of connections) {
      const name = await rememberedBaseUrl(store, baseUrl);
      baseUrls.add(name);
      for (const each of await accountsAt(state, name, apiKey)) ours.set(nameOf(each), each);
    }
    const accounts = [...ours.values()];
    const isOurs: Desk['isOurs'] = ({ account }) =>
      ours.has(nameOf(account)) || (account.accountId === '' && baseUrls.has(account.baseUrl));
    return work({
      ...{ config, store, lock, cwd, accounts, isOurs },
      watch: { timezone: config.timezone, nowMs: clock.now() },
      withhold: withholdKeys(connections),
    });
  });
}

const nameOf = ({ baseUrl, accountId }: ServiceAccount): string => `${baseUrl} ${accountId}`;

const withholdKeys = (connections: readonly Pick<Connection, 'apiKey'>[]): Desk['withhold'] => {
  const hide = connections.map(({ apiKey }) => withholder(apiKey.reveal(), 'our own words'));
  return (value) => hide.reduce((shown, each) => withoutKey(shown, each), value);
};

/** The folder of the configuration, as people know it. */
export const folderName = ({ folder }: Pick<Config, 'folder'>): string => basename(folder);
