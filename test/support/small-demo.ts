import { join } from 'node:path';
import { DEFAULT_SETTINGS, type SandboxOptions, type Settings } from '../../src/sandbox/index.ts';
import { beginSeason, SEEDS } from '../../src/sandbox/seed.ts';
import { openStore } from '../../src/sandbox/store/store.ts';
import { runs } from './long.ts';

/** A sixth of the squads of the demo; all of them in the long form. To read a game week takes a request or two for each squad, and one for each of their players. */
export const SQUADS = runs(10, 60);

let made = 0;

/** The demo with so many squads, kept in a file of its own in the folder; `now` is where its season starts. */
export function smallDemo(
  folder: string,
  settings: Partial<Settings> = {},
  now: string = SEEDS.demo,
  squads: number = SQUADS,
): SandboxOptions {
  const db = join(folder, `.sandbox-${(made += 1)}`);
  const store = openStore(db);
  const all = { ...DEFAULT_SETTINGS, ...settings };
  store.transaction(() => beginSeason({ store, settings: all }, 'demo', now, squads));
  store.close();
  return { seed: 'demo', db, settings, now };
}
