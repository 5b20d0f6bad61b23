/**
 * Changes the sources in small ways and runs their tests on each change: `npm run mutation [-- GROUP|SOURCE...]`. It names the changes that no
 * test notices, and fails when a group's score is below its least. survivors.md says of which kinds those are that may stay.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { groups, LEAST_SCORE, type Group } from './groups.ts';

/** Where a local time is no time of UTC, so that tests can tell them apart. */
process.env['TZ'] = 'Asia/Kolkata';
/** Longer texts are cut: they are there to be recognised. */
const MOST_CHARACTERS = 90;

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

async function mutate({ sources, tests }: Group): Promise<readonly Mutant[]> {
  const gone = tests.filter((file) => !existsSync(file));
  if (gone.length > 0) throw new Error(`there is no ${gone.join(', ')}`);
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
      ignorePatterns: ['dist', 'out', 'templates', 'mappings'],
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

/** What was changed to what. */
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

/** Prints what the tests of a file missed. */
function report(file: string, mutants: readonly Mutant[]): void {
  const missed = mutants.filter(isMissed).toSorted((a, b) => a.location.start.line - b.location.start.line);
  const percent = score(mutants).toFixed(1).padStart(5);
  console.log(
    `${percent} %  ${String(mutants.length).padStart(4)} mutants  ${missed.length} missed  ${file}`,
  );
  for (const mutant of missed) {
    const { line, column } = mutant.location.start;
    console.log(`    ${file}:${line}:${column} (${mutant.status}) ${nameOf(mutant)}`);
  }
}

let failed = false;
const wanted = process.argv.slice(2);
for (const [name, { sources: all, tests, least = LEAST_SCORE }] of Object.entries(groups)) {
  const isWhole = wanted.length === 0 || wanted.includes(name);
  const sources = all.filter((source) => isWhole || wanted.includes(source));
  if (sources.length === 0) continue;
  const startedAtMs = performance.now();
  const mutants = await mutate({ sources, tests });
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  console.log(`${name}: ${score(mutants).toFixed(1)} % of ${mutants.length} mutants in ${seconds} s`);
  for (const source of sources) {
    const own = mutants.filter(({ fileName }) => path.relative('.', fileName) === source);
    report(source, own);
  }
  if (score(mutants) >= least) continue;
  console.log(`${name}: fewer than ${least} % were noticed`);
  failed = true;
}
process.exitCode = failed ? 1 : 0;
