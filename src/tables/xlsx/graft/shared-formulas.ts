import { columnLetters } from '../../../model/tables/column-letters.ts';
import { attributesOf, decodeText, escapeXml } from '../parts/xml-slices.ts';
import { parseReference } from '../read/rows.ts';

/** The cells of a sheet in XML by their rows and columns. */
type Rows = ReadonlyMap<number, { readonly cells: Map<number, string> }>;

interface Place {
  readonly row: number;
  readonly column: number;
}

const FORMULA = /<f(?=[\s/>])[^>]*?(?:\/>|>([^<]*)<\/f>)/;
/** Texts, names of tabs, columns of tables; cells, columns and rows, which alone move. */
const TOKEN =
  /"(?:[^"]|"")*"|'(?:[^']|'')*'|\[[^\]]*\]|(?<![\w\p{L}.\\$])(?:\$?[A-Z]{1,3}\$?\d+(?![\w\p{L}.(![])|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}(?![\w\p{L}.(![])|\$?\d+:\$?\d+(?![\w\p{L}.]))/giu;

/** A formula as it reads so many rows and columns away. */
function movedFormula(formula: string, rows: number, columns: number): string {
  const moved = (_: string, isFixed: string, part: string): string => {
    if (isFixed !== '') return isFixed + part;
    if (/\d/.test(part)) return Number(part) + rows > 0 ? String(Number(part) + rows) : '#REF!';
    const column = (parseReference(`${part.toUpperCase()}1`)?.column ?? 0) + columns;
    return column < 0 ? '#REF!' : columnLetters(column);
  };
  return formula.replace(TOKEN, (token) => {
    if (/^["'[]/.test(token)) return token;
    const written = token.replace(/(\$?)([A-Z]+|\d+)/gi, moved);
    return written.includes('#') ? '#REF!' : written;
  });
}

/** Writes out formulas that a program keeps once for several cells, in one cell that `goes`: the others would have none. */
export function writeOutFormulas(rows: Rows, goes: (place: Place) => boolean): void {
  const shared = Array.from(rows, ([row, { cells }]) =>
    Array.from(cells, ([column, xml]) => {
      const [tag, text = ''] = FORMULA.exec(xml) ?? [];
      const attributes = tag === undefined ? undefined : attributesOf(tag);
      return attributes?.get('t') === 'shared' ? [{ row, column, xml, text, id: attributes.get('si') }] : [];
    }).flat(),
  ).flat();
  const gone = new Map(
    shared.filter((cell) => cell.text !== '' && goes(cell)).map((cell) => [cell.id, cell]),
  );
  for (const { row, column, xml, id } of shared) {
    const from = gone.get(id);
    if (from === undefined) continue;
    const formula = movedFormula(decodeText(from.text), row - from.row, column - from.column);
    rows.get(row)?.cells.set(
      column,
      xml.replace(FORMULA, () => `<f>${escapeXml(formula)}</f>`),
    );
  }
}
