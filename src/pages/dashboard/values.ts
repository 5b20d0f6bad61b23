import type { Health } from '../../model/state/alerts.ts';
import type { WeekState } from '../../model/state/memory.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from '../../model/outcome.ts';
import type { RequestCounts } from '../../model/state/store.ts';
import type { PageOf } from '../parts.ts';

/** A mapping by its own name, and its league where the folder has several. */
export interface MappingName {
  readonly mapping: string;
  readonly league: string | undefined;
}

/** What one run did with one mapping. */
export interface Work extends MappingName {
  /** As the state calls it: `prices`, or `prices@north`. */
  readonly name: string;
  readonly resource: string;
  readonly direction: 'push' | 'pull';
  readonly health: Health;
  /** Rows by outcome of what was pushed; null for a report. */
  readonly outcomes: OutcomeCounts | null;
  /** Records of a report. */
  readonly records: number | null;
  /** Why a report failed. */
  readonly error: string | null;
  /** Where the results or the report stand, relative to the configuration's folder. */
  readonly file: string | null;
}

/** A run of the history. */
export interface RunLine {
  readonly id: string;
  readonly command: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly exitCode: number | null;
  /** A process carries it out now. */
  readonly isAtWork: boolean;
  /** Nothing of it is left to do. */
  readonly isFinished: boolean;
  /** Where it is not finished: the later runs that have read all of its tables, so that nothing is left to resume. */
  readonly replacedBy: readonly string[];
  readonly work: readonly Work[];
  readonly requests: RequestCounts | null;
}

/** When a mapping runs next by itself. */
export interface NextRun {
  readonly atMs: number;
  /** How far away that is by the service's clock, which may be another than ours. */
  readonly inMs: number;
  /** The game week that it belongs to, as the service calls it. */
  readonly week: string | undefined;
}

/** A mapping of the configuration, with the last run of it and its next one. */
export interface MappingLine extends MappingName {
  readonly direction: 'push' | 'pull';
  readonly resource: string;
  /** The table that rows come from, or that a report goes to. */
  readonly table: string;
  readonly last: { readonly run: RunLine; readonly work: Work } | undefined;
  /** The run that works on it now. */
  readonly running: RunLine | undefined;
  /** What the last attempt left, which may have come to no run; undefined: no run of it is kept. */
  readonly health: Health | undefined;
  /** The schedule as it is written; empty where the mapping has none. */
  readonly schedule: string;
  readonly next: NextRun | undefined;
}

/** Writes and rows of which nobody can say yet what became of them. */
export interface CaseLine extends MappingName {
  readonly id: string;
  readonly kind: 'unknown' | 'conflict';
  readonly run: string;
  readonly operation: string;
  readonly rows: readonly { readonly rowNumber: number; readonly key: string | null }[];
  readonly sentAtMs: number | null;
  readonly reason: string;
}

/** One page of a list that has several. */
export interface Sheet<T> extends PageOf {
  readonly lines: readonly T[];
}

/** Where a cell or a row of a table stands. */
export interface CellPlace {
  /** `users.csv B17`, `Users!B17`: the file or tab, and the cell, or the row where no cell is meant. */
  readonly text: string;
  /** The address of a Google sheet; a browser opens no file of this machine from a page. */
  readonly href: string | undefined;
}

/** A row of a run. */
export interface RowLine {
  readonly rowNumber: number;
  readonly outcome: string;
  readonly message: string;
  readonly id: string | null;
  readonly key: string | null;
  /** What was written, field by field; empty where it is not kept. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly places: readonly CellPlace[];
}

/** Which rows of a run a page shows. */
export const ROW_CHOICES = ['refused', 'open', 'written', 'all'] as const;
export type RowChoice = (typeof ROW_CHOICES)[number];

/** The outcomes that each choice shows. */
export const OUTCOMES_OF: Readonly<Record<RowChoice, readonly Outcome[]>> = {
  refused: ['invalid', 'rejected'],
  open: ['deferred', 'unknown', 'conflict'],
  written: ['created', 'updated'],
  all: OUTCOMES,
};

/** How many rows of a mapping a choice shows. */
export const countOf = ({ outcomes }: Pick<Work, 'outcomes'>, choice: RowChoice): number =>
  OUTCOMES_OF[choice].reduce((sum, outcome) => sum + (outcomes?.[outcome] ?? 0), 0);

/** The rows of one mapping of a run; undefined lines: their results are not there. */
export interface RunRowsPage {
  readonly work: Work;
  readonly choice: RowChoice;
  readonly rows: Sheet<RowLine> | undefined;
}

/** The requests of a day. */
export interface DayRequests {
  /** `2026-11-23` in the configuration's time zone. */
  readonly day: string;
  readonly sent: number;
  readonly throttled: number;
  readonly waitedMs: number;
}

/** A game week of a league with what is kept of it. */
export interface WeekLine {
  readonly week: string;
  readonly state: WeekState;
  readonly squads: number;
  readonly lineups: number;
  /** When it was last read; undefined: never. */
  readonly readAtMs: number | undefined;
  readonly note: string;
}

/** The weeks of a league that are remembered. */
export interface LeagueLine {
  readonly league: number;
  readonly weeks: readonly WeekLine[];
}

/** An alert on its way to one address, or one that went out. */
export interface AlertLine {
  readonly event: string;
  readonly mapping: string | null;
  readonly league: string | null;
  /** What the configuration calls the address. */
  readonly to: string;
  readonly message: string;
  readonly createdAtMs: number;
  readonly tries: number;
  readonly end: 'sent' | 'given_up' | 'waiting';
  /** What the last try came to; empty before the first. */
  readonly lastTry: string;
}
