import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inputBook } from '../../../src/cli/init/input-tables.ts';
import type { Place } from '../../../src/cli/init/push-mapping.ts';
import { seasonTabs } from '../../../src/cli/init/season-tabs.ts';
import type { PullMapping } from '../../../src/mapping/mapping.ts';
import { parseMappings } from '../../../src/mapping/parse/parse-mappings.ts';

const root = join(import.meta.dirname, '../../..');
const sheet: Place = { kind: 'sheet', spreadsheet: '1abcDEF_9' };
const workbook: Place = { kind: 'xlsx', file: 'season.xlsx', outside: false };

function tabsIn(place: Place, ownTabs: readonly string[] = []): readonly PullMapping[] {
  const { text, layout } = seasonTabs(place, ownTabs);
  return parseMappings(text, 'season-tabs.yaml', {
    variable: () => '1',
    resolvePath: (path) => path,
    readLayout: (file) => ({ file, text: layout(readFileSync(join(root, file), 'utf8')) }),
  }).filter((mapping) => mapping.direction === 'pull');
}

const tabNames = (mappings: readonly PullMapping[]): readonly string[] =>
  mappings.flatMap(({ destination: { location }, layout }) => [
    ...('tab' in location ? [location.tab] : []),
    ...[layout?.cover?.tab, layout?.chartTab].filter((tab) => tab !== undefined),
  ]);

it.each([sheet, workbook])(
  'the reports of the season stand beside the tables of %o, each at its own times',
  (place) => {
    const mappings = tabsIn(place);
    expect(new Set(mappings.map(({ destination }) => destination.location.kind))).toEqual(
      new Set([place.kind]),
    );
    expect(tabNames(mappings).toSorted()).toEqual(
      [
        'Overview',
        'League table',
        'Week by week',
        'Charts',
        'Line-ups',
        'Fixtures',
        'Substitutions',
      ].toSorted(),
    );
    const inputs = inputBook('spreadsheet');
    const taken = [inputs.readMe.tab, 'Players', ...inputs.tables.map(({ tab }) => tab)];
    expect(tabNames(mappings).filter((tab) => taken.includes(tab))).toEqual([]);
    expect(mappings.filter(({ timing }) => (timing?.schedule.length ?? 0) === 0)).toEqual([]);
  },
);

it("no report takes the place of one of the operator's own tabs", () => {
  const names = tabNames(tabsIn(sheet, ['FIXTURES', 'Charts', 'Overview', 'Overview (teamsheet)']));
  expect(names).toEqual(
    expect.arrayContaining(['Fixtures (teamsheet)', 'Charts (teamsheet)', 'Overview (teamsheet 2)']),
  );
  expect(names).not.toEqual(expect.arrayContaining(['Fixtures']));
});

it('a report of the same name in another set-up has another mapping', () => {
  const shipped = globSync('mappings/*.yaml', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const names = tabsIn(sheet).map(({ name }) => name);
  expect(names.filter((name) => shipped.some((text) => text.includes(`name: ${name}\n`)))).toEqual([]);
});
