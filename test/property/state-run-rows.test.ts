import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';

import { OUTCOMES } from '../../src/model/outcome.ts';
import type { ChangeKind, Outcome } from '../../src/model/outcome.ts';
import type { Words } from '../../src/model/said.ts';
import type { RunRow, RunRowPatch, RunRows } from '../../src/model/state/run-rows.ts';
import { openRunRows } from '../../src/state/sqlite/run-rows.ts';
import type { Store } from '../../src/model/state/store.ts';
import { newSchema, onePostgres, openTestState } from '../support/postgres.ts';
import { runRow } from '../support/run-row.ts';
import { runs } from '../support/long.ts';

const folder = mkdtempSync(join(tmpdir(), 'teamsheet-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const CHANGES = ['pending', 'create', 'update', 'unchanged', 'invalid', 'excluded'] as const;
const anyChange = fc.constantFrom(...CHANGES);
const anyOutcome = fc.constantFrom(...OUTCOMES);
const anyText = fc.string({ unit: 'binary', maxLength: 6 });
const anyWords: fc.Arbitrary<Words> = fc.array(
  fc.oneof(
    anyText.map((text) => ({ code: 'text', text }) as const),
    anyText.map((name) => ({ code: 'waits-gone', name }) as const),
    fc.constant({ code: 'row-edited' } as const),
  ),
  { maxLength: 3 },
);
const DEFERRED: Words = [{ code: 'run-ended' }];
const anyKey = fc.option(fc.oneof(fc.constantFrom('a', 'A', 'b', 'B', '07', '7'), anyText), { freq: 8 });

const anyRow = fc.record({ key: anyKey, change: anyChange, cell: anyText, outcome: fc.option(anyOutcome) });
const anyPatch = fc.record(
  {
    change: anyChange,
    said: anyWords,
    outcome: fc.option(anyOutcome),
    id: fc.option(anyText),
    before: fc.option(
      fc.dictionary(fc.constantFrom('name', 'is_active'), fc.oneof(anyText, fc.constant(null))),
    ),
  },
  { requiredKeys: [] },
);

type Step =
  | {
      readonly kind: 'add';
      readonly rows: readonly {
        key: string | null;
        change: ChangeKind;
        cell: string;
        outcome: Outcome | null;
      }[];
    }
  | {
      readonly kind: 'patch';
      readonly patches: readonly { at: number; patch: Omit<RunRowPatch, 'rowNumber'> }[];
    }
  | { readonly kind: 'defer'; readonly change: ChangeKind | undefined }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'restore' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('add' as const), rows: fc.array(anyRow, { maxLength: 8 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      patches: fc.array(fc.record({ at: fc.nat(), patch: anyPatch }), { maxLength: 5 }),
    }),
  },
  fc.record({
    kind: fc.constant('defer' as const),
    change: fc.option(anyChange, { nil: undefined }),
  }),
  fc.constant({ kind: 'reopen' as const }),
  fc.constant({ kind: 'restart' as const }),
  fc.constant({ kind: 'restore' as const }),
);

/** The same steps on a plain array. */
function stepModel(model: RunRow[], step: Step): void {
  const change = (condition: (row: RunRow) => boolean, changes: (row: RunRow) => Partial<RunRow>): void => {
    for (const [index, row] of model.entries())
      if (condition(row)) model[index] = { ...row, ...changes(row) };
  };
  switch (step.kind) {
    case 'add':
      model.push(...newRows(model.length, step.rows));
      break;
    case 'patch':
      for (const patch of patchesOf(model.length, step.patches)) {
        change(
          (row) => row.rowNumber === patch.rowNumber,
          () => patch,
        );
      }
      break;
    case 'defer':
      change(
        (row) => row.outcome === null && (step.change === undefined || row.change === step.change),
        () => ({ outcome: 'deferred', said: DEFERRED }),
      );
      break;
    case 'reopen':
      change(
        (row) => row.outcome === 'deferred',
        () => ({ outcome: null, said: [] }),
      );
      break;
    case 'restart':
      change(
        (row) =>
          row.outcome === null &&
          (row.change === 'update' ||
            row.change === 'unchanged' ||
            (row.change === 'create' && row.id === null)),
        () => ({ change: 'pending', before: null }),
      );
      break;
    case 'restore':
      break;
  }
}

async function stepRows(
  reopen: () => Promise<RunRows>,
  rows: RunRows,
  count: number,
  step: Step,
): Promise<RunRows> {
  switch (step.kind) {
    case 'add':
      await rows.add('users', newRows(count, step.rows));
      break;
    case 'patch':
      await rows.patch('users', patchesOf(count, step.patches));
      break;
    case 'defer':
      await rows.deferOpen('users', DEFERRED, step.change);
      break;
    case 'reopen':
      await rows.reopenDeferred('users');
      break;
    case 'restart':
      await rows.restart('users');
      break;
    case 'restore':
      await rows.close();
      return reopen();
  }
  return rows;
}

function newRows(count: number, rows: Extract<Step, { kind: 'add' }>['rows']): RunRow[] {
  return rows.map(({ key, change, cell, outcome }, index) =>
    runRow({ rowNumber: count + index + 1, lines: [[cell]], key, change, outcome }),
  );
}

function patchesOf(count: number, patches: Extract<Step, { kind: 'patch' }>['patches']): RunRowPatch[] {
  return count === 0 ? [] : patches.map(({ at, patch }) => ({ ...patch, rowNumber: (at % count) + 1 }));
}

function tally<Name>(names: readonly Name[]): Map<Name, number> {
  return new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

function modelDuplicates(valid: readonly RunRow[]): unknown[] {
  return [...Map.groupBy(valid, (row) => row.key)]
    .filter(([, rows]) => rows.length > 1)
    .map(([key, rows]) => ({
      key,
      rows: rows.map(({ rowNumber, key, folded, fields }) => ({ rowNumber, key, folded, fields })),
    }));
}

function modelLookAlikes(valid: readonly RunRow[]): unknown[] {
  return valid.flatMap((row, index) => {
    const other = valid.slice(0, index).find(({ key, folded }) => folded === row.folded && key !== row.key);
    return other === undefined
      ? []
      : [{ rowNumber: row.rowNumber, otherRow: other.rowNumber, otherKey: other.key }];
  });
}

/** The rows of a run by its name, which outlive `close`; and how many cases a state may be asked for: a statement of PostgreSQL takes ten times as long. */
interface Kind {
  readonly name: string;
  readonly open: (name: string) => Promise<RunRows>;
  readonly share: number;
}

const postgres = onePostgres();
const clock = { now: () => 1, monotonic: () => 1, sleep: () => Promise.resolve() };
let state: Promise<Store> | undefined;

const KINDS: readonly Kind[] = [
  {
    name: 'SQLite',
    open: (name) => Promise.resolve(openRunRows(join(folder, `${name}.sqlite`))),
    share: 1,
  },
  {
    name: 'PostgreSQL',
    open: async (name) => {
      state ??= postgres
        .client()
        .then((client) => openTestState(client, newSchema(), folder, { clock }))
        .then(({ store }) => store);
      return (await state).openRunRows(name);
    },
    share: 0.3,
  },
];

describe.each(KINDS)('the rows of a run on $name', ({ open, share }) => {
  it('agree with a plain array after any steps', async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (steps, limit) => {
          const name = `RUN-${(made += 1)}`;
          const model: RunRow[] = [];
          let rows = await open(name);
          try {
            for (const step of steps) {
              rows = await stepRows(() => open(name), rows, model.length, step);
              stepModel(model, step);
            }
            const paged: RunRow[] = [];
            for (;;) {
              const page = await rows.page('users', { afterRow: paged.at(-1)?.rowNumber ?? 0, limit });
              if (page.length === 0) break;
              paged.push(...page);
            }
            expect(paged).toEqual(model);
            for (const change of CHANGES) {
              const expected = model.filter((row) => row.outcome === null && row.change === change);
              const query = { change, open: true, afterRow: 0, limit: 1000 };
              expect(await rows.page('users', query)).toEqual(expected);
            }
            expect(await rows.countOutcomes('users')).toEqual(
              tally(model.map((row) => row.outcome ?? 'open')),
            );
            expect(await rows.countChanges('users')).toEqual(tally(model.map((row) => row.change)));
            const valid = model.filter(
              (row) => row.key !== null && row.change !== 'invalid' && row.change !== 'excluded',
            );
            expect(await Array.fromAsync(rows.duplicates('users'))).toEqual(modelDuplicates(valid));
            const pairs = await Array.fromAsync(rows.lookAlikes('users'));
            expect(pairs.sort((a, b) => a.rowNumber - b.rowNumber)).toEqual(modelLookAlikes(valid));
          } finally {
            await rows.remove();
          }
        },
      ),
      { numRuns: share * runs(60, 2000) },
    );
  }, 300_000);

  it('hold any key that a record may have', async () => {
    const rows = await open('keys');
    let mapping = 0;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(anyText, { maxLength: 30 }), async (keys) => {
        const name = `mapping ${(mapping += 1)}`;
        const records = keys.map((key) => ({
          key,
          id: key,
          number: 2 ** 60,
          digests: { [key]: key },
          values: { text: key },
        }));
        await rows.addKnown(name, records);
        const known = await rows.known(name, keys);
        expect(keys.map((key) => known.get(key))).toEqual(records.map((record) => [record]));
      }),
      { numRuns: share * runs(100, 5000) },
    );
    await rows.close();
  });
});
