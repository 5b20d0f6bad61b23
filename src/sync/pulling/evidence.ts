import type { PagedOperationId, QueryOf, ResourceName } from '../../contract/index.ts';
import type { PriceUploadRecord } from '../../contract/resources/prices.ts';
import type { KnownRecord } from '../../model/state/run-rows.ts';
import { PUSHED_RESOURCES, resourcePlans } from '../../plan/resources/index.ts';
import type { ReadContext } from './read.ts';
import { isSameAccount } from '../journal/stored-run.ts';
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
  if (listed !== undefined) return new ConfirmedRecords(listed, query ?? {}, context);
  return operation === 'list-prices' ? new UploadedPrices(context) : NOTHING;
}

const NOTHING: Expected = { see: () => undefined, missing: () => Promise.resolve(0) };

const idOf = (id: unknown): string => String(id).toLowerCase();

class ConfirmedRecords implements Expected {
  readonly #resource: ResourceName;
  readonly #filters: readonly (readonly [string, unknown])[];
  readonly #context: Context;
  readonly #seen = new Set<string>();

  constructor(resource: ResourceName, query: object, context: Context) {
    this.#resource = resource;
    this.#filters = Object.entries(query);
    this.#context = context;
  }

  see(page: readonly { readonly id?: unknown }[]): void {
    for (const { id } of page) this.#seen.add(idOf(id));
  }

  async missing(): Promise<number> {
    const { store, account, clock } = this.#context;
    const sinceMs = clock.now() - FULL_LIST_MAX_AGE_MS;
    let missing = 0;
    for await (const page of store.allSnapshots(account, this.#resource, sinceMs))
      missing += page.filter((record) => this.#isWanted(record) && !this.#seen.has(idOf(record.id))).length;
    return missing;
  }

  #isWanted({ id, values }: KnownRecord): boolean {
    return id !== null && this.#filters.every(([name, value]) => values[name] === value);
  }
}

const MOST_RUNS = 1000;

/** The log of prices shows each player of an upload that was applied, where it names leagues and players at all. */
class UploadedPrices implements Expected {
  readonly #context: Context;
  readonly #seen = new Set<string>();
  #isNamed = true;

  constructor(context: Context) {
    this.#context = context;
  }

  see(page: readonly PriceUploadRecord[]): void {
    for (const { fantasy_league_id: league, player } of page) {
      if (typeof league === 'number' && typeof player?.id === 'number')
        this.#seen.add(`${league}/${player.id}`);
      else this.#isNamed = false;
    }
  }

  async missing(): Promise<number> {
    if (!this.#isNamed) return 0;
    const { store, account, clock } = this.#context;
    const sinceMs = clock.now() - FULL_LIST_MAX_AGE_MS;
    const missing = new Set<string>();
    for (const run of await store.runs(MOST_RUNS)) {
      if (!isSameAccount(run.account, account) || (run.endedAtMs ?? Infinity) < sinceMs) continue;
      for (const { operation, result, sentAtMs, keys } of await store.intents(run.id)) {
        if (operation !== 'upload-prices' || result !== 'applied' || sentAtMs < sinceMs) continue;
        const players = keys.map((key) => key.split('/').slice(0, 2).join('/'));
        for (const player of players) if (!this.#seen.has(player)) missing.add(player);
      }
    }
    return missing.size;
  }
}
