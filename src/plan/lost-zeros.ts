/** Longest run of leading zeros that is looked for. */
const MAX_ZEROS = 10;

/** The keys that `key` would be if a spreadsheet had taken its leading zeros away (or added none): `123` may once have been `0123` or `00123`. */
export function keysWithZeros(key: string): readonly string[] {
  if (!/^\d+$/.test(key)) return [];
  return Array.from({ length: MAX_ZEROS }, (_, index) => '0'.repeat(index + 1) + key);
}
