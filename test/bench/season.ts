/**
 * G11: the memory of a season of 38 weeks, 1,000 squads and 15 entries, by the built program. The last week is taken by `weeks read`, against pulls of the
 * same records by a program that keeps none of them, and against a bare loop over the same requests, as many at a time; then reports are written from the memory. Prints times, and the
 * size of the state. The first standings read every line-up; later ones have the facts of weeks that did not change.
 *
 *   npm run bench -- season
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../src/state/sqlite/store.ts';
import { realClock } from '../../src/sandbox/clock.ts';
import { makeFolder, startServer } from '../support/cli.ts';
import { ACCOUNT_ID, LEAGUE, rememberWeek, season, serviceIn } from './support/big-season.ts';
import { measured, middle, told, type Cost } from './support/cost.ts';
import { median, timed } from './support/measure.ts';

const RUNS = 3;
const CONCURRENCY = 8;

const report = (name: string, pull: string): string => `- version: 1
  name: ${name}
  pull: ${pull}
  where: { fantasy_league_id: ${LEAGUE} }
  destination: { csv: out/${name}.csv }
`;

const asked: string[] = [];
const last = season.at(-1);
if (last === undefined) throw new Error('the season has no week');
const service = await startServer(serviceIn(last, asked));
const config = (keep: boolean): string => `version: 1
environments: { bench: { base_url: "${service.baseUrl}", api_key: { env: KEY } } }
vars: { fantasy_league_id: ${LEAGUE} }
season: { keep: ${keep} }
`;
const forgetful = makeFolder({
  'teamsheet.yaml': config(false),
  'mappings/reports.yaml': [
    report('lineups', 'lineups'),
    report('squads', 'squads\n  detail: true'),
    report('players', 'players\n  ids: "1-300"'),
  ].join(''),
});
const folder = makeFolder({
  'teamsheet.yaml': config(true),
  'mappings/reports.yaml': [
    report('standings', 'standings'),
    report('lineups', 'lineups'),
    report('squads', 'squads\n  detail: true'),
    report('substitutions', 'auto_substitutions'),
    report('pairs', 'auto_substitutions\n  explode: pairs'),
  ].join(''),
});
const state = join(folder.path, '.teamsheet/state.sqlite');

const run = (...args: readonly string[]): Promise<Cost> => measured(args, folder.path);

/** As often as `RUNS`, the one in the middle. */
async function runs(measure: () => Promise<Cost>): Promise<Cost> {
  const all: Cost[] = [];
  for (let at = 0; at < RUNS; at += 1) all.push(await measure());
  return middle(all);
}

/** Reads the same again, as many at a time, and nothing is done with it. */
async function bareLoop(paths: readonly string[]): Promise<void> {
  const left = paths.values();
  const work = async (): Promise<void> => {
    for (const path of left) JSON.parse(await (await fetch(service.baseUrl + path)).text());
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

try {
  const store = await openStore({ file: state, clock: realClock });
  const scope = { account: { baseUrl: service.baseUrl, accountId: ACCOUNT_ID }, league: LEAGUE };
  for (const week of season.slice(0, -1)) await rememberWeek(store.memory, scope, week);
  await store.close();

  const taken = await run('weeks', 'read');
  const paths = asked.splice(0);
  const bare: number[] = [];
  for (let at = 0; at < RUNS; at += 1) bare.push((await timed(() => bareLoop(paths)))[0] / 1000);
  const bareS = median(bare);
  const pulled = await runs(() => measured(['pull'], forgetful.path));
  const ratio = (yardstickS: number): string => (taken.wallS / yardstickS).toFixed(2);
  console.log(`a week taken: ${told(taken)} for ${paths.length} requests`);
  console.log(`the same pulled and not kept: ${told(pulled)} (ratio ${ratio(pulled.wallS)}, goal 3)`);
  console.log(`a bare loop over them: ${bareS.toFixed(2)} s (ratio ${ratio(bareS)})`);
  console.log(`pull standings, the first time: ${told(await run('pull', 'standings', '--offline'))}`);
  const reports: readonly (readonly string[])[] = [
    ['pull', 'standings'],
    ['pull', 'lineups', '--week', '20'],
    ['pull', 'squads', '--week', '20'],
    ['pull', 'standings', '--week', '20'],
    ['pull', 'substitutions', '--week', '20'],
    ['pull', 'pairs', '--week', '20'],
  ];
  for (const args of reports)
    console.log(`${args.join(' ')}: ${told(await runs(() => run(...args, '--offline')))} (goal 2 s)`);
  console.log(`state: ${(statSync(state).size / 1e6).toFixed(0)} MB (goal 200)`);
} finally {
  folder.remove();
  forgetful.remove();
  await service.close();
}
