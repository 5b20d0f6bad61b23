import type { FileHandle } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TeamsheetError } from '../../src/model/error.ts';
import type { RunRows } from '../../src/model/state/run-rows.ts';
import type { Store } from '../../src/model/state/store.ts';
import { storageError } from '../../src/state/storage-error.ts';
import { expectAllThere } from '../support/season/checks.ts';
import { readFacts } from '../support/season/facts.ts';
import type { Facts } from '../support/season/facts.ts';
import { makeTemplate, openSeason } from '../support/season/season.ts';
import type { Disturb, Template } from '../support/season/season.ts';
import { expectAllClosed } from '../support/faulty-files.ts';
import { Trouble } from '../support/season/trouble.ts';
import { eachCall } from '../support/each-call.ts';
import { isLong } from '../support/long.ts';

/** In the short form, calls from one failure to the next. */
const STRIDE = 197;
const FILE_STRIDE = 43;

const files = vi.hoisted(() => ({
  opened: [] as FileHandle[],
  call: <T>(_name: string, effect: () => Promise<T>): Promise<T> => effect(),
}));
vi.mock(import('node:fs/promises'), async (real) => {
  const { faultyFiles } = await import('../support/faulty-files.ts');
  return faultyFiles(await real(), files);
});

let template: Template;
let before: Facts;
let whole: Facts;

beforeAll(async () => {
  template = await makeTemplate(0);
  await withTrouble(async (trouble) => {
    before = readFacts(trouble.season.database);
    await trouble.command('push');
    whole = readFacts(trouble.season.database);
  });
});
afterEach(() => expectAllClosed(files));
afterAll(() => template.remove());

async function withTrouble(work: (trouble: Trouble) => Promise<void>): Promise<void> {
  const season = await openSeason(template, { without: ['H'] });
  try {
    await work(new Trouble(season));
  } finally {
    await season.close();
  }
}

/** Calls that fail: the nth alone, or all from the nth on. */
interface Failing {
  readonly nth: number;
  readonly forGood: boolean;
}

/** Counts calls and says which of them fail. */
function counter({ nth, forGood }: Failing) {
  let calls = 0;
  return {
    /** Whether any call failed. */
    met: (): boolean => calls >= nth,
    fails: (): boolean => {
      calls += 1;
      return forGood ? calls >= nth : calls === nth;
    },
  };
}

/** A full disk, a device that errs, or a file system without rights, as SQLite tells them. */
const SQLITE_RESULTS = [13, 10, 8, 14];

/** Ports whose state and rows fail where `fails` says so. A call that fails has changed nothing: each is one transaction. */
const failingState =
  (fails: () => boolean, errcode: number): Disturb =>
  (ports) => {
    const guard = <Port extends object>(port: Port, streams: readonly string[]): Port =>
      eachCall(
        port,
        (name) => !streams.includes(name),
        async (name, effect) => {
          if (name !== 'close' && fails())
            throw storageError('state.sqlite', Object.assign(new Error('it fails'), { errcode }));
          const result = await effect();
          return name === 'openRunRows' ? guard(result as RunRows, ['duplicates', 'lookAlikes']) : result;
        },
      );
    return { ...ports, store: guard<Store>(ports.store, ['allSnapshots']) };
  };

describe('the nth call of the state fails, n = 1, 2, 3 ... until none does', () => {
  it.each([
    ['alone', false],
    ['and all after it', true],
  ])(
    '%s: what is told is true, and afterwards everything is there once',
    async (_what, forGood) => {
      for (let nth = 1; ; nth += isLong ? 1 : STRIDE) {
        const { fails, met } = counter({ nth, forGood });
        const errcode = SQLITE_RESULTS[nth % SQLITE_RESULTS.length] ?? 13;
        await withTrouble(async (trouble) => {
          const told = await trouble.command('push', failingState(fails, errcode));
          const exit = told instanceof TeamsheetError ? told.exitCode : told?.report.exit_code;
          expect(exit).toBe(met() ? 8 : 3);
          const held = await trouble.recover();
          expectAllThere(trouble.season, held, before, whole);
        }).catch((cause: unknown) => {
          throw new Error(`call ${nth}`, { cause });
        });
        if (!met()) break;
      }
    },
    900_000,
  );
});

describe('the nth call of the file system fails in the results of a push, n = 1, 2, 3 ... until none does', () => {
  const codes = ['ENOSPC', 'EIO', 'EACCES', 'EROFS'];

  it.each([
    ['alone', false],
    ['and all after it', true],
  ])(
    '%s: the report still says what was done, and resume writes the results',
    async (_what, forGood) => {
      for (let nth = 1; ; nth += isLong ? 1 : FILE_STRIDE) {
        const { fails, met } = counter({ nth, forGood });
        const code = codes[nth % codes.length] ?? 'EIO';
        await withTrouble(async (trouble) => {
          files.call = (name, effect) => {
            if (!fails()) return effect();
            // A file is closed whatever close says.
            if (name === 'handle.close') void effect();
            return Promise.reject(Object.assign(new Error(name), { code, syscall: name }));
          };
          const told = await trouble.command('push').finally(() => {
            files.call = (_name, effect) => effect();
          });
          if (told === undefined || told instanceof TeamsheetError)
            throw new Error('no report', { cause: told });
          const missing = told.report.mappings.filter(
            (each) => each.direction === 'push' && each.results === null,
          );
          expect(told.report.exit_code).toBe(missing.length > 0 ? 8 : 3);
          if (met() && forGood) expect(missing.length).toBeGreaterThan(0);
          expect(readFacts(trouble.season.database)).toEqual(whole);
          const resumed = await trouble.command('resume');
          if (missing.length === 0) expect(resumed).toBeUndefined();
          else {
            if (resumed === undefined || resumed instanceof TeamsheetError)
              throw new Error('not resumed', { cause: resumed });
            expect(resumed.report.exit_code).toBe(3);
            expect(resumed.report.mappings.map((each) => ({ ...each, results: '' }))).toEqual(
              told.report.mappings.map((each) => ({ ...each, results: '' })),
            );
          }
          expect(await trouble.recover()).toEqual([]);
          expect(readFacts(trouble.season.database)).toEqual(whole);
        }).catch((cause: unknown) => {
          throw new Error(`call ${nth}`, { cause });
        });
        if (!met()) break;
      }
    },
    900_000,
  );
});
