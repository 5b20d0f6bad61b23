import { describe, expect, it } from 'vitest';
import { readConfig, type Config } from '../../../../src/runtime/config/config.ts';
import { accountsOf, chosenLeagues, onlyAccount, rulesOf } from '../../../../src/runtime/config/leagues.ts';
import { readMappings } from '../../../../src/runtime/config/mappings.ts';
import { testFolder } from '../../../support/test-folder.ts';

const folder = testFolder();

const ENVIRONMENTS = `version: 1
environments:
  a: { base_url: https://a.example, api_key: { env: A } }
  b: { base_url: https://b.example, api_key: { env: B } }
`;
const LEAGUES = `${ENVIRONMENTS}vars: { price_type: current, out: "out/\${league}" }
leagues:
  north: { environment: a, fantasy_league_id: 7 }
  west: { environment: a, fantasy_league_id: 8, vars: { price_type: weekly, note: "\${league} \${fantasy_league_id}" } }
  south: { environment: b, fantasy_league_id: "\${SOUTH}" }
`;

function configOf(yaml: string, args: Partial<Parameters<typeof readConfig>[0]> = {}): Config {
  folder.write('teamsheet.yaml', yaml);
  return readConfig({ var: {}, ...args }, { cwd: folder.path, env: { SOUTH: '9' } });
}

function refusal(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('leagues of a configuration', () => {
  it('have their variables over those of all leagues, and ${league} in both', () => {
    const { leagues } = configOf(LEAGUES, { var: { note: 'typed' } });
    expect(leagues.map(({ name, environment, vars }) => ({ name, environment, vars: { ...vars } }))).toEqual([
      {
        name: 'north',
        environment: 'a',
        vars: {
          SOUTH: '9',
          league: 'north',
          fantasy_league_id: '7',
          price_type: 'current',
          out: 'out/north',
          note: 'typed',
        },
      },
      {
        name: 'west',
        environment: 'a',
        vars: {
          SOUTH: '9',
          league: 'west',
          fantasy_league_id: '8',
          price_type: 'weekly',
          out: 'out/west',
          note: 'typed',
        },
      },
      {
        name: 'south',
        environment: 'b',
        vars: {
          SOUTH: '9',
          league: 'south',
          fantasy_league_id: '9',
          price_type: 'current',
          out: 'out/south',
          note: 'typed',
        },
      },
    ]);
    expect(configOf(LEAGUES).leagues[1]?.vars['note']).toBe('west 8');
  });

  it.each([
    [
      {},
      [
        ['a', 'north', 'west'],
        ['b', 'south'],
      ],
    ],
    [{ league: 'west' }, [['a', 'west']]],
    [{ env: 'b' }, [['b', 'south']]],
  ] as const)('are of one account each: %j', (args, expected) => {
    const accounts = accountsOf(configOf(LEAGUES, args));
    expect(accounts.map((each) => [each.environment, ...chosenLeagues(each)])).toEqual(expected);
  });

  it('follow --env where they name no environment', () => {
    const yaml = `${ENVIRONMENTS}environment: a\nleagues: { north: {}, west: {} }\n`;
    expect(accountsOf(configOf(yaml)).map(({ environment }) => environment)).toEqual(['a']);
    expect(accountsOf(configOf(yaml, { env: 'b' })).map(({ environment }) => environment)).toEqual(['b']);
  });

  it('have rules and groups of their own, in place of those of all leagues', () => {
    const yaml = `${ENVIRONMENTS}environment: a
rules: { squad: { budget: 90 } }
season: { groups: { csv: groups.csv, member: Member ID, group: Group } }
leagues:
  north: {}
  west: { rules: { squad: { size: 11 } }, groups: { csv: west.csv, member: Member ID, group: Group } }
`;
    const config = configOf(yaml);
    expect(rulesOf(config)('squads@north').squad).toMatchObject({ size: 15, budget: 90 });
    expect(rulesOf(config)('squads@west').squad).toMatchObject({ size: 11, budget: 100 });
    expect(onlyAccount(config)).toMatchObject({
      season: { groups: { csv: 'groups.csv' } },
      rules: { squad: { budget: 90 } },
    });
    expect(onlyAccount(configOf(yaml, { league: 'west' }))).toMatchObject({
      season: { keep: true, groups: { csv: 'west.csv' } },
      rules: { squad: { size: 11 } },
    });
  });

  it('lend their variables to what is no mapping of theirs where one was asked for', () => {
    expect(onlyAccount(configOf(LEAGUES, { league: 'west' })).vars['fantasy_league_id']).toBe('8');
    expect(onlyAccount(configOf(LEAGUES, { env: 'a' })).vars['fantasy_league_id']).toBeUndefined();
    expect(refusal(() => onlyAccount(configOf(LEAGUES)))).toMatchObject({
      code: 'config.league',
      next: 'name a league: --league north, or --league west, or --league south',
    });
  });

  it.each([
    [LEAGUES, { league: 'nort' }, 'there is no league "nort"; did you mean "north"?', 7],
    [ENVIRONMENTS, { league: 'north' }, 'there is no league "north"', undefined],
    [
      LEAGUES,
      { league: 'north', env: 'b' },
      'no league that is asked for is in environment "b": north is in a, west is in a, south is in b',
      7,
    ],
  ] as const)('are refused where they are not there: %#', (yaml, args, message, line) => {
    const error = refusal(() => configOf(yaml, args));
    expect(error).toMatchObject({ code: 'config.league', exitCode: 4, message });
    if (line !== undefined) expect(error).toMatchObject({ place: { file: 'teamsheet.yaml', line } });
  });

  it.each([
    ['leagues: { "a/b": {} }', /^teamsheet\.yaml:2:\d+: leagues\.a\/b: cannot name a league; use/],
    [
      'leagues: { North: {}, north: {} }',
      /^teamsheet\.yaml:2:\d+: leagues\.north: is the name of another league too/,
    ],
    ['leagues: { north: { fantasy_league_id: 0 } }', /teamsheet\.yaml:2:/],
    ['leagues: { north: { enviroment: a } }', /enviroment.*environment/s],
  ])('are checked: %s', (yaml, message) => {
    expect(refusal(() => configOf(`version: 1\n${yaml}\n`))).toMatchObject({
      code: 'config.invalid',
      message: expect.stringMatching(message) as string,
    });
  });
});

const USERS = `- version: 1
  name: users
  push: users
  source: { csv: users.csv }
  operation: upsert
  columns: { external_id: { from: Member ID }, display_name: { from: Name } }
`;
const PRICES = `- version: 1
  name: prices
  push: prices
  source: { csv: prices.csv }
  operation: append
  columns:
    fantasy_league_id: { value: "\${fantasy_league_id}" }
    player_id: { from: Player ID, type: integer }
    price: { from: Price, type: number }
    type: { value: "\${price_type}" }
`;
const SQUADS = `- version: 1
  name: squads
  push: squads
  source: { csv: "squads-\${league}.csv" }
  operation: create
  columns:
    fantasy_league_id: { value: "\${fantasy_league_id}" }
    user_id: { from: Member ID, lookup: { in: members, match: external_id, take: user_id } }
    name: { from: Name }
    players_in: { from: Players, split: ";" }
`;
const report = (destination: string): string => `- version: 1
  name: fixtures
  pull: fixtures
  where: { fantasy_league_id: "\${fantasy_league_id}" }
  destination: ${destination}
`;

function mappingsOf(texts: readonly string[], names: readonly string[] = [], yaml = LEAGUES, args = {}) {
  folder.write('mappings/all.yaml', texts.join(''));
  return readMappings(configOf(yaml, args), names, { cwd: folder.path });
}

describe('mappings of several leagues', () => {
  it('run once for each league, under its name and with its variables', () => {
    const read = mappingsOf([PRICES, report('{ csv: "out/${league}/fixtures.csv" }')]);
    expect(read.map(({ name }) => name)).toEqual([
      'prices@north',
      'fixtures@north',
      'prices@west',
      'fixtures@west',
      'prices@south',
      'fixtures@south',
    ]);
    expect(read[2]).toMatchObject({ columns: [{ value: '8' }, {}, {}, { value: 'weekly' }] });
    expect(read[3]).toMatchObject({
      where: { fantasy_league_id: 8 },
      destination: { origin: 'out/west/fixtures.csv' },
    });
  });

  it('run once for the leagues of one account in which they say the same', () => {
    expect(mappingsOf([USERS])).toMatchObject([
      { name: 'users@north', leagues: ['north', 'west'] },
      { name: 'users@south' },
    ]);
    // By its first league, whichever was asked for: what the state remembers stays found.
    expect(mappingsOf([USERS], [], LEAGUES, { league: 'west' }).map(({ name }) => name)).toEqual([
      'users@north',
    ]);
    expect(mappingsOf([USERS], ['users@west']).map(({ name }) => name)).toEqual(['users@north']);
  });

  it.each(['schedule: { at: "each.kickoff - 24h" }', 'deadline: each.kickoff'])(
    'run for each where they go by its game weeks: %s',
    (timing) => {
      expect(mappingsOf([`${USERS}  ${timing}\n`]).map(({ name }) => name)).toEqual([
        'users@north',
        'users@west',
        'users@south',
      ]);
    },
  );

  it('look things up in the mapping of their own league', () => {
    const members = USERS.replace('name: users', 'name: members');
    const own = members.replace('users.csv', '"users-${league}.csv"');
    const inOf = (texts: readonly string[]): readonly unknown[] =>
      mappingsOf(texts).flatMap((mapping) =>
        mapping.direction === 'push' && mapping.resource === 'squads' && mapping.columns !== 'auto'
          ? mapping.columns.flatMap(({ lookup }) => lookup?.in ?? [])
          : [],
      );
    expect(inOf([own, SQUADS])).toEqual(['members@north', 'members@west', 'members@south']);
    expect(inOf([members, SQUADS])).toEqual(['members@north', 'members@north', 'members@south']);
  });

  it.each([
    [['prices'], ['prices@north', 'prices@west', 'prices@south']],
    [['prices@west'], ['prices@west']],
    [
      ['users', 'prices@south'],
      ['users@north', 'users@south', 'prices@south'],
    ],
  ])('are named with or without a league: %j', (names, expected) => {
    expect(mappingsOf([USERS, PRICES], names).map(({ name }) => name)).toEqual(expected);
  });

  it('are called unknown with the nearest one of a league', () => {
    expect(refusal(() => mappingsOf([PRICES], ['prices@wst']))).toMatchObject({
      code: 'mapping.unknown',
      exitCode: 64,
      message: 'there is no mapping "prices@wst"; did you mean "prices@west"?',
    });
    expect(refusal(() => mappingsOf([PRICES], ['prices@west'], LEAGUES, { league: 'north' }))).toMatchObject({
      code: 'mapping.unknown',
    });
  });

  it('need a variable only in the league that is asked for, and name it', () => {
    const yaml = LEAGUES.replace('price_type: current, ', '');
    expect(refusal(() => mappingsOf([PRICES], [], yaml))).toMatchObject({
      code: 'mapping.variable',
      message: expect.stringMatching(/price_type is not set in league north$/) as string,
    });
    expect(mappingsOf([PRICES], [], yaml, { league: 'west' })).toHaveLength(1);
  });
});

describe('two leagues with one destination', () => {
  const refused = (origin: string) => ({
    code: 'destination.leagues',
    exitCode: 4,
    message: `mappings/all.yaml:1: fixtures@west and fixtures@north would both write ${origin}`,
    place: { file: 'mappings/all.yaml', line: 1 },
    next: 'put ${league} into the path or the tab',
  });

  it.each([
    ['{ csv: out/fixtures.csv }', 'out/fixtures.csv'],
    ['{ xlsx: out/season.xlsx, tab: Fixtures }', 'out/season.xlsx tab "Fixtures"'],
    ['{ sheet: abc, tab: Fixtures }', 'abc tab "Fixtures"'],
    ['{ csv: out/fixtures.csv, mode: append }', 'out/fixtures.csv'],
  ])('are refused: %s', (destination, origin) => {
    expect(refusal(() => mappingsOf([report(destination)]))).toMatchObject(refused(origin));
    // One league alone would take the place of the other's report as well.
    expect(refusal(() => mappingsOf([report(destination)], [], LEAGUES, { league: 'north' }))).toMatchObject({
      code: 'destination.leagues',
    });
  });

  it.each(['{ csv: "out/${league}.csv" }', '{ xlsx: out/season.xlsx, tab: "Fixtures ${league}" }'])(
    'are two with ${league}: %s',
    (destination) => {
      expect(mappingsOf([report(destination)])).toHaveLength(3);
    },
  );

  it('are refused where outcomes of both are written back into one tab', () => {
    const table = '{ sheet: abc, tab: Prices }';
    const text = PRICES.replace('{ csv: prices.csv }', table) + '  write_back: { status: Status }\n';
    expect(refusal(() => mappingsOf([text]))).toMatchObject({ code: 'destination.leagues' });
    expect(
      refusal(() => mappingsOf([text.replace('tab: Prices', 'tab: "Prices ${league}"')])),
    ).toBeUndefined();
  });

  it('are a report of one league over the table of another', () => {
    const text = PRICES.replace('prices.csv', '"prices-${league}.csv"');
    const over = report('{ csv: "${target}" }');
    const yaml = LEAGUES.replace(
      'fantasy_league_id: 7',
      'fantasy_league_id: 7, vars: { target: prices-south.csv }',
    );
    expect(refusal(() => mappingsOf([text, over], ['fixtures@north'], yaml))).toMatchObject({
      code: 'destination.source',
    });
  });
});
