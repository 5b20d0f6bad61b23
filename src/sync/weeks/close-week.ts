import type { LeagueScope } from '../../model/state/memory.ts';
import { ConfigError, StoppedError } from '../../model/error.ts';
import { nameOfWeek } from '../../season/game-week.ts';
import { newestSeason } from '../../season/seasons.ts';
import { leagueWeeks, type LeagueWeek } from '../memory/league-weeks.ts';
import { markProcessed } from '../memory/processed.ts';
import { serviceNow } from '../memory/service-time.ts';
import type { SyncPorts } from '../ports.ts';

/** The week of a number among the weeks that are remembered, in the newest season. Errors: ConfigError `week.unknown`. */
function weekOfNumber(weeks: readonly LeagueWeek[], number: number, league: number): LeagueWeek {
  const [found, another] = newestSeason(weeks).filter(({ week }) => week.number === number);
  if (found !== undefined && another === undefined) return found;
  const texts = weeks.map(({ week }) => nameOfWeek(week)).join(', ');
  throw new ConfigError(
    'week.unknown',
    another !== undefined
      ? `several game weeks of fantasy league ${league} are called ${number}`
      : `no game week ${number} of fantasy league ${league} has begun; remembered are ${texts === '' ? 'none' : texts}`,
    { next: 'weeks' },
  );
}

/**
 * The operator's word that the substitutions of a week are processed, for a week without any: no record of the log tells it. Answers the week as it is then: one that was not read after
 * its end is not final. Errors: ConfigError `week.unknown`; StoppedError `week.open`.
 */
export async function closeWeek(
  ports: Pick<SyncPorts, 'service' | 'store' | 'clock'>,
  scope: LeagueScope,
  number: number,
): Promise<LeagueWeek> {
  const { store } = ports;
  const nowMs = await serviceNow(ports, scope.account);
  const weekNow = async (): Promise<LeagueWeek> =>
    weekOfNumber(await leagueWeeks(store.memory, scope, nowMs, 'checked'), number, scope.league);
  const { week, isOver } = await weekNow();
  if (!isOver)
    throw new StoppedError('week.open', `game week ${nameOfWeek(week)} is not over: nothing was closed`, {
      next: 'weeks',
    });
  await markProcessed(store, scope, week.id, nowMs, 'closed');
  return weekNow();
}
