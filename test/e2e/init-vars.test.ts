import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLeagues } from '../../src/cli/init/find-leagues.ts';
import { askVars } from '../../src/cli/init/ask-vars.ts';
import { setupFiles, type SetupVars } from '../../src/cli/init/setup-files.ts';
import { AccessError } from '../../src/model/error.ts';
import { parseConfig } from '../../src/runtime/config/config-file.ts';
import { realClock, realRandom } from '../../src/runtime/clock.ts';
import type { Program } from '../../src/cli/program.ts';
import { program } from '../support/program.ts';

const { folder, service, run, runWith } = program({}, { here: true, once: true, service: { seed: 'demo' } });

describe('the fantasy leagues that init proposes', () => {
  const warnings: string[] = [];
  const program = {
    clock: realClock,
    random: realRandom,
    signal: new AbortController().signal,
    screen: { warn: (message: string) => warnings.push(message) },
  } as unknown as Program;

  it('are those that squads and mini leagues name', async () => {
    const leagues = await findLeagues(service, program);
    expect(leagues).toEqual([{ id: 1, name: expect.stringMatching(/\w/) as string }]);
  });

  it('are none without a key, or without an answer, with a warning; a refused key is told', async () => {
    expect(await findLeagues({ ...service, apiKey: '' }, program)).toEqual([]);
    expect(warnings).toEqual([]);
    await expect(findLeagues({ ...service, apiKey: 'wrong' }, program)).rejects.toThrow(AccessError);
    expect(warnings).toEqual([]);
    expect(await findLeagues({ ...service, baseUrl: 'http://127.0.0.1:1' }, program)).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('could not be asked for your fantasy leagues')]);
  });
});

describe('the variables of a new folder', () => {
  const textOf = (vars: SetupVars): string => {
    const files = setupFiles({
      access: { baseUrl: '', apiKey: '' },
      vars,
      timezone: 'UTC',
      reportPlace: 'workbook',
      reportKinds: [],
      seasonTabs: undefined,
      pushMappings: undefined,
      googleKey: undefined,
    });
    return String(files.get('teamsheet.yaml')?.text);
  };

  it('are what a person answered', () => {
    const vars = { fantasy_league_id: '7', price_type: 'no: "x"' };
    expect(parseConfig(textOf(vars), 'teamsheet.yaml').value.vars).toEqual({ ...vars, fantasy_league_id: 7 });
  });

  it('are those of --var, which nobody is asked for; the others are blank', async () => {
    const given = { fantasy_league_id: '7', price_type: 'weekly', 'the season': '2026/27' };
    const asking = { interactive: true, screen: { json: false } } as unknown as Program;
    expect(await askVars(given, [], asking)).toEqual(given);
    await run('init', 'given', '--var', 'fantasy_league_id=7', '--var', 'the season=2026/27');
    const yaml = readFileSync(join(folder.path, 'given', 'teamsheet.yaml'), 'utf8');
    expect(parseConfig(yaml, 'teamsheet.yaml').value.vars).toEqual({
      fantasy_league_id: 7,
      price_type: null,
      'the season': '2026/27',
    });
    const again = await run('init', 'given', '--var', 'fantasy_league_id=8');
    expect(again.stderr).toContain('teamsheet.yaml was kept: write vars: { fantasy_league_id: "8" } into it');
    const wrong = await run('init', 'other', '--var', 'fantasy_league_id=north');
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('is "north"') as string });
  });

  it('are blank otherwise, stay YAML when they are filled in, and count as not set until then', async () => {
    await run('init');
    const yaml = readFileSync(join(folder.path, 'teamsheet.yaml'), 'utf8');
    expect(parseConfig(yaml, 'teamsheet.yaml').value.vars).toEqual({
      fantasy_league_id: null,
      price_type: null,
    });
    folder.write('prices.csv', 'Player ID,Price\n1,5\n');
    const unset = await run('validate', 'prices', '--json');
    expect(unset.code).toBe(4);
    expect(JSON.parse(unset.stdout)).toMatchObject({
      error: { next: expect.stringContaining('It is the number of your fantasy league') as string },
    });
    folder.write(
      'teamsheet.yaml',
      yaml.replace('fantasy_league_id:', 'fantasy_league_id: 1').replace('price_type:', 'price_type: weekly'),
    );
    expect((await run('validate', 'prices')).code).toBe(0);
  });
});

describe('the time zone of a new folder', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['America/St_Johns', 'America/St_Johns'],
    ['Nowhere/Atall', 'UTC'],
    ['', 'UTC'],
  ])('is that of the machine, or UTC: "%s"', async (TZ, zone) => {
    await runWith({ env: { ...service.env, TZ } }, 'init', `zone ${TZ}`);
    const yaml = readFileSync(join(folder.path, `zone ${TZ}`, 'teamsheet.yaml'), 'utf8');
    expect(parseConfig(yaml, 'teamsheet.yaml').value.timezone).toBe(zone);
  });
});
