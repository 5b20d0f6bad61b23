import type { PushMapping } from '../../mapping/mapping.ts';
import { hasError, type ParsedRow } from '../../mapping/parsed-row.ts';
import { renderCountOf } from '../../model/count.ts';
import type { LeagueScope } from '../../model/state/memory.ts';
import { resourcePlans } from '../../plan/resources/index.ts';
import type { KnownPlayers } from '../../plan/resources/resource-plan.ts';
import type { Rules } from '../../rules/rules.ts';
import type { SquadPlayer } from '../../rules/squad-rules.ts';
import { knownPlayers } from '../../season/known-players.ts';
import type { SyncPorts } from '../ports.ts';

type CheckPorts = Pick<SyncPorts, 'store' | 'rulesOf' | 'emit'> & Partial<Pick<SyncPorts, 'baseUrl'>>;

/** Adds to rows what they break of the rules of the game. */
interface RowChecks {
  readonly check: (rows: readonly ParsedRow[]) => Promise<readonly ParsedRow[]>;
  /** Says how many rows have warnings, where the rows do not say it themselves. */
  readonly end: () => void;
}

const UNCHECKED: RowChecks = { check: (rows) => Promise.resolve(rows), end: () => undefined };

/**
 * Checks rows by the rules of the game and what the memory knows of the players; a row that an issue refuses is invalid. In a push (`isRun`) the outcomes of rows say what became of them, so
 * that its warnings are counted alone.
 */
export function rowChecks(ports: CheckPorts, { name, resource }: PushMapping, isRun: boolean): RowChecks {
  const { ruleIssues } = resourcePlans[resource];
  const rules = ports.rulesOf?.(name);
  if (ruleIssues === undefined || rules === undefined || rules.squad.check === 'off') return UNCHECKED;
  const leagues = new Map<number, Promise<KnownPlayers>>();
  const playersOf = (league: number): Promise<KnownPlayers> => {
    const players = leagues.get(league) ?? readPlayers(ports, rules, league);
    leagues.set(league, players);
    return players;
  };
  let warned = 0;
  const check = async (row: ParsedRow): Promise<ParsedRow> => {
    if (row.fields === null) return row;
    const found = ruleIssues(row.fields, rules, await playersOf(Number(row.fields.fantasy_league_id)));
    const issues = [...row.issues, ...found];
    if (hasError(found)) return { ...row, status: 'invalid', fields: null, issues };
    warned += Number(found.length > 0);
    return isRun ? row : { ...row, issues };
  };
  const end = (): void => {
    if (!isRun || warned === 0) return;
    const rows = renderCountOf(warned, 'row does', 'rows do');
    const message = `${name}: ${rows} not keep the rules of the configuration; validate names them`;
    ports.emit({ kind: 'warning', message });
  };
  return { check: (rows) => Promise.all(rows.map(check)), end };
}

/** What the memory knows of the players of a league. The account is not asked for yet: where several have a league of this number, nothing is known. */
async function readPlayers(
  { store, baseUrl }: CheckPorts,
  rules: Rules,
  league: number,
): Promise<KnownPlayers> {
  const scopes = (await store.memory.scopes()).filter(
    (scope) => scope.league === league && (baseUrl === undefined || scope.account.baseUrl === baseUrl),
  );
  const [only] = scopes;
  return only === undefined || scopes.length > 1 ? new Map() : readKept(store, only, rules);
}

/** The newest weeks first, until one of them tells of nobody else. */
async function readKept(
  { memory }: SyncPorts['store'],
  scope: LeagueScope,
  rules: Rules,
): Promise<KnownPlayers> {
  const weeks = (await memory.weeks(scope))
    .filter(({ kind }) => kind === 'player')
    .toSorted((one, other) => other.newestMs - one.newestMs);
  const players = new Map<string, Omit<SquadPlayer, 'player'>>();
  for (const { gameWeek } of weeks) {
    const before = players.size;
    for await (const page of memory.kept(scope, gameWeek, 'player'))
      for (const [id, player] of knownPlayers(page, rules)) if (!players.has(id)) players.set(id, player);
    if (players.size === before) break;
  }
  return players;
}
