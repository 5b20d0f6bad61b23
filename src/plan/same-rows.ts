import { hash } from 'node:crypto';
import type { TextSums } from '../model/repeated-texts.ts';
import type { Cell } from '../model/tables/cell.ts';

/** A row is 128 bits of the digest of its cells, and the two sums that tell its key from others. */
const WORDS = 6;
const DIGEST_WORDS = 4;
const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
const NOTE_WORDS = 1 + DIGEST_WORDS;
/** Rows that are given away together, at least. */
const PART_ROWS = 8192;

/** 128 bits of SHA-256 over the cells of a row, a character for each byte. */
export const rowDigest = (cells: readonly Cell[]): string =>
  hash('sha256', JSON.stringify(cells), 'binary').slice(0, DIGEST_WORDS * WORD_BYTES);

/** Rows that say just what is known of their records: finds those of earlier comparisons by their cells, and gathers those that this one finds besides. */
export class SameRows {
  readonly #known: Int32Array<ArrayBuffer>;
  /** Places of rows, counted from 1: each stands where the first word of its digest says, or behind. */
  readonly #index: Uint32Array<ArrayBuffer>;
  /** Where the next row is if it stands behind the one before, as it did. */
  #next = 0;
  #found = 0;
  /** Of the rows of a batch that were not found, the number and the digest. No texts: the collector would move them while the batch is compared. */
  #missed = new Int32Array(PART_ROWS * NOTE_WORDS);
  #missedEnd = 0;
  #missedAt = 0;
  #more = new Int32Array(PART_ROWS * WORDS);
  #words = 0;

  /** `known`: the bytes of all parts that earlier comparisons gave away, which are taken over. */
  constructor(known: ArrayBuffer = new ArrayBuffer()) {
    this.#known = new Int32Array(known);
    const count = this.#known.length / WORDS;
    this.#index = new Uint32Array(Math.ceil(1.5 * count) + 1);
    for (let at = 0; at < count; at += 1) {
      let slot = this.#slotOf(this.#word(at, 0));
      while (this.#index[slot] !== 0) slot = this.#after(slot);
      this.#index[slot] = at + 1;
    }
  }

  /** The rows that come are those of another batch. */
  begin(): void {
    this.#missedEnd = 0;
    this.#missedAt = 0;
  }

  /** Counts a row as found and answers the sums of its key; undefined where none is known with these cells. Rows of a batch come in their order. */
  find(digest: string, rowNumber: number): TextSums | undefined {
    const at = this.#is(this.#next, digest) ? this.#next : this.#placeOf(digest);
    if (at === undefined) {
      this.#miss(digest, rowNumber);
      return undefined;
    }
    this.#next = at + 1;
    this.#found += 1;
    return [this.#word(at, 4), this.#word(at, 5)];
  }

  /** Gathers a row of the batch that was not found, in their order. */
  add(rowNumber: number, [sum, other]: TextSums): void {
    while (this.#missedAt < this.#missedEnd && this.#missed[this.#missedAt] !== rowNumber)
      this.#missedAt += NOTE_WORDS;
    if (this.#missedAt >= this.#missedEnd) return;
    if (this.#words === this.#more.length) this.#more = doubled(this.#more);
    for (let word = 1; word <= DIGEST_WORDS; word += 1)
      this.#more[this.#words++] = this.#missed[this.#missedAt + word] ?? 0;
    this.#more[this.#words++] = sum;
    this.#more[this.#words++] = other;
  }

  /** Gives away the rows gathered since the last time, once they fill a part, or at the end. The next row writes over their bytes. */
  take(isEnd: boolean): Uint8Array | undefined {
    const words = this.#words;
    if (words === 0 || (!isEnd && words < PART_ROWS * WORDS)) return undefined;
    this.#words = 0;
    return new Uint8Array(this.#more.buffer, 0, words * WORD_BYTES);
  }

  /** Whether most of the known rows were not found. */
  get areMostGone(): boolean {
    return 2 * this.#found * WORDS < this.#known.length;
  }

  /** Gives the memory of the known rows back, which the collector would leave for long; none is found any more. */
  forget(): void {
    for (const { buffer } of [this.#known, this.#index]) buffer.transfer(0);
  }

  #placeOf(digest: string): number | undefined {
    for (let slot = this.#slotOf(wordOf(digest, 0)); ; slot = this.#after(slot)) {
      const at = (this.#index[slot] ?? 0) - 1;
      if (at < 0) return undefined;
      if (this.#is(at, digest)) return at;
    }
  }

  #slotOf(word: number): number {
    return Math.floor(((word >>> 0) / 2 ** 32) * this.#index.length);
  }

  #after(slot: number): number {
    return slot + 1 === this.#index.length ? 0 : slot + 1;
  }

  #is(at: number, digest: string): boolean {
    for (let word = 0; word < DIGEST_WORDS; word += 1)
      if (this.#word(at, word) !== wordOf(digest, word)) return false;
    return true;
  }

  #word(at: number, word: number): number {
    return this.#known[at * WORDS + word] ?? 0;
  }

  #miss(digest: string, rowNumber: number): void {
    if (this.#missedEnd === this.#missed.length) this.#missed = doubled(this.#missed);
    this.#missed[this.#missedEnd++] = rowNumber;
    for (let word = 0; word < DIGEST_WORDS; word += 1) this.#missed[this.#missedEnd++] = wordOf(digest, word);
  }
}

function doubled(words: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * words.length);
  more.set(words);
  return more;
}

const wordOf = (digest: string, word: number): number =>
  digest.charCodeAt(4 * word) |
  (digest.charCodeAt(4 * word + 1) << 8) |
  (digest.charCodeAt(4 * word + 2) << 16) |
  (digest.charCodeAt(4 * word + 3) << 24);
