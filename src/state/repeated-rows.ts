import type { LookAlike, RunRow } from '../model/run-rows.ts';

/** Finds the rows whose texts come more than once, by checksums of 32 bits, in at most 32 bytes a row. */
export class RepeatedTexts {
  #rowNumbers = new Uint32Array(1024);
  #checksums = new Int32Array(1024);
  #count = 0;
  readonly #repeated = new Map<number, number[]>();

  /** Texts are added in the order of their rows. */
  add(text: string, rowNumber: number): void {
    const checksum = checksumOf(text);
    const slot = this.#slotOf(checksum);
    const first = this.#rowNumbers[slot] ?? 0;
    if (first !== 0) {
      const rows = this.#repeated.get(first);
      if (rows === undefined) this.#repeated.set(first, [first, rowNumber]);
      else rows.push(rowNumber);
      return;
    }
    this.#rowNumbers[slot] = rowNumber;
    this.#checksums[slot] = checksum;
    this.#count += 1;
    if (this.#count * 2 > this.#rowNumbers.length) this.#grow();
  }

  /** Row numbers of one text, in the order of the first of them. Now and then rows of another text with the same checksum are among them. */
  groups(): readonly (readonly number[])[] {
    return [...this.#repeated.values()].sort(([one = 0], [other = 0]) => one - other);
  }

  /** Where a checksum is, or would be. */
  #slotOf(checksum: number): number {
    const mask = this.#rowNumbers.length - 1;
    let slot = checksum & mask;
    while (this.#rowNumbers[slot] !== 0 && this.#checksums[slot] !== checksum) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [rowNumbers, checksums] = [this.#rowNumbers, this.#checksums];
    this.#rowNumbers = new Uint32Array(rowNumbers.length * 2);
    this.#checksums = new Int32Array(rowNumbers.length * 2);
    for (const [at, rowNumber] of rowNumbers.entries()) {
      if (rowNumber === 0) continue;
      const slot = this.#slotOf(checksums[at] ?? 0);
      this.#rowNumbers[slot] = rowNumber;
      this.#checksums[slot] = checksums[at] ?? 0;
    }
  }
}

function checksumOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1)
    sum = Math.imul(sum ^ (sum >>> 15) ^ text.charCodeAt(at), 0x2c1b3c6d) + 1;
  sum = Math.imul(sum ^ (sum >>> 16), 0x7feb352d);
  return sum ^ (sum >>> 15);
}

/** What rows of one key or one folded key are told apart by. */
export type SeenRow = Pick<RunRow, 'rowNumber' | 'key' | 'folded' | 'fields' | 'lookups'>;

/** What a row is told apart by; of its block nothing else is kept in memory. */
export const seenRow = ({ rowNumber, key, folded, fields, lookups }: RunRow): SeenRow => ({
  ...{ rowNumber, key, folded, fields },
  ...(lookups !== undefined && { lookups }),
});

/** Each row that has an earlier one of another key, with the earliest such row. */
export function* lookAlikesIn(rows: readonly SeenRow[]): Generator<LookAlike> {
  const [first] = rows;
  const firstOfAnotherKey = rows.find(({ key }) => key !== first?.key);
  for (const { rowNumber, key } of rows) {
    const other = first?.key === key ? firstOfAnotherKey : first;
    if (other !== undefined && other.rowNumber < rowNumber)
      yield { rowNumber, otherRow: other.rowNumber, otherKey: other.key ?? '' };
  }
}
