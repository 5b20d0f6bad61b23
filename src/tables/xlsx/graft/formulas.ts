import { attributesOf, escapeXml } from '../parts/xml-slices.ts';

/** A tab that a refresh does not write. */
interface OtherSheet {
  readonly name: string;
  readonly xml: string;
}

const formulasOf = (xml: string): string =>
  Array.from(xml.matchAll(/<(?:\w+:)?f(?:\s[^>]*)?>([^<]*)</g), ([, formula = '']) => formula).join('\n');

/** A tab's name as formulas have it, in XML. */
const asWritten = (name: string): string => escapeXml(name.replaceAll("'", "''")).replaceAll('&quot;', '"');

/**
 * The tabs whose formulas look at one of `changed`, themselves or by way of other tabs and of the names that the workbook's XML defines.
 */
export function dependents<S extends OtherSheet>(
  sheets: readonly S[],
  changed: readonly string[],
  workbook: string,
): readonly S[] {
  const names = Array.from(
    workbook.matchAll(/(<(?:\w+:)?definedName\s[^>]*>)([^<]*)</g),
    ([, tag = '', text = '']) => ({ word: escapeXml(attributesOf(tag).get('name') ?? ''), text }),
  );
  const formulas = new Map(sheets.map((sheet) => [sheet, formulasOf(sheet.xml)]));
  const words = new Set(changed.map(asWritten));
  const found = new Set<S>();
  const mentions = (text: string): boolean => {
    const lower = text.toLowerCase();
    return [...words].some((word) => lower.includes(word.toLowerCase()));
  };
  for (let size = -1; size !== words.size;) {
    size = words.size;
    for (const { word, text } of names) if (mentions(text)) words.add(word);
    for (const [sheet, text] of formulas) {
      // A reference in a text or to a table can be followed only by calculating it.
      if (text === '' || !(mentions(text) || /INDIRECT\(|\[/i.test(text))) continue;
      found.add(sheet);
      words.add(asWritten(sheet.name));
    }
  }
  return [...found];
}
