/** No mapping's own name, and no league's, holds it. */
const SIGN = '@';

/** `prices@north`: what the mapping of one league is called in a run of several leagues, in the state, in names of files and on the command line. */
export const inLeague = (mapping: string, league: string): string => `${mapping}${SIGN}${league}`;

/** The name of a mapping, and the league that it runs for where the folder has several. What is said behind the name stays with the mapping. */
export function apart(name: string): { readonly mapping: string; readonly league: string | undefined } {
  const [, mapping, league, rest = ''] = IN_LEAGUE.exec(name) ?? [];
  return mapping === undefined ? { mapping: name, league } : { mapping: mapping + rest, league };
}

const IN_LEAGUE = new RegExp(`^([^${SIGN}]+)${SIGN}([^${SIGN} ]+)(.*)$`, 's');

/** A document as programs read it: the name of the mapping and its league stand apart. Without several leagues it is as it was. */
export function withLeague<Key extends string, Document extends Readonly<Record<Key, string>>>(
  key: Key,
  document: Document,
): Document & { readonly league?: string } {
  const { mapping, league } = apart(document[key]);
  if (league === undefined) return document;
  const { [key]: _, ...rest } = document;
  // The key is back in its place, which a computed name hides from the compiler.
  return { [key]: mapping, league, ...rest } as unknown as Document & { readonly league: string };
}
