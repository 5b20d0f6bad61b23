import type { PagedOperationId, QueryOf, ResourceName } from '../../contract/index.ts';
import type { PriceUploadRecord } from '../../contract/resources/prices.ts';
import type { KnownRecord } from '../../model/state/run-rows.ts';
import { PUSHED_RESOURCES, resourcePlans } from '../../plan/resources/index.ts';
import type { ReadContext } from './read.ts';
import { runsOf } from '../journal/stored-run.ts';
import { FULL_LIST_MAX_AGE_MS } from '../evidence/full-list.ts';

/** Records that a list must show, because this state saw them confirmed within a day; what was confirmed before may have been removed by the provider. */
export interface Expected {
  see(page: readonly object[]): void;
  /** How many of them were not seen. */
  missing(): Promise<number>;
}

type Context = Pick<ReadContext, 'store' | 'account' | 'clock'>;

/** What this state knows of the records of a list. The log of substitutions may rightly stay empty after a trigger. */
export function confirmedBefore<Id extends PagedOperationId>(
  operation: Id,
  query: QueryOf<Id>,
  context: Context,
): Expected {
  const listed = PUSHED_RESOURCES.find((each) => resourcePlans[each].listed?.operation === operation);
  if (listed !== undefined) return confirmedRecords(listed, query ?? {}, context);
  return operation === 'list-prices' ? uploadedPrices(context) : NOTHING;
}

const NOTHING: Expected = { see: () => undefined, missing: () => Promise.resolve(0) };

const idOf = (id: unknown): string => String(id).toLowerCase();

function confirmedRecords(
  resource: ResourceName,
  query: object,
  { store, account, clock }: Context,
): Expected {
  const filters = Object.entries(query);
  const seen = new Set<string>();
  const isWanted = ({ id, values }: KnownRecord): boolean =>
    id !== null && filters.every(([name, value]) => values[name] === value);
  return {
    see(page: readonly { readonly id?: unknown }[]) {
      for (const { id } of page) seen.add(idOf(id));
    },
    async missing() {
      const sinceMs = clock.now() - FULL_LIST_MAX_AGE_MS;
      let missing = 0;
      for await (const page of store.allSnapshots(account, resource, sinceMs))
        missing += page.filter((record) => isWanted(record) && !seen.has(idOf(record.id))).length;
      return missing;
    },
  };
}

/** The log of prices shows each player of an upload that was applied, where it names leagues and players at all. */
function uploadedPrices({ store, account, clock }: Context): Expected {
  const seen = new Set<string>();
  let isNamed = true;
  return {
    see(page: readonly PriceUploadRecord[]) {
      for (const { fantasy_league_id: league, player } of page) {
        if (typeof league === 'number' && typeof player?.id === 'number') seen.add(`${league}/${player.id}`);
        else isNamed = false;
      }
    },
    async missing() {
      if (!isNamed) return 0;
      const sinceMs = clock.now() - FULL_LIST_MAX_AGE_MS;
      const missing = new Set<string>();
      for (const run of await runsOf(store, account)) {
        if ((run.endedAtMs ?? Infinity) < sinceMs) continue;
        for (const { operation, result, sentAtMs, keys } of await store.intents(run.id)) {
          if (operation !== 'upload-prices' || result !== 'applied' || sentAtMs < sinceMs) continue;
          const players = keys.map((key) => key.split('/').slice(0, 2).join('/'));
          for (const player of players) if (!seen.has(player)) missing.add(player);
        }
      }
      return missing.size;
    },
  };
}
