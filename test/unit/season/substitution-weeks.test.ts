import { expect, it } from 'vitest';
import type { AutoSubstitution } from '../../../src/contract/resources/auto-substitutions.ts';
import type { Lineup } from '../../../src/contract/resources/lineups.ts';
import { loggedPairs } from '../../../src/season/pairs.ts';
import { substitutionWeeks, weekSpans, type WeekEvidence } from '../../../src/season/substitution-weeks.ts';

const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse('2026-08-01T00:00:00Z');
/** Game week n is over n weeks after the start. */
const overMs = (week: number): number => START + 7 * DAY * week;
const weeks = (count: number): WeekEvidence['weeks'] =>
  Array.from({ length: count }, (_, index) => ({ id: `W${index + 1}`, overMs: overMs(index + 1) }));
const evidence = (over: Partial<WeekEvidence>): WeekEvidence => ({
  weeks: weeks(4),
  marks: [],
  lineupsOf: () => ({}),
  ...over,
});

function record(id: string, atMs: number, over: Partial<AutoSubstitution> = {}): AutoSubstitution {
  const squad = { id: 'S1', name: 'Rovers' };
  const player = { id: 7 };
  return { id, squad, player, txn_ref: id, created_at: new Date(atMs).toISOString(), ...over };
}

function lineup(starting: readonly number[], bench: readonly number[], captain?: number): Lineup {
  const entry = (id: number) => ({ player: { id: String(id) }, is_captain: id === captain });
  return { id: 'S1', squad: { starting_xi: starting.map(entry), bench: bench.map(entry) } };
}

it('the first week is the only one that may be processed before the second is over, and so on', () => {
  const log = [1, 2, 3].map((week) => record(`r${week}`, overMs(week) + 3 * 60 * 60 * 1000));
  expect([...substitutionWeeks(log, evidence({}))]).toEqual([
    ['r1', 'W1'],
    ['r2', 'W2'],
    ['r3', 'W3'],
  ]);
});

it('a week that was not processed before the next was over leaves both open, unless a trigger says which', () => {
  const log = [record('late', overMs(2) + DAY)];
  expect(substitutionWeeks(log, evidence({})).size).toBe(0);
  const marks = [{ week: 'W1', atMs: overMs(2) + DAY - 5_000 }];
  expect(substitutionWeeks(log, evidence({ marks })).get('late')).toBe('W1');
});

it('of two weeks that may be, the one in which the line-up changed as the record says is the one', () => {
  const changed = { before: lineup([7], [8]), after: lineup([8], [7]), latest: lineup([8], [7]) };
  const same = { before: lineup([7], [8]), after: lineup([7], [8]), latest: lineup([7], [8]) };
  const log = [record('out', overMs(2) + DAY), record('in', overMs(2) + DAY, { player: { id: 8 } })];
  const lineupsOf = (week: string) => (week === 'W1' ? same : changed);
  expect(substitutionWeeks(log, evidence({ lineupsOf })).get('out')).toBe('W2');
  // Of the other record nothing is kept, but it has the time of the first.
  const other = [...log, record('other', overMs(2) + DAY, { squad: { id: 'S2', name: 'United' } })];
  const ofOne = (week: string, squad: string) => (squad === 'S2' ? {} : lineupsOf(week));
  expect(substitutionWeeks(other, evidence({ lineupsOf: ofOne })).get('other')).toBe('W2');
});

it('of two triggers within a minute, the records of one moment are of the week that no line-up speaks against', () => {
  const atMs = overMs(2) + DAY;
  const of = (squad: string, player: number, ms: number): AutoSubstitution =>
    record(`${squad} ${player} ${ms}`, ms, { squad: { id: squad, name: squad }, player: { id: player } });
  // In week 2, which was triggered two seconds later, 7 went out of S1 as in week 1, and S2 stayed as it was.
  const log = [of('S1', 7, atMs), of('S2', 9, atMs), of('S1', 7, atMs + 2_000)];
  const lineupsOf = (week: string, squad: string) => {
    if (week === 'W1') return { before: lineup([7, 9], [8]) };
    const before = lineup([7, 9], [8]);
    return { before, after: squad === 'S1' ? lineup([8, 9], [7]) : before };
  };
  const marks = [
    { week: 'W1', atMs: atMs - 500 },
    { week: 'W2', atMs: atMs + 1_500 },
  ];
  expect([...substitutionWeeks(log, evidence({ marks, lineupsOf })).values()]).toEqual(['W1', 'W1', 'W2']);
});

it('of two weeks that were processed within an hour, records of one player in one squad are not of the same', () => {
  const atMs = overMs(2) + DAY;
  const log = [record('first', atMs), record('second', atMs + 60_000)];
  // Of the first week one reading is kept, which says what the second one does.
  const lineupsOf = (week: string) =>
    week === 'W1' ? { after: lineup([8], [7]) } : { before: lineup([7], [8]), after: lineup([8], [7]) };
  expect([...substitutionWeeks(log, evidence({ lineupsOf }))]).toEqual([]);
  const [first] = log;
  expect(substitutionWeeks(first === undefined ? [] : [first], evidence({ lineupsOf })).get('first')).toBe(
    'W2',
  );
});

it('nothing is told of a record without a time that can be read', () => {
  expect(substitutionWeeks([record('r', START, { created_at: 'soon' })], evidence({})).size).toBe(0);
});

it('words that nobody explained tell no direction; one line-up that changed explains them for all', () => {
  const log = ['S1', 'S2'].flatMap((squad) => [
    record(`${squad}-a`, START, { squad: { id: squad, name: squad }, action: 'raus', txn_ref: squad }),
    record(`${squad}-b`, START, {
      squad: { id: squad, name: squad },
      action: 'rein',
      txn_ref: squad,
      player: { id: 8 },
    }),
  ]);
  const weekOf = new Map(log.map(({ id }) => [id, 'W1']));
  const untold = loggedPairs(log, weekOf, () => ({}));
  expect(untold.map((pair) => [pair.out, pair.in, pair.records.length])).toEqual([
    [undefined, undefined, 2],
    [undefined, undefined, 2],
  ]);
  const told = loggedPairs(log, weekOf, (_week, squad) =>
    squad === 'S1' ? { before: lineup([7], [8]), after: lineup([8], [7]) } : {},
  );
  expect(told.map((pair) => [pair.squad?.id, pair.out?.player?.id, pair.in?.player?.id])).toEqual([
    ['S1', 7, 8],
    ['S2', 7, 8],
  ]);
});

it('who came in for whom is told by the place where several share a reference, and else left empty', () => {
  const of = (player: number, action: string) =>
    record(`${action}${player}`, START, { player: { id: player }, action, txn_ref: 'run' });
  const log = [of(1, 'out'), of(2, 'out'), of(3, 'in'), of(4, 'in')];
  const weekOf = new Map(log.map(({ id }) => [id, 'W1']));
  const lineups = { before: lineup([1, 2], [4, 3]), after: lineup([4, 3], [1, 2]) };
  const pairs = loggedPairs(log, weekOf, () => lineups);
  expect(pairs.map((pair) => [pair.out?.player?.id, pair.in?.player?.id])).toEqual([
    [1, 4],
    [2, 3],
  ]);
});

it('the armband moved with who went out as captain while another one is captain now', () => {
  const log = [record('out', START), record('in', START, { player: { id: 8 }, txn_ref: 'out' })];
  const weekOf = new Map(log.map(({ id }) => [id, 'W1']));
  const moved = (now: number) =>
    loggedPairs(log, weekOf, () => ({
      before: lineup([7, 9], [8], 7),
      after: lineup([8, 9], [7], now),
    })).map(({ captainMoved }) => captainMoved);
  expect([moved(9), moved(7)]).toEqual([[true], [false]]);
});

it('minutes explain words where no line-up does, though a few records are mistakes', () => {
  const log = Array.from({ length: 12 }, (_, index) => [
    record(`out${index}`, START, { action: 'a', txn_ref: `t${index}`, player: { id: index } }),
    record(`in${index}`, START, { action: 'b', txn_ref: `t${index}`, player: { id: 100 + index } }),
  ]).flat();
  const weekOf = new Map(log.map(({ id }) => [id, 'W1']));
  // The first one who came in did not play.
  const minutesIn = (_week: string, player: string) => (Number(player) > 100 ? 90 : 0);
  const pairs = loggedPairs(log, weekOf, () => ({}), minutesIn);
  expect(pairs.map((pair) => [pair.out?.player?.id, pair.in?.player?.id])).toEqual(
    Array.from({ length: 12 }, (_, index) => [index, 100 + index]),
  );
});

it('a word that every record has says nothing of who went out', () => {
  const of = (player: number, action: string) =>
    record(`${action}${player}`, START, { player: { id: player }, action, txn_type: 'auto', txn_ref: 'run' });
  const log = [of(9, 'out'), of(2, 'in')];
  const weekOf = new Map(log.map(({ id }) => [id, 'W1']));
  // Of the player who went out the minutes are not known.
  const minutes = (_week: string, player: string) => (player === '2' ? 90 : undefined);
  const [pair, ...others] = loggedPairs(log, weekOf, () => ({}), minutes);
  expect([pair?.out?.player?.id, pair?.in?.player?.id, others]).toEqual([9, 2, []]);
});

it('two who belong together did not both come in', () => {
  const of = (player: number, action: string) =>
    record(`${action}${player}`, START, { player: { id: player }, action, txn_ref: 'run' });
  const log = [of(9, 'a'), of(2, 'b')];
  const weekOf = new Map(log.map(({ id }) => [id, 'W1']));
  const after = () => ({ after: lineup([9, 2], [1]) });
  const [pair, ...others] = loggedPairs(log, weekOf, after);
  expect([pair?.out, pair?.in, pair?.records.length, others]).toEqual([undefined, undefined, 2, []]);
});

const known = (number: number, endless = false) => ({
  week: {
    ...{ id: `W${number}`, text: String(number), number, readAtMs: 0, endMs: Number.NaN },
    startMs: overMs(number) - 3 * DAY,
  },
  overMs: endless ? Number.NaN : overMs(number),
});

it('a week that begins after a record has nothing to do with it, also where nobody knows its end', () => {
  const spans = weekSpans([known(2, true)]);
  const log = [record('before', overMs(1) + DAY), record('after', overMs(2) + DAY)];
  expect([...substitutionWeeks(log, evidence({ weeks: spans }))]).toEqual([['after', 'W2']]);
});

it('a record that may be of a week between those that are remembered is of none, unless line-ups show it', () => {
  const spans = weekSpans([known(1), known(3)]);
  const log = [record('soon', overMs(1) + DAY), record('late', overMs(2) + DAY, { player: { id: 8 } })];
  expect([...substitutionWeeks(log, evidence({ weeks: spans }))]).toEqual([['soon', 'W1']]);
  const late = log.slice(1);
  expect(substitutionWeeks(late, evidence({ weeks: spans })).size).toBe(0);
  const changed = { before: lineup([8], [7]), after: lineup([7], [8]) };
  const lineupsOf = (week: string) => (week === 'W1' ? changed : {});
  expect(substitutionWeeks(late, evidence({ weeks: spans, lineupsOf })).get('late')).toBe('W1');
  expect(substitutionWeeks(late, evidence({ weeks: weekSpans([known(1), known(2), known(3)]) })).size).toBe(
    0,
  );
});
