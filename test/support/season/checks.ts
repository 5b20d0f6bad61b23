import { expect } from 'vitest';
import { OUTCOMES } from '../../../src/model/outcome.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import type { HttpRequest, Transport } from '../../../src/model/ports.ts';
import type { MappingSummary, PushSummary } from '../../../src/model/state/store.ts';
import { digestOf } from '../../../src/plan/digest.ts';
import type { PushResult } from '../../../src/sync/push.ts';
import { settingNames } from '../points.ts';
import { outcomesIn, resultLines } from '../push-case.ts';
import { readEffects, readFacts } from './facts.ts';
import type { Facts } from './facts.ts';
import type { Process, Season } from './season.ts';
import { MAPPING_NAMES } from './tables.ts';
import type { MappingName } from './tables.ts';

export type Outcomes = Readonly<Record<string, Readonly<Partial<Record<Outcome, number>>>>>;

/** How many rows of each mapping ended in which outcome; those that none ended in are left out. */
export function outcomesOf(summaries: readonly MappingSummary[]): Outcomes {
  return Object.fromEntries(
    summaries.map((each) => {
      const summary = each as PushSummary;
      return [summary.name, outcomesIn(summary)];
    }),
  );
}

/** I1: nothing that makes a record was applied twice, whatever its body, and no record is there twice. */
export function expectNothingTwice({ database }: Pick<Season, 'database'>): void {
  const twice = (lines: readonly string[]): readonly string[] =>
    lines.filter((line, index) => lines.indexOf(line) !== index);
  const facts = readFacts(database);
  const keys: Readonly<Record<MappingName, readonly string[]>> = {
    ...facts,
    users: facts.users.map((line) => line.split(' ')[0] ?? ''),
    squads: facts.squads.map((line) => line.replace(/ [\d;]+$/, '')),
  };
  const again = readEffects(database).filter(({ operation }) => operation !== 'update-user');
  const writes = again.map(({ operation, digest }) => `${operation} ${digest}`);
  expect({
    ...Object.fromEntries(MAPPING_NAMES.map((name) => [name, twice(keys[name])])),
    writes: twice(writes),
  }).toEqual({ ...Object.fromEntries(MAPPING_NAMES.map((name) => [name, []])), writes: [] });
}

/** I2: every row has exactly one outcome, and the counts are those of the results. */
export function expectWholeCounts(process: Process, result: PushResult): void {
  for (const each of result.report.mappings) {
    const summary = each as PushSummary;
    const table = process.engine.tables.get(`${summary.name}.csv`) ?? [];
    expect(OUTCOMES.reduce((sum, outcome) => sum + summary[outcome], 0)).toBe(summary.rows);
    // A disk that failed left no results to count.
    if (summary.results === null) continue;
    const lines = resultLines(process.engine, summary.name);
    expect(lines.map(({ rowNumber }) => rowNumber)).toEqual(table.slice(1).map((_, index) => index + 2));
    expect(summary.rows).toBe(lines.length);
    for (const outcome of OUTCOMES)
      expect([summary.name, outcome, lines.filter((line) => line.outcome === outcome).length]).toEqual([
        summary.name,
        outcome,
        summary[outcome],
      ]);
  }
}

/** I4: what goes out has an open, durable intent with the digest of its body. */
export const expectIntents =
  (season: Season, process: () => Process) =>
  (next: Transport): Transport =>
  async (request: HttpRequest) => {
    if (request.method !== 'GET') {
      const open = await process().engine.store.openIntents(season.account);
      const digest = digestOf(JSON.parse(request.body ?? 'null'));
      expect(open.filter(({ result, bodyDigest }) => result === null && bodyDigest === digest)).toHaveLength(
        1,
      );
    }
    return next(request);
  };

/** The facts of which a row asks for one: several where it leaves something open. */
const WANTED: Readonly<Record<MappingName, (cells: readonly string[]) => readonly string[]>> = {
  users: ([key = '', name = '', active = '']) =>
    (active === '' ? ['0', '1'] : [active === 'true' ? '1' : '0']).map((flag) => `${key} ${name} ${flag}`),
  leagues: ([name = '']) => [name],
  minis: ([name = '']) => [`Cup/${name}`],
  squads: ([member = '', name = '', players = '']) => [`Cup/${member}/${name} ${players}`],
  prices: ([player = '', price = '']) => [`1/${player} ${Number(price).toFixed(1)}`],
  points: ([league = '', ...values]) => [
    `${league} ${JSON.stringify(Object.fromEntries(settingNames.map((name, at) => [name, Number(values[at])])))}`,
  ],
  triggers: () => ['1/1'],
};

/**
 * I3: what is said to be written stands there with those values, and what is said to be untouched is as it was `before`; only of what is unknown may
 * nothing be said.
 */
export function expectTruth(season: Season, process: Process, before: Facts): void {
  const facts = readFacts(season.database);
  for (const { name } of season.mappings) {
    const mapping = name as MappingName;
    for (const { cells, rowNumber, outcome, message } of resultLines(process.engine, mapping)) {
      const wanted = WANTED[mapping](cells);
      if (outcome === 'unknown' || outcome === 'conflict') continue;
      const stands = facts[mapping].filter((line) => wanted.includes(line));
      const stood = before[mapping].filter((line) => wanted.includes(line));
      const told = { mapping, rowNumber, outcome, message };
      const halfDone = message.includes('created, but its active flag was not set');
      if (['created', 'updated', 'unchanged'].includes(outcome))
        expect({ ...told, stands: stands.length > 0 }).toEqual({ ...told, stands: true });
      else if (!halfDone) expect({ ...told, stands }).toEqual({ ...told, stands: stood });
    }
  }
}

/** At the end all of it is there as in `whole`, but for mappings that are held: some of whose writes may be missing, and with them what hangs on them. */
export function expectAllThere(
  { database }: Pick<Season, 'database'>,
  held: readonly MappingName[],
  before: Facts,
  whole: Facts,
): void {
  const facts = readFacts(database);
  const hangs = held.includes('leagues') ? ['minis', 'squads'] : held.includes('users') ? ['squads'] : [];
  for (const name of MAPPING_NAMES) {
    // A user whose creation is held is there without its flag.
    const half = name === 'users' ? whole.users.map((line) => line.replace(/ 0$/, ' 1')) : [];
    const possible = new Set([...before[name], ...whole[name], ...half]);
    if (held.includes(name) || (hangs.includes(name) && held.includes('users')))
      expect([name, facts[name].filter((line) => !possible.has(line))]).toEqual([name, []]);
    else expect([name, facts[name]]).toEqual([name, (hangs.includes(name) ? before : whole)[name]]);
  }
}
