/**
 * Goal G5c: a push of new users in batches of 1,000 to a service without latency or limit, by the built program: a plan, then each batch with its intent on
 * disk before it goes out and its result before what depends on it. Against it in the same run: a bare script (csv-parse, a POST of 1,000, no check,
 * nothing durable), and what people would write with libraries (csv-parse, zod, p-limit, p-retry); for the reading alone csv-parse, and DuckDB where it is
 * installed.
 *
 *   npm run bench -- push [users, 200000 unless told] [rounds, 3 unless told]
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BIN } from '../support/cli.ts';
import { startBareService } from './support/bare-service.ts';
import { measuredNode, middle, told, type Cost } from './support/cost.ts';
import { inFolder } from './support/measure.ts';

const USERS = Number(process.argv[2] ?? 200_000);
const ROUNDS = Number(process.argv[3] ?? 3);
const BATCH = 1000;
const support = (name: string): string => path.join(import.meta.dirname, 'support', name);

const MAPPING = `version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
batch_size: ${BATCH}
columns: { external_id: { from: Member, required: true }, display_name: Name, is_active: { from: Active, type: boolean } }
`;

/** Seconds that DuckDB takes to read every cell of the file; undefined where it is not installed. */
function duckDbSeconds(file: string): number | undefined {
  const beganMs = performance.now();
  const query = `SELECT count(*), max(length(Member)), max(length(Name)), max(length(Active)) FROM read_csv('${file}', header = true, all_varchar = true)`;
  const { status, stderr, error } = spawnSync('duckdb', ['-c', query], { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(`duckdb: ${stderr}`);
  return (performance.now() - beganMs) / 1000;
}

const service = await startBareService();
await inFolder(async (folder) => {
  const file = path.join(folder, 'users.csv');
  mkdirSync(path.join(folder, 'mappings'));
  writeFileSync(path.join(folder, 'mappings/users.yaml'), MAPPING);
  const lines = Array.from(
    { length: USERS },
    (_, n) => `M-${String(n).padStart(7, '0')},Member Nümber ${n},true`,
  );
  writeFileSync(file, ['Member,Name,Active', ...lines].join('\n'));
  const env = { TEAMSHEET_BASE_URL: service.baseUrl, TEAMSHEET_API_KEY: 'bench-key-of-nobody-0001' };
  const script = (name: string) => () =>
    measuredNode([support(name), file, service.baseUrl, String(BATCH)], folder);
  const sides: readonly (readonly [name: string, run: () => Promise<Cost>, pushes: boolean])[] = [
    ['a bare script', script('push-bare.ts'), true],
    ['a script of zod, p-limit and p-retry', script('push-libraries.ts'), true],
    ['teamsheet push', () => measuredNode([BIN, 'push', 'users', '--yes', '--quiet'], folder, env), true],
    ['csv-parse alone', script('csv-alone.ts'), false],
  ];
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run, pushes] of sides) {
      service.clear();
      rmSync(path.join(folder, '.teamsheet'), { recursive: true, force: true });
      costs.set(name, [...(costs.get(name) ?? []), await run()]);
      if (pushes && service.users !== USERS)
        throw new Error(`${name} made ${service.users} of ${USERS} users`);
    }
  }
  const bare = middle(costs.get('a bare script') ?? []);
  console.log(`${USERS} new users in batches of ${BATCH}`);
  for (const [name] of sides) {
    const cost = middle(costs.get(name) ?? []);
    const times = `${(cost.wallS / bare.wallS).toFixed(2)} x the time, ${(cost.processorS / bare.processorS).toFixed(2)} x the processor time of the bare script`;
    const goal = name === 'teamsheet push' ? ' (G5c: 2.5, 200 MB)' : '';
    console.log(`${name}: ${told(cost)}; ${times}${goal}`);
  }
  const duckDb = duckDbSeconds(file);
  console.log(
    duckDb === undefined
      ? 'DuckDB: did not run, because no program duckdb is installed'
      : `DuckDB, the reading alone: ${duckDb.toFixed(2)} s, ${(duckDb / bare.wallS).toFixed(2)} x the time of the bare script`,
  );
});
service.close();
