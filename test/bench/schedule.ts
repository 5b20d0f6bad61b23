/**
 * G12: `schedule run` of the built program with the mappings of a league, the dashboard and the probe, while nothing is due: the share of a core and the memory over five
 * minutes, beside a Node process that only waits. The first number is the minutes.
 *
 *   npm run bench -- schedule [MINUTES]
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSandbox } from '../../src/sandbox/index.ts';
import { BIN, makeFolder } from '../support/cli.ts';

const MINUTES = Number(process.argv[2] ?? 5);
/** The first reading of mappings and game weeks is over by then. */
const WARM_UP_MS = 20_000;

/** Processor seconds so far, and megabytes in memory now; of Linux. */
function usage({ pid = 0 }: ChildProcess): { readonly seconds: number; readonly mb: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { seconds: ticks / 100, mb: Number(kb) / 1024 };
}

const sandbox = await createSandbox({ seed: 'demo', now: '2026-08-12T09:00:00Z' });
const pull = (name: string, schedule: string): string =>
  `- { version: 1, name: ${name}, pull: ${name}, where: { fantasy_league_id: 1 }, destination: { csv: out/${name}.csv }, schedule: ${schedule} }\n`;
const folder = makeFolder({
  'teamsheet.yaml': `version: 1
environments: { bench: { base_url: "${sandbox.baseUrl}", api_key: { env: KEY } } }
vars: { fantasy_league_id: 1 }
publish: { out: public }
`,
  'mappings/m.yaml': `- { version: 1, name: trigger, push: auto_substitutions, source: { weeks: last }, schedule: { at: each.end + 3h } }
${pull('fixtures', '"0 6 1 1 *"')}${pull('lineups', '{ at: each.kickoff + 1h }')}${pull('squads', '{ at: each.end + 4h }')}`,
});
const env = { ...process.env, KEY: sandbox.apiKey };
const args = ['schedule', 'run', '--port', '0', '--probe', '127.0.0.1:0'];
const runs = {
  'schedule run': spawn(process.execPath, [BIN, ...args], { cwd: folder.path, env, stdio: 'ignore' }),
  'bare node': spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' }),
};
try {
  await sleep(WARM_UP_MS);
  const before = Object.values(runs).map(usage);
  await sleep(MINUTES * 60_000);
  for (const [at, [name, run]] of Object.entries(runs).entries()) {
    const { seconds, mb } = usage(run);
    const share = (100 * (seconds - (before[at]?.seconds ?? 0))) / (MINUTES * 60);
    const goal = name === 'schedule run' ? ' (goals 1 %, 110 MB)' : '';
    console.log(`${name}: ${share.toFixed(2)} % of a core, ${mb.toFixed(0)} MB${goal}`);
  }
} finally {
  for (const run of Object.values(runs)) run.kill('SIGTERM');
  await sandbox.close();
  folder.remove();
}
