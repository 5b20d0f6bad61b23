import type { RecordOf } from '../../contract/index.ts';
import { UnavailableError } from '../../model/error.ts';
import type { Kept, KeptCount, LeagueScope, Memory } from '../../model/state/memory.ts';
import { lineupFacts, squadFacts, type LineupFacts, type SquadFacts } from '../../season/squad-facts.ts';
import { eachKept, latestKept } from './known-weeks.ts';

/** What is kept as the summary of one kind of records in a game week. */
interface Summary<Facts> {
  /** Of which readings it was made. */
  readonly madeOf: string;
  readonly facts: readonly (readonly [squad: string, facts: Facts])[];
}

/** Another number where a program makes other facts. */
const VERSION = 2;

/**
 * The facts of squads and line-ups in the game weeks of a league, by the squad's id. Those of a week are kept as one record once they are made: making them reads every record of the week,
 * which takes ten times as long.
 */
export class WeekFacts {
  readonly #memory: Memory;
  readonly #scope: LeagueScope;
  readonly #counts: readonly KeptCount[];
  /** Those of the week that was asked for last: both kinds are mostly wanted one after the other. */
  #last: { readonly gameWeek: string; readonly summaries: ReadonlyMap<string, Kept> } | undefined;

  private constructor(memory: Memory, scope: LeagueScope, counts: readonly KeptCount[]) {
    this.#memory = memory;
    this.#scope = scope;
    this.#counts = counts;
  }

  /** The facts of what is kept now: what is kept later may be left out. */
  static async open(memory: Memory, scope: LeagueScope): Promise<WeekFacts> {
    return new WeekFacts(memory, scope, await memory.weeks(scope));
  }

  squads(gameWeek: string): Promise<ReadonlyMap<string, SquadFacts>> {
    // Only `keptOfSquad` makes such a record.
    return this.#facts(gameWeek, 'squad', (record) => squadFacts(record as RecordOf<'get-squad'>));
  }

  lineups(gameWeek: string): Promise<ReadonlyMap<string, LineupFacts>> {
    // Only `keptOfLineup` makes such a record.
    return this.#facts(gameWeek, 'lineup', (record) => lineupFacts(record as RecordOf<'get-lineup'>));
  }

  /** When each of them was read last. */
  readAt(gameWeek: string, kind: 'squad' | 'lineup'): Promise<ReadonlyMap<string, number>> {
    return this.#memory.readAt(this.#scope, gameWeek, kind);
  }

  async #facts<Facts>(
    gameWeek: string,
    kind: 'squad' | 'lineup',
    factsOf: (record: unknown) => Facts,
  ): Promise<ReadonlyMap<string, Facts>> {
    const count = this.#counts.find((each) => each.gameWeek === gameWeek && each.kind === kind);
    if (count === undefined) return new Map();
    const madeOf = [VERSION, count.ids, count.newestMs, count.timesSum].join(' ');
    const kept = (await this.#summaries(gameWeek)).get(kind);
    // Only this method makes such a record.
    const before = kept?.record as Summary<Facts> | undefined;
    if (before?.madeOf === madeOf) return new Map(before.facts);
    const facts = new Map<string, Facts>();
    for await (const { id, record } of latestKept(this.#memory, this.#scope, gameWeek, kind))
      facts.set(id, factsOf(record));
    const record: Summary<Facts> = { madeOf, facts: [...facts] };
    const readAtMs = (kept?.readAtMs ?? 0) + 1;
    await this.#keep({ gameWeek, kind: 'summary', id: kind, variant: '', readAtMs, record });
    return facts;
  }

  async #keep(summary: Kept): Promise<void> {
    try {
      await this.#memory.keep(this.#scope, [summary]);
    } catch (error) {
      // Who only reads needs no room on the disk: the facts are there, and are made again the next time.
      if (!(error instanceof UnavailableError)) throw error;
    }
  }

  async #summaries(gameWeek: string): Promise<ReadonlyMap<string, Kept>> {
    if (this.#last?.gameWeek !== gameWeek) {
      const all = await Array.fromAsync(eachKept(this.#memory, this.#scope, gameWeek, 'summary'));
      this.#last = { gameWeek, summaries: new Map(all.map((each) => [each.id, each])) };
    }
    return this.#last.summaries;
  }
}
