/**
 * Goals G6 and G7: `--help` and `--version` cost at most 1.3 of bare Node, the first useful command on a file of ten rows (`validate`, and `plan`
 * against a sandbox) at most 7. Run: `npm run bench -- start-up [ROUNDS]`. All sides are interleaved; medians are shown.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { BIN, makeFolder, startService, USERS_MAPPING } from '../support/cli.ts';
import { median } from './support/measure.ts';

const rounds = Number(process.argv[2] ?? 21);
const run = promisify(execFile);
const service = await startService();
const rows = Array.from({ length: 10 }, (_, index) => `M${index},Member ${index},yes`).join('\n');
const folder = makeFolder({
  'mappings/users.yaml': USERS_MAPPING,
  'users.csv': `Member ID,Name,Active\n${rows}\n`,
});
const options = {
  cwd: folder.path,
  env: { PATH: process.env['PATH'], XDG_STATE_HOME: folder.path, ...service.env },
};

const SIDES = {
  'node -e 0': ['-e', '0'],
  '--help': [BIN, '--help'],
  '--version': [BIN, '--version'],
  'validate, 10 rows': [BIN, 'validate', 'users'],
  'plan, 10 rows': [BIN, 'plan', 'users'],
} as const;
const GOALS: Readonly<Record<string, number>> = {
  '--help': 1.3,
  '--version': 1.3,
  'validate, 10 rows': 7,
  'plan, 10 rows': 7,
};

const times = new Map<string, number[]>(Object.keys(SIDES).map((name) => [name, []]));
// The first round fills the compile cache and is not counted.
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, args] of Object.entries(SIDES)) {
    const startedMs = performance.now();
    await run(process.execPath, args, options);
    if (round > 0) times.get(name)?.push(performance.now() - startedMs);
  }
}

const medianOf = (name: string): number => median(times.get(name) ?? []);
const bare = medianOf('node -e 0');
console.log(`start-up, medians of ${rounds} interleaved rounds; bare node ${bare.toFixed(0)} ms`);
for (const [name, goal] of Object.entries(GOALS)) {
  console.log(
    `${name.padEnd(20)} ${(medianOf(name) / bare).toFixed(2)} x bare node (goal ${goal}), ${medianOf(name).toFixed(0)} ms`,
  );
}
await service.close();
folder.remove();
