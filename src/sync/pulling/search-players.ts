import type { RecordOf } from '../../contract/index.ts';
import { renderCount } from '../../model/count.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import { fanOut } from './fan-out.ts';
import { namesNothing, NAMES_NOTHING, readOne, type ReadContext } from './read.ts';

/** So many ids in a row that the service does not know end a search: ids have gaps, but hardly longer ones. */
const STRETCH = 200;
/** Every so many ids one is tried where the first ones name nobody: a block of ids that is as long is met. No divisor of round numbers, so that ids in tens are met too. */
const STRIDE = 51;
const HIGHEST = 20_000;
/** Round numbers that ids may start from. */
const HIGH_STARTS = [100_000, 1_000_000];
const NEAR_START = 10;
/** A service that has a record for every number is not followed for ever. */
const MOST = 20_000;

type Player = RecordOf<'get-player'>;

/** A player that was found. */
export interface FoundPlayer {
  readonly id: number;
  readonly player: Player;
}

/**
 * The players of a league of which no id is known, ascending: the ids from 1 on are tried, or those around the first one of a sample that names a player,
 * until a stretch of them is not known. What it costs and where it ended is said. Errors: RefusedError where there is no such league; those of reading.
 */
export async function* searchPlayers(league: number, context: ReadContext): AsyncGenerator<FoundPlayer> {
  const { mapping, emit } = context;
  await refuseNoLeague(league, context);
  const note = (message: string): void => emit({ kind: 'note', message: `${mapping}: ${message}` });
  note(
    `no player of league ${league} is known, so ids are tried from 1 on, one request each, until ${STRETCH} in a row are not known`,
  );
  const tries = new Tries(league, context);
  yield* tries.along(1, 1);
  if (tries.found === 0) {
    const samples = [...sampleIds()];
    note(`none of the first ${STRETCH} ids is known: ${samples.length} ids up to 1,000,010 are tried`);
    const hit = await tries.first(samples);
    if (hit !== undefined) {
      yield* (await Array.fromAsync(tries.along(hit.id - 1, -1))).toReversed();
      yield hit;
      yield* tries.along(hit.id + 1, 1);
    }
  }
  const remedy = 'write ids: "FROM-TO" into the mapping';
  if (tries.found === 0) {
    const message = `${mapping}: no player was found among ${renderCount(tries.done)} ids that were tried; ask your provider for the ids, and ${remedy}`;
    emit({ kind: 'warning', message });
  } else
    note(
      `${renderCount(tries.found)} players were found among ${renderCount(tries.done)} ids that were tried; where players are missing, ${remedy}`,
    );
}

/** A wrong number of the league would make every id unknown. */
async function refuseNoLeague(league: number, context: ReadContext): Promise<void> {
  try {
    await readOne('get-fantasy-league', league, context);
  } catch (error) {
    const mayBeThere = error instanceof RefusedError && !namesNothing(error, NAMES_NOTHING);
    if (!mayBeThere) throw error;
  }
}

function* sampleIds(): Generator<number> {
  for (let id = STRETCH + STRIDE; id <= HIGHEST; id += STRIDE) yield id;
  for (const start of HIGH_STARTS) for (let near = 0; near <= NEAR_START; near += 1) yield start + near;
}

/** Ids that are tried, each once. */
class Tries {
  done = 0;
  found = 0;
  readonly #league: number;
  readonly #context: ReadContext;

  constructor(league: number, context: ReadContext) {
    this.#league = league;
    this.#context = context;
  }

  /** The players from an id on, upwards or downwards, until a stretch of ids is not known. */
  async *along(start: number, step: 1 | -1): AsyncGenerator<FoundPlayer> {
    let unknown = 0;
    for await (const { id, player } of this.#read(inSteps(start, step))) {
      unknown = player === undefined ? unknown + 1 : 0;
      if (player !== undefined) yield { id, player };
      if (unknown === STRETCH) return;
      this.#progress(STRETCH - unknown);
    }
  }

  /** The first of these ids that names a player. */
  async first(ids: readonly number[]): Promise<FoundPlayer | undefined> {
    let left = ids.length;
    for await (const { id, player } of this.#read(ids)) {
      if (player !== undefined) return { id, player };
      left -= 1;
      this.#progress(left);
    }
    return undefined;
  }

  #progress(left: number): void {
    const { emit, mapping } = this.#context;
    emit({ kind: 'progress', mapping, done: this.done, total: this.done + left, unit: 'ids' });
  }

  async *#read(ids: Iterable<number>): AsyncGenerator<{ readonly id: number; readonly player?: Player }> {
    const tried = fanOut(ids, this.#context.concurrency, (id) => this.#try(id));
    for await (const each of tried) {
      this.done += 1;
      if (each.player !== undefined) this.found += 1;
      yield each;
    }
  }

  async #try(id: number): Promise<{ readonly id: number; readonly player?: Player }> {
    try {
      const player = await readOne('get-player', id, this.#context, { fantasy_league_id: this.#league });
      // Another record, or none, is no answer about this id.
      return player.id === id ? { id, player } : { id };
    } catch (error) {
      const isEmpty = error instanceof UnavailableError && error.code === 'service.record';
      if (isEmpty || namesNothing(error, NAMES_NOTHING)) return { id };
      throw error;
    }
  }
}

function* inSteps(start: number, step: 1 | -1): Generator<number> {
  for (let tried = 0, id = start; tried < MOST && id > 0; tried += 1, id += step) yield id;
}
