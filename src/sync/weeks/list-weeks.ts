import type { LeagueScope } from '../../model/state/memory.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { isSameAccount } from '../journal/stored-run.ts';
import { leagueWeeks, type LeagueWeek } from '../memory/league-weeks.ts';
import { markTriggered } from '../memory/processed.ts';
import { serviceNow } from '../memory/service-time.ts';
import type { SyncPorts } from '../ports.ts';

/** The game weeks of one fantasy league that are remembered. */
export interface RememberedLeague {
  readonly league: number;
  readonly weeks: readonly LeagueWeek[];
}

/** The leagues of an account of which anything is remembered, with their weeks and states. Asks the service nothing. */
export async function listWeeks(
  ports: Pick<SyncPorts, 'service' | 'store' | 'clock'>,
  account: ServiceAccount,
): Promise<readonly RememberedLeague[]> {
  const { store } = ports;
  const found: RememberedLeague[] = [];
  for (const scope of await scopesOf(ports, account)) {
    await markTriggered(ports, account, scope.league);
    found.push({
      league: scope.league,
      weeks: await leagueWeeks(store.memory, scope, await serviceNow(ports, account), 'checked'),
    });
  }
  return found;
}

/** The leagues of an account of which anything is remembered, by their numbers. */
export async function scopesOf(
  { store }: Pick<SyncPorts, 'store'>,
  own: ServiceAccount,
): Promise<readonly LeagueScope[]> {
  return (await store.memory.scopes())
    .filter(({ account }) => isSameAccount(account, own))
    .toSorted((one, other) => one.league - other.league);
}
