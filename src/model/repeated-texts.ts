/** Finds the rows whose texts come more than once, by checksums of 64 bits, in at most 32 bytes a row. */
export class RepeatedTexts {
  #rowNumbers = new Uint32Array(1024);
  #checksums = new Int32Array(2 * 1024);
  #count = 0;
  readonly #repeated = new Map<number, number[]>();

  /** Texts are added in the order of their rows. */
  add(text: string, rowNumber: number): void {
    const [one, other] = checksumOf(text);
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
    for (const [at, rowNumber] of rowNumbers.entries()) {
      if (rowNumber === 0) continue;
      const [one = 0, other = 0] = [checksums[2 * at], checksums[2 * at + 1]];
      this.#fill(this.#slotOf(one, other), rowNumber, one, other);
    }
  }
}

/** Two sums that have nothing in common but the text. */
function checksumOf(text: string): readonly [number, number] {
  let one = 0x2c1b3c6d;
  let other = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    other = Math.imul(other ^ unit, 0x5f356495);
  }
  one = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  other = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(one ^ (one >>> 13), 0xc2b2ae35);
  return [one, other];
}
