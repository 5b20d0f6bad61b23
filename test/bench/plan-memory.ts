/**
 * Memory and time of `plan --json` for a table of users that the service does not hold yet: the whole process, against a bare `node -e 0`.
 * Run: `npm run bench -- plan-memory [ROWS]` (100,000 by default; goal: a peak under 200 MB).
 */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { createSandbox } from '../../src/sandbox/index.ts';

const ROWS = Number(process.argv[2] ?? 100_000);
const RUNS = 3;
const PROGRAM = path.join(import.meta.dirname, '../../dist/cli/bin.cjs');
/** Tells the peak of the process in KiB when it ends. */
const PROBE = `--import=data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => process.stderr.write('\\npeak ' + process.resourceUsage().maxRSS + '\\n'));`,
)}`;

interface Usage {
  readonly peakMb: number;
  readonly seconds: number;
}

async function run(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Usage> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROBE, ...args], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  const peak = /peak (\d+)/.exec(stderr)?.[1];
  if (code !== 0 || peak === undefined) throw new Error(`exit ${code}: ${stderr}`);
  return { peakMb: Number(peak) / 1024, seconds: (performance.now() - startedAt) / 1000 };
}

async function writeUsers(file: string): Promise<void> {
  const out = createWriteStream(file);
  out.write('Member,Name,Active\n');
  for (let n = 1; n <= ROWS; n += 1) {
    if (!out.write(`M-${String(n).padStart(7, '0')},Member Nümber ${n},${n % 10 === 0 ? 'false' : 'true'}\n`))
      await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

const MAPPING = `version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns: { external_id: { from: Member, required: true }, display_name: Name, is_active: { from: Active, type: boolean } }
`;

const folder = await mkdtemp(path.join(tmpdir(), 'teamsheet-bench-'));
const sandbox = await createSandbox();
try {
  const { baseUrl } = sandbox;
  await mkdir(path.join(folder, 'mappings'));
  await writeFile(path.join(folder, 'mappings/users.yaml'), MAPPING);
  await writeUsers(path.join(folder, 'users.csv'));
  const env = { ...process.env, TEAMSHEET_BASE_URL: baseUrl, TEAMSHEET_API_KEY: sandbox.apiKey };
  for (let n = 0; n < RUNS; n += 1) {
    const bare = await run(['-e', '0'], folder, env);
    const plan = await run([PROGRAM, 'plan', '--json'], folder, env);
    console.log(
      `plan --json of ${ROWS} users: peak ${plan.peakMb.toFixed(0)} MB (${(plan.peakMb / bare.peakMb).toFixed(1)} x bare node's ${bare.peakMb.toFixed(0)} MB), ` +
        `${plan.seconds.toFixed(2)} s (${((plan.seconds / ROWS) * 1e6).toFixed(0)} us a row)`,
    );
  }
} finally {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
}
