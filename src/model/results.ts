/** The columns that results files add; a source that ends in them is read without them. */
export const RESULT_COLUMNS = ['_row', '_outcome', '_message', '_id'] as const;

/** Lines of a results file in batches, every cell as text. */
export type ResultLines = AsyncIterable<readonly (readonly string[])[]>;

/** Rows to mend that a retry did not find, by the run that refused them and their numbers there: they stay to be mended. */
export type MissedRows = ReadonlyMap<string, ReadonlySet<number>>;

/** Writes what became of each row, in the run's folder and, for rows to mend, in `out/rejected/`. */
export interface ResultFiles {
  /** `NAME.results.csv`; answers its path relative to the configuration's folder. */
  writeResults(
    runId: string,
    mapping: string,
    header: readonly string[],
    lines: ResultLines,
  ): Promise<string>;
  /** `NAME.rejected.csv` and `NAME.rejected.xlsx` with a copy of both in `out/rejected/`; answers the copies' relative paths. There the lines of `missed` follow. */
  writeRejected(
    runId: string,
    mapping: string,
    header: readonly string[],
    lines: () => ResultLines,
    missed: MissedRows,
  ): Promise<readonly string[]>;
  /** The mapping whose rows to mend a file (absolute) holds that stands in `out/rejected/`; undefined for any other file. */
  mappingToMend(source: string): string | undefined;
  /**
   * Removes the copies in `out/rejected/` of rows that are done: those of the mapping, or, where the imported file `source` (absolute) is such a copy, that one
   * and what was made of it.
   */
  removeRejected(mapping: string, source: string | undefined): Promise<void>;
}
