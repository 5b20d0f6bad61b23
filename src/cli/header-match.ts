import type { PushTarget } from '../contract/resource.ts';

/** Other words that people use for a field, besides its own name and its label. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  external_id: [
    'member id',
    'member',
    'member no',
    'member number',
    'membership number',
    'user id',
    'customer id',
    'id',
  ],
  display_name: ['name', 'full name', 'user name', 'username', 'nickname', 'manager'],
  is_active: ['active', 'enabled'],
  player_id: ['player', 'player no', 'player number', 'id'],
  price: ['cost', 'value', 'new price'],
  type: ['price type'],
  fantasy_league_id: ['fantasy league', 'league id', 'league'],
};

/** What people call the values of a table with one setting in each line, folded. */
export const VALUE_HEADERS: readonly string[] = ['value', 'values', 'points', 'pts', 'score'];

/** Headers of the fields that they fill, and headers that fill nothing. */
export interface HeaderMatch {
  readonly headers: ReadonlyMap<string, string>;
  readonly unused: readonly string[];
  /** By field, headers that are its name alike: nobody but a person can tell which one is meant. */
  readonly doubtful: ReadonlyMap<string, readonly string[]>;
}

/**
 * Matches headers to the fields of a resource: what the operator says wins, then a field's own name, its label, then common words for it. Case,
 * blanks and signs do not count; a header fills one field and a field has one header.
 */
export function matchHeaders(
  header: readonly string[],
  fields: PushTarget['fields'],
  given: ReadonlyMap<string, string>,
): HeaderMatch {
  const headers = new Map<string, string>();
  const used = new Set<string>();
  const doubtful = new Map<string, readonly string[]>();
  const take = (field: string, names: readonly string[]): void => {
    const [name, ...others] = names;
    if (name === undefined || headers.has(field) || doubtful.has(field)) return;
    if (others.length > 0) {
      doubtful.set(field, names);
      return;
    }
    headers.set(field, name);
    used.add(name);
  };
  for (const [name, field] of given) take(field, [name]);
  const ways: readonly ((field: string) => readonly string[])[] = [
    (field) => [field],
    (field) => [fields[field]?.label ?? field],
    (field) => SYNONYMS[field] ?? [],
  ];
  for (const words of ways) {
    for (const field of Object.keys(fields)) {
      for (const word of words(field)) {
        const alike = header.filter((name) => !used.has(name) && fold(name) === fold(word));
        take(field, alike.includes(word) ? [word] : alike);
      }
    }
  }
  return { headers, unused: header.filter((name) => name !== '' && !used.has(name)), doubtful };
}

/** `Member ID`, `member_id` and `MEMBER-ID` are the same word. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** The first line of a file that names its separator. */
const SEPARATOR_LINES: Readonly<Record<string, string>> = {
  ';': 'sep=;',
  '\t': 'sep= and a TAB',
  '|': 'sep=|',
  ',': 'sep=,',
};

/** What to do about a header that was taken apart by another separator than its own: with that one, what is not found in it would be. */
export function separatorRemedy(
  header: readonly string[],
  isFound: (names: readonly string[]) => boolean,
): string | undefined {
  const [, line] =
    Object.entries(SEPARATOR_LINES).find(([sign]) => isFound(header.flatMap((name) => name.split(sign)))) ??
    [];
  return line && `if another sign separates the cells, name it in a first line of the file: ${line}`;
}
