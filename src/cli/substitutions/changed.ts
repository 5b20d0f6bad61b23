import type { AutoSubstitution } from '../../contract/resources/auto-substitutions.ts';
import { renderCountOf } from '../../model/count.ts';
import { parseTimeMs } from '../../model/time/service-time.ts';
import { keepSettings } from '../../runtime/pull-reports.ts';
import type { LoggedPair } from '../../season/pairs.ts';
import { weekNumber } from '../../season/week-number.ts';
import { Keeper } from '../../sync/memory/keeper.ts';
import { keepingService } from '../../sync/memory/keeping-service.ts';
import { keptRecords, keptWeeks, tellByMinutes } from '../../sync/memory/league-records.ts';
import { markTriggered } from '../../sync/memory/processed.ts';
import { isLocal } from '../../sync/pulling/job.ts';
import { readNew } from '../../sync/pulling/substitution-log.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import type { Session } from '../session.ts';

/** The game week that was triggered. */
interface Triggered {
  readonly league: number;
  /** As the service names it. */
  readonly text: string;
  /** The second in which the command began, by the service's clock. */
  readonly sinceMs: number;
}

/**
 * The substitutions that the service made since a trigger, as its log shows them now: kept as every reading is, so that nothing is read twice. Undefined, with a warning,
 * where the log cannot be read whole. Errors: those that are no stop of a reading.
 */
export async function changedBy(
  { ports, config }: Session,
  { league, text, sinceMs }: Triggered,
): Promise<readonly LoggedPair[] | undefined> {
  const { service: account } = await openAccount(ports);
  const keeper = new Keeper({ ...ports, account, season: keepSettings(config) });
  const service = keepingService(ports.service, keeper);
  const scope = { account, league };
  const query = { fantasy_league_id: league };
  const records: AutoSubstitution[] = [];
  try {
    const fresh = await readNew({ ...ports, service }, scope);
    if (fresh !== undefined) {
      // What was read just now may be kept already.
      const kept = await keptRecords(ports.store.memory, scope);
      records.push(...new Map([...kept, ...fresh].map((record) => [record.id, record])).values());
    } else
      for await (const page of service.list('list-auto-substitutions', query, ports.signal))
        records.push(...page);
  } catch (error) {
    // The trigger was answered: what became of it is told, whatever keeps the log from being read.
    if (!isLocal(error)) throw error;
    const message = `the log of substitutions could not be read: ${error.message}`;
    ports.emit({ kind: 'warning', message });
    return undefined;
  } finally {
    await keeper.end();
  }
  if (config.season.keep) await markTriggered(ports, account, league);
  const number = weekNumber(text);
  const choice =
    number === undefined ? ({ kind: 'last' } as const) : { kind: 'range' as const, from: number, to: number };
  const weeks = await keptWeeks(ports.store.memory, scope, choice);
  const isNew = ({ created_at: at }: AutoSubstitution): boolean => parseTimeMs(at ?? '') >= sinceMs;
  const { pairs } = await tellByMinutes(ports.store.memory, scope, records, weeks);
  return pairs.filter((pair) => pair.records.some(isNew));
}

const squadsOf = (pairs: readonly LoggedPair[]): number => new Set(pairs.map(({ squad }) => squad?.id)).size;

/** What changed, as programs read it; who is not known to have gone out or come in is null, and the players of such a pair stand in `players`. */
export function changedDocument(pairs: readonly LoggedPair[]): object {
  return {
    squads: squadsOf(pairs),
    substitutions: pairs.length,
    pairs: pairs.map((pair) => ({
      squad: { id: pair.squad?.id ?? null, name: pair.squad?.name ?? null },
      out: pair.out?.player?.id ?? null,
      in: pair.in?.player?.id ?? null,
      ...((pair.out ?? pair.in) === undefined && {
        players: pair.records.map(({ player }) => player?.id ?? null),
      }),
    })),
  };
}

/** Substitutions that are told one by one. */
const SHOWN = 10;

/** What changed, in lines for people. */
export function renderChanged(pairs: readonly LoggedPair[]): readonly string[] {
  if (pairs.length === 0) return ['the log shows no new substitution'];
  const more = pairs.length - SHOWN;
  return [
    `${renderCountOf(pairs.length, 'substitution')} in ${renderCountOf(squadsOf(pairs), 'squad')}:`,
    ...pairs
      .slice(0, SHOWN)
      .map((pair) => `  ${pair.squad?.name ?? pair.squad?.id ?? '?'}: ${renderPair(pair)}`),
    ...(more > 0
      ? [`  and ${more} more; a report of auto_substitutions with explode: pairs has all of them`]
      : []),
  ];
}

function renderPair(pair: LoggedPair): string {
  if (pair.out === undefined && pair.in === undefined) return pair.records.map(renderPlayer).join(' and ');
  const armband = pair.captainMoved === true ? ', with the armband' : '';
  return `${renderPlayer(pair.in)} for ${renderPlayer(pair.out)}${armband}`;
}

function renderPlayer(record: AutoSubstitution | undefined): string {
  const { id, first_name: first, last_name: last } = record?.player ?? {};
  const name = [first, last].filter((part) => part !== undefined && part !== null && part !== '').join(' ');
  return name === '' ? `player ${id ?? '?'}` : name;
}
