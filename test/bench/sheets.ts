/**
 * A push of 10,000 users from a tab of a Google sheet that outcomes are written back into: the calls to Google, and the time beyond the same push from a CSV
 * file. The yardstick is the loop that people write by hand, one update for each row, on the same stand-in for Google.
 *
 *   npm run bench -- sheets [rows, 10000 unless told]
 */
import { googleClient } from '../support/google/client.ts';
import { startFakeGoogle } from '../support/google/fake-google.ts';
import { makeFolder, runCli, startService } from '../support/cli.ts';

const ROWS = Number(process.argv[2] ?? 10_000);
/** The loop by hand is measured on so many rows and counted up. */
const LOOP_ROWS = 200;
const CALLS_A_MINUTE = 60;
const HEADER = ['Member ID', 'Name', 'Active'];

const google = await startFakeGoogle();
const rows = Array.from({ length: ROWS }, (_, index) => [`m-${index}`, `Member ${index}`, true]);

function folderFor(baseUrl: string, source: string): ReturnType<typeof makeFolder> {
  return makeFolder({
    'teamsheet.yaml': `version: 1
environments:
  live: { base_url: ${baseUrl}, api_key: { env: TEAMSHEET_API_KEY } }
google: { credentials: { file: google-key.json }, root_url: '${google.rootUrl}' }
`,
    'google-key.json': JSON.stringify(google.keyFile),
    'users.csv': [HEADER, ...rows].map((row) => row.join(',')).join('\n'),
    'mappings/users.yaml': `version: 1
name: users
push: users
source: { ${source} }
operation: upsert
columns: { external_id: { from: Member ID, required: true }, display_name: Name, is_active: { from: Active, type: boolean } }
${source.startsWith('sheet') ? 'write_back: { status: Status, message: Message, id: User ID, synced_at: Synced }' : ''}
`,
  });
}

const callsSince = (from: number): number =>
  google.calls.slice(from).filter(({ kind }) => kind !== 'token').length;

async function push(name: string, source: string): Promise<void> {
  const service = await startService();
  const folder = folderFor(service.baseUrl, source);
  for (const what of ['first push', 'same again']) {
    const from = google.calls.length;
    const beganMs = performance.now();
    const { code, stderr } = await runCli(['push', '--yes', '--json'], {
      cwd: folder.path,
      env: service.env,
    });
    if (code !== 0) throw new Error(`push ended with ${String(code)}: ${stderr}`);
    tell(`${name}, ${what}`, performance.now() - beganMs, callsSince(from));
  }
  folder.remove();
  await service.close();
}

function tell(what: string, ms: number, calls: number): void {
  console.log(
    `${what.padEnd(34)} ${(ms / 1000).toFixed(1).padStart(6)} s  ${String(calls).padStart(6)} calls to Google`,
  );
}

async function loopByHand(): Promise<void> {
  const id = google.add({ tabs: [{ title: 'Users', rows: [HEADER, ...rows] }] });
  const { spreadsheets } = googleClient(google);
  const from = google.calls.length;
  const beganMs = performance.now();
  await spreadsheets.values.batchGet({ spreadsheetId: id, ranges: ['Users'] });
  const values = ['created', '', 'id', '2026-01-01 00:00'].map((stringValue) => ({
    userEnteredValue: { stringValue },
  }));
  for (let rowIndex = 1; rowIndex <= LOOP_ROWS; rowIndex += 1) {
    const start = { sheetId: 0, rowIndex, columnIndex: 3 };
    const updateCells = { start, rows: [{ values }], fields: 'userEnteredValue' };
    await spreadsheets.batchUpdate({ spreadsheetId: id, requestBody: { requests: [{ updateCells }] } });
  }
  const times = ROWS / LOOP_ROWS;
  const calls = Math.round(callsSince(from) * times);
  tell(`by hand, an update a row (x ${times})`, (performance.now() - beganMs) * times, calls);
  console.log(
    `${''.padEnd(34)} ${Math.ceil(calls / CALLS_A_MINUTE)} minutes at Google's ${CALLS_A_MINUTE} calls a minute`,
  );
}

console.log(`${ROWS} rows; goal: at most 6 calls, and no writing call when nothing changed`);
await push('CSV file', 'csv: users.csv');
const id = google.add({ tabs: [{ title: 'Users', rows: [HEADER, ...rows] }] });
await push('Google sheet', `sheet: ${id}, tab: Users`);
await loopByHand();
await google.close();
