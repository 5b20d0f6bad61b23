import { isMaybeApplied, isOpenIntent } from '../../plan/intent-lifecycle.ts';
import type { RecordOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { FieldValue } from '../../model/tables/cell.ts';
import { RefusedError, type StoppedError } from '../../model/error.ts';
import type { RunRow, RunRows } from '../../model/state/run-rows.ts';
import { known } from '../../plan/known-records.ts';
import { isStep } from '../../plan/resources/prices.ts';
import { isUnlistable } from '../evidence/full-list.ts';
import { newestWrite, type LastWrite } from '../evidence/last-write.ts';
import { readLog, type Log } from '../evidence/logs.ts';
import { noMemory, unknownLeagues } from '../evidence/memory.ts';
import { appliedSince, writesBeside, writesByRun } from '../evidence/pre-image.ts';
import type { Evidence } from '../../plan/reconcile/evidence.ts';
import type { PushTask, ReadingPorts, ReadTask, StateTask } from '../ports.ts';
import { unlessRefused } from '../rows/league-weeks.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { ReadKey } from './compare-live.ts';
import { orMissing } from './read-actual.ts';

export type LogRecord = RecordOf<'list-prices'>;

/** The price of a player now, whatever kind of upload it came by; undefined for one that the service does not know. */
export function priceReader({ service, signal }: ReadingPorts): ReadKey {
  const prices = new Map<string, Promise<number | undefined>>();
  const priceOf = async (league: number, player: number): Promise<number | undefined> => {
    const query = { fantasy_league_id: league };
    const answer = await orMissing(() => service.get('get-player', { id: player, query, signal }));
    return answer?.records[0]?.price ?? undefined;
  };
  return async (key) => {
    const [league, player, ...type] = key.split('/');
    const [fantasy_league_id, player_id] = [Number(league), Number(player)];
    // A league that is still to be made has no prices.
    if (!Number.isSafeInteger(fantasy_league_id) || !Number.isSafeInteger(player_id)) return undefined;
    const name = `${fantasy_league_id}/${player_id}`;
    const reading = prices.get(name) ?? priceOf(fantasy_league_id, player_id);
    prices.set(name, reading);
    const price = await reading;
    if (price === undefined) return undefined;
    return known(key, null, null, { fantasy_league_id, player_id, price, type: type.join('/') });
  };
}

/** The first of the rows that are to be compared that is a step. */
export async function firstStep({ name }: PushMapping, rows: RunRows): Promise<RunRow | undefined> {
  for await (const row of eachRow(rows, name, { change: 'pending', open: true }))
    if (isStep(row.fields?.type)) return row;
  return undefined;
}

/** What else an operator may do than to restore the state: what the service shows tells of prices, and not of steps. */
const orElse = (add: string, hasSteps: boolean, adopting: string): string =>
  hasSteps
    ? `or ${add} --adopt to ${adopting}`
    : `${add} --compare live to compare with the service, or --adopt to ${adopting}`;

/**
 * A state that remembers nothing of a fantasy league must not write over a log of it: the state may be lost, and a price may be a delta. Only reads.
 */
export async function checkAnyMemory(task: ReadTask, rows: RunRows): Promise<StoppedError | undefined> {
  const { ports, mapping } = task;
  const leagues = await unknownLeagues(task, rows);
  const shown = leagues.size === 0 ? undefined : await shownUploads(ports, leagues);
  if (shown === undefined) return undefined;
  const hasSteps = (await firstStep(mapping, rows)) !== undefined;
  return noMemory(
    `${mapping.name}: the service ${shown} this state remembers none, so it cannot tell which prices are already there`,
    (add) => `restore the state file, ${orElse(add, hasSteps, 'upload all prices of the source again')}`,
  );
}

/** Pages of the log of prices that are looked through, once for each new league. */
const MOST_PAGES = 200;

/** What the service shows of uploads of these leagues; undefined where it has none. */
async function shownUploads(
  { service, signal }: ReadingPorts,
  leagues: ReadonlySet<number>,
): Promise<string | undefined> {
  try {
    const { records } = await service.get('list-prices', { query: {}, signal });
    if (records.length === 0) return undefined;
    const first = leagueOfLog(records, leagues);
    // In most cases its first page tells.
    const league = first === undefined ? await loggedLeague({ service, signal }, leagues) : first;
    if (league === undefined) return undefined;
    return league === null ? 'has price uploads, but' : `has price uploads of fantasy league ${league}, but`;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return `refuses to show price uploads (${error.message}), and`;
  }
}

/** The first of these leagues in the log of prices; null where the log does not tell, undefined where it has none of them. */
async function loggedLeague(
  { service, signal }: Pick<ReadingPorts, 'service' | 'signal'>,
  leagues: ReadonlySet<number>,
): Promise<number | null | undefined> {
  let pages = 0;
  try {
    for await (const page of service.list('list-prices', {}, signal, 'fail')) {
      const found = leagueOfLog(page, leagues);
      if (found !== undefined) return found;
      if ((pages += 1) >= MOST_PAGES) return null;
    }
  } catch (error) {
    if (!isUnlistable(error)) throw error;
    return null;
  }
  return undefined;
}

function leagueOfLog(records: readonly LogRecord[], leagues: ReadonlySet<number>): number | null | undefined {
  const found = records.map(({ fantasy_league_id: league }) => league ?? null);
  return found.find((league) => league === null || leagues.has(league));
}

const logCount = ({ count }: Evidence): number | undefined => count;

/** Players that are asked for their price at most. */
const SAMPLE = 10;

export async function checkMemory(task: ReadTask, rows: RunRows): Promise<StoppedError | undefined> {
  const { ports, mapping } = task;
  const last = await newestWrite(task, logCount);
  const planned = await plannedPrices(rows, mapping);
  if (last === undefined)
    return (await isStepLogged(task, planned)) ? notRemembered(mapping, planned, true) : undefined;
  const { applied, open } = await keysSince(task, last);
  const since = new Set(applied.map(playerOf));
  const earlier = strangersOf(last).filter((player) => planned.has(player) && !since.has(player));
  const least = last.found + applied.length;
  // In most cases its first page says that the log is as long as it must be.
  if ((await statedLength(ports)) === least && earlier.length === 0) return undefined;
  const log = await readLog(ports, 'list-prices', {}, true);
  if (log === undefined || (log.count <= least && earlier.length === 0)) return undefined;
  // What the log shows of a player may be a step that is to be sent, and not the open write of another kind.
  const isStepToo = (key: string): boolean =>
    planned.get(playerOf(key))?.some((each) => each.isStep && each.key !== key) === true;
  const others = open.filter((key) => !isStepToo(key));
  const uploads = unknownUploads(log.records, last.evidence, [...applied, ...others]);
  const suspects = new Set(uploads === undefined ? planned.keys() : [...uploads.flat(), ...earlier]);
  const pricesOf = (players: Iterable<string>): readonly PlannedPrice[] =>
    [...players].flatMap((player) => planned.get(player) ?? []);
  const wanted = pricesOf(suspects);
  // Open writes may explain what came since the last write, and nothing from before it.
  const isExplained = uploads === undefined && log.count <= least + mayStandIn(log, others).length;
  // The log shows no prices, and what the service shows of a player does not tell whether a step is in it.
  const isStepSent = pricesOf(isExplained ? earlier : suspects).some((each) => each.isStep);
  const isOurs = uploads !== undefined && isJustThese(uploads, planned);
  if (!isStepSent && !isOurs && !(await isOneThere(ports, wanted.slice(0, SAMPLE)))) return undefined;
  return notRemembered(mapping, planned, isStepSent);
}

/** How long the log says that it is; undefined where it does not say so, or is refused now. */
async function statedLength({ service, signal }: ReadingPorts): Promise<number | undefined> {
  const answer = await unlessRefused(() => service.get('list-prices', { query: {}, signal }));
  return answer?.paging?.total ?? undefined;
}

function notRemembered(mapping: PushMapping, planned: PlannedPrices, isStepSent: boolean): StoppedError {
  const hasSteps = planned.values().some((all) => all.some((each) => each.isStep));
  const which = isStepSent
    ? 'and steps that are to be sent now may be among them'
    : 'of prices that are to be sent now';
  return noMemory(
    `${mapping.name}: the service has price uploads that this state does not remember, ${which}: the state file is older than the last push, or somebody else has uploaded them`,
    (add) => `restore the newest state file, ${orElse(add, hasSteps, 'upload what is planned anyway')}`,
  );
}

/**
 * Whether the log shows a player of a step that is to be sent more often than this state has sent it, where no write tells what the log had before. Asked only while a write has no answer:
 * whoever looks for it in the log sends steps then.
 */
async function isStepLogged(
  { ports, account, mapping: { resource } }: ReadTask,
  planned: PlannedPrices,
): Promise<boolean> {
  const writes = (await Array.fromAsync(writesByRun(ports.store, account, resource)))
    .flat()
    .filter((intent) => intent.resource === resource && isMaybeApplied(intent));
  const isStepOf = (player: string): boolean => planned.get(player)?.some((each) => each.isStep) === true;
  if (!writes.some(isOpenIntent) || !planned.keys().some(isStepOf)) return false;
  const log = await readLog(ports, 'list-prices', {}, true);
  const isOwn = takenFrom(writes.flatMap(({ keys }) => keys).map(playerOf));
  return log?.records?.map(playerIn).some((player) => !isOwn(player) && isStepOf(player)) === true;
}

const strangersOf = ({ evidence }: LastWrite<unknown>): readonly string[] => evidence.strangers ?? [];

/**
 * The players of uploads that this state is not known to have made, since its last write or before. Those that are sent now are not among them: whether they may be
 * was decided. A write of one player must not make the next push forget what the log showed of others.
 */
export async function strangersIn(
  task: PushTask,
  { count, records = [] }: Log<'list-prices'>,
): Promise<readonly string[]> {
  const last = await newestWrite(task, logCount);
  if (last === undefined) return [];
  const { applied, open } = await keysSince(task, last);
  const ours = [...applied, ...open];
  // Where uploads cannot be told apart, one that is not ours may be of any player.
  const anybody = count > last.found + ours.length ? [records.map(playerIn)] : [];
  const uploads = unknownUploads(records, last.evidence, ours) ?? anybody;
  // What was sent since is not among these uploads, one for one.
  const sent = new Set(applied.map(playerOf));
  const before = strangersOf(last).filter((player) => !sent.has(player));
  const planned = await plannedPrices(task.rows, task.mapping);
  return [...new Set([...before, ...uploads.flat()])].filter((player) => !planned.has(player));
}

/** The keys of what this state has sent since the evidence of a write was read: what was applied, and what nobody knows of. */
async function keysSince(
  task: StateTask,
  { intent, evidence }: LastWrite<unknown>,
): Promise<{ readonly applied: readonly string[]; readonly open: readonly string[] }> {
  const applied = await appliedSince(task, intent);
  const beside = await writesBeside(task, intent, evidence.atMs);
  const open = [intent, ...beside].filter(isOpenIntent);
  return { applied: applied.flatMap(({ keys }) => keys), open: open.flatMap(({ keys }) => keys) };
}

/** The league and the player of a price's key; its kind does not stand in the log. */
export const playerOf = (key: string): string => key.split('/').slice(0, 2).join('/');

/** The same of a record of the log. */
export const playerIn = ({ fantasy_league_id, player }: LogRecord): string =>
  `${fantasy_league_id}/${player?.id}`;

interface PlannedPrice {
  readonly key: string;
  readonly price: FieldValue | undefined;
  readonly isStep: boolean;
}

/** The prices that are to be sent, by league and player, who may have one of each kind. */
type PlannedPrices = ReadonlyMap<string, readonly PlannedPrice[]>;

async function plannedPrices(rows: RunRows, { name }: PushMapping): Promise<PlannedPrices> {
  const planned = new Map<string, readonly PlannedPrice[]>();
  for await (const { key, change, fields } of eachRow(rows, name, { open: true })) {
    if (key === null || (change !== 'create' && change !== 'update')) continue;
    const price = { key, price: fields?.price, isStep: isStep(fields?.type) };
    planned.set(playerOf(key), [...(planned.get(playerOf(key)) ?? []), price]);
  }
  return planned;
}

/** Those of some keys whose players stand in the log. */
function mayStandIn({ records }: Log<'list-prices'>, keys: readonly string[]): readonly string[] {
  const players = records && new Set(records.map(playerIn));
  return keys.filter((key) => players?.has(playerOf(key)) !== false);
}

/**
 * The players of each upload that came later, but for what this state has sent; undefined where nothing tells what came later. Where the log does not tell uploads
 * apart, each record stands for one.
 */
function unknownUploads(
  records: readonly LogRecord[] | undefined,
  { refs, players }: Evidence,
  ownKeys: readonly string[],
): readonly (readonly string[])[] | undefined {
  if (records === undefined || refs === undefined) return undefined;
  const isOwn = takenFrom(ownKeys.map(playerOf));
  if (!refs.includes(''))
    return freshUploads(records, refs)
      .map((upload) => upload.map(playerIn).filter((player) => !isOwn(player)))
      .toArray();
  if (players === undefined) return undefined;
  const wasThere = takenFrom(players);
  const fresh = records.map(playerIn).filter((player) => !wasThere(player));
  return fresh.filter((player) => !isOwn(player)).map((player) => [player]);
}

/** Whether a text is among some, each of which counts once. */
function takenFrom(texts: readonly string[]): (text: string) => boolean {
  const left = new Map<string, number>();
  for (const text of texts) left.set(text, (left.get(text) ?? 0) + 1);
  return (text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0;
  };
}

/** The records of each upload that is not among these references. */
export function freshUploads(records: readonly LogRecord[], refs: readonly string[]) {
  const fresh = records.filter(({ txn_ref }) => !refs.includes(txn_ref ?? ''));
  return Map.groupBy(fresh, ({ txn_ref }) => txn_ref ?? '').values();
}

/** Whether unknown uploads are of just the players that are to be sent, several at a time: nothing but a push looks so. */
function isJustThese(
  uploads: readonly (readonly string[])[],
  planned: ReadonlyMap<string, unknown>,
): boolean {
  const several = new Set(uploads.filter(({ length }) => length > 1).flat());
  return (
    uploads.flat().every((player) => planned.has(player)) &&
    planned.keys().every((player) => several.has(player))
  );
}

/** Whether one of the players has the price already that is to be sent, although this state remembers another. */
async function isOneThere(ports: ReadingPorts, wanted: readonly PlannedPrice[]): Promise<boolean> {
  const read = priceReader(ports);
  for (const { key, price } of wanted) {
    const actual = await read(key);
    if (actual !== undefined && actual.values.price === price) return true;
  }
  return false;
}
