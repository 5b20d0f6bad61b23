import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands/registry.ts';
import { gates } from '../../src/runtime/gates.ts';
import { createLock, lockFolder } from '../../src/state/sqlite/lock.ts';
import { CHECKS, type Check } from '../../src/sync/checks.ts';
import type { Outcome } from '../support/cli.ts';
import { makeGateStates, OPEN_USER, WEEKS, type FolderState } from '../support/gate-states.ts';
import { isLong } from '../support/long.ts';

let states: Awaited<ReturnType<typeof makeGateStates>>;
beforeAll(async () => {
  states = await makeGateStates();
});
afterAll(() => states.close());

const SET = ['--set', 'type=current', '--set', 'fantasy_league_id=1'];
const BODY = '{"fantasy_league_id":1,"prices":[{"player_id":3,"price":60,"type":"current"}]}';
const week = (number: number): readonly string[] => ['substitutions', 'trigger', '--week', String(number)];

/** How each command is typed so that it would write. */
const typed: Readonly<Record<string, readonly string[]>> = {
  push: ['push'],
  sync: ['sync'],
  import: ['import', 'import.csv', '--as', 'prices', ...SET],
  resume: ['resume'],
  retry: ['retry'],
  resolve: ['resolve'],
  substitutions: week(WEEKS.next),
  api: ['api', 'upload-prices', '--body', BODY],
};

interface Situation {
  /** What the folder holds. */
  readonly state: FolderState;
  /** What a command ends with for which the check holds. */
  readonly ends: readonly [code: number, error: RegExp];
  readonly run?: (words: readonly string[]) => Promise<Outcome>;
  /** What is typed in another way. */
  readonly typed?: Readonly<Record<string, readonly string[]>>;
}

/** What makes each check stop every command for which it holds. */
const situations: Readonly<Record<Check, Situation>> = {
  origin: {
    state: 'newest',
    ends: [6, /^origin\.changed$/],
    run: (words) => states.run([...words, '--yes'], { TEAMSHEET_BASE_URL: 'https://another.example' }),
  },
  lock: {
    state: 'newest',
    ends: [6, /^lock\.held$/],
    run: async (words) => {
      const locks = lockFolder({ XDG_STATE_HOME: join(states.folder.path, '.xdg') });
      const held = await createLock({ folder: locks }).acquire(await states.account(), 'a test');
      try {
        return await states.run([...words, '--yes']);
      } finally {
        await held.release();
      }
    },
  },
  // Rows that wait are no error.
  open_writes: { state: 'unanswered', ends: [7, /^none$/] },
  memory: { state: 'without_memory', ends: [6, /^state\.no_memory$/] },
  older_state: { state: 'older', ends: [6, /^state\.no_memory$/] },
  guards: {
    state: 'guarded',
    ends: [6, /^guard\.(max_step|empty_source|open_week)$/],
    typed: { substitutions: week(WEEKS.open) },
  },
  approval: {
    state: 'newest',
    ends: [6, /^approval\.missing$/],
    run: (words) => states.run(words),
    // Without a word of the operator it only lists.
    typed: { resolve: ['resolve', OPEN_USER, '--assume', 'not-applied'] },
  },
};

interface Told {
  readonly error?: { readonly code: string };
}

/** The demo brings a sandbox of its own, with a new state, which nothing can stop. */
const writers = Object.entries(commands).flatMap(([name, { writes }]) =>
  writes === true && name !== 'demo' ? [name] : [],
);

describe.each(writers)('the gate of %s', (command) => {
  const holds = (check: Check): boolean => gates[command]?.[check] === 'holds';

  async function meet(check: Check): Promise<Outcome & { readonly written: number }> {
    const { state, run, typed: others } = situations[check];
    states.take(state);
    // Else `resolve` would have nothing to do.
    if (command === 'resolve') await states.leaveOpen();
    const words = others?.[command] ?? typed[command];
    if (words === undefined) throw new Error(`nobody says how ${command} is typed`);
    const before = states.writes();
    const outcome = await (run?.([...words, '--json']) ?? states.run([...words, '--json', '--yes']));
    return { ...outcome, written: states.writes() - before };
  }

  it.each(CHECKS.filter(holds))('stops it for want of %s, and nothing is written', async (check) => {
    const [code, error] = situations[check].ends;
    const met = await meet(check);
    expect(met, met.stderr).toMatchObject({ code, written: 0 });
    const told = JSON.parse(met.stdout) as Told;
    expect(told.error?.code ?? 'none').toMatch(error);
  });

  const without = CHECKS.filter((check) => !holds(check));
  it.runIf(without.length > 0).each(without)('has no need of %s', async (check) => {
    const met = await meet(check);
    expect([0, 7], met.stderr).toContain(met.code);
    expect(met.written).toBe(command === 'api' ? 1 : 0);
  });
});

// The short form plays the demo once, in everyday.test.ts, which looks at what it sends too.
it.runIf(isLong)(
  'lets the demo run beside any state and any service, to which it sends nothing; it names no results, which were thrown away with its state',
  async () => {
    states.take('newest');
    const before = states.writes();
    const demo = await states.run(['demo', '--json'], { TEAMSHEET_BASE_URL: 'https://another.example' });
    expect(demo, demo.stderr).toMatchObject({ code: 0 });
    const { mappings } = JSON.parse(demo.stdout) as {
      readonly mappings: readonly { readonly direction: string; readonly results?: string | null }[];
    };
    const pushed = mappings.filter(({ direction }) => direction === 'push');
    expect(pushed.map(({ results }) => results)).toEqual([null, null, null]);
    expect(states.writes()).toBe(before);
  },
);
