import { pushTarget, type ResourceName } from '../../contract/index.ts';
import type { KnownRecord } from './run-rows.ts';

/** How a service was seen to keep texts of keys otherwise than they were sent. */
export interface Spelling {
  /** Upper and lower case are one. */
  readonly case?: true;
  /** Wide and narrow forms, and other compatibility forms, are one (NFKC). */
  readonly width?: true;
  /** Blanks around a text are left out. */
  readonly blanks?: true;
  /** Characters that are kept of a text. */
  readonly cut?: number;
}

/** Everything that a service may take away from a text, but for its end. */
export const LOOSE: Spelling = { case: true, width: true, blanks: true };

/** A shorter rest of a text says nothing of the text. */
export const SHORTEST_CUT = 3;

/** The field that holds the text of a resource's key; undefined for keys without one. */
export const keyText = (resource: ResourceName): string | undefined => pushTarget(resource)?.spelt;

/**
 * What a key says before its text, and the text; undefined for keys without one. The fields before it are numbers, or the names of rows that are still to be
 * written.
 */
export function partsOfKey(
  resource: ResourceName,
  key: string,
): { readonly before: string; readonly text: string } | undefined {
  const target = pushTarget(resource);
  if (target?.spelt === undefined) return undefined;
  const fields = target.key.indexOf(target.spelt);
  let at = 0;
  for (let field = 0; field < fields; field += 1) {
    at = key.indexOf('/', at) + 1;
    if (at === 0) return undefined;
  }
  return { before: key.slice(0, at), text: key.slice(at) };
}

/** The text of a key; the key itself where it has none. */
export const textOfKey = (resource: ResourceName, key: string): string =>
  partsOfKey(resource, key)?.text ?? key;

/** The key that a list shows for the record of a key, where the service keeps another text of it. */
export function shownKey(resource: ResourceName, key: string, keptAs?: string): string {
  const { before = '', text = key } = partsOfKey(resource, key) ?? {};
  return before + (keptAs ?? text);
}

/** The form that all spellings of a text have in common. */
export function speltText(text: string, { case: isCase, width, blanks, cut }: Spelling): string {
  let common = text.normalize(width === true ? 'NFKC' : 'NFC');
  if (blanks === true) common = common.trim();
  if (isCase === true) common = common.toUpperCase().toLowerCase();
  return cut === undefined ? common : Array.from(common).slice(0, cut).join('').trimEnd();
}

/** The form that all spellings of a key have in common; the key itself where no spelling was seen. */
export function speltKey(resource: ResourceName, key: string, spelling: Spelling | undefined): string {
  const parts = spelling && partsOfKey(resource, key);
  return parts === undefined || spelling === undefined ? key : parts.before + speltText(parts.text, spelling);
}

const FLAGS: readonly Spelling[] = [
  {},
  { case: true },
  { width: true },
  { blanks: true },
  { case: true, width: true },
  { case: true, blanks: true },
  { width: true, blanks: true },
  { case: true, width: true, blanks: true },
];

/** The narrowest spelling by which each text that was sent is the one that is kept; undefined where there is none. */
export function spellingOf(pairs: readonly (readonly [sent: string, kept: string])[]): Spelling | undefined {
  // A text that was cut is as long as the cut, or shorter for a blank at its end; blanks around it are no part of it where they do not count.
  const cutAt = (flags: Spelling): number =>
    Math.max(...pairs.map(([, kept]) => Array.from(speltText(kept, flags)).length));
  const fits = (spelling: Spelling): boolean =>
    pairs.every(([sent, kept]) => speltText(sent, spelling) === speltText(kept, spelling));
  return (
    FLAGS.find(fits) ??
    FLAGS.map((flags) => ({ ...flags, cut: cutAt(flags) })).find(
      (spelling) => spelling.cut >= SHORTEST_CUT && fits(spelling),
    )
  );
}

/** Whether a text that a list shows as it was sent would be shown otherwise by a service that spells so. */
export function speaksAgainst(
  text: string,
  { cut, case: isCase, width, blanks }: Spelling,
  pairs: readonly (readonly [sent: string, kept: string])[],
): boolean {
  const length = Array.from(text).length;
  if (cut !== undefined && length > cut) return true;
  if (blanks === true) {
    const isPlain = text === text.trim();
    // A service takes blanks away, or fills all texts up with them that are shorter.
    const filled = pairs.map(([, kept]) => kept).filter((kept) => kept !== kept.trim());
    const isShorter = filled.some((kept) => length < Array.from(kept).length);
    if (filled.length === 0 ? !isPlain : isPlain && isShorter) return true;
  }
  if (width === true && text !== text.normalize('NFKC')) return true;
  if (isCase !== true) return false;
  const isLower = pairs.every(([, kept]) => kept === kept.toLowerCase());
  return isLower ? text !== text.toLowerCase() : text !== text.toUpperCase();
}

/** Both spellings at once. */
export function bothSpellings(one: Spelling | undefined, other: Spelling): Spelling {
  const cut = Math.min(one?.cut ?? Infinity, other.cut ?? Infinity);
  return { ...one, ...other, ...(cut !== Infinity && { cut }) };
}

/** Whether two spellings take the same away. */
export const isSameSpelling = (one: Spelling | undefined, other: Spelling): boolean =>
  (['case', 'width', 'blanks', 'cut'] as const).every((part) => one?.[part] === other[part]);

/** The fact that holds the spelling of a resource's keys. */
export const spellingFact = (resource: ResourceName): string => `spelling:${resource}`;

/** A spelling as its fact holds it. */
export const readSpelling = (value: string | undefined): Spelling | undefined =>
  value === undefined ? undefined : (JSON.parse(value) as Spelling);

/** One record of two that were known under spellings of one key: the one of which more is known. */
export function oneOfSpellings(one: KnownRecord, other: KnownRecord): KnownRecord {
  const known = ({ digests }: KnownRecord): number => Object.keys(digests).length;
  const managedBy = one.managedBy ?? other.managedBy;
  const kept = known(other) > known(one) ? other : one;
  // A list that showed the record before it was written to says nothing of this.
  const keptOtherwise = one.id === other.id ? (one.keptOtherwise ?? other.keptOtherwise) : kept.keptOtherwise;
  return {
    ...kept,
    key: one.key,
    ...(managedBy !== undefined && { managedBy }),
    ...(keptOtherwise !== undefined && { keptOtherwise }),
  };
}
