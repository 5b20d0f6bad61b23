import type { KnownRecord } from '../model/state/run-rows.ts';

const DIGESTS = ',"digests":{';
const ID = '"id":';

/**
 * The id in the JSON of a confirmed record that holds some digests of fields; undefined where it does not hold them. No objects are made of it. Neither names nor
 * digests hold quotation marks, and those in texts stand behind a backslash.
 */
export function idWithDigests(
  record: string,
  digests: Readonly<Record<string, string>>,
): KnownRecord['id'] | undefined {
  const from = record.indexOf(DIGESTS);
  if (from === -1) return undefined;
  const end = record.indexOf('}', from);
  for (const name in digests) {
    const at = record.indexOf(`"${name}":"${digests[name]}"`, from);
    if (at === -1 || at > end) return undefined;
  }
  return idIn(record, from);
}

/** The id of a record whose digests begin at a place. */
function idIn(record: string, digestsAt: number): KnownRecord['id'] {
  const at = record.indexOf(ID) + ID.length;
  const last = record.indexOf('"', at + 1);
  const id = record.slice(at + 1, last);
  if (at < ID.length || at > digestsAt || id.includes('\\')) return (JSON.parse(record) as KnownRecord).id;
  return record[at] === '"' ? id : null;
}
