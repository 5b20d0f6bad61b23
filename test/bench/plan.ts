/**
 * Goals G5, G5a and G5b: what `validate` and `plan` of a large table of users cost, each the whole built program, against csv-parse alone on the same file: with
 * nothing known, with all known and none changed, at first and in another order, with the same file once more, and with one of a hundred changed; and beside them a push of
 * which nothing changed, which has no goal. Processor time says more than the clock where the machine is busy.
 *
 *   npm run bench -- plan [rows, 1000000 unless told] [rounds, 3 unless told]
 */
import { copyFileSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { realClock } from '../../src/runtime/clock.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { known, remembered } from '../../src/plan/known-records.ts';
import { BIN, startServer } from '../support/cli.ts';
import { measuredNode, type Cost } from './support/cost.ts';
import { inFolder, median } from './support/measure.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 3);
const YARDSTICK = path.join(import.meta.dirname, 'support/csv-alone.ts');
const ACCOUNT_ID = '0b0e3c9a-0000-4000-8000-000000000001';

const keyOf = (n: number): string => `M-${String(n).padStart(7, '0')}`;
const userOf = (n: number): { display_name: string; is_active: boolean } => ({
  display_name: `Member Nümber ${n}`,
  is_active: n % 10 !== 0,
});

async function writeUsers(
  file: string,
  nameOf = (n: number): string => userOf(n).display_name,
  { lineEnd = '\n', placeOf = (n: number): number => n } = {},
): Promise<void> {
  const out = createWriteStream(file);
  out.write(`Member,Name,Active${lineEnd}`);
  for (let at = 1; at <= ROWS; at += 1) {
    const n = placeOf(at);
    if (!out.write(`${keyOf(n)},${nameOf(n)},${userOf(n).is_active}${lineEnd}`)) await once(out, 'drain');
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

/** The state that pushing all users and listing them just now has left. Confirming some once more drops what a plan came to. */
async function remember(file: string, baseUrl: string, rows: number): Promise<void> {
  const store = await openStore({ file, clock: realClock });
  const account = { baseUrl, accountId: ACCOUNT_ID };
  for (let from = 1; from <= rows; from += 10_000) {
    const numbers = Array.from({ length: Math.min(10_000, rows - from + 1) }, (_, at) => from + at);
    const records = numbers.map((n) =>
      remembered(known(keyOf(n), `id-${n}`, n, { external_id: keyOf(n), ...userOf(n) })),
    );
    await store.confirm(account, 'users', records);
  }
  const fact = { count: ROWS, used: ROWS, pages: Math.max(11, Math.ceil(ROWS / 100)) };
  await store.setFact(account, 'list:users', JSON.stringify(fact));
  await store.close();
}

/** Answers the account, with as many users as are said to be there. */
let used = 0;
const { baseUrl, close } = await startServer((_, response) => {
  const reset_at = new Date(Date.now() + 3_600_000).toISOString();
  const window = { limit: 1e9, window: '1d', used: 0, remaining: 1e9, reset_at };
  const users = { max: 1e9, used, remaining: 1e9 - used, state: 'available', is_blocked: false };
  const config = { rate_limit: { per_day: window }, features: { users } };
  const data = { id: ACCOUNT_ID, tier: 'sandbox', is_active: true, api_key_active: true, config };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ statusCode: 200, message: 'Account', data }));
});

interface Side {
  readonly name: string;
  readonly command: 'validate' | 'plan' | 'push';
  readonly table: 'users' | 'crlf' | 'changed' | 'reversed';
  readonly known: number;
  /** Nothing is remembered of an earlier plan. */
  readonly isFirst?: true;
  readonly goal?: number;
  readonly goalMb: number;
}
const plan = { command: 'plan', table: 'users', known: ROWS, goalMb: 180 } as const;
const SIDES: readonly Side[] = [
  { ...plan, name: 'validate', command: 'validate', known: 0, goal: 1.1, goalMb: 120 },
  { ...plan, name: 'plan, nothing known', known: 0, goal: 1.6 },
  { ...plan, name: 'plan, none changed, the first', isFirst: true, goal: 1.1 },
  { ...plan, name: 'plan, the same file again', goal: 0.3 },
  { ...plan, name: 'plan, none changed, with other line ends', table: 'crlf', goal: 1.1 },
  { ...plan, name: 'plan, 1 % changed', table: 'changed', goal: 1.2 },
  { ...plan, name: 'plan, none changed, in another order', table: 'reversed', goal: 1.1 },
  { ...plan, name: 'push, none changed', command: 'push' },
];

await inFolder(async (root) => {
  try {
    await writeUsers(path.join(root, 'users.csv'));
    await writeUsers(path.join(root, 'crlf.csv'), undefined, { lineEnd: '\r\n' });
    await writeUsers(path.join(root, 'reversed.csv'), undefined, { placeOf: (at) => ROWS + 1 - at });
    await writeUsers(
      path.join(root, 'changed.csv'),
      (n) => `${n % 100 === 0 ? 'New ' : ''}Member Nümber ${n}`,
    );
    for (const folder of ['new', 'known']) {
      mkdirSync(path.join(root, folder, 'mappings'), { recursive: true });
      writeFileSync(path.join(root, folder, 'mappings/users.yaml'), MAPPING);
    }
    const state = path.join(root, 'known/.teamsheet/state.sqlite');
    await remember(state, baseUrl, ROWS);
    const env = {
      XDG_STATE_HOME: root,
      TEAMSHEET_BASE_URL: baseUrl,
      TEAMSHEET_API_KEY: 'bench-key-of-nobody-0001',
    };
    const usages = new Map<string, Cost[]>();
    const add = (name: string, usage: Cost): unknown =>
      usages.set(name, [...(usages.get(name) ?? []), usage]);
    for (let round = 0; round < ROUNDS; round += 1) {
      add('csv-parse', await measuredNode([YARDSTICK, path.join(root, 'users.csv')], root, env));
      for (const { name, command, table, known: there, isFirst } of SIDES) {
        used = there;
        if (isFirst === true) await remember(state, baseUrl, 1);
        const folder = path.join(root, there === 0 ? 'new' : 'known');
        copyFileSync(path.join(root, `${table}.csv`), path.join(folder, 'users.csv'));
        add(name, await measuredNode([BIN, command, 'users', '--quiet'], folder, env));
      }
    }
    const of = (name: string, pick: (usage: Cost) => number): number =>
      median((usages.get(name) ?? []).map(pick));
    const [processor, clock] = [({ processorS }: Cost) => processorS, ({ wallS }: Cost) => wallS];
    console.log(`csv-parse alone, ${ROWS} rows: ${of('csv-parse', clock).toFixed(2)} s`);
    for (const { name, goal, goalMb } of SIDES) {
      const ratio = (pick: (usage: Cost) => number): string =>
        (of(name, pick) / of('csv-parse', pick)).toFixed(2);
      const peak = of(name, ({ peakMb }) => peakMb).toFixed(0);
      console.log(
        `${name}: ${ratio(processor)} x the processor time, ${ratio(clock)} x the time (goal ${goal ?? 'none'}); peak ${peak} MB (goal ${goalMb})`,
      );
    }
  } finally {
    await close();
  }
});
