const DIGESTS = ',"digests":{';

/**
 * Whether the JSON of a confirmed record holds digests of fields, without making objects of it. Neither names nor digests hold quotation marks, and those in texts
 * stand behind a backslash.
 */
export function holdsDigests(record: string, digests: Readonly<Record<string, string>>): boolean {
  const from = record.indexOf(DIGESTS);
  if (from === -1) return false;
  const end = record.indexOf('}', from);
  for (const name in digests) {
    const at = record.indexOf(`"${name}":"${digests[name]}"`, from);
    if (at === -1 || at > end) return false;
  }
  return true;
}
