import { globSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'rolldown';
import type { Plugin } from 'rolldown';

/** Packages that only some commands load, from node_modules and when they run. */
const EXTERNAL = /^(fastify|@fastify\/swagger|hucre|yauzl|fflate|saxes|@clack\/prompts|pg|pg-boss)(\/|$)/;

/** The folder of the package that a module stands in; undefined for our own modules. */
function packageFolder(path: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0];
}

/** Name, version and licence text of a package. */
function notice(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Readonly<Record<'name' | 'version' | 'license', string>>;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} comes without the text of its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

/** Writes the licences of every package that stands in the bundle beside it. */
const notices: Plugin = {
  name: 'notices',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
    this.emitFile({
      type: 'asset',
      fileName: 'third-party-notices.txt',
      source: [...folders]
        .toSorted()
        .map(notice)
        .join(`\n${'-'.repeat(80)}\n\n`),
    });
  },
};

/**
 * Has yargs measure texts as we do: its own way compiles tables of emoji and East Asian scripts at every start, for a help that has neither.
 */
const ownWidth: Plugin = {
  name: 'own-width',
  resolveId: (id) => (id === 'string-width' ? '\0string-width' : undefined),
  load: (id) =>
    id === '\0string-width'
      ? `export { visibleWidth as default } from ${JSON.stringify(join(import.meta.dirname, 'src/cli/render/width.ts'))};`
      : undefined,
};

/** What googleapis would bring along or look for: a fetch for Node versions without one, and colours. */
const STAND_INS: Readonly<Record<string, string>> = {
  'node-fetch': 'export default fetch;',
  'supports-color': 'export default {};',
};
const standIns: Plugin = {
  name: 'stand-ins',
  resolveId: (id) => (id in STAND_INS ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0') ? STAND_INS[id.slice(1)] : undefined),
};

/** Doc comments are an eighth of what each start would read. */
const COMMENTS = { legal: true, annotation: false, jsdoc: false };

const GOOGLE = join(import.meta.dirname, 'src/tables/google/googleapis.ts');

/** The command line and the library load one file with the part of googleapis. */
const googleBeside: Plugin = {
  name: 'google-beside',
  resolveId: (id) =>
    id.endsWith('/googleapis.ts') ? { id: '../tables/google/googleapis.js', external: true } : undefined,
};

/** Takes out the declarations that those of the public entries do not import: they are most of the files of the package. */
const publicTypes: Plugin = {
  name: 'public-types',
  closeBundle() {
    const dist = join(import.meta.dirname, 'dist');
    const kept = new Set(['index.d.ts', 'sandbox/index.d.ts'].map((entry) => join(dist, entry)));
    for (const path of kept)
      for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(
        /(?:from |import\()['"](\.[^'"]+)/g,
      ))
        kept.add(join(path, '..', specifier.replace(/\.[jt]s$/, '.d.ts')));
    for (const path of globSync('**/*.d.ts', { cwd: dist }).map((each) => join(dist, each)))
      if (!kept.has(path)) rmSync(path);
  },
};

/**
 * The command line with the packages that nearly every start needs, in a file for each group of commands: to find and compile hundreds of files
 * takes longer than any work on a small table. The library is not bundled, but for the part of googleapis in use: the package has 242 MB.
 */
export default defineConfig([
  {
    input: { start: 'src/cli/start.ts' },
    platform: 'node',
    external: EXTERNAL,
    plugins: [ownWidth, googleBeside, notices],
    // yargs would find the base of a configuration file of its own by import.meta; it is never given one.
    checks: { emptyImportMeta: false },
    output: {
      dir: 'dist/cli',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      comments: COMMENTS,
    },
  },
  {
    input: { googleapis: GOOGLE },
    platform: 'node',
    plugins: [standIns, notices, publicTypes],
    output: {
      dir: 'dist/tables/google',
      format: 'esm',
      entryFileNames: '[name].js',
      codeSplitting: false,
      comments: COMMENTS,
    },
  },
]);
