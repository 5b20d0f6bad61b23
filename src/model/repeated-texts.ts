/** Finds the rows whose texts come more than once, by checksums of 64 bits, in at most 32 bytes a row. */
export class RepeatedTexts {
  #rowNumbers = new Uint32Array(1024);
  #checksums = new Int32Array(2 * 1024);
  #count = 0;
  readonly #repeated = new Map<number, number[]>();

  /** Texts are added in the order of their rows. */
  add(text: string, rowNumber: number): void {
    const one = checksumOf(text, 0x2c1b3c6d, 0x9e3779b1);
    const other = checksumOf(text, 0x41c6ce57, 0x5f356495);
    const slot = this.#slotOf(one, other);
    const first = this.#rowNumbers[slot] ?? 0;
    if (first !== 0) {
      const rows = this.#repeated.get(first);
      if (rows === undefined) this.#repeated.set(first, [first, rowNumber]);
      else rows.push(rowNumber);
      return;
    }
    this.#fill(slot, rowNumber, one, other);
    this.#count += 1;
    if (this.#count * 4 > this.#rowNumbers.length * 3) this.#grow();
  }

  /** Row numbers of one text, in the order of the first of them. Hardly ever are rows of another text with the same checksum among them. */
  groups(): readonly (readonly number[])[] {
    return [...this.#repeated.values()].sort(([one = 0], [other = 0]) => one - other);
  }

  /** Where a checksum is, or would be. */
  #slotOf(one: number, other: number): number {
    const mask = this.#rowNumbers.length - 1;
    let slot = one & mask;
    while (
      this.#rowNumbers[slot] !== 0 &&
      (this.#checksums[2 * slot] !== one || this.#checksums[2 * slot + 1] !== other)
    )
      slot = (slot + 1) & mask;
    return slot;
  }

  #fill(slot: number, rowNumber: number, one: number, other: number): void {
    this.#rowNumbers[slot] = rowNumber;
    this.#checksums[2 * slot] = one;
    this.#checksums[2 * slot + 1] = other;
  }

  #grow(): void {
    const [rowNumbers, checksums] = [this.#rowNumbers, this.#checksums];
    this.#rowNumbers = new Uint32Array(rowNumbers.length * 2);
    this.#checksums = new Int32Array(checksums.length * 2);
    for (let at = 0; at < rowNumbers.length; at += 1) {
      const rowNumber = rowNumbers[at] ?? 0;
      if (rowNumber === 0) continue;
      const one = checksums[2 * at] ?? 0;
      const other = checksums[2 * at + 1] ?? 0;
      this.#fill(this.#slotOf(one, other), rowNumber, one, other);
    }
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
