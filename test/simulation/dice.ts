/** Chance that comes from a seed alone: the same seed throws the same. */
export interface Dice {
  /** A number in [0, 1). */
  next(): number;
  /** An integer, both ends included. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Each element with the given probability, in order. */
  some<T>(list: readonly T[], probability?: number): readonly T[];
  shuffled<T>(list: readonly T[]): readonly T[];
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** Dice of one purpose: what another purpose throws does not change them, so that a new question leaves old seeds as they are. */
export function dice(seed: number, purpose: string): Dice {
  let state = hash(`${seed}/${purpose}`) ^ Math.imul(seed, 0x9e3779b1);
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]): T => {
      const index = int(0, list.length - 1);
      if (index >= list.length) throw new Error('nothing to pick from');
      return list[index] as T;
    },
    some: (list, probability = 0.5) => list.filter(() => next() < probability),
    shuffled: (list) =>
      list
        .map((value) => [next(), value] as const)
        .toSorted(([a], [b]) => a - b)
        .map(([, value]) => value),
  };
}

/** The same dice, with which what is rare comes at least so often: rare habits and events seldom meet each other else. */
export const loaded = (dice: Dice, least: number): Dice => ({
  ...dice,
  chance: (probability) => dice.chance(probability < 0.5 ? Math.max(probability, least) : probability),
});
