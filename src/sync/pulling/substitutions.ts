import type { AutoSubstitution } from '../../contract/resources/auto-substitutions.ts';
import { renderCountOf } from '../../model/count.ts';
import type { PullMapping } from '../../mapping/mapping.ts';
import type { GameWeek } from '../../season/game-week.ts';
import type { LoggedPair, MinutesIn } from '../../season/pairs.ts';
import { weekNumber } from '../../season/week-number.ts';
import {
  isUntold,
  keptRecords,
  keptWeeks,
  tellByMinutes,
  tellLog,
  type KeptLog,
  type KeptWeek,
} from '../memory/league-records.ts';
import { newInLog, wholeLog } from './substitution-log.ts';
import { readOne, take, type Read, type ReadContext } from './read.ts';
import { leagueOf } from './squads.ts';
import { chosenWeeks, readLive, readShownWeek, tellMissing } from './weeks.ts';

/**
 * The log of substitutions. Each record has the week that is told by what is remembered, and pairs are made of the records; where a mapping's columns name no game week, the records are
 * as the service shows them.
 */
export function substitutionsRead(mapping: PullMapping): Read {
  const { where, weeks: choice, explode, columns } = mapping;
  const league = leagueOf(where);
  const log = choice === undefined ? wholeLog(league) : newInLog(league);
  const isTold =
    explode !== undefined ||
    choice !== undefined ||
    columns === undefined ||
    columns.some(({ from }) => from.split('.')[0] === 'game_week');
  if (!isTold) return log;
  const name = `told ${log.name} ${JSON.stringify([choice, explode])}`;
  return {
    name,
    needs: [log, ...(explode === undefined ? [] : [sampleOf(league)])],
    batches: async function* (context) {
      const { store, account, offline } = context;
      const scope = { account, league };
      if (!offline) await readShownWeek(league, context);
      // Without a choice of weeks the log is what the service shows, kept or not.
      const live =
        offline || choice !== undefined ? undefined : (await Array.fromAsync(take(log, context))).flat();
      const stop = offline || live !== undefined ? undefined : await readLive(log, context);
      const weeks = await keptWeeks(store.memory, scope, choice ?? { kind: 'last' });
      const records = live ?? (await keptRecords(store.memory, scope));
      const told =
        explode === undefined
          ? tellLog(records, weeks)
          : await withDirections(
              await tellByMinutes(store.memory, scope, records, weeks),
              weeks,
              league,
              context,
            );
      const rows = (week?: string): readonly object[] => rowsOf(told, weeks, explode !== undefined, week);
      if (choice === undefined) yield rows();
      else {
        const { weeks: chosen, missing } = await chosenWeeks(choice, scope, context);
        for (const { week } of chosen) yield rows(week.id);
        tellUntold(told, league, context);
        tellMissing(missing, league, name, context);
      }
      if (stop !== undefined) throw stop;
    },
  };
}

/** The records with their weeks, or the pairs that they make; those of one week alone where it is named. */
function rowsOf(
  told: KeptLog,
  weeks: readonly KeptWeek[],
  asPairs: boolean,
  only: string | undefined,
): readonly object[] {
  const summaries = new Map(weeks.map(({ week }) => [week.id, week]));
  const summary = (id: string | undefined): GameWeek | undefined => summaries.get(id ?? '');
  if (asPairs)
    return told.pairs
      .filter(({ week }) => only === undefined || week === only)
      .map((pair) => pairRecord(pair, summary(pair.week)));
  return told.records
    .filter(({ id }) => only === undefined || told.weekOf.get(id) === only)
    .map((record) => ({ ...record, game_week: summaryOf(summary(told.weekOf.get(record.id))) }));
}

/** What is in no week's report is counted in one line. */
function tellUntold({ records, weekOf }: KeptLog, league: number, { mapping, emit }: ReadContext): void {
  const untold = records.filter(({ id }) => !weekOf.has(id)).length;
  if (untold === 0) return;
  emit({
    kind: 'warning',
    message: `${mapping}: ${renderCountOf(untold, 'record')} of the substitution log of fantasy league ${league} left out: nothing tells the game week`,
  });
}

/** The kind of the reads of single players, so that other reads of them share what is read here. */
const kindOf = (league: number): string => `get-player ${JSON.stringify({ fantasy_league_id: league })}`;

/** Says that single players may be read; which ones is told by the log. */
const sampleOf = (league: number): Read => ({
  name: `some players of ${league}`,
  kind: kindOf(league),
  needs: [],
  batches: async function* () {
    yield await Promise.resolve([]);
  },
});

/** Players that are read for each word of the log, where nothing that is remembered explains it. */
const SAMPLE = 4;

/** Where line-ups do not explain who goes out and who comes in, the minutes of a few players do: who went out did not play. */
async function withDirections(
  told: KeptLog,
  weeks: readonly KeptWeek[],
  league: number,
  context: ReadContext,
): Promise<KeptLog> {
  if (!told.pairs.some(isUntold) || context.offline) return told;
  const numberOf = new Map(weeks.map(({ week }) => [week.id, week.number]));
  const minutes = new Map<string, number>();
  const words = Map.groupBy(
    told.records.filter(({ id }) => told.weekOf.has(id)),
    ({ action, is_starting: starts }) => JSON.stringify([action, starts]),
  );
  for (const record of [...words.values()].flatMap((its) => its.slice(-SAMPLE))) {
    const week = told.weekOf.get(record.id) ?? '';
    const player = record.player?.id;
    if (typeof player !== 'number') continue;
    const read = (): ReturnType<typeof readPlayer> => readPlayer(player, league, context);
    const { weekly_stats: stats } = await context.shareOne(kindOf(league), player, read);
    const stat = stats?.find(({ game_week: text }) => weekNumber(text) === numberOf.get(week));
    if (typeof stat?.minutes_played === 'number') minutes.set(`${week} ${player}`, stat.minutes_played);
  }
  const minutesIn: MinutesIn = (week, player) => minutes.get(`${week} ${player}`);
  return tellLog(told.records, weeks, minutesIn);
}

const readPlayer = (player: number, league: number, context: ReadContext) =>
  readOne('get-player', player, context, { fantasy_league_id: league });

const summaryOf = (week: GameWeek | undefined): object | null =>
  week === undefined ? null : { id: week.id, week: week.text, ...timesOf(week) };

const timesOf = ({ startMs, endMs }: GameWeek): object => ({
  start_date: isoOf(startMs),
  end_date: isoOf(endMs),
});
const isoOf = (ms: number): string | null => (Number.isNaN(ms) ? null : new Date(ms).toISOString());

function pairRecord(pair: LoggedPair, week: GameWeek | undefined): object {
  const [first] = pair.records;
  return {
    game_week: summaryOf(week),
    squad: pair.squad,
    out: partOf(pair.out),
    in: partOf(pair.in),
    captain_moved: pair.captainMoved ?? null,
    txn_ref: first?.txn_ref ?? null,
    created_at: first?.created_at ?? null,
  };
}

const partOf = (record: AutoSubstitution | undefined): object | null =>
  record === undefined ? null : { player: record.player, order: record.lineup_order };
