/**
 * Changes the sources in small ways and runs their tests on each change: `npm run mutation [-- GROUP|SOURCE...]`. It fails when a score is
 * below 90 %, or when a change that no test notices has no reason in survivors.md.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { groups, type Group } from './groups.ts';

const LEAST_SCORE = 90;
/** Where a local time is no time of UTC, so that tests can tell them apart. */
process.env['TZ'] = 'Asia/Kolkata';
/** Longer texts are cut: they are there to be recognised. */
const MOST_CHARACTERS = 90;

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const explanations = readFileSync(path.join(import.meta.dirname, 'survivors.md'), 'utf8');

async function mutate({ sources, tests }: Group): Promise<readonly Mutant[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'teamsheet-mutation-'));
  // Not Stryker's own `testFiles`: with it, what a module does when it is loaded is never mutated.
  process.env['TEAMSHEET_MUTATION_TESTS'] = tests.join(',');
  try {
    return await new Stryker({
      mutate: [...sources],
      testRunner: 'vitest',
      plugins: ['@stryker-mutator/vitest-runner'],
      vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
      coverageAnalysis: 'perTest',
      concurrency: Number(process.env['TEAMSHEET_MUTATION_WORKERS'] ?? 2),
      ignorePatterns: ['dist', 'out', 'templates', 'docs', 'mappings'],
      tempDirName: folder,
      reporters: ['progress-append-only'],
      allowConsoleColors: false,
      warnings: { slow: false, unknownOptions: true, preprocessorErrors: true, unserializableOptions: true },
    }).runMutationTest();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isKilled = ({ status }: Mutant): boolean => status === 'Killed' || status === 'Timeout';
const isMissed = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage';

const score = (mutants: readonly Mutant[]): number => {
  const killed = mutants.filter(isKilled).length;
  return (100 * killed) / Math.max(1, killed + mutants.filter(isMissed).length);
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS);

/** A change as survivors.md names it: without its line, which moves. */
function nameOf({ fileName, location, replacement }: Mutant): string {
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const { start, end } = location;
  const original = lines
    .slice(start.line - 1, end.line)
    .map((line, index, all) => (index === all.length - 1 ? line.slice(0, end.column - 1) : line))
    .map((line, index) => (index === 0 ? line.slice(start.column - 1) : line))
    .join('\n');
  return `\`${oneLine(original)}\` to \`${oneLine(replacement)}\``;
}

const isExplained = (file: string, name: string): boolean =>
  explanations
    .split(/^## /m)
    .some((section) => section.startsWith(`${file}\n`) && section.includes(`- ${name}: `));

/** Prints what the tests of a file missed; answers how many of it nobody has explained. */
function report(file: string, mutants: readonly Mutant[]): number {
  const missed = mutants.filter(isMissed).toSorted((a, b) => a.location.start.line - b.location.start.line);
  const percent = score(mutants).toFixed(1).padStart(5);
  console.log(
    `${percent} %  ${String(mutants.length).padStart(4)} mutants  ${missed.length} missed  ${file}`,
  );
  const open = missed.map((mutant) => ({ mutant, name: nameOf(mutant) }));
  const unexplained = open.filter(({ name }) => !isExplained(file, name));
  for (const { mutant, name } of unexplained) {
    const { line, column } = mutant.location.start;
    console.log(`    ${file}:${line}:${column} (${mutant.status})\n    - ${name}: `);
  }
  return unexplained.length;
}

let failed = false;
const wanted = process.argv.slice(2);
for (const [name, { sources: all, tests }] of Object.entries(groups)) {
  const isWhole = wanted.length === 0 || wanted.includes(name);
  const sources = all.filter((source) => isWhole || wanted.includes(source));
  if (sources.length === 0) continue;
  const startedAtMs = performance.now();
  const mutants = await mutate({ sources, tests });
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  console.log(`${name}: ${score(mutants).toFixed(1)} % of ${mutants.length} mutants in ${seconds} s`);
  for (const source of sources) {
    const own = mutants.filter(({ fileName }) => path.relative('.', fileName) === source);
    failed = report(source, own) > 0 || failed;
  }
  failed ||= score(mutants) < LEAST_SCORE;
}
process.exitCode = failed ? 1 : 0;
