import type { Clock } from '../../model/ports.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';
import { scheduleNow, type Calendar } from '../../schedule/due.ts';
import { turnSeen, type ReadingsDone, type WeekReadings } from '../../schedule/readings.ts';
import { leagueWeeks } from '../../sync/memory/league-weeks.ts';
import { markTriggered } from '../../sync/memory/processed.ts';

const factOf = (league: number): string => `schedule_reading:${league}`;

/** What the schedule has done to read the game weeks of a fantasy league, with what is remembered of them. Asks the service nothing. */
export async function readReadings(
  store: Store,
  account: ServiceAccount,
  league: number,
  calendar: Calendar,
  clock: Pick<Clock, 'now'>,
): Promise<WeekReadings> {
  const unheard = { service: { timeMs: () => undefined }, store, clock };
  await markTriggered(unheard, account, league);
  const remembered = await leagueWeeks(store.memory, { account, league }, scheduleNow(calendar, clock));
  return {
    weeks: idsInSmall(calendar),
    done: await readingsDone(store, account, league),
    processedMs: new Map(
      remembered.flatMap(({ week, processed }) =>
        processed === undefined ? [] : [[week.id, processed.atMs] as const],
      ),
    ),
    final: new Set(remembered.flatMap(({ week, state }) => (state === 'final' ? [week.id] : []))),
  };
}

/** The memory knows game weeks by their ids in small letters. */
const idsInSmall = ({ weeks }: Calendar): WeekReadings['weeks'] =>
  weeks.map((week) => ({ ...week, id: week.id.toLowerCase() }));

async function readingsDone(
  store: Pick<Store, 'fact'>,
  account: ServiceAccount,
  league: number,
): Promise<ReadingsDone> {
  const kept = await store.fact(account, factOf(league));
  // Only keepReading writes the fact.
  return kept === undefined ? {} : (JSON.parse(kept.value) as ReadingsDone);
}

/** A reading of the game week that a league showed; `shown` is its id. */
export interface CameOfReading {
  readonly beganMs: number;
  readonly shown: string | undefined;
  readonly isWhole: boolean;
}

/** Remembers that a reading was made, and what it tells of when the league turns to the next week. */
export async function keepReading(
  store: Pick<Store, 'fact' | 'setFact'>,
  account: ServiceAccount,
  league: number,
  calendar: Calendar,
  { beganMs, shown, isWhole }: CameOfReading,
): Promise<void> {
  const before = await readingsDone(store, account, league);
  const turnsAtEnd = turnSeen(idsInSmall(calendar), shown, beganMs) ?? before.turnsAtEnd;
  const whole = isWhole && shown !== undefined ? { id: shown, atMs: beganMs } : before.whole;
  const done: ReadingsDone = {
    triedMs: beganMs,
    ...(whole !== undefined && { whole }),
    ...(turnsAtEnd !== undefined && { turnsAtEnd }),
  };
  await store.setFact(account, factOf(league), JSON.stringify(done));
}
