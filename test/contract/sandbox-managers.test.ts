import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { control } from '../support/control.ts';
import { at, openSandbox } from '../support/sandbox.ts';
import type { Fields, TestSandbox } from '../support/sandbox.ts';
import { testFolder } from '../support/test-folder.ts';

const WEEKS = Array.from({ length: 38 }, (_, index) => index + 1);
const SHAPE = { GK: 2, DEF: 5, MID: 5, FWD: 3 };

interface Truth extends Fields {
  readonly before: readonly Fields[];
  readonly transfers: readonly Fields[];
}

describe("the demo's managers over a whole season", () => {
  let box: TestSandbox;
  let clubs: ReadonlyMap<unknown, unknown>;
  const truths = new Map<number, readonly Truth[]>();
  /** What each squad had in the bank after a week. */
  const banks: number[] = [];

  const truthOf = async (from: TestSandbox, week: number): Promise<readonly Truth[]> =>
    (await control(from.sandbox, 'GET', `/truth?game_week=${week}`)).list as readonly Truth[];

  beforeAll(async () => {
    box = await openSandbox({ seed: 'demo', settings: { per_minute: 100_000, page_size: 100 } });
    const ids = (await box.call('list-squads')).list.map(({ id }) => String(id));
    for (const week of WEEKS) {
      if (week > 6) await control(box.sandbox, 'POST', '/play-next-week');
      const id = ids[week] ?? '';
      banks.push(Number(at((await box.call('get-squad', { id })).record, 'finance.money_in_bank')));
    }
    for (const week of WEEKS) truths.set(week, await truthOf(box, week));
    const players = await Promise.all(
      Array.from({ length: 450 }, async (_, index) => {
        const query = { fantasy_league_id: 1 };
        return (await box.call('get-player', { id: index + 1, query })).record;
      }),
    );
    clubs = new Map(players.map((player) => [player['id'], player['team']]));
  });
  afterAll(() => box.close());

  const seasons = (): readonly (readonly Truth[])[] => {
    const all = [...truths.values()].flat();
    return [...Map.groupBy(all, (one) => at(one, 'squad.id')).values()];
  };

  it('show no line-up twice', () => {
    expect(seasons()).toHaveLength(60);
    for (const season of seasons()) {
      const lineups = season.map((week) => JSON.stringify(week.before));
      expect(new Set(lineups).size).toBe(WEEKS.length);
    }
  });

  it('keep their squads within the rules and their money', () => {
    for (const { before } of [...truths.values()].flat()) {
      const count = (position: string) => before.filter((place) => place['position'] === position).length;
      expect(Object.keys(SHAPE).map(count)).toEqual(Object.values(SHAPE));
      const ofClub = Map.groupBy(before, (place) => clubs.get(place['player_id'])).values();
      expect(Math.max(...Array.from(ofClub, (own) => own.length))).toBeLessThanOrEqual(3);
    }
    expect(Math.min(...banks)).toBeGreaterThanOrEqual(-1e-6);
  });

  it('take hits, change captains and play each chip, none twice', () => {
    for (const season of seasons()) {
      const chips = season.map((week) => week['chip']).filter((chip) => chip !== null);
      expect(new Set(chips).size).toBe(chips.length);
      expect(new Set(season.map((week) => week['captain'])).size).toBeGreaterThan(2);
    }
    const all = [...truths.values()].flat();
    expect(new Set(all.map((one) => one['chip'])).size).toBe(5);
    expect(all.filter((one) => at(one, 'transfer_hits.hits') !== 0).length).toBeGreaterThan(100);
  });

  it('are followed by corrections in every week but the last', async () => {
    const { list } = await control(box.sandbox, 'GET', '/statistics');
    expect(new Set(list.map((one) => one['game_week']))).toEqual(new Set(WEEKS.slice(0, -1)));
  });

  it('do the same every time', async () => {
    await using other = await openSandbox({ seed: 'demo' });
    await control(other.sandbox, 'POST', '/clock', { now: '2027-06-01T00:00:00Z' });
    for (const week of [2, 7, 20, 38]) expect(await truthOf(other, week)).toEqual(truths.get(week));
  });
});

describe('a corrected week', () => {
  it('has other points than it showed before the next one began', async () => {
    await using box = await openSandbox({ seed: 'demo' });
    const truth = async () => (await control(box.sandbox, 'GET', '/truth?game_week=6')).list;
    const before = await truth();
    await control(box.sandbox, 'POST', '/play-next-week');
    const after = await truth();
    const moved = after.filter((one, index) => at(one, 'points.net') !== at(before[index], 'points.net'));
    expect(moved.length).toBeGreaterThan(0);
    expect(after.map((one) => one['before'])).toEqual(before.map((one) => one['before']));
  });
});

describe('a squad that the operator has put outside the rules', () => {
  const folder = testFolder();

  it('does not stop the season, though the settings ask for them', async () => {
    const db = join(folder.path, 'demo');
    const first = await openSandbox({ seed: 'demo', db });
    const [one] = (await control(first.sandbox, 'GET', '/truth?game_week=6')).list;
    const held = (at(one, 'before') as readonly Fields[]).map((place) => Number(place['player_id']));
    const coming = Array.from({ length: 23 }, (_, index) => index + 1).filter((id) => !held.includes(id));
    const change = { out: held.slice(0, 12), in: coming.slice(0, 12) };
    const path = `/squads/${String(at(one, 'squad.id'))}/transfers`;
    expect((await control(first.sandbox, 'POST', path, change)).status).toBe(200);
    await first.close();
    await using second = await openSandbox({ db, settings: { squad_rules: 'refuse' } });
    for (let week = 7; week <= 10; week += 1) {
      expect((await control(second.sandbox, 'POST', '/play-next-week')).status).toBe(200);
    }
  });
});
