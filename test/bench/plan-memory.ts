/**
 * Memory and time of `plan --json` for a table of users that the service does not hold yet: the whole process, against a bare `node -e 0`.
 * Run: `npm run bench -- plan-memory [ROWS]` (100,000 by default; goal: a peak under 200 MB).
 */
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { once } from 'node:events';
import { BIN, makeFolder, startService } from '../support/cli.ts';
import { measuredNode } from './support/cost.ts';

const ROWS = Number(process.argv[2] ?? 100_000);
const RUNS = 3;
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

const folder = makeFolder({ 'mappings/users.yaml': MAPPING });
const service = await startService();
try {
  await writeUsers(path.join(folder.path, 'users.csv'));
  for (let n = 0; n < RUNS; n += 1) {
    const bare = await measuredNode(['-e', '0'], folder.path);
    const plan = await measuredNode([BIN, 'plan', '--json'], folder.path, service.env);
    console.log(
      `plan --json of ${ROWS} users: peak ${plan.peakMb.toFixed(0)} MB (${(plan.peakMb / bare.peakMb).toFixed(1)} x bare node's ${bare.peakMb.toFixed(0)} MB), ` +
        `${plan.wallS.toFixed(2)} s (${((plan.wallS / ROWS) * 1e6).toFixed(0)} us a row)`,
    );
  }
} finally {
  await service.close();
  folder.remove();
}
