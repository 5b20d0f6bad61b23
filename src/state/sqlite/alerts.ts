import type { AlertNews, AlertStore, Letter, MappingState } from '../../model/state/alerts.ts';
import type { Database } from './database.ts';
import { endedOf, parseLetter, parseMappingState } from '../stored-rows.ts';

/** The states of mappings and the outbox in the state file. */
export class SqliteAlerts implements AlertStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  states(): Promise<readonly MappingState[]> {
    return this.#db.read(() => this.#states());
  }

  change(work: (states: readonly MappingState[]) => AlertNews): Promise<void> {
    return this.#db.write(() => {
      const { states, letters, forgetBeforeMs } = work(this.#states());
      for (const state of states)
        this.#db.run(
          `INSERT INTO mapping_state (environment, league, mapping, document) VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET document = excluded.document`,
          ...[state.environment, state.league ?? '', state.mapping, JSON.stringify(state)],
        );
      for (const letter of letters)
        this.#db.run(
          'INSERT INTO letter (id, ended, created_at_ms, document) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
          ...[letter.id, endedOf(letter), letter.createdAtMs, JSON.stringify(letter)],
        );
      this.#db.run('DELETE FROM letter WHERE ended = 1 AND created_at_ms < ?', forgetBeforeMs);
    });
  }

  waiting(): Promise<readonly Letter[]> {
    return this.#db.read(() => this.#letters('WHERE ended = 0 ORDER BY sequence'));
  }

  ended(limit: number): Promise<readonly Letter[]> {
    return this.#db.read(() => this.#letters('WHERE ended = 1 ORDER BY sequence DESC LIMIT ?', limit));
  }

  changeLetter(id: string, work: (letter: Letter) => Letter | undefined): Promise<Letter | undefined> {
    return this.#db.write(() => {
      const [letter] = this.#letters('WHERE id = ?', id);
      const changed = letter && work(letter);
      if (changed !== undefined)
        this.#db.run(
          'UPDATE letter SET ended = ?, document = ? WHERE id = ?',
          ...[endedOf(changed), JSON.stringify(changed), id],
        );
      return changed;
    });
  }

  #letters(wanted: string, ...values: (string | number)[]): readonly Letter[] {
    return this.#db.all(`SELECT document FROM sealed_letter ${wanted}`, ...values).map(parseLetter);
  }

  #states(): readonly MappingState[] {
    return this.#db
      .all('SELECT document FROM sealed_mapping_state ORDER BY environment, league, mapping')
      .map(parseMappingState);
  }
}
