import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { OPERATION_IDS, RESOURCES } from '../../src/contract/index.ts';
import { OUTCOMES } from '../../src/model/outcome.ts';
import { ALONE, SHARED } from '../../vitest.config.ts';

interface Room {
  /** Rooms, or single files of them, that this room may import; `*` is every room. */
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** Built-in modules of Node; `*` is all of them. */
  readonly node: readonly string[];
  readonly isPure: boolean;
}

const GROUND = ['ports.ts', 'checks.ts'];

/** Packages whose code in use the build puts into a file of ours. */
const BUILT_IN = ['googleapis'];

/** Time, chance and the outside world as globals. `Date` is looked at more closely: arithmetic on given times is pure. */
const IMPURE_GLOBALS = new Set(
  'Date fetch process console performance globalThis global navigator crypto setTimeout setInterval setImmediate WebSocket'.split(
    ' ',
  ),
);
/** Fewer edges than this mean that the test no longer sees the sources. */
const FEWEST_EDGES = 500;

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src');

/** The rows of the table of ARCHITECTURE.md whose header begins so, as cells. */
function documented(header: string): readonly (readonly string[])[] {
  const lines = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(header));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
  const cellsOf = (line: string): readonly string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  return lines.slice(start + 2, end).map(cellsOf);
}

/** The folders of sync/, those first that may import all that follow. The use cases stand above them, and what they need of the outside below. */
const FLOORS = documented('| folder of `sync/` |').map(([folder = '']) => folder);

/** The import table of ARCHITECTURE.md. */
const ROOMS = documentedRooms();

function documentedRooms(): Readonly<Record<string, Room>> {
  const list = (cell: string): readonly string[] =>
    cell === '-' ? [] : cell === 'all' ? ['*'] : cell.split(', ').map((name) => name.replaceAll('`', ''));
  return Object.fromEntries(
    documented('| room | may import |').map(
      ([room = '', rooms = '', packages = '', node = '', holds = '']) => {
        const own = { rooms: list(rooms), packages: list(packages), node: list(node) };
        return [room, { ...own, isPure: holds.startsWith('PURE') }];
      },
    ),
  );
}

interface SourceFile {
  /** Below src, with forward slashes. */
  readonly path: string;
  readonly room: string;
  readonly ast: ts.SourceFile;
}

const files: readonly SourceFile[] = globSync('**/*.{ts,cts,mts,js,cjs,mjs}', { cwd: source })
  .map((path) => path.split(sep).join('/'))
  .toSorted()
  .map((path) => ({
    path,
    room: roomOf(path),
    ast: ts.createSourceFile(path, readFileSync(join(source, path), 'utf8'), ts.ScriptTarget.Latest, true),
  }));

/** `plan/diff.ts` -> `plan`; `index.ts` -> `index`. */
function roomOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.\w+$/, '');
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** The module that a node imports by name, in any of the forms that the language has. */
function specifierOf(node: ts.Node): string | undefined {
  const literal = (expression: ts.Node | undefined): string | undefined =>
    expression !== undefined && ts.isStringLiteralLike(expression) ? expression.text : undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literal(node.moduleSpecifier);
  if (ts.isExternalModuleReference(node)) return literal(node.expression);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literal(node.argument.literal);
  if (!ts.isCallExpression(node)) return undefined;
  const called = node.expression;
  const imports =
    called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === 'require');
  return imports ? literal(node.arguments[0]) : undefined;
}

function importsOf(file: SourceFile): readonly string[] {
  const found: string[] = [];
  walk(file.ast, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push(specifier);
  });
  return found;
}

/** `@scope/name/deep` -> `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Why the import may not stand in the file; undefined when it may. */
function objection(file: SourceFile, specifier: string): string | undefined {
  const room = ROOMS[file.room];
  if (room === undefined) return `the room ${file.room} is not in the table`;
  if (specifier.startsWith('.')) {
    const path = relative(source, join(source, dirname(file.path), specifier))
      .split(sep)
      .join('/');
    const target = roomOf(path);
    if (ROOMS[target] === undefined) return `${path} is in no room of the table`;
    if (target === file.room || room.rooms.includes('*') || room.rooms.includes(target)) return undefined;
    return room.rooms.includes(path.replace(/\.\w+$/, ''))
      ? undefined
      : `${file.room} may not import ${path}`;
  }
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) {
    if (!specifier.startsWith('node:')) return `write node:${specifier}`;
    return room.node.includes('*') || room.node.includes(specifier)
      ? undefined
      : `${file.room} may not import ${specifier}`;
  }
  return room.packages.includes(packageOf(specifier))
    ? undefined
    : `${file.room} may not import the package ${packageOf(specifier)}`;
}

/** Whether an identifier is used as a value (not a property's name, not a type, not a binding of the file). */
function readsGlobal(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isTypeQueryNode(parent))
    return false;
  if (ts.isExpressionWithTypeArguments(parent) || ts.isImportSpecifier(parent)) return false;
  const named = parent as ts.Node & { readonly name?: ts.Node; readonly propertyName?: ts.Node };
  return named.name !== node && named.propertyName !== node;
}

/** The names that a file declares anywhere: a parameter called `process` is not the global. */
function declaredNames(file: SourceFile): ReadonlySet<string> {
  const names = new Set<string>();
  walk(file.ast, (node) => {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isImportSpecifier(node);
    if (declares && node.name !== undefined && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}

/** `new Date(given)`, `Date.parse`, `Date.UTC` and `instanceof Date` reckon with given times only. */
function isDateArithmetic(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isNewExpression(parent)) return (parent.arguments?.length ?? 0) > 0;
  if (ts.isPropertyAccessExpression(parent)) return ['parse', 'UTC'].includes(parent.name.text);
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
}

/** The uses of time, chance and the outside world in one file. */
function impurities(file: SourceFile): readonly string[] {
  const declared = declaredNames(file);
  const found: string[] = [];
  walk(file.ast, (node) => {
    if (ts.isPropertyAccessExpression(node)) {
      const access = `${node.expression.getText()}.${node.name.text}`;
      if (access === 'Math.random' || access === 'Temporal.Now') found.push(`${file.path}: ${access}`);
    }
    if (!ts.isIdentifier(node) || !IMPURE_GLOBALS.has(node.text) || declared.has(node.text)) return;
    if (!readsGlobal(node) || (node.text === 'Date' && isDateArithmetic(node))) return;
    found.push(`${file.path}: ${node.text}`);
  });
  return found;
}

/** What a file imports from node:crypto. */
function cryptoNames(file: SourceFile): readonly string[] {
  return file.ast.statements.filter(ts.isImportDeclaration).flatMap((statement) => {
    if (!ts.isStringLiteral(statement.moduleSpecifier) || statement.moduleSpecifier.text !== 'node:crypto')
      return [];
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) return ['*'];
    return bindings.elements.map((element) => (element.propertyName ?? element.name).text);
  });
}

/** Uses of the terminal in one file. */
function prints(file: SourceFile): readonly string[] {
  const found: string[] = [];
  walk(file.ast, (node) => {
    if (ts.isPropertyAccessExpression(node)) {
      const access = `${node.expression.getText()}.${node.name.text}`;
      if (/^(process\.(stdout|stderr)|console\.\w+)$/.test(access)) found.push(`${file.path}: ${access}`);
    }
    if (specifierOf(node) === 'node:process') found.push(`${file.path}: node:process`);
  });
  return found;
}

/** Properties and names that hold words for people. */
const RENDERED = new Set(['message', 'detail', 'reason', 'next', 'why']);
const RENDERS = /^render(Said|Issues?|RowIssue|RowMessage|BesideRow)$/;
const STRING_METHODS = new Set(
  'startsWith endsWith includes indexOf lastIndexOf search replace replaceAll match matchAll split slice substring trim charAt localeCompare'.split(
    ' ',
  ),
);

/** Where texts are read all the same: laid out for people, or said by somebody else who gives no codes. */
const TEXT_READERS: Readonly<Record<string, string>> = {
  'model/issue.ts': 'puts the place of a row before what is said of it',
  'plan/write-back-rows.ts': 'cuts a message that is too long for a cell',
  'cli/render/stop.ts': 'names the program as it was started, and the command that was typed',
  'cli/command-line.ts': 'yargs gives texts',
  'client/envelope.ts': 'zod gives texts',
  'client/fetch-transport.ts': 'fetch gives texts',
  'mapping/parse/zod-issues.ts': 'zod gives texts, and carries ours',
  'state/storage-error.ts': 'SQLite gives texts',
  'tables/google/connection/google-error.ts': 'Google gives texts',
  'tables/google/connection/wire.ts': 'fetch gives texts',
  'tables/google/write-back/own-notes.ts': 'notes on cells are texts',
  'tables/xlsx/parts/xml-scan.ts': 'the XML reader gives texts',
};

/** Names of a file that stand for words for people: what was rendered, and such properties under another name. */
function renderedNames({ ast }: Pick<SourceFile, 'ast'>): ReadonlySet<string> {
  const names = new Set<string>();
  walk(ast, (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined) {
      if (isRendered(node.initializer, names)) names.add(node.name.text);
    } else if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) {
      const property = node.propertyName ?? node.name;
      if (ts.isIdentifier(property) && RENDERED.has(property.text)) names.add(node.name.text);
    }
  });
  return names;
}

/** Whether an expression is words for people, as far as its form tells. */
function isRendered(node: ts.Node, names: ReadonlySet<string>): boolean {
  const isOne = (inner: ts.Node): boolean => isRendered(inner, names);
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node))
    return isOne(node.expression);
  if (ts.isIdentifier(node)) return RENDERED.has(node.text) || names.has(node.text);
  if (ts.isPropertyAccessExpression(node)) return RENDERED.has(node.name.text);
  if (ts.isCallExpression(node)) return RENDERS.test(node.expression.getText());
  if (ts.isTemplateExpression(node)) return node.templateSpans.some(({ expression }) => isOne(expression));
  if (ts.isConditionalExpression(node)) return isOne(node.whenTrue) || isOne(node.whenFalse);
  return ts.isBinaryExpression(node) && !isComparison(node) && (isOne(node.left) || isOne(node.right));
}

const isComparison = ({ operatorToken: { kind } }: ts.BinaryExpression): boolean =>
  kind === ts.SyntaxKind.EqualsEqualsEqualsToken || kind === ts.SyntaxKind.ExclamationEqualsEqualsToken;

/** Whether something is nothing at all, which says no words: `''`, `undefined` and `null`. */
const isNothing = (node: ts.Node): boolean => /^(''|""|undefined|null)$/.test(node.getText());

/** Where a file reads words for people: a method of texts or a pattern on them, or what they are equal to. */
function textReads(file: SourceFile): readonly string[] {
  const names = renderedNames(file);
  const found: string[] = [];
  walk(file.ast, (node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: receiver, name } = node.expression;
      const [argument] = node.arguments;
      const isMatched = (name.text === 'test' || name.text === 'exec') && argument !== undefined;
      const read = isMatched ? argument : STRING_METHODS.has(name.text) ? receiver : undefined;
      if (read !== undefined && isRendered(read, names)) found.push(`${file.path}: ${node.getText()}`);
    }
    if (!ts.isBinaryExpression(node) || !isComparison(node)) return;
    if (isNothing(node.left) || isNothing(node.right)) return;
    if (isRendered(node.left, names) || isRendered(node.right, names))
      found.push(`${file.path}: ${node.getText()}`);
  });
  return found;
}

/** Where what belongs to one resource stands. The sandbox is a service of its own. */
const RESOURCE_HOMES = ['contract/', 'plan/resources/', 'sync/resources/', 'sandbox/'];
const RESOURCE_TYPES = ['ResourceName', 'PushedResource'];

/** Where rows are planned and sent, whatever their resource. The memory of the season and reports know theirs. */
const isForAllResources = ({ path }: SourceFile): boolean =>
  /^(plan|sync)\//.test(path) && !/^sync\/(memory|pulling)\//.test(path);

/** Where a file chooses by the name of a resource, or of an operation: comparisons, cases, and maps that have some resources only. */
function resourceChoices(file: SourceFile): readonly string[] {
  const found: string[] = [];
  const names: readonly string[] = isForAllResources(file) ? [...RESOURCES, ...OPERATION_IDS] : RESOURCES;
  const isResource = (node: ts.Node): boolean => ts.isStringLiteralLike(node) && names.includes(node.text);
  walk(file.ast, (node) => {
    const compares =
      ts.isBinaryExpression(node) &&
      /^[!=]==?$/.test(node.operatorToken.getText()) &&
      (isResource(node.left) || isResource(node.right));
    const isCase = ts.isCaseClause(node) && isResource(node.expression);
    const isPartial =
      ts.isTypeReferenceNode(node) &&
      node.typeName.getText() === 'Partial' &&
      RESOURCE_TYPES.some((type) => node.typeArguments?.[0]?.getText().startsWith(`Record<${type},`));
    if (compares || isCase) found.push(`${file.path}: ${node.getText().split('\n')[0] ?? ''}`);
    if (isPartial) found.push(`${file.path}: ${node.getText()}`);
  });
  return found;
}

/** Where a file says itself what a row or an intent becomes. */
function outcomesSet(file: SourceFile): readonly string[] {
  const found: string[] = [];
  const states: readonly string[] = [...OUTCOMES, 'applied', 'not_applied', 'ambiguous'];
  const isState = (node: ts.Node): boolean => ts.isStringLiteralLike(node) && states.includes(node.text);
  walk(file.ast, (node) => {
    const sets =
      ts.isPropertyAssignment(node) && node.name.getText() === 'outcome' && isState(node.initializer);
    const records =
      ts.isCallExpression(node) &&
      /\bsettle(Intent)?$/.test(node.expression.getText()) &&
      node.arguments.some(isState);
    if (sets || records) found.push(`${file.path}: ${node.getText()}`);
  });
  return found;
}

describe('the import table', () => {
  const edges = files.flatMap((file) => importsOf(file).map((specifier) => ({ file, specifier })));

  it('sees the sources', () => {
    expect(edges.length).toBeGreaterThan(FEWEST_EDGES);
  });

  it('knows every room', () => {
    expect(files.filter((file) => ROOMS[file.room] === undefined).map((file) => file.path)).toEqual([]);
  });

  it('holds for every import', () => {
    const broken = edges.flatMap(({ file, specifier }) => {
      const reason = objection(file, specifier);
      return reason === undefined ? [] : [`${file.path}: ${specifier}: ${reason}`];
    });
    expect(broken).toEqual([]);
  });

  it('names every package that users install, and what is built into our files', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
      readonly peerDependencies: Readonly<Record<string, string>>;
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const named = new Set(Object.values(ROOMS).flatMap((room) => room.packages));
    const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    expect([...named].toSorted()).toEqual([...installed, ...BUILT_IN].toSorted());
    expect(Object.keys(manifest.devDependencies)).toEqual(expect.arrayContaining([...BUILT_IN]));
  });

  it('names no package that its room does without', () => {
    const imported = new Set(edges.map(({ file, specifier }) => `${file.room}: ${packageOf(specifier)}`));
    const named = Object.entries(ROOMS).flatMap(([room, { packages }]) =>
      packages.map((name) => `${room}: ${name}`),
    );
    expect(named.filter((pair) => !imported.has(pair))).toEqual([]);
  });
});

/** How far below the use cases a file of sync/ stands; -1 for a folder that nobody knows. */
function floorOf(path: string): number {
  const [, folder = '', file] = path.split('/');
  if (file === undefined) return GROUND.includes(folder) ? FLOORS.length + 1 : 0;
  return FLOORS.includes(folder) ? FLOORS.indexOf(folder) + 1 : -1;
}

describe('the folders of sync/', () => {
  const inSync = files.filter(({ path }) => path.startsWith('sync/'));
  const arrows = inSync.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => [file.path, join(dirname(file.path), specifier).split(sep).join('/')] as const)
      .filter(([, to]) => to.startsWith('sync/')),
  );

  it('are the known ones', () => {
    expect(inSync.filter(({ path }) => floorOf(path) === -1).map(({ path }) => path)).toEqual([]);
    expect(FLOORS.filter((floor) => !inSync.some(({ path }) => path.startsWith(`sync/${floor}/`)))).toEqual(
      [],
    );
  });

  it('read from the top down: no import runs back up, not even of a type', () => {
    expect(arrows.length).toBeGreaterThan(200);
    expect(arrows.filter(([from, to]) => floorOf(from) > floorOf(to)).map(String)).toEqual([]);
  });
});

describe('a resource', () => {
  it('is chosen by its name in its own homes alone: everything else asks its contract, its plan or its strategy', () => {
    const others = files.filter(({ path }) => !RESOURCE_HOMES.some((home) => path.startsWith(home)));
    expect(others.length).toBeGreaterThan(200);
    expect(others.flatMap(resourceChoices)).toEqual([]);
  });
});

describe('what a row and an intent become', () => {
  it('is said by their lifecycles alone', () => {
    const engine = files.filter(({ room }) => room === 'sync' || room === 'plan');
    const found = engine.flatMap((file) => outcomesSet(file).map(() => file.path));
    expect([...new Set(found)]).toEqual(['plan/row-lifecycle.ts']);
  });
});

describe('pure rooms', () => {
  const pure = files.filter(({ room }) => ROOMS[room]?.isPure);

  it('use no time, no chance and nothing outside', () => {
    expect(pure.length).toBeGreaterThan(20);
    expect(pure.flatMap(impurities)).toEqual([]);
  });

  it('take only hashing from node:crypto', () => {
    const taken = pure.flatMap((file) => cryptoNames(file).map((name) => `${file.path}: ${name}`));
    expect(taken.filter((use) => !/: (hash|createHash)$/.test(use))).toEqual([]);
  });
});

describe('tests that share modules', () => {
  it('leave modules and connections as they are: others run alone', () => {
    const replaces = /\bvi\.(?:do)?[mM]ock\(|from 'nock'/;
    const shared = globSync(SHARED, { exclude: ALONE }).filter(
      (file) => !file.endsWith('architecture.test.ts'),
    );
    expect(shared.length).toBeGreaterThan(100);
    expect(shared.filter((file) => replaces.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('the terminal', () => {
  it('is written to by the command line alone', () => {
    expect(files.filter((file) => file.room !== 'cli').flatMap(prints)).toEqual([]);
  });
});

describe('words for people', () => {
  it('are read by nothing that decides: what is said has a code', () => {
    const found = files.filter(({ path }) => TEXT_READERS[path] === undefined).flatMap(textReads);
    expect(found).toEqual([]);
  });

  it('are read in every file that may', () => {
    const reading = files.filter((file) => textReads(file).length > 0).map(({ path }) => path);
    expect(Object.keys(TEXT_READERS).filter((path) => !reading.includes(path))).toEqual([]);
  });
});

describe('the checks themselves', () => {
  const check = (room: string, text: string): SourceFile => ({
    path: `${room}/sample.ts`,
    room,
    ast: ts.createSourceFile('sample.ts', text, ts.ScriptTarget.Latest, true),
  });

  it('see every form of import', () => {
    const text = `import a from 'a'; import type { B } from 'b'; export * from 'c'; import 'd';
      const e = await import('e'); type F = import('f').F; const g = require('g');`;
    expect(importsOf(check('plan', text))).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it.each([
    ['plan', '../sync/ports.ts'],
    ['sandbox', '../model/budget.ts'],
    ['sandbox', '../client/call.ts'],
    ['plan', '../elsewhere/x.ts'],
    ['elsewhere', '../model/cell.ts'],
    ['plan', 'yaml'],
    ['plan', 'node:fs'],
    ['cli', 'fs'],
    ['cli', 'fastify/deep'],
  ])('refuse %s importing %s', (room, specifier) => {
    expect(objection(check(room, ''), specifier)).toBeDefined();
  });

  it.each([
    ['plan', './diff.ts'],
    ['sandbox', '../model/ports.ts'],
    ['cli', '../sandbox/app.ts'],
    ['tables', 'csv-parse/sync'],
    ['sandbox', '@fastify/swagger'],
    ['plan', 'node:crypto'],
  ])('allow %s importing %s', (room, specifier) => {
    expect(objection(check(room, ''), specifier)).toBeUndefined();
  });

  it.each([
    'row.message.startsWith(x)',
    'stop.message.includes(": ")',
    '(stop?.message ?? "").endsWith(told)',
    'error.next.replace(/add/, "push again and add")',
    'intent.detail === READ_BACK',
    '"settled" !== detail',
    'renderSaid(row.said).includes(why)',
    'renderRowMessage(origin, 3, text).split("; ")',
    'const text = renderSaid(said); text.match(/x/)',
    'const text = `${renderSaid(said)}!`; text.slice(1)',
    'const { message: text } = error; /column/.test(text)',
    'const { message } = error; message.startsWith("row ")',
    '/column/.exec(issue.message)',
    'const why = a ? b.message : c; why.trim()',
  ])('see a text that is read: %s', (text) => {
    expect(textReads(check('sync', text))).toHaveLength(1);
  });

  it.each([
    'row.said.some(({ code }) => code === "read-back-settled")',
    'error.code.startsWith("guard.")',
    'message === "" || detail === undefined',
    'names.includes(message)',
    'const text = cell.shown; text.startsWith("x")',
    '`${message}; ${other}`',
    'pattern.test(name)',
    'renderTime(ms, zone).slice(0, 10)',
  ])('let pass what reads no text: %s', (text) => {
    expect(textReads(check('sync', text))).toEqual([]);
  });

  it.each([
    'Date.now()',
    'new Date()',
    'Date()',
    'Math.random()',
    'fetch(url)',
    'process.env.HOME',
    'setTimeout(f, 1)',
    'console.log(1)',
    'const now = performance.now()',
    'const { now } = Date',
    'Temporal.Now.instant()',
    'globalThis.fetch(url)',
    'const ports = { fetch }',
  ])('find %s impure', (text) => {
    expect(impurities(check('plan', text))).not.toEqual([]);
  });

  it.each([
    'new Date(ms).toISOString()',
    'Date.parse(text)',
    'Date.UTC(2026, 1)',
    'let at: Date;',
    'value instanceof Date',
    'service.fetch(url)',
    'const row = { process: 1 }',
    'function f(process: string) { return process; }',
    'interface Port { fetch(url: string): void }',
  ])('find %s pure', (text) => {
    expect(impurities(check('plan', text))).toEqual([]);
  });

  it.each([
    "if (resource === 'users') go();",
    "const isFirst = 'squads' !== mapping.resource;",
    "switch (resource) { case 'prices': go(); }",
    'const REASONS: Readonly<Partial<Record<ResourceName, string>>> = {};',
    'type Some = Partial<Record<PushedResource, { readonly a: string }>>;',
  ])('find a choice by resource in %s', (text) => {
    expect(resourceChoices(check('sync', text))).toHaveLength(1);
  });

  it.each([
    "if (kind === 'sheet') go();",
    'const reports = {} satisfies Record<ResourceName, Report>;',
    'const all: Partial<Record<OperationId, string>> = {};',
    "const asked = { resource: 'users' };",
  ])('find no choice by resource in %s', (text) => {
    expect(resourceChoices(check('sync', text))).toEqual([]);
  });

  it('find printing', () => {
    expect(prints(check('plan', `process.stdout.write('x'); console.error('y')`))).toHaveLength(2);
    expect(prints(check('plan', `import { stdout } from 'node:process'`))).toHaveLength(1);
  });
});
