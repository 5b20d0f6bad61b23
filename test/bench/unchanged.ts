/**
 * A push of users of whom nothing changed, by the built program against a sandbox on this machine: the requests and the time of `compare: auto`, which
 * after a full list of less than a day ago costs one account call, and of `live`, which reads the list (goal G8a). The yardstick is a bare loop over the pages
 * in a process of its own.
 *
 *   npm run bench -- unchanged [users, 100000 unless told]
 */
import path from 'node:path';
import { BIN, makeFolder, startService } from '../support/cli.ts';
import { measuredNode, told, type Cost } from './support/cost.ts';

const USERS = Number(process.argv[2] ?? 100_000);
const PAGE_SIZE = 100;
const PAGES_ALONE = path.join(import.meta.dirname, 'support/pages-alone.ts');

const service = await startService({
  settings: { page_size: PAGE_SIZE, per_minute: 1_000_000, per_day: 10_000_000 },
});
const folder = makeFolder({
  'mappings/users.yaml': `version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns: { external_id: { from: Member, required: true }, display_name: Name, is_active: { from: Active, type: boolean } }
`,
  'users.csv': [
    'Member,Name,Active',
    ...Array.from({ length: USERS }, (_, n) => `M-${String(n).padStart(7, '0')},Member ${n},true`),
  ].join('\n'),
});

async function push(what: string, ...flags: string[]): Promise<Cost> {
  const from = service.requests.length;
  const args = [BIN, 'push', '--yes', '--json', ...flags];
  const cost = await measuredNode(args, folder.path, service.env);
  const report = JSON.parse(cost.stdout) as {
    readonly mappings: readonly Readonly<Record<string, number>>[];
  };
  const requests = service.requests.slice(from);
  const counted = (start: string): number => requests.filter((request) => request.startsWith(start)).length;
  const { created = 0, unchanged = 0 } = report.mappings[0] ?? {};
  console.log(
    `${what}: ${created} created, ${unchanged} unchanged; ${counted('GET /v1/auth/account')} account calls, ${counted('GET /v1/user')} list pages, ` +
      `${requests.length - counted('GET ')} writes; ${told(cost)}`,
  );
  return cost;
}

try {
  await push('first push');
  const live = await push('nothing changed, live', '--compare', 'live');
  await push('nothing changed, auto');
  const pages = String(Math.ceil(USERS / PAGE_SIZE));
  const bare = await measuredNode([PAGES_ALONE, service.baseUrl, service.apiKey, pages], folder.path);
  console.log(`the pages alone, in a bare loop: ${told(bare)}`);
  const [time, processor] = [live.wallS / bare.wallS, live.processorS / bare.processorS];
  console.log(
    `G8a: a push with the list takes ${time.toFixed(1)} x the time and ${processor.toFixed(1)} x the processor time of the bare loop (goal 3)`,
  );
} finally {
  folder.remove();
  await service.close();
}
