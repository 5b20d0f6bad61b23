import { ConfigError } from '../model/error.ts';

/** Wider tables are a wrong separator or a wrong file. */
export const MAX_COLUMNS = 1_000;

/** Where a header stands: the name of its file, its row and its line there. */
interface HeaderPlace {
  readonly origin: string;
  readonly rowNumber: number;
  readonly line: number;
}

/**
 * The header as it is bound: trimmed, in composed form (NFC). A cell may be empty; its column must then be empty throughout.
 * Errors: ConfigError `header.duplicate` (regardless of case), `source.columns`.
 */
export function checkHeader(cells: readonly string[], place: HeaderPlace): readonly string[] {
  const { origin, rowNumber, line } = place;
  const refuse = (code: string, message: string, next: string, column?: number): never => {
    throw new ConfigError(code, `${origin} row ${rowNumber}: ${message}`, {
      file: origin,
      line,
      column,
      next,
    });
  };
  if (cells.length > MAX_COLUMNS) {
    refuse(
      'source.columns',
      `${cells.length} columns, at most ${MAX_COLUMNS}`,
      'Check the separator, or delete the columns that no mapping uses.',
    );
  }
  const header = cells.map((cell) => cell.trim().normalize('NFC'));
  const seen = new Map<string, number>();
  header.forEach((name, index) => {
    const folded = name.toLowerCase();
    const first = seen.get(folded);
    if (name !== '' && first !== undefined) {
      const same =
        header[first] === name ? `"${name}" stands` : `"${header[first] ?? ''}" and "${name}" stand`;
      refuse(
        'header.duplicate',
        `${same} in columns ${first + 1} and ${index + 1} of the header`,
        'Rename or delete one of them.',
        index + 1,
      );
    }
    seen.set(folded, index);
  });
  return header;
}
