import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

/**
 * Dead code: an exported value that no other file of the program imports, and an exported type that nothing names, not even its own file.
 * What the package exports, and what is run by name, is used by others.
 */
const ENTRIES = [
  'src/index.ts',
  'src/sandbox/index.ts',
  // Required by bin.cts after its check, run by the build, and compared with the committed files by a test.
  'src/cli/start.ts',
  'src/cli/generate-static-text.ts',
  'templates/demo/generate.ts',
];
/** Fewer exports than this mean that the test no longer sees the sources. */
const FEWEST_EXPORTS = 200;

/** What docs/lifecycle.md is drawn from. */
const DRAWN = ['src/plan/intent-lifecycle.ts: INTENT_MOVES', 'src/plan/row-lifecycle.ts: ROW_MOVES'];

const root = join(import.meta.dirname, '../..');
const files = new Map(
  globSync(['src/**/*.{ts,cts}', 'templates/**/*.ts'], { cwd: root }).map((path) => [
    path,
    ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true),
  ]),
);

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

interface Export {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
}

function exportsOf(file: string, ast: ts.SourceFile): readonly Export[] {
  return ast.statements.flatMap((statement): Export[] => {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
    if (!exported) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => ({
        file,
        name: name.getText(),
        isType: false,
      }));
    }
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const { name } = statement as ts.FunctionDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration;
    return name === undefined ? [] : [{ file, name: name.getText(), isType }];
  });
}

/** Names that a file takes from another one: `path#name`, or `path#*` where a dynamic import is not taken apart on the spot. */
function importsOf(file: string, ast: ts.SourceFile): readonly string[] {
  const target = (specifier: ts.Node | undefined): string | undefined =>
    specifier !== undefined && ts.isStringLiteral(specifier) && specifier.text.startsWith('.')
      ? normalize(join(dirname(file), specifier.text))
      : undefined;
  const found: string[] = [];
  walk(ast, (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const path = target(node.moduleSpecifier);
      const named = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      if (path === undefined || named === undefined) return;
      if (!ts.isNamedImports(named) && !ts.isNamedExports(named)) found.push(`${path}#*`);
      else
        for (const { propertyName, name } of named.elements)
          found.push(`${path}#${(propertyName ?? name).text}`);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const path = target(node.arguments[0]);
      if (path !== undefined) found.push(...takenApart(node).map((name) => `${path}#${name}`));
    }
  });
  return found;
}

/** `const { a } = await import(…)` and `(await import(…)).a` take `a`; anything else takes everything. */
function takenApart(call: ts.CallExpression): readonly string[] {
  let outer: ts.Node = call.parent;
  while (ts.isAwaitExpression(outer) || ts.isParenthesizedExpression(outer)) outer = outer.parent;
  if (ts.isPropertyAccessExpression(outer) && outer.name.text !== 'then') return [outer.name.text];
  if (ts.isVariableDeclaration(outer) && ts.isObjectBindingPattern(outer.name)) {
    return outer.name.elements.map(({ propertyName, name }) => (propertyName ?? name).getText());
  }
  return ['*'];
}

function namedInItsFile({ file, name }: Export): boolean {
  let uses = 0;
  const ast = files.get(file);
  if (ast !== undefined) walk(ast, (node) => (uses += ts.isIdentifier(node) && node.text === name ? 1 : 0));
  return uses > 1;
}

it('every export has a user', () => {
  const all = [...files].flatMap(([file, ast]) => exportsOf(file, ast));
  expect(all.length).toBeGreaterThan(FEWEST_EXPORTS);
  const used = new Set([...files].flatMap(([file, ast]) => importsOf(file, ast)));
  const dead = all.filter(
    (each) =>
      !ENTRIES.includes(each.file) &&
      !used.has(`${each.file}#${each.name}`) &&
      !used.has(`${each.file}#*`) &&
      !(each.isType && namedInItsFile(each)),
  );
  expect(dead.map(({ file, name }) => `${file}: ${name}`)).toEqual(DRAWN);
});
