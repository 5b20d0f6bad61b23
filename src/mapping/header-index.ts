import { ConfigError } from '../model/error.ts';
import type { Issue } from '../model/issue.ts';
import { show } from './show.ts';

/** `Member  ID `, `MemberID` and `member id` are one name where headers are matched loosely. */
export function looseName(name: string): string {
  return name.normalize('NFC').replace(/\s+/g, '').toLowerCase();
}

/** The headers of a table, found by the names that a mapping has for them. */
export interface HeaderIndex {
  readonly names: readonly string[];
  /**
   * The place of the first of these names that stands in the header as it is, or else of the first that a single header differs from in case and blanks
   * alone. Errors: ConfigError `header.ambiguous` when several do.
   */
  find(wanted: readonly string[]): number | undefined;
  /** A warning for each header that was taken for a name that it is not. */
  warnings(): readonly Issue[];
}

interface HeaderPlace {
  readonly origin: string;
  readonly headerRow: number;
}

/** An index of a header; a header that is one of `claimed` as it is stands for no other name. */
export function indexHeader(
  names: readonly string[],
  place: HeaderPlace,
  claimed: readonly string[],
): HeaderIndex {
  const isClaimed = new Set(claimed.map(exactName));
  const exact = new Map(names.map((name, index) => [exactName(name), index]));
  const free = names.keys().filter((index) => !isClaimed.has(exactName(names[index] ?? '')));
  const alike = Map.groupBy(free, (index) => looseName(names[index] ?? ''));
  const taken = new Map<number, string>();
  const findAlike = (wanted: string): number | undefined => {
    const [only, ...others] = alike.get(looseName(wanted)) ?? [];
    if (only === undefined) return undefined;
    if (others.length > 0)
      throw ambiguous(
        wanted,
        [only, ...others].map((index) => names[index] ?? ''),
        place,
      );
    taken.set(only, wanted);
    return only;
  };
  return {
    names,
    find: (wanted) =>
      firstOf(wanted.values().map((name) => exact.get(exactName(name)))) ??
      firstOf(wanted.values().map(findAlike)),
    warnings: () =>
      Array.from(taken, ([index, wanted]) => ({
        code: 'header.alike',
        severity: 'warning',
        message: `column ${show(names[index] ?? '')} is taken for ${show(wanted)}`,
      })),
  };
}

/** A name as headers and mappings are compared by it: without blanks around it, composed. */
export const exactName = (name: string): string => name.trim().normalize('NFC');

const firstOf = (places: IteratorObject<number | undefined>): number | undefined =>
  places.find((place) => place !== undefined);

function ambiguous(
  wanted: string,
  found: readonly string[],
  { origin, headerRow }: HeaderPlace,
): ConfigError {
  return new ConfigError(
    'header.ambiguous',
    `${origin} row ${headerRow}: no column ${show(wanted)}, and ${found.map(show).join(' and ')} both look like it`,
    { file: origin, line: headerRow, next: `Name the right one ${show(wanted)}, or name it in the mapping.` },
  );
}
