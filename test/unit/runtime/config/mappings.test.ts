import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readMappings, readPushMappings } from '../../../../src/runtime/config/mappings.ts';
import { testFolder } from '../../../support/test-folder.ts';

const folder = testFolder();
beforeEach(() => mkdirSync(join(folder.path, 'mappings')));
const configWith = (vars: Readonly<Record<string, string>> = {}) => ({
  folder: folder.path,
  mappings: join(folder.path, 'mappings'),
  vars,
});

const push = (source: string): string => `version: 1
name: members
push: users
source: ${source}
operation: upsert
columns: { external_id: { from: Member ID }, display_name: { from: Name, default: "\${default_name}" } }
`;
const pull = (destination: string): string => `version: 1
name: list
pull: users
destination: ${destination}
`;

function read(source: string, destination: string, names: readonly string[]): readonly string[] {
  folder.write('mappings/members.yaml', push(source));
  folder.write('mappings/list.yaml', pull(destination));
  const config = configWith({ default_name: 'Nobody' });
  return readMappings(config, names, { cwd: folder.path }).map(({ name }) => name);
}

describe('a report over the table that rows come from', () => {
  it.each([
    ['{ csv: out/members.csv }', '{ csv: ./out/members.csv }'],
    ['{ xlsx: season.xlsx, tab: Members }', '{ xlsx: season.xlsx, tab: members }'],
    [
      '{ sheet: abc, tab: Members }',
      '{ sheet: "https://docs.google.com/spreadsheets/d/abc/edit", tab: Members }',
    ],
  ])('is refused: %s', (source, destination) => {
    for (const names of [['list'], []]) {
      expect(() => read(source, destination, names)).toThrow(
        expect.objectContaining({ code: 'destination.source', exitCode: 4 }) as Error,
      );
    }
  });

  it('is refused where a link leads to it', () => {
    folder.write('members.csv', 'Member ID\n');
    symlinkSync('members.csv', join(folder.path, 'link.csv'));
    expect(() => read('{ csv: members.csv }', '{ csv: link.csv }', ['list'])).toThrow(
      expect.objectContaining({ code: 'destination.source' }) as Error,
    );
  });

  it.each([
    ['{ csv: members.csv }', '{ csv: out/members.csv }'],
    ['{ xlsx: season.xlsx, tab: Members }', '{ xlsx: season.xlsx, tab: List }'],
    ['{ sheet: abc, tab: Members }', '{ sheet: abd, tab: Members }'],
  ])('is none beside it: %s', (source, destination) => {
    expect(read(source, destination, ['list'])).toEqual(['list']);
  });

  it('is not looked for where the mapping that pushes is wrong and was not asked for', () => {
    expect(read('{ csv: }', '{ csv: out/members.csv }', ['list'])).toEqual(['list']);
  });
});

describe('a table that may be missing', () => {
  it.each([
    ['{ csv: members.csv, optional: true }', []],
    ['{ csv: "members-*.csv", optional: true }', ['members']],
    ['{ csv: "members-??.csv", optional: true }', []],
    ['{ csv: "in/members-*.csv", optional: true }', []],
  ])('is left out where every mapping runs, unless a file is meant: %s', (source, there) => {
    folder.write('members-1.csv', 'Member ID\n');
    expect(read(source, '{ csv: list.csv }', [])).toEqual(['list', ...there]);
  });
});

describe('two mappings of one tab', () => {
  const of = (name: string, writeBack: string, more = ''): string => `version: 1
name: ${name}
push: users
source: { sheet: abc, tab: Members${more} }
operation: upsert
columns: { external_id: Member ID, display_name: Name }
${writeBack === '' ? '' : `write_back: { ${writeBack} }`}
`;
  const readBoth = (one: string, other: string, names: readonly string[]): readonly string[] => {
    folder.write('mappings/one.yaml', one);
    folder.write('mappings/two.yaml', other);
    const config = configWith();
    return readMappings(config, names, { cwd: folder.path }).map(({ name }) => name);
  };

  it.each([
    ['one column', of('one', 'status: State'), of('two', 'message: STATE')],
    [
      'one column at rows that both may have',
      of('one', 'status: State', `, where: 'League = "A" and Kind != "x"'`),
      of('two', 'status: State', `, where: 'Kind != "y"'`),
    ],
  ])('are refused where they write outcomes into %s', (_what, one, other) => {
    for (const [names, message] of [
      [
        [],
        /^mappings\/one\.yaml:1: one: .* column "State" of tab "Members", which two \(mappings\/two\.yaml:1\)/,
      ],
      [
        ['two'],
        /^mappings\/two\.yaml:1: two: .* column "\w+" of tab "Members", which one \(mappings\/one\.yaml:1\)/,
      ],
    ] as const)
      expect(() => readBoth(one, other, names)).toThrow(
        expect.objectContaining({
          code: 'mapping.write_back_column',
          exitCode: 4,
          message: expect.stringMatching(message) as string,
        }) as Error,
      );
  });

  const reading = (names: string, more = ''): string =>
    of('one', '', more).replace('display_name: Name', `display_name: { from: ${names} }`);

  it.each([
    ['the only one of its names', '[Nick]'],
    ['the first of its names', '[NICK, Name]'],
  ])('are refused where one writes outcomes into a column that the other reads: %s', (_what, names) => {
    const both = [reading(names), of('two', 'message: Nick')] as const;
    for (const asked of [[], ['two']])
      expect(() => readBoth(...both, asked)).toThrow(
        expect.objectContaining({
          code: 'mapping.write_back_column',
          message:
            'mappings/two.yaml:1: two: write_back would write over column "Nick" of tab "Members", which one (mappings/one.yaml:1) reads',
        }) as Error,
      );
  });

  it.each([
    ['columns of their own', of('one', 'status: State'), of('two', 'status: Users state')],
    ['one of them none', of('one', 'status: State'), of('two', '')],
    [
      'rows of their own, by two texts',
      of('one', 'status: State', `, where: 'League = "A"'`),
      of('two', 'status: State', `, where: 'League = "B" and Kind = "x"'`),
    ],
    [
      'rows of their own, by one text and any other',
      of('one', 'status: State', `, where: 'League = "A"'`),
      of('two', 'status: State', `, where: 'League != "A"'`),
    ],
    ['ids that the other reads', reading('[Nick]'), of('two', 'id: Nick')],
    ['a name that the other falls back to', reading('[Name, Nick]'), of('two', 'status: Nick')],
    [
      'a column that the other reads at rows of its own',
      reading('[Nick]', `, where: 'League = "A"'`),
      of('two', 'status: Nick', `, where: 'League != "A"'`),
    ],
    ['another tab', of('one', 'status: State'), of('two', 'status: State').replace('Members', 'Others')],
  ])('are taken with %s', (_what, one, other) => {
    expect(readBoth(one, other, [])).toEqual(['one', 'two']);
  });
});

describe('a pattern of files', () => {
  const originOf = (source: string): string => {
    read(source, '{ csv: list.csv }', ['members']);
    const config = configWith({ default_name: 'Nobody' });
    const [mapping] = readPushMappings(config, ['members'], { cwd: folder.path });
    return mapping?.source.origin ?? '';
  };

  it.each([
    ['the file', '{ csv: "in/members-2*.csv" }', 'in/members-27.csv'],
    ['the file of a tab', '{ xlsx: "in/*.xlsx", tab: Members }', 'in/season.xlsx tab "Members"'],
    ['itself where it means none', '{ csv: "in/players-*.csv" }', 'in/players-*.csv'],
    ['itself where it means several', '{ csv: "in/members-*.csv" }', 'in/members-*.csv'],
    ['itself where its folder is not there', '{ csv: "out/members-*.csv" }', 'out/members-*.csv'],
  ])('is called in messages by %s', (_what, source, origin) => {
    mkdirSync(join(folder.path, 'in'));
    for (const name of ['members-1.csv', 'members-27.csv', 'season.xlsx'])
      writeFileSync(join(folder.path, 'in', name), '');
    expect(originOf(source)).toBe(origin);
  });
});

describe('names that are one file on macOS or Windows', () => {
  it.each([
    ['Members', 'capitals'],
    ['MEMBERS', 'capitals'],
    ['me\u0301mbe\u0301', 'Unicode forms', 'm\u00e9mb\u00e9'],
  ])('are refused: %s (%s)', (name, _, other = 'members') => {
    const named = (text: string) => pull('{ csv: out/list.csv }').replace('list', text);
    folder.write('mappings/a.yaml', named(other));
    folder.write('mappings/b.yaml', `- ${named(name).replaceAll('\n', '\n  ')}`);
    const config = configWith();
    expect(() => readMappings(config, [other], { cwd: folder.path })).toThrow(
      expect.objectContaining({
        code: 'mapping.name_twice',
        message: `mappings/b.yaml:1: "${name}" and "${other}" in mappings/a.yaml:1 differ in capitals or Unicode forms alone; macOS or Windows would keep their results in one file`,
        next: 'give one of them another name',
      }) as Error,
    );
  });
});

describe('a mapping file that is a symbolic link', () => {
  const readLink = (target: string) => {
    folder.write('there.yaml', pull('{ csv: out/list.csv }'));
    symlinkSync(target, join(folder.path, 'mappings', 'list.yaml'));
    return readMappings(configWith(), [], { cwd: folder.path });
  };

  it('is read', () => {
    expect(readLink('../there.yaml')).toHaveLength(1);
  });

  it.each(['../gone.yaml', 'list.yaml'])('is refused where it leads to no file: %s', (target) => {
    expect(() => readLink(target)).toThrow(
      expect.objectContaining({
        code: 'mapping.unreadable',
        message: `${join(folder.path, 'mappings', 'list.yaml')} is a symbolic link to "${target}", which leads to no file`,
        next: 'correct the link, or delete it',
      }) as Error,
    );
  });
});

describe('a schedule', () => {
  const readTimed = (schedule: string): unknown => {
    writeFileSync(
      join(folder.path, 'mappings', 'list.yaml'),
      `${pull('{ csv: out/list.csv }')}schedule: ${schedule}\n`,
    );
    const config = configWith();
    return readMappings(config, [], { cwd: folder.path })[0]?.timing?.schedule;
  };

  it('is taken as it is written', () => {
    expect(readTimed('["0 6 * * MON", { at: each.end }]')).toMatchObject([
      { kind: 'cron', text: '0 6 * * MON' },
      { kind: 'week' },
    ]);
  });

  it.each([
    ['"60 * * * *"', '5:11: schedule "60 * * * *" is no cron text'],
    ['[{ at: each.end }, "0 0 31 2 *"]', '5:30: schedule "0 0 31 2 *" names a day that never comes'],
  ])('that is none is refused at its place: %s', (schedule, message) => {
    expect(() => readTimed(schedule)).toThrow(
      expect.objectContaining({
        code: 'schedule.cron',
        message: expect.stringContaining(`list.yaml:${message}`) as string,
      }) as Error,
    );
  });
});

describe('the folder of mappings', () => {
  it('holds no mapping in a file that begins with a dot', () => {
    folder.write('mappings/._members.yaml', '\0\x05\x16\x07Mac OS X');
    symlinkSync('ada@host.1234', join(folder.path, 'mappings', '.#members.yaml'));
    expect(read('{ csv: members.csv }', '{ csv: out/list.csv }', [])).toEqual(['list', 'members']);
  });
});
