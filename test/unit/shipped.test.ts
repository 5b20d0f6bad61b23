import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { pushTarget, resources, RESOURCES } from '../../src/contract/index.ts';
import type { Mapping, PullMapping, PushMapping } from '../../src/mapping/mapping.ts';
import { isWanted } from '../../src/cli/init/report-places.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import { PUSHED_RESOURCES } from '../../src/plan/resources/index.ts';
import { joinLayout } from '../../src/report/arrange.ts';
import { bindColumns } from '../../src/report/column.ts';
import { reportOf } from '../../src/report/index.ts';
import { demoFiles } from '../../templates/demo/generate.ts';

const root = join(import.meta.dirname, '../..');
const vars: Readonly<Record<string, string>> = { fantasy_league_id: '1', price_type: 'current' };

/** The layouts that the mappings name. */
const layouts: string[] = [];
const mappings: readonly Mapping[] = globSync('mappings/*.yaml', { cwd: root }).flatMap((path) =>
  parseMappings(readFileSync(join(root, path), 'utf8'), path, {
    variable: (name) => vars[name],
    resolvePath: (name) => join(root, name),
    readLayout: (file) => {
      layouts.push(file);
      return { file, text: readFileSync(join(root, file), 'utf8') };
    },
  }),
);
const pushes = mappings.filter((mapping): mapping is PushMapping => mapping.direction === 'push');
const pulls = mappings.filter((mapping): mapping is PullMapping => mapping.direction === 'pull');

function table(path: string): readonly (readonly string[])[] {
  return parse(readFileSync(join(root, path), 'utf8'));
}

const inputs = globSync('templates/inputs/*.csv', { cwd: root }).toSorted();

describe('the shipped mappings', () => {
  it('push every resource that can be pushed', () => {
    expect(pushes.map(({ resource }) => resource).toSorted()).toEqual(PUSHED_RESOURCES.toSorted());
  });

  it('have a report for every resource that can be pulled', () => {
    const pulled = new Set(pulls.map(({ resource }) => resource));
    expect(RESOURCES.filter((name) => !pulled.has(name))).toEqual([]);
  });

  it('have names of their own', () => {
    const names = mappings.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('write each report to a place of its own below out/', () => {
    const places = pulls.map(({ destination }) => destination.origin);
    expect(new Set(places).size).toBe(places.length);
    expect(places.filter((place) => !place.startsWith('out/'))).toEqual([]);
  });

  it('make workbooks of the season and the players, and a CSV file of every resource', () => {
    const written = (kind: 'csv' | 'xlsx'): readonly string[] =>
      pulls.filter(({ destination }) => destination.location.kind === kind).map(({ resource }) => resource);
    expect(written('xlsx').toSorted()).toEqual(
      [
        ...['squads', 'lineups', 'fixtures', 'auto_substitutions'],
        // The league table, and week by week.
        ...['standings', 'standings'],
        ...['players', 'prices'],
      ].toSorted(),
    );
    expect(written('csv').toSorted()).toEqual([...RESOURCES].toSorted());
  });

  it('have a layout for every tab of a workbook, and every shipped layout is used', () => {
    const workbooks = pulls.filter(({ destination }) => destination.location.kind === 'xlsx');
    expect(workbooks.filter(({ layout }) => layout === undefined)).toEqual([]);
    const tabs = readFileSync(join(root, 'templates/tabs/season-tabs.yaml'), 'utf8');
    const ofTabs = Array.from(tabs.matchAll(/^ *layout: (.+)$/gm), ([, layout = '']) => layout);
    expect([...new Set([...layouts, ...ofTabs])].toSorted()).toEqual(
      globSync('templates/reports/*', { cwd: root }).toSorted(),
    );
  });

  it('hide the long ids of every tab', () => {
    const ids = pulls.flatMap(({ resource, detail, explode, columns, layout }) =>
      bindColumns(reportOf(resource, { detail, explode }), columns).flatMap(({ header, type }) =>
        type === 'uuid' && layout !== undefined ? [[header, layout.columns.get(header)?.hidden]] : [],
      ),
    );
    expect(ids).toEqual([
      ['Squad ID', true],
      ['Squad ID', true],
    ]);
  });

  it('tell apart in charts what has one name', () => {
    const charts = pulls.flatMap(({ layout }) => layout?.charts ?? []);
    expect(charts.map(({ title }) => title)).toEqual([
      ...['Price by game week', 'The best players by points'],
      ...['Rank by game week', 'Total points by game week', 'The best squads by points'],
    ]);
    expect(charts.filter(({ id }) => id === undefined)).toEqual([]);
  });

  it('keep the line-ups of squads of one name apart, also where their managers have one name', () => {
    const lineups = pulls.find(({ name }) => name === 'lineups-workbook');
    if (lineups?.layout === undefined) throw new Error('there is no such layout');
    const headers = ['Squad', 'Manager', 'Order', 'Points'];
    const columns = headers.map((header) => ({ header, type: 'text', format: undefined }) as const);
    const squads = ['Zoe', 'Ann', 'Ann'].flatMap((manager, squad) =>
      [1, 2, 12].map((order) => ['Lions', manager, order, 10 * squad]),
    );
    const { rows } = joinLayout(lineups.layout, columns).arrange([...squads, ['Bears', 'Zoe', 1, 0]]);
    expect(rows).toEqual([
      ['Bears', 'Zoe', 1, 0],
      ...[10, 20].flatMap((points) => [1, 2, 12].map((order) => ['Lions', 'Ann', order, points])),
      ...[1, 2, 12].map((order) => ['Lions', 'Zoe', order, 0]),
    ]);
  });

  it('guard against a table that changes too much', () => {
    const guards = pushes.map(({ name, guards: { maxChangePct, maxStepPct } }) => [
      name,
      [maxChangePct, maxStepPct],
    ]);
    // Where nothing can be changed, no share of changes is too large.
    const unguarded = pushes.map(({ name }) => [name, [100, undefined]]);
    const expected = { ...Object.fromEntries(unguarded), users: [30, undefined], prices: [30, 25] } as object;
    expect(Object.fromEntries(guards)).toEqual(expected);
  });
});

describe('the input tables', () => {
  it.each(pushes.map((mapping): [string, PushMapping] => [mapping.name, mapping]))(
    'of %s have the columns that the mapping asks for',
    (_, { source, columns }) => {
      const [header = []] = table(join('templates/inputs', source.origin));
      const { layout } = source;
      const asked =
        columns === 'auto' ? [] : columns.flatMap(({ from, fromAll }) => [...from.slice(0, 1), ...fromAll]);
      expect(layout.kind === 'table' ? asked : [layout.keyColumn, layout.valueColumn]).toEqual(header);
    },
  );

  it('name every setting of the points configuration once', () => {
    const labels = Object.entries(resources.points_config.push.fields)
      .filter(([name]) => name !== 'fantasy_league_id')
      .map(([, { label }]) => label);
    expect(table('templates/inputs/points-config.csv').slice(1)).toEqual(labels.map((label) => [label, '']));
  });

  it.each(['users', 'prices'])('of %s hold only example rows, which the mapping leaves out', (name) => {
    const mapping = pushes.find((each) => each.name === name);
    const [header = [], ...rows] = table(`templates/inputs/${name}.csv`);
    const conditions = mapping?.source.where ?? [];
    expect(conditions).toHaveLength(1);
    const counted = rows.filter((row) =>
      conditions.every(
        ({ header: column, equals, text }) => (row[header.indexOf(column)] === text) === equals,
      ),
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(counted).toEqual([]);
  });

  it.each(inputs)('%s has every column described', (path) => {
    const text = readFileSync(join(root, 'templates/inputs/README.md'), 'utf8');
    const [header = []] = table(path);
    const push = pushes.find(({ source }) => source.origin === basename(path));
    const fields = Object.values((push && pushTarget(push.resource)?.fields) ?? {});
    const described = text.includes(basename(path))
      ? (column: string): boolean => text.includes(`| ${column} |`) || /^P\d+$/.test(column)
      : (column: string): boolean => fields.some(({ label }) => label === column);
    expect(header.filter((column) => !described(column))).toEqual([]);
  });
});

it('the page on the input tables names only reports that init makes when it is not asked', () => {
  const text = readFileSync(join(root, 'templates/inputs/README.md'), 'utf8');
  const reports = Array.from(text.matchAll(/`([a-z-]+-(?:report|workbook))`/g), ([, name = '']) => name);
  expect(reports.filter((name) => !isWanted('workbook', `${name}.yaml`, false))).toEqual([]);
});

describe("the demo's tables", () => {
  const files = Object.entries(demoFiles());

  it.each(files)('%s are what the generator makes', (name, text) => {
    expect(readFileSync(join(root, 'templates/demo', name), 'utf8')).toBe(text);
  });

  it.each(files.map(([name]) => name))('%s has the header of the input table', (name) => {
    expect(table(join('templates/demo', name))[0]).toEqual(table(join('templates/inputs', name))[0]);
  });

  it('have 500 users or more, with ids and names of their own, in many scripts', () => {
    const rows = table('templates/demo/users.csv').slice(1);
    const names = rows.map(([, name = '']) => name);
    expect(rows.length).toBeGreaterThanOrEqual(500);
    expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length);
    expect(new Set(names).size).toBe(rows.length);
    expect(
      names.filter((name) => name.length > 50 || name.normalize('NFC') !== name || name.trim() !== name),
    ).toEqual([]);
    expect(Math.max(...names.map((name) => name.length))).toBe(50);
    const scripts = 'Latin Cyrillic Greek Arabic Hebrew Devanagari Thai Han Hiragana Hangul'.split(' ');
    const missing = scripts.filter(
      (script) => !names.some((name) => new RegExp(`\\p{Script=${script}}`, 'u').test(name)),
    );
    expect(missing).toEqual([]);
    expect([...new Set(rows.map(([, , active]) => active))].toSorted()).toEqual(['', 'no', 'yes']);
  });

  it('price every player once, in steps of a tenth', () => {
    const rows = table('templates/demo/prices.csv').slice(1);
    expect(rows.map(([id]) => id)).toEqual(rows.map((_, index) => String(index + 1)));
    expect(rows.length).toBeGreaterThan(400);
    expect(rows.filter(([, price = '']) => !/^\d{1,2}\.\d$/.test(price) || Number(price) < 3.5)).toEqual([]);
  });

  it('give every setting a value that the interface allows', () => {
    const fields = Object.values(resources.points_config.push.fields);
    const rows = table('templates/demo/points-config.csv').slice(1);
    const refused = rows.filter(([label, points]) => {
      const field = fields.find((each) => each.label === label);
      return field === undefined || !field.schema.safeParse(Number(points)).success;
    });
    expect(rows).toHaveLength(34);
    expect(refused).toEqual([]);
  });
});
