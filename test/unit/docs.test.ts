import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { commands } from '../../src/cli/commands/registry.ts';
import { configSchema } from '../../src/runtime/config/config-file.ts';
import { readAddress, tlsOf } from '../../src/runtime/config/state-place.ts';
import { endpoints, OPERATION_IDS, pullTarget, RESOURCES, resources } from '../../src/contract/index.ts';
import type { ResourceName } from '../../src/contract/index.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import { TRANSFORMS } from '../../src/mapping/transforms.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import { reportOf } from '../../src/report/index.ts';
import type { PullTarget, PushTarget, RowAsked } from '../../src/contract/resource.ts';
import { PUSHED_RESOURCES } from '../../src/plan/resources/index.ts';

const root = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('{docs,templates,test}/**/*.md', { cwd: root }),
];
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** All that the reference says of a resource. */
const RESOURCES_PAGE = 'docs/resources.md';
/** A dotted code, and no file name. */
const CODE = /^[a-z_]+\.(?!sqlite$)[a-z_]+$/;
const guides = ['README.md', ...globSync('docs/*.md', { cwd: root })].map(read).join('\n');

/** The rows of the tables below a heading, cells without backquotes. */
function tableRows(page: string, heading?: string): readonly (readonly string[])[] {
  const lines = read(page).split('\n');
  const start = heading === undefined ? 0 : lines.indexOf(heading) + 1;
  const level = heading?.indexOf(' ') ?? 0;
  const next = lines.findIndex(
    (line, index) => index >= start && /^#+ /.test(line) && line.indexOf(' ') <= level,
  );
  return lines
    .slice(start, next === -1 ? undefined : next)
    .filter((line) => line.startsWith('|') && !/^\|[-|]+\|$/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

describe('the README', () => {
  const text = read('README.md').replace(/\s+/g, ' ');

  it('makes the promise in its exact words', () => {
    expect(text).toContain(
      'never two effects for one row, provided that the service applies nothing later than `settle` after it was sent; a later one is found and reported wherever the service can list it',
    );
  });
});

describe('the guides', () => {
  it('explain every outcome and every exit code', () => {
    expect(
      tableRows('docs/outcomes.md', '## What becomes of a row')
        .slice(1)
        .map(([outcome]) => outcome),
    ).toEqual(OUTCOMES);
    const codes = tableRows('docs/outcomes.md', '## Exit codes')
      .slice(1)
      .map(([code]) => code);
    expect(codes).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '64', '130, 143']);
  });

  it('list every command', () => {
    const listed = tableRows('docs/commands.md', '## All commands')
      .slice(1)
      .map(([command]) => command?.split(' ')[0]);
    expect(listed).toEqual(Object.keys(commands));
  });
});

describe('examples', () => {
  const vars: Readonly<Record<string, string>> = { fantasy_league_id: '1', price_type: 'current' };
  const blocks = ['README.md', ...globSync('docs/*.md', { cwd: root })].flatMap((page) =>
    [...read(page).matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']): [string, string] => [page, text]),
  );
  const isMapping = (text: string): boolean => /^(- )?version: 1\n\s*name:/.test(text);

  it.each(blocks.filter(([, text]) => isMapping(text)))('of mappings in %s are mappings', (page, text) => {
    const context = {
      variable: (name: string) => vars[name],
      resolvePath: (path: string) => path,
      readLayout: (file: string) => ({ file, text: read(file) }),
    };
    expect(parseMappings(text, page, context)).toHaveLength(1);
  });

  it.each(blocks.filter(([, text]) => /^version: 1\nenvironments:/.test(text)))(
    'of a configuration in %s is one',
    (_, text) => {
      expect(configSchema.safeParse(parseYaml(text)).error).toBeUndefined();
    },
  );

  it('are seen', () => {
    expect(blocks.filter(([, text]) => isMapping(text)).length).toBeGreaterThan(3);
    expect(blocks.some(([page]) => page === 'docs/configuration.md')).toBe(true);
  });
});

describe('the files for several machines', () => {
  const page = 'docs/several-machines.md';
  const blocks = [...read(page).matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);
  const parsed = blocks.flatMap((text) =>
    parseAllDocuments(text, { merge: true }).map((document) => {
      expect([...document.errors, ...document.warnings]).toEqual([]);
      return document.toJS() as Record<string, unknown>;
    }),
  );
  const compose = z
    .object({
      services: z.record(
        z.string(),
        z.object({
          command: z.array(z.string()),
          environment: z.record(z.string(), z.string()),
          volumes: z.array(z.string()),
        }),
      ),
      volumes: z.record(z.string(), z.null()),
    })
    .parse(parsed.find((document) => 'services' in document));
  const workers = Object.entries(compose.services).filter(([name]) => name.startsWith('worker'));
  const statefulSet = z
    .object({
      spec: z.object({
        replicas: z.number(),
        selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
        template: z.object({
          metadata: z.object({ labels: z.record(z.string(), z.string()) }),
          spec: z.object({
            containers: z.array(
              z.object({ args: z.array(z.string()), volumeMounts: z.array(z.object({ name: z.string() })) }),
            ),
            volumes: z.array(z.object({ name: z.string() })),
          }),
        }),
      }),
    })
    .parse(parsed.find(({ kind }) => kind === 'StatefulSet')).spec;

  it('run workers, by a command line that there is', async () => {
    const { containers } = statefulSet.template.spec;
    const lines = [...workers.map(([, { command }]) => command), ...containers.map(({ args }) => args)];
    expect(lines).toHaveLength(3);
    for (const [name, ...line] of lines) {
      expect(name).toBe('teamsheet');
      expect(await parseCommandLine(line)).toMatchObject({ name: 'worker', args: { probe: { port: 8791 } } });
    }
    expect(statefulSet.replicas).toBe(2);
  });

  it('name a database that is reached without a network', () => {
    for (const [, { environment, volumes }] of workers) {
      const given = { folder: '/league', env: environment, schema: 'teamsheet', leaseMs: 30_000 };
      const database = readAddress(environment['TEAMSHEET_STATE_URL'] ?? '', given, {});
      expect(database).toMatchObject({
        host: '/var/run/postgresql',
        database: 'teamsheet',
        user: 'teamsheet',
      });
      expect(tlsOf(database, false)).toBe(false);
      expect(volumes).toContain(`socket:${database.host}`);
    }
    expect(compose.services['postgres']?.volumes).toContain('socket:/var/run/postgresql');
  });

  it('mount what they name', () => {
    const named = Object.values(compose.services).flatMap(({ volumes }) =>
      volumes.map((volume) => volume.split(':')[0] ?? ''),
    );
    expect(new Set(named.filter((name) => name !== '.'))).toEqual(new Set(Object.keys(compose.volumes)));
    const { containers, volumes } = statefulSet.template.spec;
    expect(containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name))).toEqual(
      volumes.map(({ name }) => name),
    );
    expect(statefulSet.template.metadata.labels).toMatchObject(statefulSet.selector.matchLabels);
  });
});

describe('tables', () => {
  it.each(pages)('of %s have a head, and rows as wide as it', (page) => {
    const lines = read(page)
      .replace(/```[^]*?```/g, (block) => block.replace(/[^\n]/g, ''))
      .split('\n');
    const widthOf = (line = ''): number => line.split(/(?<!\\)\|/).length;
    const isRow = (line = ''): boolean => line.startsWith('|');
    const wrong = lines.filter((line, index) => {
      if (!isRow(line)) return false;
      const before = lines[index - 1];
      return isRow(before)
        ? widthOf(line) !== widthOf(before)
        : !/^\|[-| :]+\|$/.test(lines[index + 1] ?? '');
    });
    expect(wrong).toEqual([]);
  });
});

describe('links', () => {
  it.each(pages)('of %s lead to files of the project', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '');
    const local = links
      .filter((target) => !/^https:/.test(target))
      .map((target) => target.replace(/#.*$/, ''));
    expect(local.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });

  it.each(pages)('of %s lead to headings that there are', (page) => {
    const anchors = [...read(page).matchAll(/\]\(([^)#:]*)#([^)]+)\)/g)];
    const missing = anchors.filter(([, file = '', anchor = '']) => {
      const target = file === '' ? page : join(dirname(page), file);
      return !anchorsOf(target).has(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  // `init` copies them into folders that have nothing of the project beside them.
  it.each(pages.filter((page) => page.startsWith('templates/')))('of %s stay in its folder', (page) => {
    expect(read(page)).not.toMatch(/\]\((?:\.\.|\/)/);
  });
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = read(page).replace(/```[^]*?```/g, '');
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );
}

const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root }).toSorted();

describe('the decisions', () => {
  it('are all in their list, in order and by their titles', () => {
    expect(decisions.length).toBeGreaterThan(20);
    const titles = decisions.map((path) => /^# (.+)$/m.exec(read(path))?.[1]);
    const listed = [...read('docs/decisions/README.md').matchAll(/^(\d+)\. \[(.+)\]\(([^)]+)\)$/gm)];
    expect(listed.map(([, number, title]) => `${number}. ${title}`)).toEqual(titles);
    expect(listed.map(([, , , file]) => `docs/decisions/${file}`)).toEqual(decisions);
  });

  it.each(decisions)('%s has context, choice and cost', (path) => {
    expect([...read(path).matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, part]) => part)).toEqual([
      'Context',
      'Choice',
      'Cost',
    ]);
  });
});

describe('ARCHITECTURE.md and the decisions', () => {
  it('name source files that exist', () => {
    const text = ['ARCHITECTURE.md', ...decisions].map(read).join('\n');
    const named = [...text.matchAll(/`([a-z]+\/[\w/-]+\.ts)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(
      named.filter((path) => !existsSync(join(root, 'src', path)) && !existsSync(join(root, path))),
    ).toEqual([]);
  });
});

describe('the reference', () => {
  it('has every operation of the service', () => {
    const expected = OPERATION_IDS.map((id) => [
      id,
      endpoints[id].method,
      endpoints[id].path,
      endpoints[id].summary,
    ]);
    expect(tableRows(RESOURCES_PAGE, '## Operations').slice(1)).toEqual(expected);
  });

  const listed = (names: readonly string[] = []): string => names.join(', ') || '-';

  it('says how each resource is pushed, in their order', () => {
    const expected = PUSHED_RESOURCES.map((name) => {
      const { operations, key, lookup }: PushTarget = resources[name].push;
      return [name, listed(operations), listed(key), listed(lookup?.match)];
    });
    expect(tableRows(RESOURCES_PAGE, '## Pushing').slice(1)).toEqual(expected);
  });

  it('says what a pull of each resource may ask for', () => {
    const expected = RESOURCES.map((name) => {
      const { where = {}, required = [] }: Partial<PullTarget> = pullTarget(name) ?? {};
      const asked = Object.keys(where).map((one) => (required.includes(one) ? `${one} (required)` : one));
      return [name, listed(asked)];
    });
    const rows = tableRows(RESOURCES_PAGE, '## Pulling').slice(1);
    expect(rows.map(([name, where]) => [name, where]).toSorted()).toEqual(expected.toSorted());
  });

  const options: RowAsked = { detail: false, explode: undefined };
  const fieldsOf = (name: ResourceName, changes: Partial<RowAsked> = {}): readonly (readonly string[])[] =>
    reportOf(name, { ...options, ...changes }).leaves.map(({ path, type }) => [path, type]);

  it.each(RESOURCES.filter((name) => name !== 'squads' && name !== 'players'))(
    'has every field of %s',
    (name) => {
      expect(tableRows(RESOURCES_PAGE, `### ${name}`).slice(1)).toEqual(fieldsOf(name));
    },
  );

  it('has every field of squads, without and with detail', () => {
    const expected = [...fieldsOf('squads'), ['path', 'type'], ...fieldsOf('squads', { detail: true })];
    expect(tableRows(RESOURCES_PAGE, '### squads').slice(1)).toEqual(expected);
  });

  it('has every field of players, and what explode adds', () => {
    const plain = fieldsOf('players');
    const added = fieldsOf('players', { explode: 'weekly_stats' }).slice(plain.length);
    expect(tableRows(RESOURCES_PAGE, '### players').slice(1)).toEqual([...plain, ['path', 'type'], ...added]);
  });

  it('has every transform with what it does', () => {
    const rows = new Map(tableRows('docs/mappings.md').map(([name, does]) => [name, does]));
    const described = Object.keys(TRANSFORMS).map((name) => [name, rows.get(name)]);
    expect(described).toEqual(
      Object.entries(TRANSFORMS).map(([name, { description }]) => [name, description]),
    );
  });

  it('names every flag that a command takes', () => {
    const flags = globSync('src/cli/**/*.ts', { cwd: root }).flatMap((path) => flagsIn(path));
    expect(flags.length).toBeGreaterThan(20);
    expect([...new Set(flags)].filter((flag) => !guides.includes(`\`--${flag}`)).toSorted()).toEqual([]);
  });
});

/** The names of flags that a file of the command line declares: the keys of `options: {…}` and of the shared sets of flags. */
function flagsIn(path: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const set =
      (ts.isPropertyAssignment(node) && node.name.getText() === 'options') ||
      (ts.isVariableDeclaration(node) && /Flags$/.test(node.name.getText()))
        ? node.initializer
        : undefined;
    const object =
      set !== undefined && (ts.isSatisfiesExpression(set) || ts.isAsExpression(set)) ? unwrap(set) : set;
    if (object !== undefined && ts.isObjectLiteralExpression(object)) {
      for (const property of object.properties) {
        if (!ts.isSpreadAssignment(property)) found.push(property.name.getText().replaceAll("'", ''));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  return found;
}

function unwrap(node: ts.Expression): ts.Expression {
  return ts.isSatisfiesExpression(node) || ts.isAsExpression(node) ? unwrap(node.expression) : node;
}

describe('error codes', () => {
  const listed = tableRows('docs/errors.md')
    .flatMap(([codes]) => codes?.split(', ') ?? [])
    .filter((code) => CODE.test(code));
  const sources = globSync('src/**/*.ts', { cwd: root }).map((path) =>
    ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true),
  );
  const { thrown, made, literals } = codesIn(sources);
  const families = new Set([...listed, ...thrown].map((code) => code.split('.')[0]));
  const used = literals.filter((text) => families.has(text.split('.')[0]));

  it('are listed once each', () => {
    expect(listed.filter((code, index) => listed.indexOf(code) !== index)).toEqual([]);
  });

  it('are all listed', () => {
    expect(thrown.length).toBeGreaterThan(50);
    expect([...new Set(used)].filter((code) => !listed.includes(code)).toSorted()).toEqual([]);
  });

  it('are listed only while something uses them', () => {
    const isMade = (code: string): boolean => made.some((head) => code.startsWith(head));
    expect(listed.filter((code) => !used.includes(code) && !isMade(code))).toEqual([]);
  });

  const exits = [
    ['ConfigError', '## Exit 4: configuration, mappings, tables'],
    ['AccessError', '## Exit 5: access'],
    ['StoppedError', '## Exit 6: stopped before writing'],
    ['IncompleteError', '## Exit 7: incomplete'],
    ['UnavailableError', '## Exit 8: not available'],
    ['UsageError', '## Exit 64: command line'],
  ] as const;

  it.each(exits)('of a %s are listed below %s', (name, heading) => {
    const below = new Set(
      tableRows('docs/errors.md', heading).flatMap(([codes]) => codes?.split(', ') ?? []),
    );
    const ofClass = codesIn(sources, name).thrown;
    expect(ofClass).not.toEqual([]);
    expect([...new Set(ofClass)].filter((code) => !below.has(code)).toSorted()).toEqual([]);
  });
});

/** The dotted texts of the sources: those given to `new …Error` (or to that class alone), the heads of codes that are put together, and all of them. */
function codesIn(
  sources: readonly ts.SourceFile[],
  name?: string,
): Readonly<Record<'thrown' | 'made' | 'literals', readonly string[]>> {
  const thrown: string[] = [];
  const made: string[] = [];
  const literals: string[] = [];
  const isNamed = (text: string): boolean => (name === undefined ? /Error$/.test(text) : text === name);
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && isNamed(node.expression.getText())) {
      const [code] = node.arguments ?? [];
      if (code !== undefined && ts.isStringLiteral(code) && CODE.test(code.text)) thrown.push(code.text);
      if (code !== undefined && ts.isTemplateExpression(code)) made.push(code.head.text);
    }
    if (ts.isStringLiteral(node) && CODE.test(node.text)) literals.push(node.text);
    ts.forEachChild(node, visit);
  };
  sources.forEach(visit);
  return { thrown, made, literals };
}

describe('dependencies', () => {
  it('each have a reason among the decisions', () => {
    const manifest = JSON.parse(read('package.json')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const reasons = tableRows('docs/decisions/31-packages.md')
      .slice(1)
      .flatMap(([names]) => names?.split(', ') ?? []);
    expect(reasons.toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
  });
});
