import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Letter, MappingState } from '../../src/model/state/alerts.ts';
import type { Store } from '../../src/model/state/store.ts';
import { openStore } from '../../src/state/sqlite/store.ts';
import { newSchema, onePostgres, openTestState } from '../support/postgres.ts';
import { testClock } from '../support/sandbox.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();
const clock = testClock();

const postgres = onePostgres();
let schema: string;
beforeEach(() => {
  schema = newSchema();
});

alertSuite('PostgreSQL', async () => {
  const { store } = await openTestState(await postgres.client(), schema, folder.path, { clock });
  return store;
});
alertSuite('SQLite', () => openStore({ file: join(folder.path, 'state.sqlite'), clock }));

function mappingState(changes: Partial<MappingState> = {}): MappingState {
  return {
    environment: 'live',
    league: null,
    mapping: 'users',
    state: 'failing',
    sinceMs: 10,
    toldAtMs: 10,
    ranAtMs: 12,
    run: null,
    exitCode: 8,
    counts: null,
    ...changes,
  };
}

function letter(id: string, changes: Partial<Letter> = {}): Letter {
  const { environment, league, mapping, sinceMs, run, exitCode, counts } = mappingState();
  const told = { about: id, event: 'failing', message: 'users: nothing came through', next: null } as const;
  return {
    id,
    to: 'json env ALERT_URL',
    alert: { ...told, environment, league, mapping, sinceMs, run, exitCode, counts },
    createdAtMs: 10,
    tries: 0,
    nextTryMs: 10,
    last: null,
    end: null,
    ...changes,
  };
}

/** What every AlertStore does; `open` answers a state that outlives `close`, and is empty before each test. */
function alertSuite(name: string, open: () => Promise<Store>): void {
  describe(`AlertStore: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());
    const add = (states: readonly MappingState[], letters: readonly Letter[], forgetBeforeMs = 0) =>
      store.alerts.change(() => ({ states, letters, forgetBeforeMs }));

    it('keeps one state of each mapping, league and environment across a restart', async () => {
      const states = [
        mappingState(),
        mappingState({ league: 'north' }),
        mappingState({ environment: 'test' }),
        mappingState({ mapping: 'prices', counts: { rows: 2, invalid: 1 }, run: 'R' }),
      ];
      await add(states, []);
      await store.close();
      store = await open();
      const kept = await store.alerts.states();
      expect(kept).toHaveLength(4);
      expect(kept).toEqual(expect.arrayContaining(states));
      let given: readonly MappingState[] = [];
      await store.alerts.change((before) => {
        given = before;
        return { states: [mappingState({ state: 'ok' })], letters: [], forgetBeforeMs: 0 };
      });
      expect(given).toEqual(kept);
      const after = await store.alerts.states();
      expect(after.map(({ state }) => state).toSorted()).toEqual(['failing', 'failing', 'failing', 'ok']);
    });

    it('keeps nothing of what fails midway', async () => {
      const failed = async (): Promise<void> => {
        await store.alerts.change(() => {
          throw new Error('no');
        });
      };
      await expect(failed()).rejects.toThrow('no');
      expect(await store.alerts.states()).toEqual([]);
    });

    it('keeps letters in order, and leaves one alone that is there', async () => {
      await add([], [letter('B'), letter('A')]);
      await add([], [letter('A', { tries: 9 }), letter('C')]);
      expect(await store.alerts.waiting()).toEqual([letter('B'), letter('A'), letter('C')]);
      expect(await store.alerts.ended(5)).toEqual([]);
    });

    it('changes a letter, or leaves it', async () => {
      await add([], [letter('A'), letter('B')]);
      const sent = letter('A', {
        tries: 1,
        last: { ok: true, status: 204, fault: null, atMs: 20 },
        end: 'sent',
      });
      expect(await store.alerts.changeLetter('A', (before) => (before.tries === 0 ? sent : before))).toEqual(
        sent,
      );
      expect(await store.alerts.changeLetter('B', () => undefined)).toBeUndefined();
      expect(await store.alerts.changeLetter('Z', (before) => before)).toBeUndefined();
      await store.close();
      store = await open();
      expect(await store.alerts.waiting()).toEqual([letter('B')]);
      expect(await store.alerts.ended(5)).toEqual([sent]);
    });

    it('forgets letters that ended long ago, never one that waits', async () => {
      const ended = (id: string, createdAtMs: number) => letter(id, { createdAtMs, end: 'given_up' });
      await add([], [ended('A', 10), letter('B'), ended('C', 90), ended('D', 95)]);
      await add([], [], 50);
      expect((await store.alerts.ended(5)).map(({ id }) => id)).toEqual(['D', 'C']);
      expect((await store.alerts.ended(1)).map(({ id }) => id)).toEqual(['D']);
      expect((await store.alerts.waiting()).map(({ id }) => id)).toEqual(['B']);
    });
  });
}
