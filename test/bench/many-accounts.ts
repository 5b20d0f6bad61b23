/**
 * The schedules of 20 accounts whose windows do not bind, each behind 50 ms of latency, carried out once by one worker and by four on one state on PostgreSQL: the times of both.
 * Each account has three reports, about 140 requests.
 * Run: `npm run bench -- many-accounts [accounts, 20 unless told]`
 */
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { BIN, makeFolder } from '../support/cli.ts';
import { newSchema, noPostgres, startPostgres } from '../support/postgres.ts';
import { measuredNode } from './support/cost.ts';

const ACCOUNTS = Number(process.argv[2] ?? 20);
const LATENCY_MS = 50;
const MANY = 1_000_000;
const WORKERS = 4;

const names = Array.from({ length: ACCOUNTS }, (_, at) => `a${at + 1}`);

const report = (pull: string): string => `version: 1
name: ${pull}
pull: ${pull}
${pull === 'squads' ? 'detail: true\n' : ''}where: { fantasy_league_id: "\${fantasy_league_id}" }
destination: { csv: "out/${pull}-\${league}.csv" }
schedule: "0 5 1 1 *"
`;

/** Seconds until so many workers have carried out everything that is due. */
async function measure(workers: number, sandboxes: readonly Sandbox[], url: string): Promise<number> {
  const lines = (each: (name: string, at: number) => string): string => names.map(each).join('');
  const folder = makeFolder({
    'teamsheet.yaml': `version: 1
environments:
${lines((name, at) => `  ${name}: { base_url: "${sandboxes[at]?.baseUrl ?? ''}", api_key: { env: KEY_${at} } }\n`)}leagues:
${lines((name) => `  ${name}: { environment: ${name}, fantasy_league_id: 1 }\n`)}season: { keep: false }
state: { env: TEAMSHEET_STATE_URL }
state_schema: ${newSchema()}
`,
    ...Object.fromEntries(
      ['squads', 'lineups', 'auto_substitutions'].map((pull) => [`mappings/${pull}.yaml`, report(pull)]),
    ),
  });
  const keys = Object.fromEntries(sandboxes.map(({ apiKey }, at) => [`KEY_${at}`, apiKey]));
  const env = { ...keys, TEAMSHEET_STATE_URL: url };
  const worker = (at: number) =>
    measuredNode([BIN, 'worker', '--once', '--concurrency', '1', '--host', `host-${at}`], folder.path, env);
  const began = performance.now();
  await Promise.all(Array.from({ length: workers }, (_, at) => worker(at)));
  const seconds = (performance.now() - began) / 1000;
  folder.remove();
  return seconds;
}

if (noPostgres === undefined) {
  const server = await startPostgres();
  const sandboxes: Sandbox[] = [];
  try {
    for (const _name of names)
      sandboxes.push(
        await createSandbox({
          seed: 'demo',
          settings: { latency_ms: LATENCY_MS, per_minute: MANY, per_day: MANY },
        }),
      );
    const one = await measure(1, sandboxes, server.url);
    const four = await measure(WORKERS, sandboxes, server.url);
    console.log(
      `${ACCOUNTS} accounts: one worker ${one.toFixed(1)} s, ${WORKERS} workers ${four.toFixed(1)} s (ratio ${(four / one).toFixed(2)}, goal 0.35)`,
    );
  } finally {
    for (const sandbox of sandboxes) await sandbox.close();
    await server.close();
  }
} else console.log(noPostgres);
