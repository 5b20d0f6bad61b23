import { numberFormat, shownGeneral, type NumberFormat } from './number-format.ts';
import { scanPart } from '../parts/part.ts';
import type { Zip, ZipEntry } from '../parts/zip.ts';
import { XmlFault } from '../parts/xml-scan.ts';

/** Formats that workbooks name by number alone; dates as Excel shows them in the language of the format itself. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;\\-"$"#,##0',
  6: '"$"#,##0;\\-"$"#,##0',
  7: '"$"#,##0.00;\\-"$"#,##0.00',
  8: '"$"#,##0.00;\\-"$"#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'm/d/yyyy',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yyyy h:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  41: '#,##0;\\-#,##0;"-"',
  42: '"$"#,##0;\\-"$"#,##0;"$-"',
  43: '#,##0.00;\\-#,##0.00;"-"??',
  44: '"$"#,##0.00;\\-"$"#,##0.00;"$-"??',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
};
/** Formats 27 to 36 and 50 to 58 are days or times, each in the way of the person's language. */
function eastAsian(id: number): string {
  if (!((id >= 27 && id <= 36) || (id >= 50 && id <= 58))) return '';
  return [32, 33, 34, 35, 55, 56].includes(id) ? 'h:mm:ss' : 'yyyy-mm-dd';
}
/** Formats that show numbers as they are. */
const PLAIN = /^(?:general|@)?$/i;

/** Programs take 255. */
const FORMAT_CHARACTERS_MAX = 1_000;

/**
 * The formats of the styles that cells refer to by their number, in order. The library that shows numbers is loaded only when a style needs it.
 * Errors: ConfigError `source.damaged`.
 */
export async function readFormats(zip: Zip, entry: ZipEntry): Promise<readonly NumberFormat[]> {
  const own = new Map<number, string>();
  const ids: number[] = [];
  let inStyles = false;
  await scanPart(zip, entry, {
    open: (name, attributes) => {
      if (name === 'cellXfs') inStyles = true;
      else if (name === 'xf' && inStyles) ids.push(Number(attributes['numFmtId'] ?? 0));
      else if (name === 'numFmt') {
        const code = attributes['formatCode'] ?? '';
        if (code.length > FORMAT_CHARACTERS_MAX) throw new XmlFault('it holds a number format without end');
        own.set(Number(attributes['numFmtId']), code);
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inStyles = false;
    },
  });
  return formatsOf(ids, own);
}

async function formatsOf(
  ids: readonly number[],
  own: ReadonlyMap<number, string>,
): Promise<readonly NumberFormat[]> {
  const codes = ids.map((id) => own.get(id) ?? BUILT_IN[id] ?? eastAsian(id));
  const formatValue = codes.every((code) => PLAIN.test(code))
    ? shownGeneral
    : (await import('hucre')).formatValue;
  const made = new Map<string, NumberFormat>();
  return codes.map((code) => {
    const format = made.get(code) ?? numberFormat(code, formatValue);
    made.set(code, format);
    return format;
  });
}
