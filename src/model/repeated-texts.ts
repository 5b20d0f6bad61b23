/** So many tables: one that grows has its rows twice for a moment, which is little of all of them. A power of two. */
const TABLES = 64;

/** Two checksums of 32 bits of a text: one, and another that has nothing in common with it but the text. */
export type TextSums = readonly [sum: number, other: number];

/** The sums that a text is told from others by. */
export const sumsOf = (text: string): TextSums => [
  checksumOf(text, 0x2c1b3c6d, 0x9e3779b1),
  checksumOf(text, 0x41c6ce57, 0x5f356495),
];

/** Finds the rows whose texts come more than once, by checksums of 54 bits, in at most 32 bytes a row. */
export class RepeatedTexts {
  readonly #tables = Array.from({ length: TABLES }, () => new FirstRows());
  readonly #repeated = new Map<number, number[]>();

  add(text: string, rowNumber: number): void {
    this.addSums(sumsOf(text), rowNumber);
  }

  /** Adds the text that has the sums. */
  addSums([sum, other]: TextSums, rowNumber: number): void {
    const first = this.#tables[other & (TABLES - 1)]?.add(sum, other >>> 16, rowNumber);
    if (first === undefined) return;
    const rows = this.#repeated.get(first);
    if (rows === undefined) this.#repeated.set(first, [first, rowNumber]);
    else rows.push(rowNumber);
  }

  /** The row numbers of each text, as they were added. The group with the lowest first number comes first. Hardly ever are rows of another text with the same checksum among them. */
  groups(): readonly (readonly number[])[] {
    return [...this.#repeated.values()].sort(([one = 0], [other = 0]) => one - other);
  }
}

/** The first row of each checksum. It grows by half, so that hardly more than half of it is ever empty. */
class FirstRows {
  #rowNumbers = new Uint32Array(16);
  #sums = new Int32Array(16);
  #others = new Uint16Array(16);
  #count = 0;

  /** Keeps the row of a checksum; tells the row that is there already, where there is one. */
  add(sum: number, other: number, rowNumber: number): number | undefined {
    const slot = this.#slotOf(sum, other);
    const first = this.#rowNumbers[slot] ?? 0;
    if (first !== 0) return first;
    this.#fill(slot, rowNumber, sum, other);
    this.#count += 1;
    if (this.#count * 4 > this.#rowNumbers.length * 3) this.#grow();
    return undefined;
  }

  /** Where a checksum is, or would be. */
  #slotOf(sum: number, other: number): number {
    const size = this.#rowNumbers.length;
    let slot = Math.floor(((sum >>> 0) / 2 ** 32) * size);
    while (this.#rowNumbers[slot] !== 0 && (this.#sums[slot] !== sum || this.#others[slot] !== other))
      slot = slot + 1 === size ? 0 : slot + 1;
    return slot;
  }

  #fill(slot: number, rowNumber: number, sum: number, other: number): void {
    this.#rowNumbers[slot] = rowNumber;
    this.#sums[slot] = sum;
    this.#others[slot] = other;
  }

  #grow(): void {
    const [rowNumbers, sums, others] = [this.#rowNumbers, this.#sums, this.#others];
    const size = Math.ceil(1.5 * rowNumbers.length);
    this.#rowNumbers = new Uint32Array(size);
    this.#sums = new Int32Array(size);
    this.#others = new Uint16Array(size);
    for (let at = 0; at < rowNumbers.length; at += 1) {
      const rowNumber = rowNumbers[at] ?? 0;
      if (rowNumber === 0) continue;
      const sum = sums[at] ?? 0;
      const other = others[at] ?? 0;
      this.#fill(this.#slotOf(sum, other), rowNumber, sum, other);
    }
    // The collector would leave them for long.
    for (const { buffer } of [rowNumbers, sums, others]) buffer.transfer(0);
  }
}

/** A sum of a text; those of other beginnings and factors have nothing in common with it but the text. */
function checksumOf(text: string, beginning: number, factor: number): number {
  let sum = beginning;
  for (let at = 0; at < text.length; at += 1) sum = Math.imul(sum ^ text.charCodeAt(at), factor);
  sum = Math.imul(sum ^ (sum >>> 16), 0x85ebca6b);
  sum = Math.imul(sum ^ (sum >>> 13), 0xc2b2ae35);
  return sum ^ (sum >>> 16);
}
