import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeFolder, startService, USERS_MAPPING, type Service } from '../support/cli.ts';
import { runs } from '../support/long.ts';
import { settlesIn } from '../support/program.ts';
import { runInProcess } from '../support/run-here.ts';
import { realClock } from '../../src/runtime/clock.ts';

const HEADER = ['Member ID', 'Name', 'Active'];
const REJECTED = 'out/rejected/users.rejected.csv';
const LONG = 'x'.repeat(60);

/** What a person types into a row. */
const KINDS = ['add', 'break', 'delete', 'fix', 'twice'] as const;
interface Edit {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
}
const edit = fc.record({ kind: fc.constantFrom(...KINDS), at: fc.nat(30) });
const edits = fc.array(edit, { minLength: 1, maxLength: 4 });

const COMMANDS = {
  push: ['push'],
  retry: ['retry'],
  import: [
    ...['import', REJECTED, '--as', 'users', '--match', 'Member ID=external_id'],
    ...['--match', 'Name=display_name', '--match', 'Active=is_active'],
  ],
  'push of a few': ['push', '--limit', '2'],
  'push cut short': ['push', '--max-requests', '2'],
  resume: ['resume'],
} as const;
type Command = keyof typeof COMMANDS;
type Step =
  | { readonly source: readonly Edit[] }
  | { readonly rejected: readonly Edit[]; readonly saved: string }
  | Command;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ source: edits }) },
  { weight: 3, arbitrary: fc.record({ rejected: edits, saved: fc.constantFrom('\n', '\r\n', 'bom') }) },
  { weight: 6, arbitrary: fc.constantFrom(...(Object.keys(COMMANDS) as Command[])) },
);

type Line = readonly string[];
const linesOf = (text: string): readonly Line[] => parse(text, { bom: true, relax_column_count: true });

class Season {
  readonly #folder: ReturnType<typeof makeFolder>;
  readonly #service: Service;
  #marks = 0;
  /** What somebody typed into rows to correct, and did not see sent. */
  readonly #typed = new Set<string>();
  /** Somebody changed the file of rows to correct. */
  #isTouched = false;
  /** The keys that the last push refused; undefined where another command has come since that may have refused some. */
  #refused: readonly string[] | undefined;

  constructor(folder: ReturnType<typeof makeFolder>, service: Service) {
    this.#folder = folder;
    this.#service = service;
  }

  #path(name: string): string {
    return path.join(this.#folder.path, name);
  }

  async command(
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly text: string }> {
    const { path: cwd } = this.#folder;
    const { code, stdout, stderr } = await runInProcess(
      [...args, '--yes', '--json'],
      { cwd, env: this.#service.env },
      realClock,
    );
    expect([0, 3, 4, 6, 7], `${args.join(' ')}: ${stderr}`).toContain(code);
    return { code, text: stdout };
  }

  /** Types into the rows of a table. */
  #edited(lines: readonly Line[], each: Edit): readonly Line[] {
    const [header = [], ...rows] = lines;
    const column = header.indexOf('Name');
    this.#marks += 1;
    const mark = `mark ${this.#marks}.`;
    const at = rows.length === 0 ? 0 : each.at % rows.length;
    const row = rows[at];
    const named = (name: string): readonly Line[] =>
      rows.map((cells, index) => (index === at ? cells.with(column, name) : cells));
    const changed = (): readonly Line[] => {
      if (each.kind === 'add') return [...rows, [`N${this.#marks}`, mark, '']];
      if (row === undefined) return rows;
      if (each.kind === 'delete') return rows.toSpliced(at, 1);
      if (each.kind === 'twice') return rows.toSpliced(at, 0, row.with(column, mark));
      return named(each.kind === 'break' ? `${mark} ${LONG}` : mark);
    };
    return [header, ...changed()];
  }

  editSource(all: readonly Edit[]): void {
    const file = this.#path('users.csv');
    const lines = all.reduce((to, each) => this.#edited(to, each), linesOf(readFileSync(file, 'utf8')));
    writeFileSync(file, stringify(lines as Line[]));
  }

  editRejected(all: readonly Edit[], saved: string): void {
    const file = this.#path(REJECTED);
    if (!existsSync(file)) return;
    const from = this.#marks;
    const lines = all.reduce((to, each) => this.#edited(to, each), linesOf(readFileSync(file, 'utf8')));
    const text = stringify(lines as Line[], { record_delimiter: saved === 'bom' ? '\n' : saved });
    writeFileSync(file, saved === 'bom' ? `\uFEFF${text}` : text);
    this.#isTouched = true;
    for (let n = from + 1; n <= this.#marks; n += 1) this.#typed.add(`mark ${n}.`);
    for (const mark of this.#typed) if (!this.#kept().includes(mark)) this.#typed.delete(mark);
  }

  /** The text of all rows to correct, of each run too. */
  #kept(): string {
    const files = ['out/rejected', '.teamsheet/runs'].flatMap((folder) =>
      existsSync(this.#path(folder))
        ? readdirSync(this.#path(folder), { recursive: true, encoding: 'utf8' }).map((name) =>
            this.#path(path.join(folder, name)),
          )
        : [],
    );
    const tables = files.filter((file) => /\.rejected(\.\d+)?\.csv$/.test(file));
    return tables.map((file) => readFileSync(file, 'utf8')).join('\n');
  }

  async users(): Promise<ReadonlyMap<string, string>> {
    const { stdout } = await runInProcess(
      ['api', 'list-users'],
      { cwd: this.#folder.path, env: this.#service.env },
      realClock,
    );
    const { data } = JSON.parse(stdout) as { data: { external_id: string; display_name: string }[] };
    return new Map(data.map(({ external_id, display_name }) => [external_id, display_name]));
  }

  /** Nothing that somebody typed is gone: it was sent, or stands in a file of rows to correct. */
  async expectKept(step: string): Promise<void> {
    const sent = [...(await this.users()).values()];
    const kept = this.#kept();
    for (const mark of this.#typed) {
      if (sent.includes(mark)) this.#typed.delete(mark);
      else expect(kept, `${step}: ${mark} is gone`).toContain(mark);
    }
  }

  /** The rows that a run has refused. */
  #refusedBy({ text }: { readonly text: string }): readonly Line[] {
    const document = JSON.parse(text) as { mappings?: { results: string | null }[] };
    const results = document.mappings?.[0]?.results;
    if (typeof results !== 'string') return [];
    const [header = [], ...rows] = linesOf(readFileSync(this.#path(results), 'utf8'));
    const at = header.lastIndexOf('_outcome');
    return rows.filter((row) => ['invalid', 'rejected'].includes(row[at] ?? ''));
  }

  /** The file of rows to correct has those that were refused. */
  #expectToCorrect(refused: readonly Line[]): void {
    if (refused.length === 0) return;
    const [, ...written] = linesOf(readFileSync(this.#path(REJECTED), 'utf8'));
    expect(written.map(([key, name]) => [key, name])).toEqual(refused.map(([key, name]) => [key, name]));
    this.#isTouched = false;
  }

  /** Rows that were refused, and have been corrected in the table, are with the service. */
  async #expectRetried(keys: readonly string[]): Promise<void> {
    const users = await this.users();
    const rows = linesOf(readFileSync(this.#path('users.csv'), 'utf8'));
    for (const key of keys) {
      const [row, ...others] = rows.filter(([each]) => each === key);
      if (row === undefined || others.length > 0 || (row[1] ?? '').length > 50) continue;
      expect([key, users.get(key)]).toEqual([key, row[1]]);
    }
  }

  async step(each: Step): Promise<void> {
    if (typeof each === 'object') {
      if ('source' in each) this.editSource(each.source);
      else this.editRejected(each.rejected, each.saved);
      return;
    }
    if (each === 'import' && !existsSync(this.#path(REJECTED))) return;
    const done = await this.command(...COMMANDS[each]);
    await this.expectKept(each);
    const isEnded = done.code === 0 || done.code === 3;
    const refused = this.#refusedBy(done);
    if (each === 'push' && isEnded) this.#expectToCorrect(refused);
    if (each === 'retry' && isEnded) await this.#expectRetried(this.#refused ?? []);
    if (each === 'push' && isEnded) this.#refused = refused.map(([key = '']) => key);
    else if (each !== 'push of a few' || refused.length > 0) this.#refused = undefined;
  }

  /** Everything is corrected in the table itself, and pushed. */
  async end(): Promise<void> {
    await this.command('resume');
    const file = this.#path('users.csv');
    const [header = [], ...rows] = linesOf(readFileSync(file, 'utf8'));
    const named = rows.map((row, at) => row.with(0, `E${at}`).with(1, `End ${at}`));
    writeFileSync(file, stringify([header, ...named, ['E', 'End', '']] as Line[]));
    const { code } = await this.command('push');
    expect(code).toBe(0);
    const users = await this.users();
    for (const [key = '', name] of named) expect([key, users.get(key)]).toEqual([key, name]);
    await this.expectKept('end');
    if (!this.#isTouched) expect(existsSync(this.#path(REJECTED))).toBe(false);
    expect((await this.command('retry')).code).toBe(0);
  }
}

test('over a season of files, what people correct is sent or kept, and rows to correct are those that were refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      fc.array(step, { minLength: 3, maxLength: 9 }),
      async (valid, steps) => {
        const rows = valid.map((isValid, at): Line => [
          `M${at}`,
          isValid ? `Name ${at}` : `Name ${at} ${LONG}`,
          '',
        ]);
        const folder = makeFolder({
          'teamsheet.yaml': settlesIn('10ms'),
          'mappings/users.yaml': USERS_MAPPING,
          'users.csv': stringify([HEADER, ...rows] as Line[]),
        });
        const service = await startService();
        try {
          const season = new Season(folder, service);
          for (const each of steps) await season.step(each);
          await season.end();
        } finally {
          await service.close();
          folder.remove();
        }
      },
    ),
    {
      numRuns: runs(6, 500),
      ...(process.env['TEAMSHEET_SEED'] !== undefined && { seed: Number(process.env['TEAMSHEET_SEED']) }),
    },
  );
});
