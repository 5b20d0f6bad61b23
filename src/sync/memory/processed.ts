import type { LeagueScope } from '../../model/memory.ts';
import type { ServiceAccount, Store } from '../../model/store.ts';
import { keptMark } from '../../season/kept.ts';
import type { ProcessedBy } from '../../season/week-state.ts';
import { eachKept } from './known-weeks.ts';

/** Remembers that the substitutions of a week are processed; what was known before stays. */
export async function markProcessed(
  { memory }: Pick<Store, 'memory'>,
  scope: LeagueScope,
  gameWeek: string,
  atMs: number,
  by: ProcessedBy,
): Promise<void> {
  for await (const { id, readAtMs } of eachKept(memory, scope, gameWeek, 'mark'))
    if (id === 'processed' && readAtMs <= atMs) return;
  await memory.keep(scope, [keptMark(gameWeek, 'processed', atMs, { by })]);
}

/** Every intent of the account. */
const ALL = Number.MAX_SAFE_INTEGER;

/** Marks the weeks of a league whose trigger was answered, or read back, since the last time: from when it was sent, because then or later the service processed them. */
export async function markTriggered(
  store: Pick<Store, 'memory' | 'allSnapshots' | 'findIntents'>,
  account: ServiceAccount,
  league: number,
  nowMs: number,
): Promise<void> {
  const scope = { account, league };
  const keys: string[] = [];
  for await (const page of store.allSnapshots(account, 'auto_substitutions'))
    for (const { key } of page) if (key.startsWith(`${league}/`)) keys.push(key);
  const unmarked: string[] = [];
  for (const key of keys) if (!(await isMarked(store, scope, weekOfKey(key)))) unmarked.push(key);
  if (unmarked.length === 0) return;
  const sent = new Map<string, number>();
  for (const intent of await store.findIntents(account, '', ALL)) {
    if (intent.operation !== 'trigger-auto-substitution' || intent.result !== 'applied') continue;
    for (const key of intent.keys) sent.set(key, Math.min(sent.get(key) ?? Infinity, intent.sentAtMs));
  }
  for (const key of unmarked)
    await markProcessed(store, scope, weekOfKey(key), sent.get(key) ?? nowMs, 'trigger');
}

/** The game week of a trigger's key. */
const weekOfKey = (key: string): string => (key.split('/')[1] ?? '').toLowerCase();

async function isMarked(
  { memory }: Pick<Store, 'memory'>,
  scope: LeagueScope,
  gameWeek: string,
): Promise<boolean> {
  for await (const { id } of eachKept(memory, scope, gameWeek, 'mark')) if (id === 'processed') return true;
  return false;
}
