import { basename } from 'node:path';
import type { Clock } from '../model/ports.ts';
import type { ServiceAccount, Store } from '../model/state/store.ts';
import { withholder } from '../model/withhold.ts';
import type { Watch } from '../pages/dashboard/words.ts';
import { type Config } from '../runtime/config/config.ts';
import { connectionOf, type Connection } from '../runtime/config/connection.ts';
import { knownAccounts } from '../runtime/history.ts';
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
  readonly watch: Watch;
  /** The addresses of the services that the configuration speaks with, as the state knows them. */
  readonly baseUrls: ReadonlySet<string>;
  readonly accounts: readonly ServiceAccount[];
  /** The same value without an API key in its texts. */
  readonly withhold: <T>(value: T) => T;
}

/** Opens the state, lets something be made of it and closes it. Errors: those of the configuration, the state and the work. */
export async function withDesk<T>(folder: Folder, work: (desk: Desk) => Promise<T>): Promise<T> {
  const { clock, cwd, warn } = folder;
  const config = folder.readConfig();
  const connections = accountsOf(config).map(connectionOf);
  const warnOnce = (message: string): void => warn(message, true);
  return withState(config, clock, warnOnce, async ({ store }) => {
    const names: string[] = [];
    for (const { baseUrl } of connections) names.push(await rememberedBaseUrl(store, baseUrl));
    const baseUrls = new Set(names);
    return work({
      ...{ config, store, cwd, baseUrls },
      watch: { timezone: config.timezone, nowMs: clock.now() },
      accounts: await knownAccounts(store, baseUrls),
      withhold: withholdKeys(connections),
    });
  });
}

const withholdKeys = (connections: readonly Pick<Connection, 'apiKey'>[]): Desk['withhold'] => {
  const hide = connections.map(({ apiKey }) => withholder(apiKey.reveal(), 'our own words'));
  return (value) => hide.reduce((shown, each) => withoutKey(shown, each), value);
};

/** The folder of the configuration, as people know it. */
export const folderName = ({ folder }: Pick<Config, 'folder'>): string => basename(folder);
