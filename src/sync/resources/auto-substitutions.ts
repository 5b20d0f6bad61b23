import type { PushMapping } from '../../mapping/mapping.ts';
import { RefusedError, type StoppedError } from '../../model/error.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import type { Said } from '../../model/said.ts';
import type { Intent, ServiceAccount, StoredIntent } from '../../model/state/store.ts';
import type { OpenWeek } from '../../plan/guards.ts';
import { known } from '../../plan/known-records.ts';
import { isMaybeApplied } from '../../plan/intent-lifecycle.ts';
import { weekEnd, weekOf, type LeagueWeeks } from '../../plan/week-end.ts';
import { readLeagueWeeks } from '../rows/league-weeks.ts';
import { newestWrite, type LastWrite } from '../evidence/last-write.ts';
import { logCost, readLog, readSince } from '../evidence/logs.ts';
import { fromSnapshots, noMemory, nothingKnown, unknownLeagues, withUnanswered } from '../evidence/memory.ts';
import { leagueOf, writesBeside } from '../evidence/pre-image.ts';
import { readEvidence, type Evidence } from '../../plan/reconcile/evidence.ts';
import type { Comparison, PushTask, ReadingPorts, ReadTask, SyncPorts } from '../ports.ts';
import { lastAheadMs } from '../memory/service-time.ts';
import { eachRow } from '../rows/row-pages.ts';
import { confirmAll, NO_EVIDENCE } from './look-back.ts';
import { LIKELY_PAGE, oneByOne } from './read-actual.ts';
import {
  PLAIN,
  type ComparisonAsked,
  type ActualReading,
  type LookBack,
  type PushStrategy,
  type Sent,
} from './strategy.ts';
import type { OpenWrite } from '../../plan/reconcile/seen.ts';

type Reading = Pick<SyncPorts, 'service' | 'signal'>;

async function takeEvidence({ ports }: PushTask, [row]: readonly RunRow[]): Promise<Evidence | undefined> {
  const log = await readLog(ports, 'list-auto-substitutions', { fantasy_league_id: leagueOf(row) });
  return log && { atMs: ports.clock.now(), count: log.count };
}

/** The log of a league is read before each of its triggers. */
async function evidenceCost(ports: Reading, batched: ReadonlyMap<string, number>): Promise<number> {
  let cost = 0;
  const leagues = Map.groupBy(batched.keys(), (key) => Number(keyLeague(key)));
  for (const [fantasy_league_id, keys] of leagues) {
    // A league that is still to be made has no log.
    const isThere = Number.isSafeInteger(fantasy_league_id);
    const query = { fantasy_league_id };
    cost += keys.length * (isThere ? await logCost(ports, 'list-auto-substitutions', query) : 1);
  }
  return cost;
}

/** A trigger goes out once for each league and game week. The log holds no game week, so without a memory nobody can tell which were processed. */
async function compare(asked: ComparisonAsked): Promise<Comparison> {
  const { rows, options } = asked;
  if (options.again === true) return nothingKnown('every game week is triggered again, as --again says');
  const comparison = await fromSnapshots(asked, 'compared with the triggers that this state sent');
  const stop = options.adopt ? undefined : await checkAnyMemory(asked, rows);
  return withUnanswered(asked, stop === undefined ? comparison : { ...comparison, stop });
}

/**
 * A state that remembers no trigger of a fantasy league must not write over a log of it: the state may be lost, and the log does not say which game weeks are
 * processed. Only reads.
 */
async function checkAnyMemory(task: ReadTask, rows: RunRows): Promise<StoppedError | undefined> {
  const { ports, mapping } = task;
  const { name } = mapping;
  const leagues = await unknownLeagues(task, rows);
  for (const league of leagues) {
    const shown = await shownSubstitutions(ports, league);
    if (shown === undefined) continue;
    return noMemory(
      `${name}: the service ${shown} this state remembers no trigger, so it cannot tell which game weeks are processed already`,
      (add) => `restore the state file, or ${add} --adopt to process the game weeks of the source again`,
    );
  }
  return undefined;
}

/** What the service shows of substitutions of a league; undefined where it has none. */
async function shownSubstitutions({ service, signal }: Reading, league: number): Promise<string | undefined> {
  const what = `substitutions of fantasy league ${league}`;
  try {
    const query = { fantasy_league_id: league };
    const log = await service.get('list-auto-substitutions', { query, signal });
    return log.records.length === 0 ? undefined : `has ${what}, but`;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return `refuses to show ${what} (${error.message}), and`;
  }
}

/** What one trigger makes stands in the log within this time, by the service's clock, where nobody has looked since. */
const ONE_TRIGGER_MS = 60 * 60 * 1000;

/**
 * Until when the records of the last trigger came, by the service's clock; `firstMs`: of the first record that came since. Where this state has looked at the log after the
 * trigger and the log has others by now, those are of the trigger only if they came within the time in which the service may still apply it. NaN where nothing tells.
 */
async function lastRecordMs(
  { store, settleMs, maxWaitMs = 0 }: ReadingPorts,
  account: ServiceAccount,
  league: number,
  { intent, found }: LastWrite<number>,
  { firstMs, count }: { readonly firstMs: number; readonly count: number },
): Promise<number> {
  // Intents bear our time.
  const sentMs = intent.sentAtMs + ((await lastAheadMs({ store }, account)) ?? NaN);
  const seen = await store.memory.readAt({ account, league }, '', 'substitution');
  if (seen.size > found && seen.size < count) return firstMs + settleMs;
  const lookedMs = seen.values().reduce((latest, readAtMs) => Math.max(latest, readAtMs), 0);
  if (seen.size === found && seen.size < count && lookedMs > sentMs) return sentMs + settleMs;
  // A write is recorded before it waits for the budget.
  const latestMs = sentMs + maxWaitMs;
  return (Number.isNaN(latestMs) ? firstMs : Math.min(firstMs, latestMs)) + ONE_TRIGGER_MS;
}

/** Substitutions that came long after those of the last trigger are those of another one, and nothing says of which game week. */
async function checkMemory(task: ReadTask, rows: RunRows): Promise<StoppedError | undefined> {
  const { ports, mapping, account } = task;
  const leagues = new Set<number>();
  for await (const row of eachRow(rows, mapping.name, { open: true, change: 'create' }))
    leagues.add(leagueOf(row));
  for (const league of leagues) {
    if (!Number.isSafeInteger(league)) continue;
    const last = await newestWrite(task, ({ count }, { keys }) =>
      keys.some((key) => key.startsWith(`${league}/`)) ? count : undefined,
    );
    if (last === undefined) continue;
    const query = { fantasy_league_id: league };
    const log = await readLog(ports, 'list-auto-substitutions', query, true);
    if (log === undefined) continue;
    const timeOf = ({ created_at }: { readonly created_at?: string | null | undefined }): number =>
      Date.parse(created_at ?? '');
    const since =
      log.records === undefined
        ? await readSince(ports, query, last.found, timeOf)
        : log.records
            .map(timeOf)
            .toSorted((one, other) => one - other)
            .slice(last.found);
    const [first, newest] = [since[0] ?? NaN, since.at(-1) ?? NaN];
    const until = await lastRecordMs(ports, account, league, last, { firstMs: first, count: log.count });
    // A time that cannot be read is no evidence.
    if (!(newest > until)) continue;
    return noMemory(
      `${mapping.name}: the service has substitutions of fantasy league ${league} that came after those of the last trigger which this state remembers (of ${new Date(newest).toISOString()}), so it cannot tell which game weeks are processed already`,
      (add) =>
        `restore the newest state file, or ${add} --adopt to process the game weeks of the source anyway`,
    );
  }
  return undefined;
}

/** That the log showed nothing of a trigger when it could not be applied late any more. */
const unseenFact = ({ id }: Intent): string => `trigger_unseen:${id}`;

/**
 * Triggers: new records of the league's log, where no other trigger of the league can have made them. They do not say who made them, so that only those count that
 * were there when the log was first looked at after the settle time.
 */
const lookBack: LookBack = async (task, open, when) => {
  const { ports, account, mapping } = task;
  const found: OpenWrite[] = [];
  let why: Said = { code: 'substitutions-none' };
  for (const write of open) {
    const evidence = readEvidence(write.intent);
    const league = leagueOf(write.rows[0]);
    const log = await readLog(ports, 'list-auto-substitutions', { fantasy_league_id: league });
    if (log === undefined || evidence?.count === undefined) why = NO_EVIDENCE;
    else if (log.count > evidence.count) {
      const others = await othersBeside(task, write.intent, evidence);
      const wasUnseen = (await ports.store.fact(account, unseenFact(write.intent))) !== undefined;
      if (others.some((other) => mayHaveTriggered(other, league))) why = { code: 'substitutions-of-another' };
      else if (wasUnseen) why = { code: 'substitutions-late' };
      else found.push(write);
    } else if (when === 'settled') await ports.store.setFact(account, unseenFact(write.intent), 'true');
  }
  return { found: confirmAll(mapping, found), others: 'unclear', why };
};

/** The other triggers that may be in the log by now and were not in the evidence. */
async function othersBeside(
  task: ReadTask,
  intent: Intent,
  { atMs }: Evidence,
): Promise<readonly StoredIntent[]> {
  const { ports, account, mapping } = task;
  // A write is recorded before it waits for the budget, and may be applied late after that.
  const sinceMs = atMs - ports.settleMs - (ports.maxWaitMs ?? 0);
  const open = (await ports.store.openIntents(account)).filter(
    ({ id, resource }) => id !== intent.id && resource === mapping.resource,
  );
  return [...open, ...(await writesBeside(task, intent, sinceMs))];
}

/** Whether a write may have made substitutions of a league; a raw call does not say which. */
const mayHaveTriggered = (write: StoredIntent, league: number): boolean =>
  isMaybeApplied(write) &&
  (write.keys.length === 0 || write.keys.some((key) => Number(keyLeague(key)) === league));

/** A trigger leaves records in the log of its league, which do not name the game week: only records that came after it speak for it. Where it is not
 * known how many there were before, their times must do, which are those of the service's clock. */
function readHeld(ports: ReadingPorts, requests: number, { atMs, logCounts }: Sent): ActualReading {
  const readLeague = async (league: number) => {
    let [count, later] = [0, 0];
    const query = { fantasy_league_id: league };
    for await (const page of ports.service.list('list-auto-substitutions', query, ports.signal, 'fail')) {
      count += page.length;
      later += page.filter(({ created_at }) => Date.parse(created_at ?? '') >= atMs).length;
    }
    return { count, later };
  };
  const logs = new Map<string, ReturnType<typeof readLeague>>();
  const read = oneByOne(ports, async ({ key, id, fields }) => {
    const league = String(fields?.fantasy_league_id ?? '');
    const reading = logs.get(league) ?? readLeague(Number(league));
    logs.set(league, reading);
    const { count, later } = await reading;
    const before = logCounts.get(key ?? '');
    if (before === undefined ? later > 0 : count > before)
      return { kind: 'record', record: known(key ?? '', id, null, fields ?? {}) };
    return {
      kind: 'unreadable',
      reason: 'the log has no new record, and a game week without substitutions leaves none',
    };
  });
  return { requests, how: 'the substitution log of each league', read };
}

/** The game weeks that rows would have processed although they are not over, or nobody can tell. Only reads. */
async function openWeeks(
  ports: Reading & Pick<SyncPorts, 'timezone'>,
  { name }: PushMapping,
  rows: RunRows,
): Promise<readonly OpenWeek[]> {
  const leagues = new Map<number, LeagueWeeks>();
  const found: OpenWeek[] = [];
  for await (const { rowNumber, fields } of eachRow(rows, name, { open: true, change: 'create' })) {
    const league = Number(fields?.fantasy_league_id ?? Number.NaN);
    const weeks = leagues.get(league) ?? (await readLeagueWeeks(ports, league));
    leagues.set(league, weeks);
    const id = String(fields?.game_week_id);
    const end = weekEnd(id, weeks, ports.timezone);
    if (end.kind === 'ended') continue;
    found.push({ ...end, rowNumber, league, week: weekOf(weeks.weeks ?? [], id)?.week ?? id });
  }
  return found;
}

const keyLeague = (key: string): string => key.split('/')[0] ?? '';

export const autoSubstitutions: PushStrategy = {
  ...PLAIN,
  takeEvidence,
  evidenceOfEach: true,
  evidenceCost,
  checkMemory,
  openWeeks,
  tellsAnswers: true,
  compare,
  lookBack,
  unitOf: keyLeague,
  planActualReading: ({ ports }, { units }, sent) =>
    readHeld(
      ports,
      units * Math.max(1, Math.ceil(Math.max(0, ...sent.logCounts.values()) / LIKELY_PAGE)),
      sent,
    ),
};
