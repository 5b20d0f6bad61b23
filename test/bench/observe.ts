/**
 * What learning from answers costs: the client reads lists of users and of line-ups from memory, with and without an observer, in turn; processor
 * time a record, and the ratio of the medians. Then the fact lines of one command, kept in a real state file.
 * Run: `npm run bench -- observe`
 */
import path from 'node:path';
import { Observer } from '../../src/client/observe/observe.ts';
import type { Transport } from '../../src/model/ports.ts';
import type { Service } from '../../src/model/service.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { keepLearnt } from '../../src/sync/runs/learn.ts';
import { plainClient } from '../support/client.ts';
import { StepClock } from '../support/engine.ts';
import { inFolder, median } from './support/measure.ts';

const USERS = 20_000;
const PER_PAGE = 50;
const LINEUPS = 500;
const ROUNDS = 9;

const id = (n: number): string => `0b1e5f10-0000-4000-8000-${String(n).padStart(12, '0')}`;
const TIME = '2026-08-14T18:00:00.000Z';
const user = (n: number): object => ({
  ...{ id: id(n), user_id: n, external_id: `M-${n}`, is_active: true, display_name: `Person ${n}` },
  ...{ created_at: TIME, updated_at: TIME },
});
const entries = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, n) => ({
    team: { id: n, name: 'Town', abbrevation: 'TOW' },
    player: { id: String(n), last_name: 'Doe', first_name: 'Jo' },
    position: { id: 1, position: 'Goalkeeper', abbrevation: 'GK' },
    breakdown: {},
    ...{ is_starting: true, is_captain: false, is_vice_captain: false, points: n },
  }));
const lineup = {
  ...{ id: id(1), name: 'Squad', user: user(1), total_points: 40, chip_selected: {}, chips: [] },
  game_week: {
    id: id(2),
    week: '3',
    start_date: TIME,
    end_date: TIME,
    next_game_week: '4',
    previous_game_week: '2',
  },
  squad: { starting_xi: entries(11), bench: entries(4) },
  transfer_hits: { hits: 0, points_deduction: 0 },
};
const answer = (data: unknown, more: object = {}): string =>
  JSON.stringify({ statusCode: 200, message: 'ok', data, ...more });
const account = answer({ id: id(0), config: {} });
const lineupAnswer = answer(lineup);
const pages = Array.from({ length: USERS / PER_PAGE }, (_, page) =>
  answer(
    Array.from({ length: PER_PAGE }, (_each, n) => user(page * PER_PAGE + n)),
    {
      paging: {
        page: page + 1,
        page_total: USERS / PER_PAGE,
        per_page: PER_PAGE,
        current: PER_PAGE,
        total: USERS,
      },
    },
  ),
);
const transport: Transport = ({ url }) => {
  const { pathname, searchParams } = new URL(url);
  const page = Number(searchParams.get('page') ?? 1);
  const body = pathname.endsWith('account')
    ? account
    : pathname.endsWith('lineup')
      ? lineupAnswer
      : pages[page - 1];
  return Promise.resolve({ status: 200, headers: {}, body: body ?? answer([]) });
};

function clientWith(observer: Observer | undefined): Service {
  const clock = new StepClock();
  return plainClient({ transport, clock, maxWaitMs: 0, ...(observer !== undefined && { observer }) });
}

async function readUsers(service: Service): Promise<void> {
  let count = 0;
  for await (const page of service.list('list-users')) count += page.length;
  if (count !== USERS) throw new Error(`${count} users`);
}
async function readLineups(service: Service): Promise<void> {
  for (let n = 0; n < LINEUPS; n += 1) await service.get('get-lineup', { id: id(1) });
}

/** Processor time in milliseconds: other work of the machine does not count. */
async function measure(work: () => Promise<void>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user: own, system } = process.cpuUsage(start);
  return (own + system) / 1000;
}

for (const [what, count, read] of [
  ['users', USERS, readUsers],
  ['line-ups', LINEUPS, readLineups],
] as const) {
  const bare: number[] = [];
  const observed: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await measure(() => read(clientWith(undefined))));
    observed.push(await measure(() => read(clientWith(new Observer()))));
  }
  const us = (ms: number): string => ((ms * 1000) / count).toFixed(2);
  const [without, with_] = [median(bare), median(observed)];
  console.log(
    `${what}: ${us(without)} us each, ${us(with_)} us with an observer: ${us(with_ - without)} us more (ratio ${(with_ / without).toFixed(2)})`,
  );
}

await inFolder(async (folder) => {
  const store = await openStore({ file: path.join(folder, 'state.sqlite'), clock: new StepClock() });
  const observer = new Observer();
  const service = clientWith(observer);
  await readUsers(service);
  await readLineups(service);
  const seen = observer.take();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    times.push(await measure(() => keepLearnt(store, { baseUrl: 'a', accountId: 'b' }, seen, round)));
  console.log(`keeping ${seen.length} sightings: ${median(times).toFixed(2)} ms`);
  await store.close();
});
