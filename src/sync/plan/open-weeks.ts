import { RefusedError } from '../../model/error.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { parseTimeMs } from '../../model/service-time.ts';
import type { RunRows } from '../../model/run-rows.ts';
import type { OpenWeek } from '../../plan/guards.ts';
import { weekEnd, weekOf, type LeagueWeeks } from '../../plan/week-end.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { SyncPorts } from '../ports.ts';

type Ports = Pick<SyncPorts, 'service' | 'signal'>;

/** The game weeks that rows would have processed although they are not over, or nobody can tell. Only reads. */
export async function openWeeks(
  ports: Ports,
  { name, resource }: PushMapping,
  rows: RunRows,
): Promise<readonly OpenWeek[]> {
  if (resource !== 'auto_substitutions') return [];
  const leagues = new Map<number, LeagueWeeks>();
  const found: OpenWeek[] = [];
  for await (const { rowNumber, fields } of eachRow(rows, name, { open: true, change: 'create' })) {
    const league = Number(fields?.fantasy_league_id ?? Number.NaN);
    const weeks = leagues.get(league) ?? (await readWeeks(ports, league));
    leagues.set(league, weeks);
    const id = String(fields?.game_week_id);
    const end = weekEnd(id, weeks);
    if (end.kind === 'ended') continue;
    found.push({ ...end, rowNumber, league, week: weekOf(weeks.weeks ?? [], id)?.week ?? id });
  }
  return found;
}

const NOT_SHOWN: LeagueWeeks = { weeks: undefined, currentMs: Number.NaN, nowMs: undefined };

/** A league that is still to be created shows nothing, and neither does one that the service refuses to show. */
async function readWeeks({ service, signal }: Ports, id: number): Promise<LeagueWeeks> {
  if (Number.isNaN(id)) return NOT_SHOWN;
  const shown = async <T>(read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read;
    } catch (error) {
      if (error instanceof RefusedError) return undefined;
      throw error;
    }
  };
  const fixtures = await shown(service.get('get-fixtures', { id, signal }));
  if (fixtures === undefined) return NOT_SHOWN;
  const league = await shown(service.get('get-fantasy-league', { id, signal }));
  const current = league?.records[0]?.current_game_week;
  return {
    weeks: fixtures.records,
    currentMs: parseTimeMs(
      current?.start_date ?? weekOf(fixtures.records, current?.id ?? '')?.start_date ?? '',
    ),
    nowMs: service.timeMs(),
  };
}
