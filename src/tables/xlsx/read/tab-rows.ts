import type { WorkbookPackage } from '../parts/package.ts';
import { partFault, readPart } from '../parts/part.ts';
import { createRowScanner, type TabRow } from './rows.ts';
import { readStrings } from './strings.ts';
import { readFormats } from './styles.ts';
import type { ZipEntry } from '../parts/zip.ts';

/** The rows of a tab in batches. Errors: ConfigError `source.damaged`. */
export async function* readRows(
  book: WorkbookPackage,
  part: ZipEntry,
): AsyncGenerator<readonly TabRow[], undefined> {
  const { zip, from1904 } = book;
  const strings = book.strings === undefined ? [] : await readStrings(zip, book.strings);
  const formats = book.styles === undefined ? [] : await readFormats(zip, book.styles);
  const scanner = createRowScanner({ strings, formats, from1904 });
  try {
    for await (const text of readPart(zip, part)) {
      scanner.push(text);
      const rows = scanner.take();
      if (rows.length > 0) yield rows;
    }
    scanner.end();
  } catch (error) {
    throw partFault(zip, part, error);
  }
  return undefined;
}
