import type { LeagueScope } from '../../model/state/memory.ts';
import type { ServiceAccount, Store } from '../../model/state/store.ts';
import { keptMark } from '../../season/kept.ts';
import type { ProcessedBy } from '../../season/week-state.ts';
import { processedIn } from './known-weeks.ts';
import { keptLog, keptWeeks } from './league-records.ts';
import { earlierAheadMs, serviceNow, type ServiceTimePorts } from './service-time.ts';

/** Remembers that the substitutions of a week are processed from a time of the service's clock on; what was known before stays. */
export async function markProcessed(
  { memory }: Pick<Store, 'memory'>,
  scope: LeagueScope,
  gameWeek: string,
  atMs: number,
  by: ProcessedBy,
): Promise<void> {
  const known = await processedIn(memory, scope, gameWeek);
  if (known !== undefined && known.atMs <= atMs) return;
  await memory.keep(scope, [keptMark(gameWeek, 'processed', atMs, { by })]);
}

/** Every intent of the account. */
const ALL = Number.MAX_SAFE_INTEGER;

/** Marks the weeks of a league whose trigger was answered, or read back, since the last time: from when it was sent, because then or later the service processed them. */
export async function markTriggered(
  ports: ServiceTimePorts & { readonly store: Pick<Store, 'memory' | 'allSnapshots' | 'findIntents'> },
  account: ServiceAccount,
  league: number,
): Promise<void> {
  const { store } = ports;
  const scope = { account, league };
  const keys: string[] = [];
  for await (const page of store.allSnapshots(account, 'auto_substitutions'))
    for (const { key } of page) if (key.startsWith(`${league}/`)) keys.push(key);
  const unmarked: string[] = [];
  for (const key of keys)
    if ((await processedIn(store.memory, scope, weekOfKey(key))) === undefined) unmarked.push(key);
  if (unmarked.length === 0) return;
  const sent = new Map<string, number>();
  for (const intent of await store.findIntents(account, '', ALL)) {
    if (intent.operation !== 'trigger-auto-substitution' || intent.result !== 'applied') continue;
    for (const key of intent.keys) sent.set(key, Math.min(sent.get(key) ?? Infinity, intent.sentAtMs));
  }
  // Intents bear our time.
  const aheadMs = await earlierAheadMs(ports, account);
  for (const key of unmarked) {
    const sentMs = sent.get(key);
    const atMs = sentMs === undefined ? await serviceNow(ports, account) : sentMs + aheadMs;
    await markProcessed(store, scope, weekOfKey(key), atMs, 'trigger');
  }
}

/** The game week of a trigger's key. */
const weekOfKey = (key: string): string => (key.split('/')[1] ?? '').toLowerCase();

/**
 * Marks the last weeks of which the kept log has records: from when the first of them was read. A record whose week cannot be told marks none.
 */
export async function markLogged(store: Pick<Store, 'memory'>, scope: LeagueScope): Promise<void> {
  const readAt = await store.memory.readAt(scope, '', 'substitution');
  if (readAt.size === 0) return;
  const weeks = await keptWeeks(store.memory, scope, { kind: 'current' });
  const { records, weekOf } = await keptLog(store.memory, scope, weeks);
  const first = new Map<string, number>();
  for (const { id } of records) {
    const week = weekOf.get(id);
    const atMs = readAt.get(id.toLowerCase());
    if (week !== undefined && atMs !== undefined)
      first.set(week, Math.min(first.get(week) ?? Infinity, atMs));
  }
  for (const [week, atMs] of first)
    if ((await processedIn(store.memory, scope, week)) === undefined)
      await markProcessed(store, scope, week, atMs, 'log');
}
