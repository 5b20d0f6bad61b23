import type { AlertNews, AlertStore, Letter, MappingState } from '../../src/model/state/alerts.ts';

/** What a disk holds of alerts. */
export class AlertsData {
  readonly states = new Map<string, MappingState>();
  readonly letters = new Map<string, Letter>();
}

/** The states of mappings and the outbox in memory. */
export class MemoryAlerts implements AlertStore {
  readonly #data: AlertsData;

  constructor(data: AlertsData) {
    this.#data = data;
  }

  states(): Promise<readonly MappingState[]> {
    return Promise.resolve(this.#states());
  }

  change(work: (states: readonly MappingState[]) => AlertNews): Promise<void> {
    const { states, letters } = this.#data;
    const news = work(this.#states());
    for (const state of news.states)
      states.set(JSON.stringify([state.environment, state.league ?? '', state.mapping]), state);
    for (const letter of news.letters) if (!letters.has(letter.id)) letters.set(letter.id, letter);
    for (const [id, { end, createdAtMs }] of letters)
      if (end !== null && createdAtMs < news.forgetBeforeMs) letters.delete(id);
    return Promise.resolve();
  }

  waiting(): Promise<readonly Letter[]> {
    return Promise.resolve(this.#letters().filter(({ end }) => end === null));
  }

  ended(limit: number): Promise<readonly Letter[]> {
    const ended = this.#letters().filter(({ end }) => end !== null);
    return Promise.resolve(ended.toReversed().slice(0, limit));
  }

  changeLetter(id: string, work: (letter: Letter) => Letter | undefined): Promise<Letter | undefined> {
    const letter = this.#data.letters.get(id);
    const changed = letter && work(letter);
    if (changed !== undefined) this.#data.letters.set(id, changed);
    return Promise.resolve(changed);
  }

  #states(): readonly MappingState[] {
    const sorted = [...this.#data.states].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([, state]) => state);
  }

  #letters(): readonly Letter[] {
    return [...this.#data.letters.values()];
  }
}
