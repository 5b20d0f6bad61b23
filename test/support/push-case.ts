import { expect } from 'vitest';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from '../../src/model/outcome.ts';
import type { PushSummary, ServiceAccount } from '../../src/model/state/store.ts';
import { planPush } from '../../src/sync/plan/plan-sync.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { pushMapping } from './builders.ts';
import { makeEngine, PLAN_OPTIONS, type Engine } from './engine.ts';
import type { FakeService } from './fake-service.ts';

/** The account that the doubles of the service answer for. */
export const accountOf = ({ ports: { baseUrl } }: Engine): ServiceAccount => ({
  baseUrl,
  accountId: '0b0e3c9a-0000-4000-8000-000000000001',
});

export const approve = (): Promise<void> => Promise.resolve();

/** A mapping on a table in memory (or a CSV file) of that name. */
export function mappingOn(path: string, changes: Partial<PushMapping> = {}): PushMapping {
  const { source } = pushMapping();
  return pushMapping({
    source: { ...source, origin: path, location: { kind: 'csv', path } },
    ...changes,
  });
}

/** What no list shows, each on a table of its own name. */
export const PRICES = mappingOn('prices.csv', {
  name: 'prices',
  resource: 'prices',
  operation: 'append',
  compare: 'snapshot',
});
export const LEAGUES = mappingOn('leagues.csv', {
  name: 'leagues',
  resource: 'fantasy_leagues',
  operation: 'create',
});
export const POINTS = mappingOn('points.csv', {
  name: 'points',
  resource: 'points_config',
  operation: 'set',
});
export const TRIGGERS = mappingOn('triggers.csv', {
  name: 'triggers',
  resource: 'auto_substitutions',
  operation: 'trigger',
});
export const PRICE_HEADER = ['fantasy_league_id', 'player_id', 'price', 'type'];

/** A row of a users table, as its cells. */
export interface UserLine {
  readonly key: string;
  readonly name: string;
  readonly active: string;
}
export const USER_HEADER = ['external_id', 'display_name', 'is_active'];
export const userCells = (lines: readonly UserLine[]): readonly (readonly string[])[] => [
  USER_HEADER,
  ...lines.map(({ key, name, active }) => [key, name, active]),
];

/** Sets the table of that name, a line of comma-separated cells for each row; the header is the first. */
export function setTable(engine: Engine, name: string, ...lines: readonly string[]): void {
  engine.tables.set(
    `${name}.csv`,
    lines.map((line) => line.split(',')),
  );
}

/** Sets the table of users, a line of comma-separated cells for each. */
export function userTable(engine: Engine, ...lines: readonly string[]): void {
  engine.tables.set('users.csv', [USER_HEADER, ...lines.map((line) => line.split(','))]);
}

/** Sets the table of prices, a line of comma-separated cells for each. */
export function priceTable(engine: Engine, ...lines: readonly string[]): void {
  engine.tables.set('prices.csv', [PRICE_HEADER, ...lines.map((line) => line.split(','))]);
}

/** An engine with a table of users, and a service that is as `set` says. */
export async function userEngine(lines: readonly string[], set?: Partial<FakeService>): Promise<Engine> {
  const engine = await makeEngine(set);
  userTable(engine, ...lines);
  return engine;
}

/** One row of a results file. */
export interface ResultLine {
  readonly cells: readonly string[];
  readonly rowNumber: number;
  readonly outcome: Outcome;
  readonly message: string;
  readonly id: string;
}

export function resultLines(engine: Engine, mapping = 'users'): readonly ResultLine[] {
  const [header = [], ...lines] = engine.files.get(`${mapping}.results`) ?? [];
  // Our columns stand under their names; the cells that a row has too many follow them.
  const own = header.length - 4;
  return lines.map((line) => {
    const [rowNumber = '', outcome = '', message = '', id = ''] = line.slice(own);
    return {
      cells: [...line.slice(0, own), ...line.slice(own + 4)],
      rowNumber: Number(rowNumber),
      outcome: outcome as Outcome,
      message,
      id,
    };
  });
}

export const summaryOf = (result: PushResult): PushSummary => result.report.mappings[0] as PushSummary;

/** Counts of the outcomes that occur. */
export const outcomesIn = (summary: OutcomeCounts): Readonly<Partial<Record<Outcome, number>>> =>
  Object.fromEntries(
    OUTCOMES.filter((outcome) => summary[outcome] > 0).map((outcome) => [outcome, summary[outcome]]),
  );

/** The same of the first mapping of a push. */
export const outcomesOf = (result: PushResult): Readonly<Partial<Record<Outcome, number>>> =>
  outcomesIn(summaryOf(result));

/** I2: every row has exactly one outcome, the counts add up, and row numbers survive. */
export function expectWholeCounts(
  engine: Engine,
  result: PushResult,
  rowNumbers: readonly number[],
  mapping = 'users',
): void {
  const lines = resultLines(engine, mapping);
  expect(lines.map((line) => line.rowNumber)).toEqual(rowNumbers);
  const summary = summaryOf(result);
  expect(summary.rows).toBe(rowNumbers.length);
  for (const outcome of OUTCOMES)
    expect(lines.filter((line) => line.outcome === outcome)).toHaveLength(summary[outcome]);
  expect(OUTCOMES.reduce((sum, outcome) => sum + summary[outcome], 0)).toBe(rowNumbers.length);
}

/** I1: no key was created twice by us. */
export function expectNoKeyTwice(engine: Engine): void {
  const created = engine.service.effects.filter(({ kind }) => kind === 'create').map(({ key }) => key);
  expect(created).toEqual([...new Set(created)]);
}

/** I5: the next plan has nothing to write, and the next push writes nothing. */
export async function expectFixpoint(
  engine: Engine,
  mapping: PushMapping,
  options = PLAN_OPTIONS,
): Promise<void> {
  const planned = await planPush(engine.ports, [mapping], options);
  const [plan] = planned.mappings;
  const { writes, outcomes } = plan ?? {};
  await planned.rows.remove();
  expect({ writes, created: outcomes?.created, updated: outcomes?.updated }).toEqual({
    writes: 0,
    created: 0,
    updated: 0,
  });
  const before = engine.service.writes.length;
  await push(engine.ports, 'push', [mapping], options, approve);
  expect(engine.service.writes).toHaveLength(before);
}
