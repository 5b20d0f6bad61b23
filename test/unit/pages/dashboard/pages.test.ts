import { describe, expect, it } from 'vitest';
import type { WorkerHost } from '../../../../src/model/state/workers.ts';
import { budgetBody } from '../../../../src/pages/dashboard/budget.ts';
import { casesBody } from '../../../../src/pages/dashboard/cases.ts';
import { dashboardDocument, loneDocument } from '../../../../src/pages/dashboard/frame.ts';
import { overviewBody } from '../../../../src/pages/dashboard/overview.ts';
import { runBody } from '../../../../src/pages/dashboard/run.ts';
import { runsBody, runState } from '../../../../src/pages/dashboard/runs.ts';
import type { MappingLine, RowLine, RunLine, Work } from '../../../../src/pages/dashboard/values.ts';
import { weeksBody } from '../../../../src/pages/dashboard/weeks.ts';
import { moment } from '../../../../src/pages/dashboard/words.ts';
import { Markup, markup } from '../../../../src/pages/markup.ts';
import { htmlFindings } from '../../../support/valid-html.ts';
import { outcomeCounts } from '../../../../src/plan/counts.ts';

const HOSTILE = '"><script>alert(1)</script>\u202Eevil';
const watch = { timezone: 'Europe/London', nowMs: Date.UTC(2026, 6, 1, 12) };
const work: Work = {
  mapping: 'users',
  league: undefined,
  name: 'users',
  resource: 'users',
  direction: 'push',
  health: 'degraded',
  outcomes: outcomeCounts(
    new Map([
      ['created', 3],
      ['invalid', 120],
    ]),
  ),
  records: null,
  error: null,
  file: 'users.results.csv',
};
const run: RunLine = {
  id: '01ABC',
  command: 'sync',
  startedAtMs: Date.UTC(2026, 6, 1, 10),
  endedAtMs: Date.UTC(2026, 6, 1, 10, 1),
  exitCode: 3,
  isAtWork: false,
  isFinished: true,
  replacedBy: [],
  work: [work],
  requests: null,
};
const row: RowLine = {
  rowNumber: 1234,
  outcome: 'invalid',
  message: 'column "Name": too long',
  id: null,
  key: 'm-1',
  fields: [],
  places: [{ text: 'Users B17', href: 'https://docs.google.com/spreadsheets/d/x/edit#gid=1&range=B17' }],
};
const rowsOf = (lines: readonly RowLine[]) => ({ lines, page: 2, pages: 3, total: 120 });

describe('a run', () => {
  const body = (line: RowLine): string =>
    runBody(run, { work, choice: 'refused', rows: rowsOf([line]) }, watch).text;

  it('shows each refused row with its reason and a link to its cell', () => {
    const text = body(row);
    expect(text).toContain('Row 1,234');
    expect(text).toContain('column &quot;Name&quot;: too long');
    expect(text).toContain(
      '<a href="https://docs.google.com/spreadsheets/d/x/edit#gid=1&amp;range=B17" rel="noreferrer" target="_blank">',
    );
  });

  it.each([
    [1, '<b>1</b> record<'],
    [1200, '<b>1,200</b> records<'],
  ])('of a report says how many records it has: %d', (records, said) => {
    const report: Work = { ...work, direction: 'pull', outcomes: null, records };
    const { text } = runBody(
      { ...run, work: [report] },
      { work: report, choice: 'all', rows: rowsOf([]) },
      watch,
    );
    expect(text).toContain(said);
  });

  it('that is not finished tells how to go on with it, or which runs replaced it', () => {
    const left = { ...run, isFinished: false };
    const shown = (line: RunLine): string => `${runBody(line, undefined, watch).text}${runState(line).text}`;
    expect(shown(left)).toContain('resume 01ABC');
    expect(shown(left)).toContain('exit 3, not finished');
    const replaced = shown({ ...left, replacedBy: ['01DEF'] });
    expect(replaced).not.toContain('resume 01ABC');
    expect(replaced).toContain('href="/runs/01DEF"');
    expect(replaced).toContain('exit 3, replaced');
  });

  it('leads to the rows before and after, and to the other kinds of rows that it has', () => {
    const hrefs = [...body(row).matchAll(/href="(\/[^"]*)"/g)].map(([, href]) => href);
    expect(hrefs).toContain('/runs/01ABC?mapping=users&amp;rows=refused&amp;page=3');
    expect(hrefs).toContain('/runs/01ABC?mapping=users&amp;rows=written&amp;page=1');
    expect(hrefs.some((href) => href?.includes('rows=open'))).toBe(false);
  });

  it('shows what was written, field by field', () => {
    const text = body({
      ...row,
      outcome: 'created',
      message: '',
      fields: [['display_name', 'Ada']],
      places: [],
    });
    expect(text).toContain('<li>display_name <b><bdi>Ada</bdi></b></li>');
  });

  it('says where its results are gone', () => {
    expect(runBody(run, { work, choice: 'all', rows: undefined }, watch).text).toContain('is gone');
  });
});

it('says what became of a run, and nothing where it had no mapping, in a line of its own on narrow screens', () => {
  const sheet = { lines: [run, { ...run, work: [] }], page: 1, pages: 1, total: 2 };
  const cells = runsBody(sheet, watch).text.match(/<td class="below" data-head="Mappings">.*?<\/td>/g);
  expect(cells).toEqual([
    expect.stringContaining('<b>120</b> invalid'),
    '<td class="below" data-head="Mappings"></td>',
  ]);
});

it('says how far a next run is away by the clock of the service', () => {
  const next = { atMs: watch.nowMs - 9_000_000_000, inMs: 120_000, week: '7' };
  const line: MappingLine = {
    mapping: 'users',
    league: undefined,
    direction: 'push',
    resource: 'users',
    table: 'tab "Users"',
    ...{ last: undefined, running: undefined, health: undefined, schedule: '* * * * *', next },
  };
  const { text } = overviewBody({ mappings: [line], newest: run, openCases: 0, calendarAtMs: 1 }, watch);
  expect(text).toContain('in 2 min, week 7');
  // Its runs may have been removed.
  expect(text).toContain('<span class="badge">no run kept</span>');
});

it.each<readonly [name: string, Partial<RunLine>, note: string]>([
  ['a push', {}, 'Not finished: <code>teamsheet resume 01ABC</code> goes on with it.'],
  ['a push at work', { isAtWork: true }, 'It is running: what became of its rows'],
  [
    'a pull',
    { command: 'pull', endedAtMs: 1 },
    'Not finished: <code>teamsheet resume 01ABC</code> goes on with it within a day.',
  ],
  [
    'a pull that may be at work',
    { command: 'pull' },
    'it is running, unless its process is gone. Then <code>teamsheet resume 01ABC',
  ],
  [
    'a reading of game weeks',
    { command: 'weeks', endedAtMs: 1 },
    'Not finished: <code>teamsheet weeks read</code> goes on',
  ],
])('says of %s what goes on with it', (_, changes, note) => {
  const line: RunLine = { ...run, endedAtMs: null, exitCode: null, isFinished: false, ...changes };
  expect(runBody(line, undefined, watch).text).toContain(note);
});

it('says of a mapping that its run is at work, also at the first', () => {
  const line: MappingLine = {
    ...{ mapping: 'users', league: undefined, direction: 'push', resource: 'users', table: 'users.csv' },
    ...{
      last: undefined,
      running: { ...run, isAtWork: true },
      health: undefined,
      schedule: '',
      next: undefined,
    },
  };
  const text = (health: MappingLine['health']): string =>
    overviewBody({ mappings: [{ ...line, health }], newest: run, openCases: 0, calendarAtMs: 1 }, watch).text;
  expect(text(undefined)).toContain('<a href="/runs/01ABC"><span class="badge">running</span></a>');
  expect(text(undefined)).not.toContain('no run kept');
  expect(text('failing')).toMatch(/failing<.*running</);
});

it.each<readonly [readonly WorkerHost['state'][], known: string, unknown: string]>([
  [[], 'They happen while <code>', 'not known here yet: <code>'],
  [['alive', 'gone'], 'Workers carry them out: 1 runs now.', 'not known here yet: a worker reads them'],
  [['alive', 'alive'], 'Workers carry them out: 2 run now.', 'not known here yet: a worker reads them'],
  [['ended'], 'Workers carry them out, and none runs now: <code>', 'not known here yet: a worker reads them'],
])('says who carries out next runs, of workers that are %j', (states, known, unknown) => {
  const line: MappingLine = {
    ...{ mapping: 'users', league: undefined, direction: 'push', resource: 'users', table: 'users.csv' },
    ...{ last: undefined, running: undefined, health: undefined, schedule: '* * * * *', next: undefined },
  };
  const hosts = states.map((state) => ({ state }));
  const text = (calendarAtMs: number | undefined): string =>
    overviewBody({ mappings: [line], newest: run, openCases: 0, calendarAtMs }, watch, hosts).text;
  expect(text(1)).toContain(known);
  expect(text(undefined)).toContain(unknown);
});

describe('names of the data', () => {
  const mapping: MappingLine = {
    mapping: HOSTILE,
    league: HOSTILE,
    direction: 'push',
    resource: 'users',
    table: HOSTILE,
    last: { run, work: { ...work, error: HOSTILE, outcomes: null } },
    running: undefined,
    health: 'failing',
    schedule: HOSTILE,
    next: { atMs: watch.nowMs + 60_000, inMs: 60_000, week: HOSTILE },
  };
  const hostileRow: RowLine = {
    ...row,
    message: HOSTILE,
    key: HOSTILE,
    id: HOSTILE,
    fields: [[HOSTILE, HOSTILE]],
    places: [{ text: HOSTILE, href: undefined }],
  };
  const hostileWork = { ...work, mapping: HOSTILE, name: HOSTILE, file: HOSTILE };
  const hostileRun = { ...run, command: HOSTILE, work: [hostileWork] };
  const bodies = {
    overview: overviewBody({ mappings: [mapping], newest: run, openCases: 1, calendarAtMs: 1 }, watch),
    runs: runsBody({ lines: [hostileRun], page: 1, pages: 1, total: 1 }, watch),
    run: runBody(hostileRun, { work: hostileWork, choice: 'refused', rows: rowsOf([hostileRow]) }, watch),
    cases: casesBody(
      {
        lines: [
          {
            mapping: HOSTILE,
            league: undefined,
            id: HOSTILE,
            kind: 'unknown',
            run: HOSTILE,
            operation: HOSTILE,
            rows: [{ rowNumber: 1, key: HOSTILE }],
            sentAtMs: 1,
            reason: HOSTILE,
          },
        ],
        page: 1,
        pages: 1,
        total: 1,
      },
      watch,
    ),
    document: {
      text: dashboardDocument(
        { section: '/', title: HOSTILE, body: markup`` },
        { ...watch, folder: HOSTILE, shownAt: markup`` },
      ),
    },
  };

  it.each(Object.entries(bodies))('are text in the page %s, and turn nothing', (_, { text }) => {
    expect(text).toContain('[U+202E]evil');
    expect(text).not.toMatch(/<script|\u202E/);
  });

  it.each(Object.entries(bodies).filter(([name]) => name !== 'document'))(
    'are in valid HTML in the page %s',
    (_, { text }) => {
      const page = { section: '/', title: 'Page', body: new Markup(text) } as const;
      const whole = dashboardDocument(page, { ...watch, folder: HOSTILE, shownAt: markup`now` });
      expect(htmlFindings(whole)).toEqual([]);
    },
  );

  it('are text where there is no page', () => {
    expect(htmlFindings(loneDocument(503, 'No', HOSTILE))).toEqual([]);
    expect(loneDocument(503, 'No', HOSTILE)).not.toContain('<script');
  });
});

describe('a time', () => {
  it('is that of the configuration, with its year where it is another one', () => {
    expect(moment(Date.UTC(2026, 6, 1, 10), watch).text).toContain('>Wed 1 Jul 11:00<');
    expect(moment(Date.UTC(2025, 0, 1, 10), watch).text).toContain('>Wed 1 Jan 2025 10:00<');
    expect(moment(NaN, watch).text).toBe('–');
  });
});

describe('the weeks', () => {
  it('have their states and what there is to say of them', () => {
    const week = {
      week: 'GW7',
      state: 'final_by_totals',
      squads: 60,
      lineups: 59,
      readAtMs: undefined,
      note: HOSTILE,
    } as const;
    const { text } = weeksBody([{ league: 1, weeks: [week] }], watch);
    expect(text).toContain('<span class="badge good">final by totals</span>');
    expect(text).toContain('[U+202E]evil');
    expect(weeksBody([], watch).text).toContain('teamsheet weeks read');
  });
});

describe('the budget', () => {
  const usage = { name: 'users', used: 5, most: 10, isBlocked: true };
  const reading = {
    day: '2026-07-01',
    atMs: 1,
    windows: [],
    quotas: [usage, { ...usage, name: 'squads', most: -1 }],
  };

  const account = { service: 'https://data.example', readings: [reading, { ...reading, day: '2026-06-30' }] };

  it('says that the account was not read, and that no run is kept', () => {
    const { text } = budgetBody({ days: [], accounts: [] }, watch);
    expect(text).toContain('The account has not been read');
    expect(text).toContain('No run that has ended is kept.');
  });

  it('shows quotas now and by day, unlimited ones as such', () => {
    const { text } = budgetBody({ days: [], accounts: [account] }, watch);
    expect(text).toContain('<b>5</b> of unlimited');
    expect(text).toContain('blocked');
    expect(text).toContain('<td>2026-06-30</td><td class="num">5 of 10</td><td class="num">5</td>');
  });

  it('tells two accounts apart', () => {
    const other = { service: HOSTILE, readings: [reading] };
    const { text } = budgetBody({ days: [], accounts: [account, other] }, watch);
    expect(text).toContain('<h2><bdi>https://data.example</bdi></h2>');
    expect(text).toContain('[U+202E]evil');
  });

  it('draws a column for each day with requests', () => {
    const day = { day: '2026-07-01', sent: 10, throttled: 0, waitedMs: 0 };
    const { text } = budgetBody({ days: [day, { ...day, day: '2026-06-30', sent: 5 }], accounts: [] }, watch);
    expect(text.match(/<rect class="column"/g)).toHaveLength(2);
    expect(text).toContain('<title>2026-06-30: 5 requests</title>');
  });
});
