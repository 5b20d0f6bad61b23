import { shownText, type Cell } from '../model/tables/cell.ts';
import { exactName } from './header-index.ts';
import type { Condition } from './mapping.ts';
import { show } from './show.ts';

const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|(!=)|(=)|([^\s"=!]+))/y;

/**
 * Reads a source's `where`: `HEADER = "text"` or `!=`, joined by `and`; a header with blanks stands in double quotes, and so does the text
 * (interfaces.md, section 4). Answers a message instead when it is not of that form.
 */
export function parseWhere(where: string): readonly Condition[] | string {
  const tokens: { readonly text: string; readonly kind: 'quoted' | 'sign' | 'word' }[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < where.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const found = TOKEN.exec(where);
    if (found === null) return `${show(where.slice(from).trim())} is not understood; ${FORM}`;
    const [, quoted, unequal, equal, word] = found;
    if (quoted !== undefined) tokens.push({ text: quoted.replace(/\\(.)/g, '$1'), kind: 'quoted' });
    else tokens.push({ text: unequal ?? equal ?? word ?? '', kind: word === undefined ? 'sign' : 'word' });
  }
  const conditions: Condition[] = [];
  for (let at = 0; at === 0 || at < tokens.length; at += 4) {
    const [header, sign, text, and] = tokens.slice(at, at + 4);
    if (header === undefined || header.kind === 'sign' || sign?.kind !== 'sign' || text?.kind !== 'quoted')
      return FORM;
    if (
      and !== undefined &&
      (and.kind !== 'word' || and.text.toLowerCase() !== 'and' || tokens.length === at + 4)
    )
      return FORM;
    conditions.push({
      header: exactName(header.text),
      equals: sign.text === '=',
      text: exactName(text.text),
    });
  }
  return conditions;
}

/** Whether a cell is as a condition wants it. */
export const fulfils = (cell: Cell, { equals, text }: Condition): boolean =>
  (exactName(shownText(cell)) === text) === equals;

const FORM =
  'write HEADER = "text" or HEADER != "text", joined by and; a header with blanks in double quotes';
