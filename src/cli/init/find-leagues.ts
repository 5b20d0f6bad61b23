import { createClient } from '../../client/client.ts';
import { fetchTransport } from '../../client/fetch-transport.ts';
import { AccessError, TeamsheetError } from '../../model/error.ts';
import { Secret } from '../../model/secret.ts';
import type { Program } from '../program.ts';
import type { Access } from './setup-files.ts';

/** A fantasy league as people know it. */
export interface League {
  readonly id: number;
  readonly name: string;
}

/** Nobody waits longer for a proposal. */
const PATIENCE_MS = 10_000;

/**
 * The fantasy leagues that the first pages of squads and mini leagues name, by number: the service lists no leagues. None where it cannot be asked: a
 * proposal is no reason to stop. Errors: AccessError where the key is refused; InterruptedError.
 */
export async function findLeagues(
  { baseUrl, apiKey }: Access,
  { clock, random, signal, screen }: Pick<Program, 'clock' | 'random' | 'signal' | 'screen'>,
): Promise<readonly League[]> {
  if (baseUrl === '' || apiKey === '') return [];
  const client = createClient({
    baseUrl,
    apiKey: new Secret(apiKey),
    transport: fetchTransport(),
    clock,
    random,
    emit: () => undefined,
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    timeoutMs: PATIENCE_MS,
    maxWaitMs: 0,
    maxRequests: undefined,
    reservePerMinute: 0,
    reservePerDay: 0,
    concurrency: 1,
  });
  const found = new Map<number, string>();
  try {
    const { records: squads } = await client.get('list-squads', {});
    const { records: miniLeagues } = await client.get('list-mini-leagues', {});
    for (const { fantasy_league: league } of [...squads, ...miniLeagues])
      if (typeof league?.id === 'number') found.set(league.id, league.name ?? '');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AccessError) throw error;
    if (!(error instanceof TeamsheetError) && !(error instanceof DOMException)) throw error;
    screen.warn(`the service could not be asked for your fantasy leagues: ${error.message}`);
  }
  return Array.from(found, ([id, name]) => ({ id, name })).sort((a, b) => a.id - b.id);
}
