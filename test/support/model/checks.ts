import { expect } from 'vitest';
import { OUTCOMES } from '../../../src/model/outcome.ts';
import { resultLines, type ResultLine } from '../push-case.ts';
import type { FakeService } from '../fake-service.ts';
import type { Done, World } from './world.ts';

/** The key of a row, as effects and foreign writes are named. */
type KeyOf = (cells: readonly string[], service: FakeService) => string;

/** What a row of a mapping stands for in the service: its key, and the ids of the records that are as the row wants them. */
interface Meaning {
  readonly key: KeyOf;
  readonly held: (cells: readonly string[], service: FakeService) => readonly string[];
}

const numberOf = (service: FakeService, member: string): number | null | undefined =>
  service.users.find(({ external_id }) => external_id === member)?.user_id;

const MEANINGS: Readonly<Record<string, Meaning>> = {
  users: {
    key: ([member = '']) => member,
    held: ([member, name, active], { users }) =>
      users
        .filter((user) => user.external_id === member && user.display_name === name)
        .filter((user) => active === '' || user.is_active === (active === 'true'))
        .map(({ id }) => id),
  },
  squads: {
    key: ([member = '', name = ''], service) => `squad 1/${numberOf(service, member)}/${name}`,
    held: ([member = '', name], service) =>
      service.squads
        .filter((squad) => squad.user_id === numberOf(service, member) && squad.name === name)
        .map(({ id }) => String(id)),
  },
  minis: {
    key: ([name = '']) => `mini 1/${name}`,
    held: ([name], { miniLeagues }) =>
      miniLeagues.filter((mini) => mini.name === name).map(({ id }) => String(id)),
  },
  prices: {
    key: ([player = '']) => player,
    held: ([player, price], { prices }) => {
      const last = prices.findLast(({ player_id }) => String(player_id) === player);
      return last?.price === Number(price) ? [''] : [];
    },
  },
  points: {
    key: ([league = '']) => league,
    held: (cells, { configs }) => {
      const config: Readonly<Record<string, unknown>> = configs.get(Number(cells[0])) ?? {};
      return cells.includes(String(config['forward_goal_points'])) ? [`config-${cells[0]}`] : [];
    },
  },
};

const meaningOf = (mapping: string): Meaning => {
  const meaning = MEANINGS[mapping];
  if (meaning === undefined) throw new Error(`nothing is known of ${mapping}`);
  return meaning;
};

/** I1: no record was created twice by us, and no price was uploaded twice without another one between. */
export function expectOnce({ service }: World): void {
  const operationOf = (write: number): string | undefined => service.writes[write]?.operation;
  const created = service.effects
    .filter(({ kind, write }) => kind === 'create' && operationOf(write) !== 'upload-prices')
    .map(({ key, write }) => `${operationOf(write) ?? ''} ${key}`);
  expect(created).toEqual([...new Set(created)]);
  const last = new Map<number, number>();
  for (const { player_id, price } of service.prices) {
    expect({ player_id, before: last.get(player_id) }).not.toEqual({ player_id, before: price });
    last.set(player_id, price);
  }
}

/** What each run said of its rows when it was last heard of. */
export type Told = Map<string, ReadonlyMap<string, readonly ResultLine[]>>;

/** I2 and I3 for every mapping of a run that ended with a report. */
export function expectTruth(world: World, done: Done, told: Told): void {
  const { result, run = '' } = done;
  if (result === undefined) return;
  const before = told.get(run);
  const now = new Map<string, readonly ResultLine[]>();
  for (const summary of result.report.mappings) {
    if (summary.direction !== 'push') continue;
    const { name } = summary;
    const lines = resultLines(world.engine, name);
    now.set(name, lines);
    expect(lines.map(({ rowNumber }) => rowNumber)).toEqual(lines.map((_, index) => index + 2));
    expect(summary.rows).toBe(lines.length);
    for (const outcome of OUTCOMES)
      expect({ name, outcome, rows: lines.filter((line) => line.outcome === outcome).length }).toEqual({
        ...{ name, outcome, rows: summary[outcome] },
      });
    for (const [index, line] of lines.entries()) {
      // What was said before was true then; a run or another client may have changed it since.
      const isOther = before !== undefined && before.get(name)?.[index]?.outcome !== line.outcome;
      const isForeign = world.foreign.has(meaningOf(name).key(line.cells, world.service));
      const isNew = done.fresh || (isOther && !isForeign);
      // A service that cannot be listed shows nobody what others wrote.
      if (isForeign && line.outcome === 'unchanged' && !world.calm) continue;
      if (isNew) expectHeld(world, name, line);
      expectOwn(world, done, name, line);
    }
  }
  told.set(run, now);
}

/** What is said to be there is there, with the values of its row. */
function expectHeld({ service }: World, mapping: string, line: ResultLine): void {
  const { cells, outcome, message, id } = line;
  if (outcome !== 'created' && outcome !== 'updated' && outcome !== 'unchanged') return;
  const held = meaningOf(mapping).held(cells, service);
  const told = { mapping, cells, outcome, message };
  expect({ ...told, held: held.length > 0 }).toEqual({ ...told, held: true });
  if (id !== '')
    expect({ ...told, held }).toEqual({ ...told, held: expect.arrayContaining([id]) as unknown });
}

const UNTOUCHED: ReadonlySet<string> = new Set(['invalid', 'rejected', 'unchanged', 'deferred', 'excluded']);

/** What is said to be created was created by us, and what is said to be untouched was not touched by the run; but for what others wrote, too. */
function expectOwn({ service, foreign }: World, done: Done, mapping: string, line: ResultLine): void {
  const { cells, outcome, message } = line;
  const key = meaningOf(mapping).key(cells, service);
  if (foreign.has(key)) return;
  const effects = service.effects.filter((effect) => effect.key === key);
  const told = { mapping, cells, outcome, message };
  if (outcome === 'created')
    expect({ ...told, effects: effects.length > 0 }).toEqual({ ...told, effects: true });
  // Only what others write, or what an older run finds changed, can be in conflict.
  if (done.fresh) expect(told).not.toEqual({ ...told, outcome: 'conflict' });
  const halfDone = message.includes('created, but its active flag was not set');
  if (halfDone || !UNTOUCHED.has(outcome)) return;
  const mine = effects.filter(({ write }) => done.writes.has(write));
  expect({ ...told, mine }).toEqual({ ...told, mine: [] });
}

/** I5, after faults have stopped: every row is there, or it is known why it waits for a person. */
export async function expectSettled(world: World): Promise<void> {
  const { engine, service } = world;
  const open = await world.openIntents();
  const held = new Set(
    open
      .filter(({ resource }) => resource === 'prices' || resource === 'points_config')
      .flatMap(({ keys }) => keys),
  );
  const usersOf = (member: string): number =>
    service.users.filter(({ external_id }) => external_id === member).length;
  // A record that somebody else made, or one in a spelling that was not seen before, may be what a lost write made: a person has to say.
  const isDoubted = (resource: string, end: string): boolean =>
    (world.foreign.size > 0 || Object.keys(service.spelling).length > 0) &&
    open.some((intent) => intent.resource === resource && intent.keys.some((key) => key.endsWith(end)));
  const mayWait: Readonly<Record<string, (key: string, name: string) => boolean>> = {
    users: (key) => isDoubted('users', key),
    squads: (member, name) => isDoubted('users', member) || isDoubted('squads', `/${name}`),
    minis: (name) => isDoubted('mini_leagues', `/${name}`),
  };
  const waits: Readonly<Record<string, (key: string, name: string) => boolean>> = {
    users: (key) => key === 'Z' || usersOf(key) > 1,
    squads: (member, name) =>
      usersOf(member) !== 1 || meaningOf('squads').held([member, name], service).length > 1,
    minis: (name) => meaningOf('minis').held([name], service).length > 1,
    prices: (player) => held.has(`1/${player}/current`),
    points: (league) => held.has(league),
  };
  for (const { name } of world.mappings) {
    for (const { cells, outcome, message } of resultLines(engine, name)) {
      const told = { name, cells, outcome, message };
      const [key = '', second = ''] = cells;
      if (waits[name]?.(key, second) === true)
        expect(['invalid', 'conflict', 'deferred']).toContain(told.outcome);
      else if (mayWait[name]?.(key, second) === true)
        expect(['unchanged', 'deferred']).toContain(told.outcome);
      else expect(told).toEqual({ ...told, outcome: 'unchanged' });
    }
  }
}
