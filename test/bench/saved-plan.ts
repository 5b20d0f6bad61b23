/**
 * What saving a plan and pushing it costs beside a plain push, for a table of new users: `plan`, `plan --out`, `push` and `push --plan`, each the whole
 * process with its peak of memory, on two fresh sandboxes of the same run.
 * Run: `npm run bench -- saved-plan [ROWS]` (10,000 by default).
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { BIN, makeFolder, startService } from '../support/cli.ts';
import { measuredNode, type Cost } from './support/cost.ts';

const ROWS = Number(process.argv[2] ?? 10_000);
const MAPPING = `version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns: { external_id: { from: Member, required: true }, display_name: Name }
`;

const show = ({ wallS, peakMb }: Cost, than: Cost): string =>
  `${wallS.toFixed(2)} s (${(wallS / than.wallS).toFixed(2)} x), ${peakMb.toFixed(0)} MB`;

/** Runs the commands in a folder of their own against a sandbox of their own. */
async function season(commands: readonly (readonly string[])[], file?: string): Promise<readonly Cost[]> {
  const lines = Array.from({ length: ROWS }, (_, n) => `M-${String(n).padStart(7, '0')},Member Nümber ${n}`);
  const folder = makeFolder({
    'mappings/users.yaml': MAPPING,
    'users.csv': `Member,Name\n${lines.join('\n')}\n`,
  });
  const service = await startService({ settings: { per_minute: 1_000_000, per_day: 1_000_000 } });
  try {
    const used: Cost[] = [];
    for (const args of commands)
      used.push(await measuredNode([BIN, ...args, '--quiet'], folder.path, service.env));
    if (file !== undefined) {
      const { size } = await stat(path.join(folder.path, file));
      console.log(`${file}: ${(size / 1e6).toFixed(1)} MB, ${(size / ROWS).toFixed(0)} bytes a row`);
    }
    return used;
  } finally {
    await service.close();
    folder.remove();
  }
}

const [plan, push] = await season([['plan'], ['push', '--yes']]);
const [saved, pushed] = await season(
  [
    ['plan', '--out', 'week.plan'],
    ['push', '--plan', 'week.plan', '--yes'],
  ],
  'week.plan',
);
if (plan !== undefined && push !== undefined && saved !== undefined && pushed !== undefined) {
  console.log(`${ROWS} new users`);
  console.log(`plan         ${show(plan, plan)}`);
  console.log(`plan --out   ${show(saved, plan)}`);
  console.log(`push         ${show(push, push)}`);
  console.log(`push --plan  ${show(pushed, push)}`);
}
