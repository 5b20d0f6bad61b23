/** The columns that results files add; a source that ends in them is read without them. */
export const RESULT_COLUMNS = ['_row', '_outcome', '_message', '_id'] as const;

/** The tab of a workbook of rows to correct. */
export const REJECTED_TAB = 'Rejected';

/** Lines of a results file in batches, every cell as text. */
export type ResultLines = AsyncIterable<readonly (readonly string[])[]>;

/** Rows to correct that a retry did not find, by the run that refused them and their numbers there: they stay to be corrected. */
export type MissedRows = ReadonlyMap<string, ReadonlySet<number>>;

/** Which rows of a copy in `out/rejected/`, by their numbers, a run did not read, so that nothing is known of them. */
export type UnreadRows = (rowNumbers: readonly number[]) => Promise<ReadonlySet<number>>;

/** What stays to be corrected beside the rows that a run refused. */
export interface StillToMend {
  readonly missed: MissedRows;
  /** Left out where the run read its whole table. */
  readonly unread?: UnreadRows | undefined;
  /** A later run has written the copies: only rows that were refused since the run ended before are put beside those. */
  readonly isTaken: boolean;
  /** The table of the run, absolute, where it was read whole. */
  readonly source: string | undefined;
  /** The table was read in an encoding that somebody named, and may name for these rows too: a byte order mark says that they stand in UTF-8. */
  readonly isMarked: boolean;
}

/** A file of rows to correct that somebody changed after it was written. Paths are relative to the configuration's folder. */
export interface ChangedFile {
  readonly file: string;
  /** Where it stands now; the same path where nothing took its place. */
  readonly keptAs: string;
}

/** Writes what became of each row, in the run's folder and, for rows to correct, in `out/rejected/`. */
export interface ResultFiles {
  /** Makes sure that the copies stand below the configuration. Errors: UnavailableError `destination.symlink` where a link leads them out of its folder. */
  requirePlace(): Promise<void>;
  /** `NAME.results.csv`; answers its path relative to the configuration's folder. */
  writeResults(
    runId: string,
    mapping: string,
    header: readonly string[],
    lines: ResultLines,
  ): Promise<string>;
  /**
   * `NAME.rejected.csv` and, where there are lines, `NAME.rejected.xlsx` with a copy of both in `out/rejected/`; answers the copies' relative paths. There the
   * lines of `missed` follow, and those of the copy before that are `unread`. A copy that was changed is kept beside the new one, unless it is `source`.
   */
  writeRejected(
    runId: string,
    mapping: string,
    header: readonly string[],
    lines: () => ResultLines,
    still: StillToMend,
  ): Promise<{ readonly written: readonly string[]; readonly changed: readonly ChangedFile[] }>;
  /** The copy in `out/rejected/` that holds the rows to correct of a mapping, relative to the configuration's folder. */
  fileToMend(mapping: string): string;
  /** The mapping whose rows to correct a file (absolute) holds that stands in `out/rejected/`; undefined for any other file. */
  mappingToMend(source: string): string | undefined;
  /**
   * Removes the copies in `out/rejected/` of rows that are done: those of the mapping, or, where the imported file `source` (absolute) is such a copy, that one
   * and what was made of it. One that was changed stays, unless it is `source`; where some of the mapping's rows are `unread`, these stay.
   */
  removeRejected(
    runId: string,
    mapping: string,
    source: string | undefined,
    unread?: UnreadRows,
  ): Promise<readonly ChangedFile[]>;
}
