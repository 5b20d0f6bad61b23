import { keepLineup, ownLineup, readPlaces } from './kept-lineups.ts';
import { Refusal } from '../refusal.ts';
import { int, text, type Store } from '../store/store.ts';

/** The chips that every squad may play once a season, in the order of their ids. */
export const CHIPS = ['wildcard', 'free_hit', 'bench_boost', 'triple_captain'] as const;
export type Chip = (typeof CHIPS)[number];

/** Chips with which transfers cost nothing. */
export const WAIVING: readonly Chip[] = ['wildcard', 'free_hit'];

/** The chips that a squad has played. */
function listPlayed(store: Store, squad: number) {
  return store.all('SELECT * FROM chips_played WHERE squad = ?', [squad], (row) => ({
    chip: text(row, 'chip'),
    gameWeek: int(row, 'game_week'),
    createdAt: text(row, 'created_at'),
  }));
}

/** The chip objects of section 2.5 of a squad. */
export function chipsOf(store: Store, squad: number) {
  const played = listPlayed(store, squad);
  return CHIPS.map((chip, index) => {
    const one = played.find((other) => other.chip === chip);
    return {
      id: index + 1,
      chip,
      is_available: one === undefined,
      date_activated: one?.createdAt ?? null,
      game_week_played: one === undefined ? null : String(one.gameWeek),
    };
  });
}

/** The chip that a squad plays in a week, or null. */
export function chipIn(store: Store, squad: number, week: number): Chip | null {
  return toChip(listPlayed(store, squad).find(({ gameWeek }) => gameWeek === week)?.chip);
}

const toChip = (name: string | undefined): Chip | null => CHIPS.find((chip) => chip === name) ?? null;

/** The chips that are played in a week, by the number of the squad. */
export function readChips(store: Store, week: number): ReadonlyMap<number, Chip | null> {
  const rows = store.all('SELECT * FROM chips_played WHERE game_week = ?', [week], (row) => ({
    squad: int(row, 'squad'),
    chip: toChip(text(row, 'chip')),
  }));
  return new Map(rows.map(({ squad, chip }) => [squad, chip]));
}

/**
 * Plays a chip in a week that has not begun. With one that waives hits, the transfers made for the week before it cost nothing either; after a free
 * hit the squad is again what it was in the week before.
 * @throws Refusal 409 for a chip that was played, or a second one in a week; 422 for a free hit in the first week of a squad.
 */
export function playChip(
  store: Store,
  squad: { readonly number: number; readonly firstWeek: number },
  { chip, week, now }: { readonly chip: Chip; readonly week: number; readonly now: string },
): void {
  const played = listPlayed(store, squad.number);
  const before = played.find((one) => one.chip === chip);
  if (before !== undefined) {
    const left = CHIPS.filter((one) => !played.some((other) => other.chip === one)).join(', ') || 'none';
    throw new Refusal(
      409,
      `chip: ${chip} was played in game week ${before.gameWeek}; left for this season: ${left}`,
    );
  }
  const other = played.find((one) => one.gameWeek === week);
  if (other !== undefined) {
    throw new Refusal(
      409,
      `chip: ${other.chip} is played in game week ${week} already, and a week takes one chip; play ${chip} for a later week`,
    );
  }
  if (chip === 'free_hit') keepForLater(store, squad, week);
  store.run('INSERT INTO chips_played VALUES (?, ?, ?, ?)', squad.number, chip, week, now);
  if (!WAIVING.includes(chip)) return;
  store.run('UPDATE transfers SET is_hit = 0 WHERE squad = ? AND game_week = ?', squad.number, week);
}

/** The squad of the week before, with its money, holds again after the week. */
function keepForLater(
  store: Store,
  squad: { readonly number: number; readonly firstWeek: number },
  week: number,
): void {
  if (week === squad.firstWeek) {
    throw new Refusal(
      422,
      `chip: free_hit in game week ${week}, the first of the squad, leaves no earlier squad to go back to; play it for a later week`,
    );
  }
  const { number, bank } = ownLineup(store, squad.number, week - 1);
  keepLineup(store, { squad: squad.number, gameWeek: week + 1, bank }, readPlaces(store, number));
}
