import type { AlertNews, AlertStore, Letter, MappingState } from '../../model/state/alerts.ts';
import { endedOf, parseLetter, parseMappingState } from '../stored-rows.ts';
import type { Database, Statements } from './database.ts';
import { storable } from './storable.ts';

/** The states of mappings and the outbox in the tables of the state. */
export class PostgresAlerts implements AlertStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  states(): Promise<readonly MappingState[]> {
    return this.#db.alone(statesIn);
  }

  change(work: (states: readonly MappingState[]) => AlertNews): Promise<void> {
    return this.#db.together(async (statements) => {
      // Others that change them wait here.
      await statements.run('LOCK TABLE {mapping_state} IN SHARE ROW EXCLUSIVE MODE');
      const { states, letters, forgetBeforeMs } = work(await statesIn(statements));
      for (const state of states)
        await statements.run(
          `INSERT INTO {mapping_state} (environment, league, mapping, document) VALUES ($1, $2, $3, $4)
           ON CONFLICT (environment, league, mapping) DO UPDATE SET document = excluded.document`,
          ...[state.environment, state.league ?? '', state.mapping].map(storable),
          JSON.stringify(state),
        );
      for (const letter of letters)
        await statements.run(
          'INSERT INTO {letter} (id, ended, created_at_ms, document) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
          ...[storable(letter.id), endedOf(letter), letter.createdAtMs, JSON.stringify(letter)],
        );
      await statements.run('DELETE FROM {letter} WHERE ended = 1 AND created_at_ms < $1', forgetBeforeMs);
    });
  }

  waiting(): Promise<readonly Letter[]> {
    return this.#db.all(parseLetter, 'SELECT document FROM {letter} WHERE ended = 0 ORDER BY sequence');
  }

  ended(limit: number): Promise<readonly Letter[]> {
    const statement = 'SELECT document FROM {letter} WHERE ended = 1 ORDER BY sequence DESC LIMIT $1';
    return this.#db.all(parseLetter, statement, limit);
  }

  changeLetter(id: string, work: (letter: Letter) => Letter | undefined): Promise<Letter | undefined> {
    return this.#db.together(async (statements) => {
      const statement = 'SELECT document FROM {letter} WHERE id = $1 FOR UPDATE';
      const row = await statements.get(statement, storable(id));
      const changed = row && work(parseLetter(row));
      if (changed !== undefined)
        await statements.run(
          'UPDATE {letter} SET ended = $1, document = $2 WHERE id = $3',
          ...[endedOf(changed), JSON.stringify(changed), storable(id)],
        );
      return changed;
    });
  }
}

async function statesIn(statements: Statements): Promise<readonly MappingState[]> {
  const rows = await statements.all(
    'SELECT document FROM {mapping_state} ORDER BY environment, league, mapping',
  );
  return rows.map(parseMappingState);
}
