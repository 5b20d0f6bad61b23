import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WeekChoice } from '../../src/mapping/week-choice.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Kept, LeagueScope } from '../../src/model/state/memory.ts';
import { PUBLIC_RULES } from '../../src/rules/rules.ts';
import { publishLeague, type PublishPorts } from '../../src/runtime/publish/publish.ts';
import type { PublishSettings } from '../../src/runtime/publish/publish-settings.ts';
import type { GroupMember } from '../../src/season/standings.ts';
import {
  keptMark,
  keptOfFixtures,
  keptOfLeague,
  keptOfLineup,
  keptOfPlayer,
  keptOfSquad,
  keptOfSubstitution,
} from '../../src/season/kept.ts';
import { squadNumbers } from '../../src/sync/weeks/published.ts';
import { makeFolder } from '../support/cli.ts';
import { MemoryWeeks, WeeksData } from '../simulation/memory-weeks.ts';

const SCOPE: LeagueScope = { account: { baseUrl: 'http://127.0.0.1:1', accountId: 'a' }, league: 7 };
const DAY = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 8, 5, 12);
/** Weeks begin on Saturday and end on Monday; the first match is two hours after the start. */
const startOf = (week: number): number => START + (week - 1) * 7 * DAY;
const kickOffOf = (week: number): number => startOf(week) + DAY / 12;
const endOf = (week: number): number => startOf(week) + 2 * DAY;
const iso = (ms: number): string => new Date(ms).toISOString();
const summary = (week: number) => ({
  ...{ id: `week-${week}`, week: `GW${week}` },
  ...{ start_date: iso(startOf(week)), end_date: iso(endOf(week)) },
});

const MEMBERS = ['ann', 'bob', 'cat'];

const fixtures = (weeks: number, atMs: number): readonly Kept[] =>
  Array.from({ length: weeks }, (_, index) =>
    keptOfFixtures(
      { ...summary(index + 1), fixtures: [{ id: `f${index}`, start_date: iso(kickOffOf(index + 1)) }] },
      atMs,
    ),
  ).flat();

/** A squad in a week as it is read: the captain has `points`, the others one each. */
function squadOf(member: string, week: number, points: number, atMs: number): readonly Kept[] {
  const id = `squad-${member}`;
  const user = { id: `u-${member}`, external_id: member, display_name: `Name of ${member}`, is_active: true };
  const entry = (name: string, position: string, score: number, is_captain = false) => ({
    player: { id: `${name}-${member}-${week}`, first_name: '', last_name: `${name} of ${member} in ${week}` },
    team: { id: 1, name: 'Club' },
    ...{ position: { position, abbrevation: position }, is_captain, points: score },
  });
  const common = { id, name: `Squad of ${member}`, user, game_week: summary(week) };
  const total = points * week;
  return [
    ...keptOfSquad(
      {
        ...common,
        fantasy_league: { id: 7, name: 'Summer League' },
        ranking: { current_rank: 1, game_week_points: points, total_points: total, game_week: `GW${week}` },
      },
      atMs,
    ),
    ...keptOfLineup(
      {
        ...common,
        squad: {
          starting_xi: [entry('Keeper', 'GK', 1), entry('Captain', 'FWD', points - 1, true)],
          bench: [entry('Spare', 'DEF', 0)],
        },
        total_points: points,
        transfer_hits: { hits: 0, points_deduction: 0 },
      },
      id,
      atMs,
    ),
  ];
}

describe('publishing a league', () => {
  const memory = { current: new MemoryWeeks(new WeeksData()) };
  let folder: ReturnType<typeof makeFolder>;
  const said: string[] = [];
  beforeEach(() => {
    said.length = 0;
    folder = makeFolder();
    memory.current = new MemoryWeeks(new WeeksData());
  });
  afterEach(() => folder.remove());

  const keep = (...kept: readonly (readonly Kept[])[]): Promise<void> =>
    memory.current.keep(SCOPE, kept.flat());
  const publish = (
    nowMs: number,
    changes: Partial<PublishSettings> = {},
    groups: readonly GroupMember[] = [],
    choice: WeekChoice = { kind: 'all' },
  ) => {
    const ports = {
      store: {
        memory: memory.current,
        allSnapshots: () => [],
        fact: () => Promise.resolve(undefined),
      },
      service: { timeMs: () => undefined },
      clock: { now: () => nowMs },
      timezone: 'UTC',
      emit: (event: RunEvent) => said.push('message' in event ? event.message : event.kind),
    } as unknown as PublishPorts;
    const out = join(folder.path, 'public');
    return publishLeague(
      ports,
      SCOPE,
      {
        ...{
          name: undefined,
          league: 7,
          out,
          shownOut: 'public',
          title: undefined,
          members: 'hidden',
          squads: 'name',
        },
        ...{ hide: new Set(), rules: PUBLIC_RULES, season: { keep: true }, post: undefined },
        ...changes,
      },
      choice,
      groups,
    );
  };
  const page = (path: string): string => readFileSync(join(folder.path, 'public', path), 'utf8');
  const everything = (): string =>
    readdirSync(join(folder.path, 'public'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
      .join('\n');

  const numbersOfSquads = async (): Promise<readonly number[]> => [
    ...(await squadNumbers(memory.current, SCOPE, [], 0)).values(),
  ];

  /** Two weeks that are over and processed, but for those that are left out, and were read after that. */
  const twoWeeks = async (processed: readonly number[] = [1, 2]): Promise<void> => {
    await keep(fixtures(3, START - DAY));
    for (const week of [1, 2]) {
      const readAtMs = endOf(week) + DAY;
      await keep(...MEMBERS.map((member, index) => squadOf(member, week, 20 + index, readAtMs)));
      if (processed.includes(week))
        await keep([keptMark(`week-${week}`, 'processed', endOf(week), { by: 'trigger' })]);
    }
  };
  const afterTwo = endOf(2) + 2 * DAY;

  it('writes a page for each week and squad, and nothing where nothing has changed', async () => {
    await twoWeeks();
    const first = await publish(afterTwo);
    expect(first.weeks.map(({ week, state, was, changed }) => [week, state, was, changed])).toEqual([
      [1, 'final', undefined, true],
      [2, 'final', undefined, true],
    ]);
    expect(page('index.html')).toContain('<bdi>Summer League</bdi>');
    expect(existsSync(join(folder.path, 'public/squads/3.html'))).toBe(true);
    const second = await publish(afterTwo + DAY);
    expect([second.changedFiles, second.weeks.some(({ changed }) => changed)]).toEqual([0, false]);
  });

  it('shows nothing of the week before in a week that was never read', async () => {
    await keep(fixtures(3, START - DAY));
    for (const week of [1, 3])
      await keep(...MEMBERS.map((member, at) => squadOf(member, week, 20 + at, endOf(week) + DAY)));
    const { weeks } = await publish(endOf(3) + 2 * DAY);
    expect(weeks.map(({ week, state }) => [week, state])).toContainEqual([2, 'missing']);
    expect(page('recap/week-1.txt')).toContain('22 points');
    expect(page('recap/week-2.txt')).not.toContain('points');
    expect(page('weeks/week-2.html')).not.toContain('Squad of');
  });

  it('has a page for each week also where the service numbers published weeks anew', async () => {
    await twoWeeks();
    await publish(afterTwo);
    const summaryOf = (id: string, week: string, startMs: number): readonly Kept[] =>
      keptOfFixtures(
        { id, week, start_date: iso(startMs), end_date: iso(startMs + DAY), fixtures: [] },
        afterTwo,
      );
    // A week comes between the two.
    await keep(summaryOf('week-x', 'GW2', endOf(1) + DAY), summaryOf('week-2', 'GW3', startOf(2)));
    const { weeks } = await publish(afterTwo + 1);
    expect(weeks.map(({ week, gameWeek, changed }) => [week, gameWeek, changed])).toEqual([
      [1, 'week-1', false],
      [2, 'week-x', true],
      [3, 'week-2', false],
    ]);
    expect(page('weeks/week-3.html')).toContain('Captain of ann in 2');
  });

  it('shows no line-up of a week before its first kick-off', async () => {
    await twoWeeks();
    await keep(squadOf('ann', 3, 0, startOf(3) + 1));
    const before = await publish(kickOffOf(3) - 1);
    expect([before.waiting, before.weeks.length]).toEqual([[3], 2]);
    expect(everything()).not.toContain('of ann in 3');
    const after = await publish(kickOffOf(3));
    expect([after.waiting, after.weeks.length]).toEqual([[], 3]);
    expect(page('weeks/week-3.html')).toContain('in play');
  });

  it('shows none while the service says after the time that the match has not begun', async () => {
    const late = (status: string, week: number): readonly Kept[] =>
      keptOfFixtures(
        { ...summary(week), fixtures: [{ id: `f${week - 1}`, start_date: iso(kickOffOf(week)), status }] },
        kickOffOf(3) + 1,
      );
    await twoWeeks();
    await keep(squadOf('ann', 3, 0, startOf(3) + 1), late('to come', 3), late('to come', 4));
    expect((await publish(kickOffOf(3) + 2)).waiting).toEqual([3]);
  });

  it('shows none before the first kick-off that is left where the first match was put off to a later week', async () => {
    const match = (id: string, startMs: number) => ({ id, start_date: iso(startMs) });
    const late = kickOffOf(3) + DAY;
    await twoWeeks();
    await keep(
      keptOfFixtures(
        { ...summary(3), fixtures: [match('f2', kickOffOf(3)), match('g', late)] },
        startOf(3) - 2,
      ),
      keptOfFixtures({ ...summary(3), fixtures: [match('g', late)] }, startOf(3) - 1),
      keptOfFixtures({ ...summary(4), fixtures: [match('f2', startOf(4) + 1)] }, startOf(3) - 1),
      squadOf('ann', 3, 0, startOf(3) + 1),
    );
    expect((await publish(late - 1)).waiting).toEqual([3]);
    expect((await publish(late)).waiting).toEqual([]);
  });

  it('waits for no match that was put off until the next week has begun', async () => {
    const listed = (week: number, status: string, ...matches: readonly object[]): readonly Kept[] =>
      keptOfFixtures(
        {
          ...summary(week),
          fixtures: [{ id: `f${week}`, start_date: iso(kickOffOf(week)), status }, ...(matches as never[])],
        },
        endOf(1) + 1,
      );
    const putOff = { id: 'late', start_date: iso(kickOffOf(2) + 30 * DAY), status: 'to come' };
    await keep(listed(1, 'over', putOff), listed(2, 'to come'), squadOf('ann', 1, 20, endOf(1) + 1), [
      keptMark('week-1', 'processed', endOf(1) + 1, { by: 'trigger' }),
      keptMark('week-1', 'current', endOf(1) + 1, {}),
    ]);
    const { waiting, weeks } = await publish(endOf(1) + DAY);
    expect([waiting, weeks.map(({ week, state }) => [week, state])]).toEqual([[], [[1, 'final']]]);
  });

  it('takes no match of a later week that was played early for one that is still to come', async () => {
    const listed = (week: number, status: string, early: readonly string[] = []): readonly Kept[] =>
      keptOfFixtures(
        {
          ...summary(week),
          fixtures: [
            { id: `f${week}`, start_date: iso(kickOffOf(week)), status },
            ...early.map((id) => ({ id, start_date: iso(kickOffOf(1)), status: 'over' })),
          ],
        },
        endOf(1) + 1,
      );
    await keep(listed(1, 'over'), listed(2, 'to come', ['early']), squadOf('ann', 1, 20, endOf(1) + 1), [
      keptMark('week-1', 'processed', endOf(1) + 1, { by: 'trigger' }),
      keptMark('week-1', 'current', endOf(1) + 1, {}),
    ]);
    const { waiting, weeks } = await publish(endOf(1) + DAY);
    expect([waiting, weeks.map(({ week, state }) => [week, state])]).toEqual([[], [[1, 'final']]]);
    // Nor for the first kick-off of its week.
    await keep(squadOf('ann', 2, 0, startOf(2) + 1));
    expect((await publish(kickOffOf(2) - 1)).waiting).toEqual([2]);
  });

  it('shows a week whose first match is over in a second season, too', async () => {
    const next = 60;
    const listed = (week: number, status: string): readonly Kept[] =>
      keptOfFixtures(
        {
          ...{ ...summary(week), week: `GW${week < next ? week : week - next + 1}` },
          fixtures: [{ id: `f${week}`, start_date: iso(kickOffOf(week)), status }],
        },
        kickOffOf(week < next ? week : next) + DAY / 2,
      );
    await keep(listed(1, 'over'), squadOf('ann', 1, 20, endOf(1)));
    await keep(
      listed(next, 'over'),
      listed(next + 1, 'to come'),
      squadOf('ann', next, 20, kickOffOf(next) + 1),
    );
    const { waiting, weeks } = await publish(kickOffOf(next) + DAY / 2);
    expect([waiting, weeks.map(({ week, state }) => [week, state])]).toEqual([[], [[1, 'open']]]);
  });

  it('has no page for a week that the service has replaced by one with another id', async () => {
    await twoWeeks();
    const renamed = [1, 2, 3, 4].map((week) =>
      keptOfFixtures(
        {
          ...{ ...summary(week), ...(week === 3 && { id: 'another-3' }) },
          fixtures: [{ id: `f${week - 1}`, start_date: iso(kickOffOf(week)) }],
        },
        endOf(2),
      ),
    );
    await keep(...renamed);
    const third = squadOf('ann', 3, 9, endOf(3));
    await keep(JSON.parse(JSON.stringify(third).replaceAll('week-3', 'another-3')) as readonly Kept[]);
    const { weeks } = await publish(endOf(3) + DAY);
    expect(weeks.map(({ week, gameWeek }) => [week, gameWeek])).toEqual([
      [1, 'week-1'],
      [2, 'week-2'],
      [3, 'another-3'],
    ]);
  });

  it('has a page for a week all of whose matches were put off, so that the fixtures leave it out', async () => {
    await twoWeeks();
    const [third, fourth] = [summary(3), summary(4)];
    await keep(
      keptOfLeague(
        { id: 7, name: 'Summer League', current_game_week: third, next_game_week: fourth },
        startOf(3),
      ),
      ...[1, 2, 4].map((week) =>
        keptOfFixtures(
          { ...summary(week), fixtures: [{ id: `f${week - 1}`, start_date: iso(kickOffOf(week)) }] },
          startOf(3) + 1,
        ),
      ),
    );
    const { weeks } = await publish(startOf(4) + 1);
    expect(weeks.map(({ week, state }) => [week, state])).toEqual([
      [1, 'final'],
      [2, 'final'],
      [3, 'provisional'],
    ]);
  });

  it('waits for no rank of a squad whose detail shows no total', async () => {
    await keep(fixtures(3, START - DAY));
    const [all, detail] = [MEMBERS.flatMap((member) => squadOf(member, 1, 20, endOf(1) + DAY)), 'squad'];
    const ofCat = ({ kind, id }: Kept): boolean => kind === detail && id === 'squad-cat';
    await keep(
      all.filter((each) => !ofCat(each)),
      [keptMark('week-1', 'processed', endOf(1), { by: 'trigger' })],
    );
    const awaited = async () => (await publish(endOf(1) + 2 * DAY)).weeks.map((week) => week.awaited);
    expect(await awaited()).toEqual([1]);
    await keep(
      all.filter(ofCat).map((each) => ({ ...each, record: { ...(each.record as object), ranking: null } })),
    );
    expect(await awaited()).toEqual([0]);
  });

  it('keeps a published week until its state changes, and says so', async () => {
    await twoWeeks([1]);
    expect((await publish(afterTwo)).weeks[1]?.state).toBe('provisional');
    const was = page('weeks/week-2.html');
    const renamed = JSON.stringify(squadOf('bob', 2, 21, afterTwo)).replaceAll('Squad of bob', 'Renamed');
    await keep(JSON.parse(renamed) as readonly Kept[]);
    expect((await publish(afterTwo + 1)).weeks.map(({ changed }) => changed)).toEqual([false, false]);
    expect(page('weeks/week-2.html')).toBe(was);
    await keep([keptMark('week-2', 'processed', endOf(2), { by: 'closed' })]);
    const third = await publish(afterTwo + 2);
    expect(third.weeks).toMatchObject([
      { week: 1, state: 'final', was: 'final', changed: false },
      { week: 2, state: 'final', was: 'provisional', changed: true },
    ]);
    expect(was).toContain('Squad of bob');
    // A later total contradicts it.
    await keep(...MEMBERS.map((member) => squadOf(member, 3, 90, endOf(3) + DAY)));
    expect((await publish(endOf(3) + 2 * DAY)).weeks[1]).toMatchObject({
      state: 'stale',
      was: 'final',
      changed: true,
    });
    expect(page('weeks/week-2.html')).toContain('Renamed');
    expect(page('weeks/week-1.html')).toContain('Squad of bob');
  });

  it('keeps what it published last where the clock of the service was set back', async () => {
    await twoWeeks([1]);
    await publish(afterTwo + DAY, { squads: 'alias' });
    await keep([keptMark('week-2', 'processed', endOf(2), { by: 'closed' })], squadOf('dan', 2, 9, afterTwo));
    const changed = async () =>
      (await publish(afterTwo, { squads: 'alias' })).weeks.map((week) => week.changed);
    expect(await changed()).toEqual([false, true]);
    expect(await changed()).toEqual([false, false]);
    // Nobody gets a number that another squad has.
    await keep(squadOf('eve', 2, 9, afterTwo));
    await publish(afterTwo);
    expect(await numbersOfSquads()).toEqual([1, 2, 3, 4, 5]);
  });

  it('goes by later totals in a week that was processed after the next one began, as they come', async () => {
    await twoWeeks([1]);
    const lateMs = startOf(3) + DAY / 2;
    await keep([keptMark('week-2', 'processed', lateMs, { by: 'trigger' })]);
    await keep(...MEMBERS.map((member, at) => squadOf(member, 3, 20 + at, lateMs - 1)));
    expect((await publish(lateMs)).weeks[1]).toMatchObject({ state: 'final_by_totals', changed: true });
    // Those before say nothing of the substitutions.
    expect(page('recap/week-2.txt')).not.toMatch(/Squad of \w+ with \d+ points/);
    // Ten points more than the total of the week before and those of this week.
    await keep(squadOf('ann', 3, 25, lateMs + 1));
    const weeks = async () => (await publish(lateMs + 2)).weeks.map(({ changed }) => changed);
    expect(await weeks()).toEqual([false, true, true]);
    expect(page('recap/week-2.txt')).toContain('Squad of ann with 30 points');
    expect(page('recap/week-2.txt')).toContain('1 · Squad of ann 50 points (+30)');
    expect(await weeks()).toEqual([false, false, false]);
  });

  it('shows a total whose details were not read in time, once they are', async () => {
    const isDetail = ({ kind }: Kept): boolean => kind === 'squad';
    const read = (week: number) => MEMBERS.flatMap((member) => squadOf(member, week, 20, endOf(week) + DAY));
    const processed = keptMark('week-1', 'processed', endOf(1), { by: 'trigger' });
    await keep(
      fixtures(3, START - DAY),
      read(1).filter((each) => !isDetail(each)),
      [processed],
    );
    expect((await publish(endOf(1) + 2 * DAY)).weeks).toMatchObject([{ state: 'final', changed: true }]);
    expect(page('recap/week-1.txt')).not.toContain('1 · Squad of ann 20 points');
    await keep(read(1).filter(isDetail));
    const again = async () => (await publish(endOf(1) + 2 * DAY)).weeks.map(({ changed }) => changed);
    expect(await again()).toEqual([true]);
    expect(page('recap/week-1.txt')).toContain('1 · Squad of ann 20 points');
    expect(await again()).toEqual([false]);
  });

  it('shows minutes of players whose statistics were not read in time, once they are', async () => {
    const week = 1;
    const weekOf = (): string => 'week-1';
    await keep(fixtures(3, START - DAY), squadOf('ann', week, 20, endOf(week) + DAY), [
      keptMark('week-1', 'processed', endOf(week), { by: 'trigger' }),
    ]);
    expect((await publish(endOf(week) + 2 * DAY)).weeks).toMatchObject([{ state: 'final', changed: true }]);
    expect(page('squads/1.html')).not.toContain('minutes');
    const id = 'Captain-ann-1' as unknown as number;
    const statistics = { id, weekly_stats: [{ game_week: 'GW1', minutes_played: 71, points: 9 }] };
    const read = (atMs: number) => keep(keptOfPlayer(statistics, { weekOf, current: undefined }, atMs));
    let nowMs = endOf(week) + 2 * DAY;
    const again = async () => (await publish((nowMs += 1))).weeks.map(({ changed }) => changed);
    // They say nothing of a match that had not ended.
    await read(kickOffOf(week));
    expect(await again()).toEqual([false]);
    await read(endOf(week) + DAY);
    expect(await again()).toEqual([true]);
    expect(page('squads/1.html')).toContain('71 minutes');
    expect(await again()).toEqual([false]);
  });

  it('shows points of line-ups that were read too early, once they are read again', async () => {
    const read = (kind: Kept['kind'], atMs: number): readonly Kept[] =>
      MEMBERS.flatMap((member) => squadOf(member, 1, 20, atMs)).filter((each) => each.kind === kind);
    await keep(fixtures(3, START - DAY), read('lineup', kickOffOf(1)), read('squad', endOf(1) + 1));
    let nowMs = endOf(1) + DAY;
    const again = async () => (await publish((nowMs += 1))).weeks.map(({ changed }) => changed);
    expect(await again()).toEqual([true]);
    expect(page('recap/week-1.txt')).not.toContain('Differential');
    await keep(read('lineup', endOf(1) + 2));
    expect(await again()).toEqual([true]);
    expect(page('recap/week-1.txt')).toContain('Differential: Keeper of ann in 1: 1 point');
    expect(await again()).toEqual([false]);
  });

  it('adds up totals from the last week whose details were read', async () => {
    await twoWeeks();
    const lineups = (week: number): readonly Kept[] =>
      MEMBERS.flatMap((member, at) => squadOf(member, week, 20 + at, endOf(week) + DAY)).filter(
        ({ kind }) => kind !== 'squad',
      );
    await keep(lineups(3), lineups(4));
    await publish(endOf(4) + 2 * DAY);
    expect(page('recap/week-4.txt')).toContain('1 · Squad of cat 88 points (+22)');
  });

  it('shows the substitutions that the log has of a week, once they are there', async () => {
    await twoWeeks();
    const record = (name: string, action: string): readonly Kept[] =>
      keptOfSubstitution(
        {
          ...{ id: `log-${name}`, squad: { id: 'squad-ann', name: 'Squad of ann' }, txn_ref: 'R1', action },
          // Ids of players are texts in this test.
          player: { id: `${name}-ann-2` as unknown as number },
          created_at: iso(endOf(2) + 1000),
        },
        endOf(2) + DAY,
      );
    // The log has them after the week was published first.
    await publish(afterTwo);
    expect(page('weeks/week-2.html')).not.toContain('▼');
    await keep(record('Spare', 'out'), record('Captain', 'in'));
    expect((await publish(afterTwo + 1)).weeks.map(({ changed }) => changed)).toEqual([false, true]);
    expect((await publish(afterTwo + 2)).weeks.map(({ changed }) => changed)).toEqual([false, false]);
    // More of the same squad comes still later.
    for (const [at, more] of [record('Keeper', 'out'), record('Other', 'in')].entries()) {
      await keep(more);
      const again = async (ms: number) => (await publish(afterTwo + ms)).weeks.map(({ changed }) => changed);
      expect(await again(3 + 2 * at)).toEqual([false, true]);
      expect(await again(4 + 2 * at)).toEqual([false, false]);
    }
    expect(page('weeks/week-2.html')).toMatch(
      /▼\u00a0<bdi>Spare of ann in 2.*▲\u00a0<bdi>Captain of ann in 2/s,
    );
    expect(page('weeks/week-1.html')).not.toContain('▼');
  });

  it('shows no line-up that was read before its week began, and is the same at a second time', async () => {
    await twoWeeks([1]);
    const early = startOf(3) - DAY / 2;
    await keep(...MEMBERS.map((member) => squadOf(member, 3, 0, early)), [
      keptMark('week-3', 'current', early, {}),
    ]);
    expect(await publish(endOf(3) + DAY)).toMatchObject({ weeks: [{ week: 1 }, { week: 2 }, { week: 3 }] });
    expect(page('weeks/week-3.html')).not.toContain('Captain of ann');
    expect(page('weeks/week-2.html')).toContain('Captain of ann');
    expect(await publish(endOf(3) + DAY)).toMatchObject({ changedFiles: 0 });
  });

  it('has nothing of who is hidden or forgotten, and numbers the others as before', async () => {
    await twoWeeks();
    await publish(afterTwo, { squads: 'alias', members: 'display' });
    const isBob = (number: number): boolean => page(`squads/${number}.html`).includes('Name of bob');
    const bob = [1, 2, 3].find(isBob) ?? 0;
    const others = [1, 2, 3]
      .filter((number) => number !== bob)
      .map((number) => page(`squads/${number}.html`));
    await publish(afterTwo, { squads: 'alias', members: 'display', hide: new Set(['bob']) });
    expect(everything()).not.toMatch(/of bob/);
    expect(existsSync(join(folder.path, `public/squads/${bob}.html`))).toBe(false);
    await publish(afterTwo, { squads: 'alias', members: 'display' });
    expect(isBob(bob)).toBe(true);
    await memory.current.forget(SCOPE.account, 'bob');
    await keep(squadOf('bob', 2, 20, afterTwo), squadOf('dan', 2, 10, afterTwo));
    expect(
      (await memory.current.weeks(SCOPE)).find((each) => each.gameWeek === 'week-2' && each.kind === 'lineup')
        ?.ids,
    ).toBe(3);
    await publish(afterTwo, { squads: 'alias', members: 'display' });
    expect(everything()).not.toMatch(/of bob/);
    expect(everything()).toContain('Squad 4');
    expect(others).toHaveLength(2);
  });

  it('hides a squad also where only a week that is not shown says whose it is', async () => {
    await twoWeeks([1]);
    const nobodys = JSON.stringify(squadOf('bob', 2, 21, afterTwo)).replaceAll('"external_id":"bob",', '');
    await keep(JSON.parse(nobodys) as readonly Kept[]);
    const second: WeekChoice = { kind: 'range', from: 2, to: 2 };
    await publish(afterTwo, { hide: new Set(['bob']) }, [], second);
    expect(everything()).toContain('Squad of ann');
    expect(everything()).not.toContain('of bob');
  });

  it('names no manager of a month whose last weeks are not shown', async () => {
    const readMs = [1, 2].map((week) => endOf(week) + 1);
    for (const [at, atMs] of readMs.entries())
      await keep(...MEMBERS.map((member, index) => squadOf(member, at + 1, 10 + index, atMs)), [
        keptMark(`week-${at + 1}`, 'processed', atMs - 1, { by: 'trigger' }),
      ]);
    await keep(fixtures(2, startOf(1)));
    const months = async (to: number): Promise<string> => {
      await publish(endOf(2) + DAY, {}, [], { kind: 'range', from: 1, to });
      return page('months.html');
    };
    expect(await months(1)).toContain('In front so far');
    expect(await months(2)).not.toContain('In front so far');
  });

  it('names the manager of a month whose weeks are all shown where one of the next month has begun', async () => {
    const [september, october] = [4, 5];
    for (const week of [september, october])
      await keep(...MEMBERS.map((member, index) => squadOf(member, week, 10 + index, endOf(week) + 1)), [
        keptMark(`week-${week}`, 'processed', endOf(week), { by: 'trigger' }),
      ]);
    await keep(fixtures(october, startOf(1)));
    await publish(endOf(october) + DAY, {}, [], { kind: 'range', from: september, to: september });
    expect(page('months.html')).toContain('Manager of the month</h3>');
  });

  it('names ids to be hidden of whom no squad is known: whoever they mean may be shown', async () => {
    await twoWeeks();
    await publish(afterTwo, { hide: new Set(['bob', 'Cat']) });
    const where = 'correct the ids in teamsheet.yaml';
    expect(said).toEqual([
      expect.stringMatching(`^publish\\.hide: no squad is known of the member "Cat": ${where}`),
    ]);
  });

  it('shows members only where they are displayed, and groups of the operator', async () => {
    await twoWeeks();
    const group = (member: string, fromWeek?: number): GroupMember => ({ member, group: 'Office', fromWeek });
    await publish(afterTwo, {}, [group('ann'), group('cat', 2)]);
    expect(everything()).not.toContain('Name of');
    const office = page('groups/office.html');
    expect(office.indexOf('Squad of ann')).toBeGreaterThan(0);
    expect(office.indexOf('Squad of ann')).toBeLessThan(office.indexOf('Squad of cat'));
    expect(office).not.toContain('Squad of bob');
    expect(said).toEqual([]);
    await publish(afterTwo, {}, [group('ann'), group('Cat')]);
    expect(said).toEqual([expect.stringContaining('no squad is known of the member "Cat"')]);
  });
});
