/**
 * A push of users of whom nothing changed, by the built program against a sandbox on this machine: the requests and the time of `compare: auto`, which
 * after a full list of less than a day ago costs one account call, and of `live`, which reads the list. The yardstick is a bare loop over the pages.
 *
 *   npm run bench -- unchanged [users, 100000 unless told]
 */
import { makeFolder, runCli, startService } from '../support/cli.ts';

const USERS = Number(process.argv[2] ?? 100_000);
const PAGE_SIZE = 100;

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

/** Every page once, one after the other, and nothing done with them. */
async function readPages(): Promise<void> {
  for (let page = 1; page <= Math.ceil(USERS / PAGE_SIZE); page += 1) {
    const url = `${service.baseUrl}/v1/user?page=${page}`;
    await (await fetch(url, { headers: { 'x-api-key': service.apiKey } })).text();
  }
}

/** Answers how many seconds it took. */
async function push(what: string, ...flags: string[]): Promise<number> {
  const from = service.requests.length;
  const beganMs = performance.now();
  const { code, stdout, stderr } = await runCli(['push', '--yes', '--json', ...flags], {
    cwd: folder.path,
    env: service.env,
  });
  const seconds = (performance.now() - beganMs) / 1000;
  if (code !== 0) throw new Error(`push ended with ${String(code)}: ${stderr}${stdout}`);
  const report = JSON.parse(stdout) as { readonly mappings: readonly Readonly<Record<string, number>>[] };
  const requests = service.requests.slice(from);
  const counted = (start: string): number => requests.filter((request) => request.startsWith(start)).length;
  const { created = 0, unchanged = 0 } = report.mappings[0] ?? {};
  console.log(
    `${what}: ${created} created, ${unchanged} unchanged; ${counted('GET /v1/auth/account')} account calls, ${counted('GET /v1/user')} list pages, ` +
      `${requests.length - counted('GET ')} writes; ${seconds.toFixed(1)} s`,
  );
  return seconds;
}

try {
  await push('first push');
  const live = await push('nothing changed, live', '--compare', 'live');
  await push('nothing changed, auto');
  const beganMs = performance.now();
  await readPages();
  const bare = (performance.now() - beganMs) / 1000;
  console.log(`the pages alone, in a bare loop: ${bare.toFixed(1)} s`);
  console.log(`G8a: a push with the list takes ${(live / bare).toFixed(1)} x the bare loop (goal 3)`);
} finally {
  folder.remove();
  await service.close();
}
