import type { RecordOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { TRIGGER_HEADER } from '../../mapping/parse/parse-trigger.ts';
import { ConfigError, RefusedError } from '../../model/error.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import type { SourceTable, WeekLocation } from '../../model/tables/table.ts';
import { lastEnded, weekOf, type LeagueWeeks } from '../../plan/week-end.ts';
import { weeksOfNumber } from '../../season/week-number.ts';
import type { SyncPorts } from '../ports.ts';

type Reading = Pick<SyncPorts, 'service' | 'signal'>;
type GameWeek = RecordOf<'get-fixtures'>;

const NOT_SHOWN: LeagueWeeks = {
  weeks: undefined,
  currentId: '',
  currentMs: Number.NaN,
  nowMs: undefined,
};

/** What the service answers, undefined where it refuses to. */
export async function unlessRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}

/** A league that is still to be created shows nothing, and neither does one that the service refuses to show. */
export async function readLeagueWeeks(ports: Reading, id: number): Promise<LeagueWeeks> {
  if (Number.isNaN(id)) return NOT_SHOWN;
  return (await unlessRefused(() => readShown(ports, id))) ?? NOT_SHOWN;
}

/** Errors: RefusedError where the service refuses to show the fixtures. */
async function readShown({ service, signal }: Reading, id: number): Promise<LeagueWeeks> {
  const fixtures = await service.get('get-fixtures', { id, signal });
  const league = await unlessRefused(() => service.get('get-fantasy-league', { id, signal }));
  const current = league?.records[0]?.current_game_week;
  return {
    weeks: fixtures.records,
    currentId: current?.id?.toLowerCase() ?? '',
    currentMs: parseTimeMs(
      current?.start_date ?? weekOf(fixtures.records, current?.id ?? '')?.start_date ?? '',
    ),
    nowMs: service.timeMs(),
  };
}

/** The game week that a trigger is for. Errors: ConfigError `substitutions.week` where there is none, or its number names several; RefusedError where no fixtures are shown. */
export async function findWeek(ports: Reading, { week, league }: WeekLocation): Promise<GameWeek> {
  const shown = await readShown(ports, league);
  const { weeks = [], currentId } = shown;
  const found =
    week === 'current'
      ? weeks.filter(({ id }) => id.toLowerCase() === currentId)
      : week === 'last'
        ? lastEnded(shown)
        : weeksOfNumber(weeks, week);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = weeks.map((each) => each.week ?? '?').join(', ');
  const words = { current: 'that the service calls current', last: 'that is over' }[week] ?? week;
  const what = found.length > 1 ? `${found.length} game weeks` : 'no game week';
  throw new ConfigError(
    'substitutions.week',
    `fantasy league ${league} has ${what} ${words}; it has ${names === '' ? 'none' : names}`,
    { next: 'choose one of them by its number' },
  );
}

/**
 * The table that game weeks make: a row for each that the run is for (`pinned`), else for the one that the mapping names now. No row where none is over, or
 * none is current, yet, and without a service to ask. Errors: ConfigError `substitutions.week` where the mapping's number names no game week.
 */
export async function openWeekTable(
  { service, signal, emit }: Partial<Pick<SyncPorts, 'service'>> & Pick<SyncPorts, 'signal' | 'emit'>,
  { name, source: { origin } }: PushMapping,
  location: WeekLocation,
  pinned: readonly string[] | undefined,
): Promise<SourceTable> {
  const find = async (): Promise<readonly string[]> => {
    if (service === undefined) return [];
    try {
      const { id, week } = await findWeek({ service, signal }, location);
      emit({
        kind: 'note',
        message: `${name}: row 1 is game week ${week ?? id} of fantasy league ${location.league}`,
      });
      return [id];
    } catch (error) {
      const isNone = error instanceof ConfigError && error.code === 'substitutions.week';
      if (!isNone || typeof location.week === 'number') throw error;
      emit({ kind: 'note', message: `${name}: ${error.message}; nothing is triggered` });
      return [];
    }
  };
  const ids = pinned ?? (await find());
  async function* batches() {
    await Promise.resolve();
    yield ids.map((id, at) => ({ rowNumber: at + 1, cells: [String(location.league), id] }));
  }
  return { origin, header: TRIGGER_HEADER, warnings: [], batches, close: () => Promise.resolve() };
}
