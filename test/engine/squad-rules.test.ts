import { expect, it } from 'vitest';
import { PUBLIC_RULES, type SquadRules } from '../../src/rules/rules.ts';
import { keptOfPlayer } from '../../src/season/kept.ts';
import { readSources } from '../../src/sync/rows/read-rows.ts';
import { rowIssues, validateSources } from '../../src/sync/validate.ts';
import { mappingFrom } from '../support/builders.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from '../support/engine.ts';
import { pushSaved, savePlan } from '../support/saved-plan.ts';

const SQUADS = mappingFrom(
  'squads',
  'squads',
  'create',
  '{ fantasy_league_id: { value: 1 }, user_id: User, name: Squad, players_in: { from: Players, split: ";", type: integer } }',
);
const WORDS = ['Keeper', 'Defender', 'Midfielder', 'Forward'];
const FIFTEEN = Array.from({ length: 15 }, (_, index) => index + 1);

/** Players 1 to 30 of a league: 2 goalkeepers, 5 defenders, 5 midfielders, 3 forwards and again, three of a club, each for 6 but the last, who costs 20. */
async function keepPlayers({ store }: Engine, baseUrl: string): Promise<void> {
  const account = { baseUrl, accountId: 'club' };
  const players = Array.from({ length: 30 }, (_, index) => {
    const at = index % 15;
    return {
      id: index + 1,
      position: WORDS[at < 2 ? 0 : at < 7 ? 1 : at < 12 ? 2 : 3],
      team: `Club ${index % 5}`,
      price: index === 29 ? 20 : 6,
    };
  });
  const kept = players.flatMap((player) =>
    keptOfPlayer(player, { weekOf: () => 'week-3', current: 'week-3' }, 1),
  );
  await store.memory.keep({ account, league: 1 }, kept);
}

async function issuesOf(players: readonly number[], check: SquadRules['check'], made = true) {
  const engine = await makeEngine();
  if (made) await keepPlayers(engine, engine.ports.baseUrl);
  engine.tables.set('squads.csv', [
    ['User', 'Squad', 'Players'],
    ['7', 'Rovers', players.join(';')],
  ]);
  const rules = {
    ...PUBLIC_RULES,
    positions: { Keeper: 'GK' as const },
    squad: { ...PUBLIC_RULES.squad, check },
  };
  const validation = await validateSources({ ...engine.ports, rulesOf: () => rules }, [SQUADS], PLAN_OPTIONS);
  const issues = await Array.fromAsync(rowIssues(validation));
  await validation.rows.remove();
  return { exitCode: validation.exitCode, issues };
}

it('a squad that keeps the rules has nothing said of it', async () => {
  expect(await issuesOf(FIFTEEN, 'refuse')).toEqual({ exitCode: 0, issues: [] });
});

it('a squad of one player is told so', async () => {
  const { issues } = await issuesOf([1], 'warn');
  expect(issues[0]?.message).toBe('squads.csv row 2: the squad has 1 player, rules.squad.size is 15');
});

it('a squad that breaks rules is told each with its players, and goes on', async () => {
  // 30 is a forward of Club 4, who stands for the goalkeeper 1.
  const { exitCode, issues } = await issuesOf([...FIFTEEN.slice(1), 30], 'warn');
  expect(exitCode).toBe(0);
  expect(issues.map(({ severity, message }) => [severity, message])).toEqual([
    ['warning', 'squads.csv row 2: the squad has 1 GK (2), rules.squad.positions wants 2'],
    ['warning', 'squads.csv row 2: the squad has 4 FWD (13, 14, 15, 30), rules.squad.positions wants 3'],
    [
      'warning',
      'squads.csv row 2: 4 players are of Club 4 (5, 10, 15, 30), at most 3 are allowed by rules.squad.per_club',
    ],
    [
      'warning',
      'squads.csv row 2: players 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 30 cost 104, rules.squad.budget is 100',
    ],
  ]);
});

it('with check: refuse such a row is invalid, with check: off nothing looks at it', async () => {
  const refused = await issuesOf(FIFTEEN.slice(1), 'refuse', false);
  expect(refused).toMatchObject({ exitCode: 3, issues: [{ code: 'squad.size', severity: 'error' }] });
  expect(await issuesOf([1, 2], 'off', false)).toEqual({ exitCode: 0, issues: [] });
});

it('what another account knows of players of its league of that number is not taken', async () => {
  const engine = await makeEngine();
  await keepPlayers(engine, 'https://elsewhere.example');
  engine.tables.set('squads.csv', [
    ['User', 'Squad', 'Players'],
    ['7', 'Rovers', [...FIFTEEN.slice(1), 30].join(';')],
  ]);
  const validation = await validateSources(
    { ...engine.ports, rulesOf: () => PUBLIC_RULES },
    [SQUADS],
    PLAN_OPTIONS,
  );
  expect(await Array.fromAsync(rowIssues(validation))).toEqual([]);
  await validation.rows.remove();
});

it('a push counts such rows, and says of each what became of it', async () => {
  const engine = await makeEngine();
  engine.tables.set('squads.csv', [
    ['User', 'Squad', 'Players'],
    ['7', 'Rovers', '1;2'],
    ['8', 'United', FIFTEEN.join(';')],
  ]);
  const rows = await readSources(
    { ...engine.ports, rulesOf: () => PUBLIC_RULES },
    'run-1',
    [SQUADS],
    PLAN_OPTIONS,
  );
  expect(await rows.page('squads', { afterRow: 0, limit: 5 })).toMatchObject([{ said: [] }, { said: [] }]);
  expect(engine.events).toContainEqual({
    kind: 'warning',
    message: 'squads: 1 row does not keep the rules of the configuration; validate names them',
  });
  await rows.remove();
});

it('a saved plan is pushed where a row that breaks rules is invalid for something else', async () => {
  const engine = await makeEngine();
  const ports = { ...engine.ports, rulesOf: () => PUBLIC_RULES };
  const mapping = mappingFrom(
    'squads',
    'squads',
    'create',
    '{ fantasy_league_id: { value: 1 }, user_id: { from: User, lookup: { in: users, match: external_id, take: user_id } }, name: Squad, players_in: { from: Players, split: ";", type: integer } }',
  );
  engine.tables.set('squads.csv', [
    ['User', 'Squad', 'Players'],
    ['A', 'Rovers', '1;2'],
  ]);
  const saved = await savePlan({ ...engine, ports }, [mapping]);
  const { report } = await pushSaved({ ...engine, ports }, saved, [mapping]);
  expect(report.mappings[0]).toMatchObject({ rows: 1, invalid: 1 });
});
