import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type Scalar,
  type YAMLError,
} from 'yaml';
import { ConfigError } from '../../model/error.ts';
import { FLAG_KEYS, NUMBER_KEYS } from './schema.ts';
import { show } from '../show.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 32;
const MAX_NODES = 20_000;
/** Texts whose trees are kept, and how long one of them may be. */
const KEPT_TEXTS = 64;
const MAX_KEPT_LENGTH = 64 * 1024;

/** A place in a YAML text; 1-based. */
export interface Spot {
  readonly line: number;
  readonly column: number;
}

export type Path = readonly (string | number)[];

/** The keys of a path, without the positions in lists. */
export const keysOf = (path: Path): readonly string[] => path.filter((part) => typeof part === 'string');

/** `mappings/users.yaml:4:3: message`. */
export function placed(file: string, spot: Spot, message: string): string {
  return `${file}:${spot.line}:${spot.column}: ${message}`;
}

function refuse(file: string, spot: Spot, code: string, message: string, next?: string): never {
  throw new ConfigError(code, placed(file, spot, message), { file, ...spot, next });
}

/**
 * Parses YAML 1.2 (core schema, unique keys, no tags, few aliases), one document of a map or a list of maps. Size and nesting are limited
 * before anything is parsed.
 * Errors: ConfigError `mapping.too_large`, `mapping.too_deep`, `mapping.yaml`, `mapping.empty`.
 */
export function parseYaml(text: string, file: string, what = 'mapping'): YamlDocument {
  const known = trees.get(text);
  if (known !== undefined) return new YamlDocument(file, known);
  const tree = parseTree(text, file, what);
  if (text.length <= MAX_KEPT_LENGTH) {
    const [oldest = ''] = trees.keys();
    if (trees.size === KEPT_TEXTS) trees.delete(oldest);
    trees.set(text, tree);
  }
  return new YamlDocument(file, tree);
}

interface Tree {
  readonly document: Document.Parsed;
  readonly root: Node;
  readonly at: (offset: number) => Spot;
}

/** What texts say: a schedule reads all files at every turn, and each mapping once for every league. */
const trees = new Map<string, Tree>();

function parseTree(text: string, file: string, what: string): Tree {
  const start: Spot = { line: 1, column: 1 };
  if (text.length > MAX_BYTES || new TextEncoder().encode(text).length > MAX_BYTES) {
    refuse(
      file,
      start,
      'mapping.too_large',
      `the file is larger than 1 MiB; a ${what} is a few hundred lines at most`,
    );
  }
  refuseDeepNesting(text, file, what);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    strict: true,
    uniqueKeys: true,
    // 'silent' would drop further documents of the file without a word.
    logLevel: 'error',
  });
  const at = (offset: number): Spot => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [problem] = [...document.errors, ...document.warnings].sort(
    (left, right) => left.pos[0] - right.pos[0],
  );
  if (problem !== undefined) {
    const [message, next] = explain(problem, text, what);
    refuse(file, at(problem.pos[0]), 'mapping.yaml', message, next);
  }
  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) {
    refuse(
      file,
      start,
      'mapping.empty',
      `the file holds no ${what}`,
      `Write a ${what} into it, or delete it.`,
    );
  }
  return { document, root, at };
}

/** The parser recurses, so nesting is judged on the text: brackets opened and not closed, and list marks in a row. */
function refuseDeepNesting(text: string, file: string, what: string): void {
  let depth = 0;
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x0a) {
      line++;
      lineStart = at + 1;
    } else if (char === 0x5b || char === 0x7b) {
      depth++;
    } else if ((char === 0x5d || char === 0x7d) && depth > 0) {
      depth--;
    }
    if (depth > 2 * MAX_DEPTH) tooDeep(file, { line, column: at - lineStart + 1 }, what);
  }
  const marks = /^[ \t]*(?:[-?:][ \t]+){33}/m.exec(text);
  if (marks !== null) tooDeep(file, { line: text.slice(0, marks.index).split('\n').length, column: 1 }, what);
}

function tooDeep(file: string, spot: Spot, what: string): never {
  return refuse(
    file,
    spot,
    'mapping.too_deep',
    `nested more than ${MAX_DEPTH} levels deep; a ${what} needs six`,
  );
}

function explain(
  { code, message, pos: [offset] }: YAMLError,
  text: string,
  what: string,
): readonly [string, string | undefined] {
  if (code === 'DUPLICATE_KEY') {
    const key = /^["']?([^:"'\n]*)/.exec(text.slice(offset, offset + 80))?.[1] ?? '';
    return [`the key ${show(key.trim())} stands twice in this map`, 'Delete one of them.'];
  }
  if (code === 'TAG_RESOLVE_FAILED')
    return [`tags are not allowed: ${message}`, 'Write the value without !tag.'];
  if (code === 'MULTIPLE_DOCS')
    return [
      `a second document begins here, and a file holds one ${what === 'mapping' ? 'document' : what}`,
      what === 'mapping'
        ? 'Write several mappings as a list: each begins with "- version: 1".'
        : 'Delete the line ---, or what stands below it.',
    ];
  if (code === 'RESOURCE_EXHAUSTION') return ['nested too deep', undefined];
  if (code === 'TAB_AS_INDENT') return [`not valid YAML: ${message}`, 'Indent with blanks.'];
  const around = text.slice(Math.max(0, offset - 40), offset + 40);
  const next = around.includes('${')
    ? 'Put a text that holds ${...} in double quotes.'
    : 'Put a text that holds ": " or " #", or begins with a sign, in double quotes, and close each quotation mark and bracket.';
  return [`not valid YAML: ${message}`, next];
}

/** A parsed YAML text that still knows where everything stands. */
export class YamlDocument {
  readonly file: string;
  /** Its mappings: the elements of a list, or the only one. */
  readonly roots: readonly { readonly path: Path; readonly node: Node }[];
  readonly #document: Document.Parsed;
  readonly #at: (offset: number) => Spot;
  #visited = 0;

  constructor(file: string, { document, root, at }: Tree) {
    this.file = file;
    this.#document = document;
    this.#at = at;
    this.roots = isSeq(root)
      ? root.items.map((item, index) => ({ path: [index], node: item as Node }))
      : [{ path: [], node: root }];
  }

  #nodeAt(path: Path): Node | undefined {
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    return node === null || node === undefined ? undefined : this.#resolved(node as Node);
  }

  #resolved(node: Node): Node | undefined {
    return isAlias(node) ? node.resolve(this.#document) : node;
  }

  /** Where the value at `path` stands, or its key with `of: 'key'`; for what is not there, its nearest parent. */
  spot(path: Path, of: 'key' | 'value' = 'value'): Spot {
    const parent = path.length === 0 ? undefined : this.#nodeAt(path.slice(0, -1));
    const last = path.at(-1);
    if (of === 'key' && isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && keyText(key) === last);
      if (isScalar(pair?.key) && pair.key.range) return this.#at(pair.key.range[0]);
    }
    const range = this.#nodeAt(path)?.range;
    if (range) return this.#at(range[0]);
    return path.length === 0 ? { line: 1, column: 1 } : this.spot(path.slice(0, -1));
  }

  /** The keys of the map at `path` in the order that they are written in. */
  keys(path: Path): readonly string[] {
    const node = this.#nodeAt(path);
    return isMap(node) ? node.items.flatMap(({ key }) => (isScalar(key) ? [keyText(key)] : [])) : [];
  }

  /** A ConfigError at a place: `file:line:column: message`. */
  error(code: string, message: string, path: Path, { next }: { readonly next?: string } = {}): ConfigError {
    const { file } = this;
    const spot = this.spot(path);
    const problems = [{ keys: keysOf(path), message }];
    return new ConfigError(code, placed(file, spot, message), { file, ...spot, next, problems });
  }

  /** The plain values at a node; `fill` is given every text of it. Keys keep their order apart from integers. */
  toValue(node: Node, path: Path, fill: (text: string, path: Path) => string): unknown {
    if (++this.#visited > MAX_NODES)
      throw this.error(
        'mapping.too_large',
        'more values than a mapping or layout can need, aliases counted',
        [],
      );
    if (path.length > MAX_DEPTH)
      throw this.error('mapping.too_deep', `nested more than ${MAX_DEPTH} levels deep`, []);
    const target = this.#resolved(node);
    if (isAlias(node) && target === undefined)
      refuse(
        this.file,
        this.#at(node.range?.[0] ?? 0),
        'mapping.yaml',
        `YAML reads *${node.source} as an alias, and nothing has the anchor &${node.source}`,
        `Put the text in quotes: "*${node.source}".`,
      );
    if (isMap(target)) return this.#mapValue(target.items, path, fill);
    if (isSeq(target))
      return target.items.map((item, index) => this.toValue(item as Node, [...path, index], fill));
    if (isScalar(target)) return this.#scalarValue(target, path, fill);
    return null;
  }

  #mapValue(
    items: readonly { key: unknown; value: unknown }[],
    path: Path,
    fill: (text: string, path: Path) => string,
  ): object {
    const value: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const { key, value: child } of items) {
      if (!isScalar(key)) throw this.error('mapping.yaml', 'a key must be a text', path);
      const name = keyText(key);
      if (name === '__proto__') throw this.error('mapping.yaml', 'the key "__proto__" is not allowed', path);
      value[name] = child === null ? null : this.toValue(child as Node, [...path, name], fill);
    }
    return value;
  }

  #scalarValue(node: Scalar, path: Path, fill: (text: string, path: Path) => string): unknown {
    const { value, source } = node;
    if (typeof value === 'string') return fill(value, path);
    const key = path.findLast((part) => typeof part === 'string') ?? '';
    const allowed = typeof value === 'number' ? NUMBER_KEYS : FLAG_KEYS;
    if (
      (typeof value === 'number' || typeof value === 'boolean') &&
      source !== undefined &&
      source !== String(value) &&
      !allowed.has(key)
    ) {
      throw this.error(
        'mapping.quote',
        `YAML reads ${source} as ${String(value)}; put it in quotes: "${source}"`,
        path,
      );
    }
    return value;
  }
}

/** The text of a key as it is written: `007: x` has the key `007`. */
function keyText(key: Scalar): string {
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}
