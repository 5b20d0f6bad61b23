import { hash } from 'node:crypto';

/** A source of numbers in [0, 1). */
export type Chance = () => number;

/** The same endless series of numbers for the same label, every time and on every machine (mulberry32 on a hash of the label). */
export function chanceOf(label: string): Chance {
  let state = hash('sha256', label, 'buffer').readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The same UUID (version 8) for the same label. */
export function uuidOf(label: string): string {
  const bytes = hash('sha256', label, 'buffer');
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** A whole number from `least` to `most`, both included. */
export function between(chance: Chance, least: number, most: number): number {
  return least + Math.floor(chance() * (most - least + 1));
}

/** One element, each as likely as its weight; undefined when there is none with a weight. */
export function pickWeighted<T>(
  chance: Chance,
  items: readonly T[],
  weight: (item: T) => number,
): T | undefined {
  let left = chance() * items.reduce((sum, item) => sum + weight(item), 0);
  return items.find((item) => (left -= weight(item)) < 0);
}

/** One element of a list that is not empty. */
export function pick<T>(chance: Chance, items: readonly [T, ...T[]]): T {
  return items[between(chance, 0, items.length - 1)] ?? items[0];
}

/** A count whose mean is `mean` (Poisson). */
export function poisson(chance: Chance, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = chance(); product > limit; product *= chance()) count += 1;
  return count;
}
