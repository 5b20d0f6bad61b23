import type { ServiceClock } from '../clock.ts';
import { advance } from '../game/play.ts';
import { text, type Store } from '../store/store.ts';
import type { Settings } from '../switches.ts';

/** Characters of all bodies that are kept; beyond them, all are forgotten. */
const MOST_CHARACTERS = 32_000_000;

/** Bodies of answers, kept while the service would give the same ones. */
export interface Answers {
  /** Plays the game weeks that are due, and forgets everything when something was written or a game week has begun. Before each request. */
  refresh(): void;
  /** The body that was kept for a path with its query. */
  get(url: string): string | undefined;
  keep(url: string, body: string): void;
}

/** Answers of a store on its clock; where the settings let answers change as time goes by, none is kept. */
export function openAnswers(store: Store, season: ServiceClock, settings: Settings): Answers {
  const { apply_after_ms, list_lag_ms, substitutions_after_ms } = settings;
  const isSteady = Math.max(apply_after_ms, list_lag_ms, substitutions_after_ms) === 0;
  const bodies = new Map<string, string>();
  let characters = 0;
  let writes = -1;
  let until = '';
  const forget = (): void => {
    bodies.clear();
    characters = 0;
  };
  return {
    refresh: () => {
      const now = season.now();
      if (store.writes === writes && now < until) return;
      advance({ store, settings }, now);
      forget();
      writes = store.writes;
      until = nextChange(store, now);
    },
    // Another request may have written since this one was begun.
    get: (url) => (store.writes === writes ? bodies.get(url) : undefined),
    keep: (url, body) => {
      if (!isSteady || store.writes !== writes) return;
      characters += url.length + body.length;
      if (characters > MOST_CHARACTERS) forget();
      bodies.set(url, body);
    },
  };
}

const NEVER = '9999-12-31T23:59:59.999Z';

/** When the next game week begins or ends, which changes what is current or is played. */
function nextChange(store: Store, now: string): string {
  const times = [
    'SELECT min(start_date) AS at FROM game_weeks WHERE start_date > ?',
    'SELECT min(end_date) AS at FROM game_weeks WHERE is_played = 0 AND end_date > ?',
  ].map((sql) => store.get(sql, [now], (row) => (row['at'] === null ? NEVER : text(row, 'at'))) ?? NEVER);
  return times.toSorted()[0] ?? NEVER;
}
