import type { RecordOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { renderCountOf } from '../../model/count.ts';
import { StoppedError } from '../../model/error.ts';
import type { FieldValue } from '../../model/cell.ts';
import type { RunRows } from '../../model/run-rows.ts';
import type { Intent, ServiceAccount, StoredIntent } from '../../model/store.ts';
import { priceReader } from './compare-live.ts';
import {
  appliedSince,
  leagueOf,
  readEvidence,
  writesBeside,
  writesByRun,
  type Evidence,
} from '../evidence/pre-image.ts';
import { readLog } from '../evidence/logs.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { SyncPorts } from '../ports.ts';

type Ports = Pick<SyncPorts, 'service' | 'store' | 'emit' | 'signal'>;

/**
 * A state that was restored from an older copy knows some prices, triggers and fantasy leagues, but not those that went out since: what its rows would send may be there already.
 * The evidence of its last write tells what the service's log held then; what came later and is not its own is looked at. Records of other writers are
 * no reason to stop, but for fantasy leagues, which only the account counts: `used`. Only reads, and only where rows are to be sent.
 */
export async function checkMemory(
  ports: Ports,
  mapping: PushMapping,
  account: ServiceAccount,
  rows: RunRows,
  used?: number,
): Promise<StoppedError | undefined> {
  if (mapping.resource === 'fantasy_leagues') return checkLeagues(ports, mapping, account, used);
  if (mapping.resource === 'prices') return checkPrices(ports, mapping, account, rows);
  if (mapping.resource === 'auto_substitutions') return checkTriggers(ports, mapping, account, rows);
  return undefined;
}

interface LastWrite<Found> {
  readonly intent: StoredIntent;
  readonly evidence: Evidence;
  /** What its evidence tells. */
  readonly found: Found;
}

const isMaybeApplied = ({ result }: StoredIntent): boolean =>
  result !== 'refused' && result !== 'not_applied';

/** The newest write to the resource that may have been applied and whose evidence tells what is asked for. */
async function newestWrite<Found>(
  { store }: Pick<Ports, 'store'>,
  account: ServiceAccount,
  { resource }: PushMapping,
  find: (evidence: Evidence, intent: Intent) => Found | undefined,
): Promise<LastWrite<Found> | undefined> {
  for await (const sent of writesByRun(store, account, resource)) {
    for (const intent of sent.toReversed()) {
      if (intent.resource !== resource || !isMaybeApplied(intent)) continue;
      const evidence = readEvidence(intent);
      const found = evidence && find(evidence, intent);
      if (evidence !== undefined && found !== undefined) return { intent, evidence, found };
    }
  }
  return undefined;
}

/** How long the log was before a write. */
const logCount = ({ count }: Evidence): number | undefined => count;

/** Players that are asked for their price at most. */
const SAMPLE = 10;

async function checkPrices(
  ports: Ports,
  mapping: PushMapping,
  account: ServiceAccount,
  rows: RunRows,
): Promise<StoppedError | undefined> {
  const last = await newestWrite(ports, account, mapping, logCount);
  if (last === undefined) return undefined;
  const { applied, open } = await keysSince(ports, account, mapping, last);
  const least = last.found + applied.length;
  // In most cases its first page says that the log is as long as it must be.
  const { paging } = await ports.service.get('list-prices', { query: {}, signal: ports.signal });
  if (paging?.total === least) return undefined;
  const log = await readLog(ports, 'list-prices', {});
  if (log === undefined || log.count <= least) return undefined;
  const planned = await plannedPrices(rows, mapping);
  const uploads = unknownUploads(log.records, last.evidence.refs, [...applied, ...open]);
  const suspects = uploads === undefined ? planned.keys() : new Set(uploads.flat());
  const wanted = [...suspects].flatMap((player) => planned.get(player) ?? []);
  const isOurs = uploads !== undefined && isJustThese(uploads, planned);
  if (!isOurs && !(await isOneThere(ports, wanted.slice(0, SAMPLE)))) return undefined;
  return new StoppedError(
    'state.no_memory',
    `${mapping.name}: the service has price uploads that this state does not remember, of prices that are to be sent now: the state file is older than the last push, or somebody else has uploaded them`,
    {
      flagged: (add) =>
        `restore the newest state file, ${add} --compare live to compare with the service, or --adopt to upload what is planned all the same`,
    },
  );
}

/** The keys of what this state has sent since the evidence of a write was read: what was applied, and what nobody knows of. */
async function keysSince(
  ports: Ports,
  account: ServiceAccount,
  mapping: PushMapping,
  { intent, evidence }: LastWrite<unknown>,
): Promise<{ readonly applied: readonly string[]; readonly open: readonly string[] }> {
  const applied = await appliedSince(ports, account, mapping, intent);
  const beside = await writesBeside(ports, account, mapping, intent, evidence.atMs);
  const open = [intent, ...beside].filter(({ result }) => result === null || result === 'ambiguous');
  return { applied: applied.flatMap(({ keys }) => keys), open: open.flatMap(({ keys }) => keys) };
}

/** The league and the player of a price's key; its kind does not stand in the log. */
const playerOf = (key: string): string => key.split('/').slice(0, 2).join('/');

interface PlannedPrice {
  readonly key: string;
  readonly price: FieldValue | undefined;
}

/** The prices that are to be sent, by league and player. */
async function plannedPrices(
  rows: RunRows,
  { name }: PushMapping,
): Promise<ReadonlyMap<string, PlannedPrice>> {
  const planned = new Map<string, PlannedPrice>();
  for await (const { key, change, fields } of eachRow(rows, name, { open: true }))
    if (key !== null && (change === 'create' || change === 'update'))
      planned.set(playerOf(key), { key, price: fields?.price });
  return planned;
}

/** The players of each upload that came later, but for what this state has sent; undefined where the log does not tell uploads apart. */
function unknownUploads(
  records: readonly RecordOf<'list-prices'>[] | undefined,
  refs: readonly string[] | undefined,
  ownKeys: readonly string[],
): readonly (readonly string[])[] | undefined {
  if (records === undefined || refs === undefined || refs.includes('')) return undefined;
  const own = new Map<string, number>();
  for (const player of ownKeys.map(playerOf)) own.set(player, (own.get(player) ?? 0) + 1);
  const isOwn = (player: string): boolean => {
    const left = own.get(player) ?? 0;
    own.set(player, left - 1);
    return left > 0;
  };
  const fresh = records.filter(({ txn_ref }) => !refs.includes(txn_ref ?? ''));
  return Map.groupBy(fresh, ({ txn_ref }) => txn_ref ?? '')
    .values()
    .map((upload) => upload.map(({ fantasy_league_id, player }) => `${fantasy_league_id}/${player?.id}`))
    .map((players) => players.filter((player) => !isOwn(player)))
    .toArray();
}

/** Whether unknown uploads are of just the players that are to be sent, several at a time: nothing but a push looks so. Prices that are steps show no more. */
function isJustThese(
  uploads: readonly (readonly string[])[],
  planned: ReadonlyMap<string, PlannedPrice>,
): boolean {
  const several = new Set(uploads.filter(({ length }) => length > 1).flat());
  return (
    uploads.flat().every((player) => planned.has(player)) &&
    planned.keys().every((player) => several.has(player))
  );
}

/** Whether one of the players has the price already that is to be sent, although this state remembers another. */
async function isOneThere(ports: Ports, wanted: readonly PlannedPrice[]): Promise<boolean> {
  const read = priceReader(ports);
  for (const { key, price } of wanted) {
    const held = await read(key);
    if (held !== undefined && held.values.price === price) return true;
  }
  return false;
}

/** No list shows fantasy leagues: those that the account counts beyond what this state explains may be the ones that are to be sent. */
async function checkLeagues(
  ports: Ports,
  mapping: PushMapping,
  account: ServiceAccount,
  used: number | undefined,
): Promise<StoppedError | undefined> {
  const last = await newestWrite(ports, account, mapping, ({ used: counted, known }) =>
    counted === undefined || known === undefined ? undefined : { others: Math.max(0, counted - known) },
  );
  if (last === undefined || used === undefined) return undefined;
  const later = await writesBeside(ports, account, mapping, last.intent, last.evidence.atMs);
  // Of a raw call nothing but the write itself is remembered.
  const unnamed = [last.intent, ...later].filter(
    ({ result, keys }) =>
      result === null || result === 'ambiguous' || (result === 'applied' && keys.length === 0),
  );
  const known = await ports.store.countSnapshots(account, mapping.resource);
  const more = used - last.found.others - known - unnamed.length;
  if (more <= 0) return undefined;
  const are = renderCountOf(more, 'fantasy league');
  return new StoppedError(
    'state.no_memory',
    `${mapping.name}: the account counts ${are} more than this state remembers, and the service cannot list them: the state file is older than the last push, or somebody else has created them`,
    {
      flagged: (add) =>
        `restore the newest state file, or see that none of the rows names one of these and ${add} --adopt`,
    },
  );
}

/** What one trigger makes stands in the log within this time, by the service's clock. */
const ONE_TRIGGER_MS = 12 * 60 * 60 * 1000;

/** Substitutions that came long after those of the last trigger are those of another one, and nothing says of which game week. */
async function checkTriggers(
  ports: Ports,
  mapping: PushMapping,
  account: ServiceAccount,
  rows: RunRows,
): Promise<StoppedError | undefined> {
  const leagues = new Set<number>();
  for await (const row of eachRow(rows, mapping.name, { open: true, change: 'create' }))
    leagues.add(leagueOf(row));
  for (const league of leagues) {
    if (!Number.isSafeInteger(league)) continue;
    const last = await newestWrite(ports, account, mapping, ({ count }, { keys }) =>
      keys.some((key) => key.startsWith(`${league}/`)) ? count : undefined,
    );
    if (last === undefined) continue;
    const log = await readLog(ports, 'list-auto-substitutions', { fantasy_league_id: league });
    const times = (log?.records ?? []).map(({ created_at }) => Date.parse(created_at ?? ''));
    const since = times.toSorted((one, other) => one - other).slice(last.found);
    const [first, newest] = [since[0] ?? NaN, since.at(-1) ?? NaN];
    // A time that cannot be read is no evidence.
    if (!(newest - first > ONE_TRIGGER_MS)) continue;
    return new StoppedError(
      'state.no_memory',
      `${mapping.name}: the service has substitutions of fantasy league ${league} that came after those of the last trigger which this state remembers (of ${new Date(newest).toISOString()}), so it cannot tell which game weeks are processed already`,
      {
        flagged: (add) =>
          `restore the newest state file, or ${add} --adopt to process the game weeks of the source all the same`,
      },
    );
  }
  return undefined;
}
