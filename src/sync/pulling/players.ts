import type { Lineup } from '../../contract/resources/lineups.ts';
import type { PriceUploadRecord } from '../../contract/resources/prices.ts';
import { shownText } from '../../model/tables/cell.ts';
import { ConfigError, RefusedError } from '../../model/error.ts';
import { renderRowIssue } from '../../model/issue.ts';
import { indexHeader } from '../../mapping/header-index.ts';
import type { PlayerIds, PullMapping, Source } from '../../mapping/mapping.ts';
import { FORMULA, rowsFor } from '../../mapping/row-filter.ts';
import { fulfils } from '../../mapping/where.ts';
import { take, type Ids, type Read, type ReadContext } from './read.ts';
import { listRead } from './list.ts';
import { searchPlayers } from './search-players.ts';
import { lineupRead } from './squads.ts';
import type { SyncPorts } from '../ports.ts';
import { againIfChanged } from '../rows/read-rows.ts';

type Tables = SyncPorts['tables'];
type Ranges = Extract<PlayerIds, { kind: 'ranges' }>['ranges'];

const POSITIVE = /^0*[1-9]\d{0,14}$/;

function columnOf(
  header: readonly string[],
  name: string,
  { origin, headerRow }: Pick<Source, 'origin' | 'headerRow'>,
): number {
  const index = indexHeader(header, { origin, headerRow }, [name]).find([name]);
  if (index !== undefined) return index;
  throw new ConfigError(
    'source.missing_column',
    `${origin} row ${headerRow}: no column "${name}"; it has ${header.join(', ')}`,
    { file: origin, line: headerRow, next: 'Name the column of the player ids as it stands in the file.' },
  );
}

/**
 * The player ids in a column of a table, each once, in the order of the rows; empty cells and rows that the source's `where` leaves out are
 * skipped. Errors: ConfigError `source.*`, `ids.not_a_player_id`.
 */
async function readColumn(source: Source, name: string, tables: Tables): Promise<readonly number[]> {
  const table = await tables[source.location.kind].open(source.location, source);
  try {
    const { origin } = table;
    const place = { origin, headerRow: source.headerRow };
    const column = columnOf(table.header, name, place);
    const conditions = source.where.map((condition) => ({
      ...condition,
      index: columnOf(table.header, condition.header, place),
    }));
    const used = new Set(
      [column, ...conditions.map(({ index }) => index)].map((at) => table.header[at] ?? ''),
    );
    const ids = new Set<number>();
    for await (const batch of table.batches()) {
      for (const { rowNumber, cells, issues = [] } of rowsFor(used, batch)) {
        const unread = issues.find(({ code }) => code === FORMULA);
        if (unread !== undefined) {
          throw new ConfigError('ids.not_a_player_id', renderRowIssue(origin, rowNumber, unread), {
            file: origin,
            line: rowNumber,
          });
        }
        if (!conditions.every((condition) => fulfils(cells[condition.index] ?? '', condition))) continue;
        const text = shownText(cells[column] ?? '').trim();
        if (text === '') continue;
        if (!POSITIVE.test(text)) {
          throw new ConfigError(
            'ids.not_a_player_id',
            `${origin} row ${rowNumber}, column "${name}": "${text}" is not a player id, a whole number from 1`,
            { file: origin, line: rowNumber },
          );
        }
        ids.add(Number(text));
      }
    }
    return [...ids];
  } finally {
    await table.close();
  }
}

/** The mapping with the player ids of its table read, so that a fault in the table is found before the first request. */
export async function withPlayerIds(mapping: PullMapping, tables: Tables): Promise<PullMapping> {
  const { ids, where } = mapping;
  if (ids?.kind !== 'column') return mapping;
  return {
    ...mapping,
    ids: undefined,
    where: { ...where, id: await againIfChanged(() => readColumn(ids.source, ids.column, tables)) },
  };
}

function* inRanges(ranges: Ranges): Generator<number> {
  for (const { from, to } of ranges) for (let id = from; id <= to; id += 1) yield id;
}

/** The players whose prices this state has seen confirmed. */
export async function* idsInState(league: number, { store, account }: ReadContext): AsyncGenerator {
  for await (const page of store.allSnapshots(account, 'prices')) {
    for (const { key } of page) {
      const [keyLeague, player] = key.split('/');
      if (Number(keyLeague) === league) yield player;
    }
  }
}

/** What a search found is remembered: the next pull reads these alone. */
const searchFact = (league: number): string => `player_ids:${league}`;

async function* idsInSearch(league: number, { store, account }: ReadContext): AsyncGenerator {
  const found = await store.fact(account, searchFact(league));
  // Only this file writes the fact.
  if (found !== undefined) yield* JSON.parse(found.value) as readonly number[];
}

async function* idsInLog(league: number, log: Read<PriceUploadRecord>, context: ReadContext): AsyncGenerator {
  for await (const page of take(log, context))
    for (const { fantasy_league_id, player } of page) if (fantasy_league_id === league) yield player?.id;
}

async function* idsInLineups(lineups: Read<Lineup>, context: ReadContext): AsyncGenerator {
  try {
    for await (const batch of take(lineups, context))
      for (const { squad } of batch)
        for (const { player } of [...(squad?.starting_xi ?? []), ...(squad?.bench ?? [])]) yield player?.id;
  } catch (error) {
    // A league without line-ups yet still has the players of the state and the price log.
    if (!(error instanceof RefusedError)) throw error;
    const message = `${context.mapping}: no line-up could be read: ${error.message}`;
    context.emit({ kind: 'warning', message });
  }
}

/** The player ids of a league that can be known without guessing, ascending; those of a search where none is. The service has no list of players. */
function knownIds(league: number): Ids {
  const lineups = lineupRead({ fantasy_league_id: league });
  const log = listRead('list-prices', {});
  const read = new Map<string | number, unknown>();
  return {
    name: `known players of ${league}`,
    needs: [lineups, log],
    values: async function* (context) {
      const ids = new Set<number>();
      const add = async (found: AsyncIterable<unknown>): Promise<number> => {
        const before = ids.size;
        for await (const id of found) if (POSITIVE.test(String(id))) ids.add(Number(id));
        return ids.size - before;
      };
      const inState = (await add(idsInState(league, context))) + (await add(idsInSearch(league, context)));
      const inLog = await add(idsInLog(league, log, context));
      const inLineups = await add(idsInLineups(lineups, context));
      context.emit({
        kind: 'note',
        message:
          `${context.mapping}: ${ids.size} players of league ${league} are known: ${inState} from the state, ` +
          `${inLog} more from the price log, ${inLineups} more from line-ups`,
      });
      yield* [...ids].sort((a, b) => a - b);
      if (ids.size > 0) return;
      for await (const { id, player } of searchPlayers(league, context)) {
        read.set(id, player);
        ids.add(id);
        yield id;
      }
      const { store, account } = context;
      if (ids.size > 0) await store.setFact(account, searchFact(league), JSON.stringify([...ids]));
    },
    recordOf: (id) => {
      const record = read.get(id);
      read.delete(id);
      return record;
    },
  };
}

/** The ids that a players report reads: those of the ranges, or without ranges the known ones. */
export function playerIds(league: number, ranges: Ranges | undefined): Ids {
  if (ranges === undefined) return knownIds(league);
  return { name: JSON.stringify(ranges), needs: [], values: () => inRanges(ranges) };
}
