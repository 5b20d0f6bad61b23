import { describe, expect, it } from 'vitest';
import { siteOf } from '../../../../src/runtime/publish/site-values.ts';
import { seasonValues, siteOptions } from '../../../support/season-values.ts';

const season = seasonValues({ squads: 12, weeks: 6 });

describe('the months of a site', () => {
  it('are those of the first kick-offs in the configured zone, with the points of their weeks', () => {
    const { months } = siteOf(season, siteOptions(season));
    expect(months.map(({ name, weeks }) => [name, weeks])).toEqual([
      ['August 2026', [1, 2, 3]],
      ['September 2026', [4, 5, 6]],
    ]);
    const [best] = months[0]?.table ?? [];
    const its = season.slice(0, 3).map(({ squads }) => squads[(best?.squad.number ?? 0) - 1]?.points ?? 0);
    expect(best?.value).toBe(its.reduce((sum, points) => sum + points, 0));
    const late = season.map((week, at) =>
      at === 3 ? { ...week, kickOffMs: Date.UTC(2026, 7, 31, 23) } : week,
    );
    const moved = siteOf(late, siteOptions(late, { timezone: 'Asia/Tokyo' })).months;
    expect(moved[1]?.weeks).toContain(4);
    expect(siteOf(late, siteOptions(late)).months[0]?.weeks).toContain(4);
  });

  it('are over once a later one is shown or no week follows, and nothing of them may change', () => {
    const isOver = (isLast: boolean): readonly boolean[] =>
      siteOf(season, siteOptions(season, { isOver: isLast })).months.map((month) => month.isOver);
    expect(isOver(false)).toEqual([true, false]);
    // The last week is provisional.
    expect(isOver(true)).toEqual([true, false]);
    const final = season.map((week) => ({ ...week, state: 'final' as const }));
    expect(siteOf(final, siteOptions(final, { isOver: true })).months[1]?.isOver).toBe(true);
  });

  it('are over where the week after the last one that is shown is of a later one', () => {
    const isOver = (nextMs: number): boolean | undefined =>
      siteOf(season.slice(0, 3), siteOptions(season, { nextMs })).months[0]?.isOver;
    expect([Date.UTC(2026, 8, 5), Date.UTC(2026, 7, 31), Number.NaN].map(isOver)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('name the weeks of which nothing was read', () => {
    const gaps = season.map((week, at) => (at < 2 ? { ...week, squads: [] } : week));
    const options = siteOptions(season);
    expect(siteOf(gaps, options).months[0]).toMatchObject({ weeks: [3], missing: [1, 2] });
  });
});

describe('the squads of a site', () => {
  it('stand in the order of the last table, and say who is inactive or came late', () => {
    const [first, ...rest] = season;
    const weeks = [
      { ...season[0], squads: first?.squads.slice(1) ?? [] } as (typeof season)[number],
      ...rest,
    ];
    const { squads } = siteOf(weeks, siteOptions(season));
    expect(squads.map(({ weeks: its }) => its.at(-1)?.rank)).toEqual(
      squads.map(({ weeks: its }) => its.at(-1)?.rank ?? 0).toSorted((one, other) => one - other),
    );
    expect(squads.find(({ number }) => number === 1)?.mark).toBe('since week 2');
    expect(squads.filter(({ mark }) => mark !== undefined)).toHaveLength(1);
  });

  it('are new in their first week alone, where others were there before', () => {
    const [, second] = season;
    const weeks = season.map((week, at) =>
      at === 0 ? { ...week, squads: week.squads.slice(1) } : at === 2 ? { ...week, squads: [] } : week,
    );
    const { squads } = siteOf(weeks, siteOptions(season));
    const fresh = squads.flatMap((squad) =>
      squad.weeks.flatMap(({ week, isNew }) => (isNew ? [[squad.number, week]] : [])),
    );
    expect(fresh).toEqual([[1, second?.number]]);
  });

  it('have the players who came and went since the week before', () => {
    const { squads } = siteOf(season, siteOptions(season));
    const changes = squads.flatMap(({ weeks }) => weeks.slice(1));
    for (const { playersIn, playersOut } of changes) expect(playersIn?.length).toBe(playersOut?.length);
    expect(changes.some(({ playersIn }) => (playersIn?.length ?? 0) > 0)).toBe(true);
    expect(squads[0]?.weeks[0]?.playersIn).toBeUndefined();
    // Of the second week nothing is known, not even that it was.
    const gap = siteOf(
      season.filter((_, at) => at !== 1),
      siteOptions(season),
    );
    for (const { weeks } of gap.squads) {
      expect(weeks[1]).toMatchObject({ week: 3 });
      expect([weeks[1]?.playersIn, weeks[1]?.previousRank]).toEqual([undefined, undefined]);
    }
  });
});

it('counts the weeks before those that are shown for movement, transfers, groups and months', () => {
  const members = new Map(['M1', 'M2', 'M3'].map((member) => [member, 3]));
  const groups = [{ name: 'Office', members }];
  const shown = new Set(season.slice(4).map(({ gameWeek }) => gameWeek));
  // The first squad came late.
  const weeks = season.map((week, at) => (at === 0 ? { ...week, squads: week.squads.slice(1) } : week));
  const [all, some] = [
    siteOf(weeks, siteOptions(season, { groups })),
    siteOf(weeks, siteOptions(season, { groups, shown })),
  ];
  expect(some.weeks).toEqual(all.weeks.slice(4));
  expect(some.squads).toEqual(all.squads.map((squad) => ({ ...squad, weeks: squad.weeks.slice(-2) })));
  const pointsOf = ({ groups: [office] }: typeof all) =>
    office?.table.map(({ squad, points, rank }) => [squad.number, points, rank]);
  expect(pointsOf(some)).toEqual(pointsOf(all));
  expect(some.months).toEqual(all.months.slice(1));
});

it('says no movement between ranks of the whole league and those of who is left', () => {
  const weeks = season.map((week, at) => ({ ...week, hasWholeRanks: at !== 3 }));
  const site = siteOf(weeks, siteOptions(weeks));
  const known = site.squads[0]?.weeks.map(({ previousRank }) => previousRank !== undefined);
  expect(known).toEqual([false, true, true, false, false, true]);
  expect(site.weeks.map(({ climbers }) => climbers.length > 0)).toEqual([
    false,
    true,
    true,
    false,
    false,
    true,
  ]);
});

it('is the same, in whichever order the squads stand in the memory', () => {
  const turned = season.map((week) => ({ ...week, squads: week.squads.toReversed() }));
  expect(siteOf(turned, siteOptions(season))).toEqual(siteOf(season, siteOptions(season)));
});

describe('the groups of a site', () => {
  it('rank their members by the points since the week from which each counts', () => {
    const members = new Map([
      ['M1', undefined],
      ['M2', 6],
      ['M3', undefined],
    ]);
    const { groups } = siteOf(season, siteOptions(season, { groups: [{ name: 'Office', members }] }));
    const table = groups[0]?.table ?? [];
    expect(table.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(table.at(-1)?.squad.number).toBe(2);
  });

  it('take off what transfers cost in a first week whose week before was not read', () => {
    const [week] = season.slice(2, 3);
    const [one, two] = week?.squads ?? [];
    if (week === undefined || one === undefined || two === undefined) throw new Error('no two squads');
    const squads = [
      { ...one, points: 60, total: 352, hits: 8 },
      { ...two, points: 55, total: 255, hits: 0 },
    ];
    const members = new Map([one, two].map(({ member = '' }) => [member, week.number]));
    const pointsIn = (hits: 'net' | 'gross') => {
      const options = siteOptions(season, { groups: [{ name: 'Office', members }], hits });
      const [office] = siteOf([{ ...week, squads }], options).groups;
      return office?.table.map(({ squad, points }) => [squad.number, points]);
    };
    expect(pointsIn('gross')).toEqual([
      [2, 55],
      [1, 52],
    ]);
    expect(pointsIn('net')).toEqual([
      [1, 60],
      [2, 55],
    ]);
  });

  it('count no points of weeks before the first one that were put right after they were read', () => {
    const [before, first] = season.slice(2, 4);
    const [one] = first?.squads ?? [];
    if (before === undefined || first === undefined || one === undefined) throw new Error('no two weeks');
    const members = new Map([[one.member ?? '', first.number]]);
    const squads = [{ ...one, points: 60, hits: 0, total: 352 }];
    const weeks = [
      { ...before, squads: [{ ...one, total: 289 }] },
      { ...first, squads },
    ];
    const options = siteOptions(season, { groups: [{ name: 'Office', members }], hits: 'net' });
    expect(siteOf(weeks, options).groups[0]?.table.map(({ points }) => points)).toEqual([60]);
  });

  it('place nobody by an older total than that of the others', () => {
    const members = new Map(['M1', 'M2', 'M3', 'M4'].map((member) => [member, undefined]));
    const weeks = season.map((week, at) => {
      const [one, two, ...rest] = week.squads;
      if (at < 5 || one === undefined || two === undefined) return week;
      return { ...week, squads: [{ ...one, total: undefined, points: undefined }, ...rest] };
    });
    const tableOf = (its: typeof weeks) =>
      siteOf(its, siteOptions(season, { groups: [{ name: 'Office', members }] })).groups[0]?.table;
    const table = tableOf(weeks) ?? [];
    expect(table.map(({ rank }) => rank)).toEqual([1, 2, undefined, undefined]);
    expect(table.slice(2).map(({ squad, points }) => [squad.number, points])).toEqual([
      [1, null],
      [2, null],
    ]);
    // Where nothing of the last week is known yet, everybody has the total of the one before.
    const before = tableOf(season.slice(0, 5))?.map(({ points }) => points);
    for (const squads of [
      [],
      season[5]?.squads.map((each) => ({ ...each, total: undefined, points: undefined })),
    ]) {
      const unread = season.map((week, at) => (at < 5 ? week : { ...week, squads: squads ?? [] }));
      expect(tableOf(unread)?.map(({ points }) => points)).toEqual(before);
    }
  });

  it('leave the place of a hidden squad empty', () => {
    const members = new Map(season[0]?.squads.map(({ member }) => [member ?? '', undefined]));
    const options = siteOptions(season, { groups: [{ name: 'Office', members }] });
    const [leader] = siteOf(season, options).groups[0]?.table ?? [];
    const hidden = season[0]?.squads[(leader?.squad.number ?? 0) - 1]?.squad;
    const numbers = new Map([...options.numbers].filter(([squad]) => squad !== hidden));
    const table = siteOf(season, { ...options, numbers }).groups[0]?.table ?? [];
    expect(table).toHaveLength(11);
    expect(table[0]?.rank).toBe(2);
  });

  it('count what totals grew by, weeks that were not read too, and leave out who is still to come', () => {
    const weeks = season.map((week, at) => (at === 3 ? { ...week, squads: [] } : week));
    const members = new Map([
      ['M1', 3],
      ['M2', 6],
      ['M3', 1],
      ['M4', 7],
    ]);
    const { groups } = siteOf(weeks, siteOptions(season, { groups: [{ name: 'Office', members }] }));
    const totalOf = (squad: number, week: number): number => season[week - 1]?.squads[squad - 1]?.total ?? 0;
    const points = new Map(groups[0]?.table.map(({ squad, points: own }) => [squad.number, own]));
    expect(points).toEqual(
      new Map([
        [1, totalOf(1, 6) - totalOf(1, 2)],
        [2, totalOf(2, 6) - totalOf(2, 5)],
        [3, totalOf(3, 6)],
      ]),
    );
  });
});
