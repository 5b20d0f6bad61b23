import { scanPart } from '../parts/part.ts';
import type { Zip, ZipEntry } from '../parts/zip.ts';

/** The characters that a cell writes as `_x000D_`. */
export function decodeCellText(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
}

/**
 * The texts that cells refer to by their number, in order. Runs of one text are joined, and the readings of East Asian characters left out.
 * Errors: ConfigError `source.damaged`.
 */
export async function readStrings(zip: Zip, entry: ZipEntry): Promise<readonly string[]> {
  const strings: string[] = [];
  let text = '';
  let inText = false;
  let inReading = false;
  await scanPart(zip, entry, {
    open: (name) => {
      if (name === 'si') text = '';
      else if (name === 'rPh') inReading = true;
      else if (name === 't') inText = !inReading;
    },
    text: (piece) => {
      if (inText) text += piece;
    },
    close: (name) => {
      if (name === 'si') strings.push(decodeCellText(text));
      else if (name === 'rPh') inReading = false;
      else if (name === 't') inText = false;
    },
  });
  return strings;
}
