import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InterruptedError, TeamsheetError } from '../../src/model/error.ts';
import { push } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { PLAN_OPTIONS, withEngine } from '../support/engine.ts';
import type { Fault as ServiceFault } from '../support/fake-service.ts';
import type { FakeCell, Fault, FakeTab } from '../support/google/fake-google.ts';
import { FAULTS } from '../support/google/faults.ts';
import { googleOfFile } from '../support/google/of-file.ts';
import { runs } from '../support/long.ts';
import { approve } from '../support/push-case.ts';
import { onSheet, WRITE_BACK, type SheetEngine } from '../support/sheet-engine.ts';

const fake = googleOfFile();
const OPTIONS = { ...PLAN_OPTIONS, allowEmpty: true, allowKeyShape: true };

const OURS: readonly string[] = Object.values(WRITE_BACK);
const HEADER = ['external_id', 'display_name', 'is_active', 'Group', 'Fee'];
const NAMES = ['Ada', 'Björn', '  Carla ', 'Dörte "D" O’Neil', 'x'.repeat(51), '', '=1+1', '0042', '#N/A'];
const GROUPS = ['A', 'B', ''];

const KINDS = [
  'active',
  'add',
  'again',
  'blank',
  'clear',
  'column',
  'delete',
  'drop',
  'group',
  'move',
  'name',
  'overwrite',
  'remark',
  'sort',
  'tab',
] as const;
/** What a person does; places are taken modulo what there is. */
interface Edit {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
  readonly with: number;
}
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(60),
  with: fc.nat(60),
});

const SERVICE: readonly (ServiceFault | undefined)[] = [
  undefined,
  undefined,
  'lost',
  'vanished',
  'late',
  'refused',
  'half_then_refused',
  'throttled',
  'unreachable',
  'short',
];

/** What meets a push at its calls to Google. */
interface Trouble {
  readonly call: number;
  readonly what: { readonly edit: Edit } | { readonly fault: number; readonly lasts: boolean } | 'stop';
}
const trouble: fc.Arbitrary<Trouble> = fc.record({
  call: fc.integer({ min: 1, max: 9 }),
  what: fc.oneof(
    fc.record({ edit }),
    fc.record({ fault: fc.nat(FAULTS.length - 1), lasts: fc.boolean() }),
    fc.constant('stop' as const),
  ),
});

type Step =
  | { readonly edits: readonly Edit[] }
  | { readonly troubles: readonly Trouble[]; readonly service: readonly number[] }
  | 'resume'
  | 'wait';
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 4 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      troubles: fc.array(trouble, { maxLength: 3 }),
      service: fc.array(fc.nat(SERVICE.length - 1), { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('resume' as const, 'wait' as const) },
);

const headerOf = (tab: FakeTab): readonly string[] => tab.shown()[0] ?? [];

/** The edit in a tab; its twin, which has no columns of ours, is told by the same words. */
function perform(tab: FakeTab, { kind, at, with: other }: Edit, mark: string): void {
  const shown = tab.shown();
  const header = shown[0] ?? [];
  const column = (name: string): number => header.indexOf(name);
  const rows = Math.max(
    ...shown.map((row, index) =>
      row.some((cell, place) => cell !== '' && !OURS.includes(header[place] ?? '')) ? index : 0,
    ),
  );
  const row = 1 + (at % Math.max(rows, 1));
  const set = (name: string, text: string): void => {
    if (column(name) !== -1) tab.set(row, column(name), text);
  };
  const own = OURS[other % OURS.length] ?? '';
  switch (kind) {
    case 'add':
      tab.insertRow(row);
      set('external_id', `new-${mark}`);
      set('display_name', NAMES[other % NAMES.length] ?? '');
      set('Group', GROUPS[other % 2] ?? '');
      return;
    case 'active':
      if (column('is_active') !== -1) tab.set(row, column('is_active'), other % 2 === 0);
      return;
    case 'again':
      // A row is copied, as people do, with what stands beside it.
      tab.insertRow(
        row,
        (tab.shown()[row] ?? []).map((cell) => cell),
      );
      return;
    case 'blank':
      tab.insertRow(row);
      return;
    case 'clear':
      HEADER.forEach((name) => set(name, ''));
      return;
    case 'column':
      tab.insertColumn(column(HEADER[other % HEADER.length] ?? ''), [`Extra ${mark}`, 'x', 'y']);
      return;
    case 'delete':
      if (rows > 1) tab.deleteRow(row);
      return;
    case 'drop':
      if (column(own) !== -1) tab.deleteColumn(column(own));
      return;
    case 'group':
      set('Group', GROUPS[other % GROUPS.length] ?? '');
      return;
    case 'move': {
      const cells = HEADER.map((name) => shown[row]?.[column(name)] ?? '');
      if (rows <= 1) return;
      tab.deleteRow(row);
      const to = 1 + (other % rows);
      tab.insertRow(to);
      HEADER.forEach((name, index) => {
        if (column(name) !== -1) tab.set(to, column(name), cells[index] ?? '');
      });
      return;
    }
    case 'name':
      set('display_name', NAMES[other % NAMES.length] ?? '');
      return;
    case 'overwrite':
      // A column of texts without an outcome would be one of theirs.
      set(own, own === WRITE_BACK.status ? '' : `typed ${mark}`);
      return;
    case 'remark':
      set('Fee', `fee ${mark}`);
      return;
    case 'sort':
      tab.sortBy(column(other % 2 === 0 ? 'external_id' : 'display_name'), { descending: other % 4 > 1 });
      return;
    case 'tab':
      tab.rename(other % 3 === 0 ? 'Members' : 'Users');
  }
}

/** Everything in a tab but our columns. */
function othersOf(tab: FakeTab): readonly (readonly string[])[] {
  const shown = tab.shown();
  const header = shown[0] ?? [];
  const others = shown.map((row) => {
    const cells = row.filter((_, at) => !OURS.includes(header[at] ?? ''));
    return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
  });
  return others.slice(0, others.findLastIndex((cells) => cells.length > 0) + 1);
}

interface Shown {
  readonly key: string;
  readonly name: string;
  readonly active: string;
  readonly group: string;
  readonly status: string;
  readonly message: string;
  readonly id: string;
}
function rowsOf(tab: FakeTab): readonly Shown[] {
  const header = headerOf(tab);
  return tab
    .shown()
    .slice(1)
    .map((row) => {
      const cell = (name: string): string => row[header.indexOf(name)] ?? '';
      return {
        key: cell('external_id').trim(),
        name: cell('display_name'),
        active: cell('is_active'),
        group: cell('Group'),
        status: cell(WRITE_BACK.status),
        message: cell(WRITE_BACK.message),
        id: cell(WRITE_BACK.id),
      };
    });
}

/** One spreadsheet over a season, its twin that nobody writes beside, and what happens to both. */
class Season {
  readonly #made: SheetEngine;
  readonly #twin: FakeTab;
  readonly #isSplit: boolean;
  #marks = 0;
  #calls = 0;
  #troubles: readonly Trouble[] = [];
  #stop = new AbortController();

  constructor(made: SheetEngine, twin: FakeTab, isSplit: boolean) {
    this.#made = made;
    this.#twin = twin;
    this.#isSplit = isSplit;
    fake.before(({ path }) => (path.includes(made.id) ? this.#meet() : undefined));
  }

  #meet(): Fault | undefined {
    this.#calls += 1;
    let fault: Fault | undefined;
    let isBlind = false;
    for (const { call, what } of this.#troubles)
      if (typeof what === 'object' && 'fault' in what)
        if (call === this.#calls || (what.lasts && call < this.#calls)) {
          fault ??= FAULTS[what.fault];
          isBlind ||= what.lasts;
        }
    for (const { call, what } of this.#troubles) {
      if (call !== this.#calls) continue;
      if (what === 'stop') this.#stop.abort(new InterruptedError('SIGTERM', 'stopped'));
      // Where a write goes out and nothing can be read after it, nobody can put right what moved meanwhile.
      else if ('edit' in what && !isBlind) this.edit(what.edit);
    }
    return fault;
  }

  edit(edit: Edit): void {
    this.#marks += 1;
    for (const tab of [this.#made.tab, this.#twin]) perform(tab, edit, String(this.#marks));
  }

  async #settled(work: (ports: SheetEngine['ports']) => Promise<unknown>): Promise<number> {
    const { ports, engine } = this.#made;
    this.#stop = new AbortController();
    this.#calls = 0;
    try {
      const result = await work({ ...ports, signal: this.#stop.signal });
      return (result as { report?: { exit_code: number } } | undefined)?.report?.exit_code ?? 0;
    } catch (error) {
      if (error instanceof TeamsheetError) return error.exitCode;
      throw error;
    } finally {
      this.#troubles = [];
      engine.service.faults.length = 0;
    }
  }

  push(troubles: readonly Trouble[] = [], service: readonly number[] = []): Promise<number> {
    this.#troubles = troubles;
    this.#made.engine.service.faults.push(...service.map((at) => SERVICE[at]));
    const { mapping } = this.#made;
    const plain = mapping({ writeBack: WRITE_BACK });
    const split = ['A', 'B'].map((text) =>
      mapping({
        name: `users-${text}`,
        writeBack: WRITE_BACK,
        source: { ...plain.source, where: [{ header: 'Group', equals: true, text }] },
      }),
    );
    return this.#settled((ports) => push(ports, 'push', this.#isSplit ? split : [plain], OPTIONS, approve));
  }

  resume(): Promise<number> {
    return this.#settled((ports) => resume(ports, undefined, approve));
  }

  wait(): void {
    this.#made.engine.clock.time += 3_600_000;
    this.#made.engine.service.applyLate();
  }

  /** What must be so at any moment. */
  expectOwn(): void {
    const { tab, engine } = this.#made;
    expect(othersOf(tab)).toEqual(othersOf(this.#twin));
    const header = headerOf(tab);
    for (const name of OURS) expect(header.filter((each) => each === name).length).toBeLessThanOrEqual(1);
    const ids = new Map(
      engine.service.users.map(({ external_id, user_id }) => [external_id, `user-${user_id}`]),
    );
    for (const { key, id } of rowsOf(tab))
      if (key !== '' && id.startsWith('user-')) expect([key, id]).toEqual([key, ids.get(key)]);
    const created = engine.service.effects.filter(({ kind }) => kind === 'create').map(({ key }) => key);
    expect(new Set(created).size).toBe(created.length);
  }

  /** What must be so where nothing has disturbed a push. */
  expectTold(): void {
    const { tab, engine } = this.#made;
    const rows = rowsOf(tab);
    const users = new Map(engine.service.users.map((user) => [user.external_id, user]));
    for (const { key, name, active, group, status, message, id } of rows) {
      const isAlone = rows.filter((row) => row.key === key).length === 1;
      if (key === '' || name === '' || !isAlone || (this.#isSplit && group === '')) continue;
      if (name.length > 50 || name === '#N/A') {
        expect([key, status, message]).toEqual([key, 'invalid', expect.stringMatching(/./)]);
        continue;
      }
      expect([key, status]).toEqual([key, expect.stringMatching(/^(created|updated|unchanged)$/)]);
      const user = users.get(key);
      expect([key, id, name]).toEqual([key, `user-${user?.user_id}`, user?.display_name]);
      if (active !== '') expect([key, active]).toEqual([key, String(user?.is_active).toUpperCase()]);
    }
  }

  /** Ends what is open; then a push has nothing to do, and everything is told. */
  async end(): Promise<void> {
    const { engine, id, tab } = this.#made;
    tab.rename('Users');
    for (let n = 0; n < 3; n += 1) {
      this.wait();
      await this.resume();
      await this.push();
    }
    this.expectOwn();
    const [calls, writes] = [fake.calls.length, engine.service.writes.length];
    expect([0, 3]).toContain(await this.push());
    this.expectTold();
    const keys = rowsOf(tab).map(({ key }) => key);
    // Two mappings may want different things of one user.
    if (this.#isSplit && new Set(keys).size < keys.length) return;
    expect(engine.service.writes.slice(writes)).toEqual([]);
    const since = fake.calls.slice(calls).filter(({ path }) => path.includes(id));
    expect(since.filter(({ kind }) => kind === 'write')).toEqual([]);
  }
}

const person = fc.record({
  name: fc.nat(3),
  group: fc.nat(1),
  isNumber: fc.boolean(),
  isActive: fc.boolean(),
});

test('over a season of edits, faults and stops, each row has what became of its own key, and nothing else changes', async () => {
  const season = fc.asyncProperty(
    fc.array(person, { minLength: 1, maxLength: 6 }),
    fc.array(step, { minLength: 2, maxLength: 8 }),
    fc.boolean(),
    (people, steps, isSplit) =>
      withEngine(async (engine) => {
        const cells = people.map(({ name, group, isNumber, isActive }, at): readonly FakeCell[] => [
          isNumber ? 100 + at : `m-${at}`,
          NAMES[name] ?? '',
          isActive,
          GROUPS[group] ?? '',
          { formula: '=Notes!$A$1' },
        ]);
        const rows = [HEADER, ...cells];
        const twin = fake.tab(
          fake.add({
            tabs: [
              { title: 'Users', rows },
              { title: 'Notes', rows: [] },
            ],
          }),
          'Users',
        );
        const season = new Season(onSheet(engine, fake, rows), twin, isSplit);
        for (const each of steps) {
          if (each === 'wait') season.wait();
          else if (each === 'resume') await season.resume();
          else if ('edits' in each) each.edits.forEach((one) => season.edit(one));
          else await season.push(each.troubles, each.service);
          season.expectOwn();
        }
        await season.end();
      }),
  );
  const seed = process.env['TEAMSHEET_SEED'];
  await fc.assert(season, { numRuns: runs(10, 600), ...(seed !== undefined && { seed: Number(seed) }) });
});
