/** A player as a name is made of him; either part may be empty. */
export interface NamedPlayer<Id = number | string> {
  readonly id: Id;
  readonly first: string;
  readonly last: string;
}

/** What each player of a line-up is called where there is little room, by id: the shortest name that nobody else among them has. */
export function shortNames<Id extends number | string>(
  players: readonly NamedPlayer<Id>[],
): ReadonlyMap<Id, string> {
  const names = new Map<Id, string>();
  let open = players;
  for (const spell of SPELLINGS) {
    const used = open.map(spell);
    const isShared = (name: string): boolean => used.indexOf(name) !== used.lastIndexOf(name);
    for (const player of open) if (!isShared(spell(player))) names.set(player.id, spell(player));
    open = open.filter((player) => isShared(spell(player)));
  }
  return names;
}

/** The shortest first. */
const SPELLINGS: readonly ((player: NamedPlayer) => string)[] = [
  ({ first, last }) => last || first,
  ({ first, last }) => (first === '' || last === '' ? last || first : `${initialOf(first)}. ${last}`),
  fullName,
  (player) => `${player.id} ${fullName(player)}`,
];

const GRAPHEMES = new Intl.Segmenter('en');

function initialOf(name: string): string {
  const [first] = GRAPHEMES.segment(name);
  return first?.segment ?? '';
}

function fullName({ first, last }: NamedPlayer): string {
  return `${first} ${last}`.trim();
}
