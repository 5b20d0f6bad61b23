/**
 * A pull of 500 squads with detail and line-ups from a service that takes 5 ms a request: the requests against pages + 2 a squad, the most in
 * flight, and the wall time against the bound of that many requests, eight at a time.
 * Run: `npm run bench -- pull`
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fakeService, pullMapping, pullPorts, pull } from '../support/pull.ts';
import { inFolder } from './support/measure.ts';

const SQUADS = 500;
const PER_PAGE = 50;
const LATENCY_MS = 5;
const CONCURRENCY = 8;

const id = (n: number): string => `0b1e5f10-0000-4000-8000-${String(n).padStart(12, '0')}`;
const entries = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    player: { id: String(n), last_name: `Player ${n}` },
    points: n,
  }));
const pages = Array.from({ length: SQUADS / PER_PAGE }, (_, page) =>
  Array.from({ length: PER_PAGE }, (_2, index) => ({
    id: id(page * PER_PAGE + index),
    name: `Squad ${index}`,
  })),
);

const service = fakeService({
  pages: () => pages,
  get: (operation, squad) =>
    operation === 'get-lineup'
      ? { id: squad, name: 'Squad', squad: { starting_xi: entries(11), bench: entries(4) } }
      : { id: squad, name: 'Squad', ranking: { current_rank: 1 } },
  latency: () => sleep(LATENCY_MS),
});

await inFolder(async (folder) => {
  const file = (name: string) => ({ kind: 'csv', path: path.join(folder, name) }) as const;
  const mappings = [
    pullMapping('squads', file('squads.csv'), { where: { fantasy_league_id: 1 }, detail: true }),
    pullMapping('lineups', file('lineups.csv'), { where: { fantasy_league_id: 1 } }),
  ];
  const start = performance.now();
  const summaries = await pull(pullPorts(service, { concurrency: CONCURRENCY }), mappings, {});
  const wall = performance.now() - start;
  const least = pages.length + 2 * SQUADS;
  // A timer of 5 ms fires after 5 to 6: the bound is what this machine's timer makes of it.
  const single = performance.now();
  for (let n = 0; n < 50; n += 1) await sleep(LATENCY_MS);
  const latency = (performance.now() - single) / 50;
  const bound = latency * (pages.length + 2 * Math.ceil(SQUADS / CONCURRENCY));
  console.log(`pull of ${summaries.map(({ records, resource }) => `${records} ${resource}`).join(' and ')}`);
  console.log(
    `requests ${service.calls.length} against ${least} (ratio ${(service.calls.length / least).toFixed(3)}), at most ${service.peak()} in flight`,
  );
  console.log(
    `wall ${wall.toFixed(0)} ms against ${bound.toFixed(0)} ms for ${CONCURRENCY} at a time (ratio ${(wall / bound).toFixed(2)})`,
  );
});
