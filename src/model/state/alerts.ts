import type { ExitCode } from '../error.ts';

/** What an alert may tell (season.md, sections 1 and 4). */
export const ALERT_EVENTS = [
  'failing',
  'degraded',
  'recovered',
  'deadline_near',
  'week_missing',
  'audit_differs',
] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

export const ALERT_SHAPES = ['json', 'slack', 'discord'] as const;
export type AlertShape = (typeof ALERT_SHAPES)[number];

/** `ok`: everything came through; `degraded`: some rows were refused, deferred or are unknown; `failing`: nothing came through. */
export type Health = 'ok' | 'degraded' | 'failing';

export type Counts = Readonly<Record<string, number>>;

/** What the last runs by themselves made of a mapping. */
export interface MappingState {
  readonly environment: string;
  /** Null without `leagues`. */
  readonly league: string | null;
  readonly mapping: string;
  readonly state: Health;
  readonly sinceMs: number;
  /** When an alert last told of it; null while it is ok. */
  readonly toldAtMs: number | null;
  readonly ranAtMs: number;
  readonly run: string | null;
  readonly exitCode: ExitCode;
  /** Rows by outcome, or the records and rows of a report; null where the run came to none. */
  readonly counts: Counts | null;
}

/** One thing to tell. Its texts are templates with counts: no cell, no name of a person, no secret. */
export interface Alert {
  /** Tells it from every other; what has the same was told before. */
  readonly about: string;
  /** Of a `recap`, `message` is the path of its files without their endings: its words stand there alone, and what is forgotten is gone from them. */
  readonly event: AlertEvent | 'test' | 'recap';
  readonly environment: string;
  readonly league: string | null;
  /** Null where it is about no single mapping. */
  readonly mapping: string | null;
  readonly sinceMs: number;
  readonly run: string | null;
  readonly exitCode: ExitCode | null;
  readonly counts: Counts | null;
  readonly message: string;
  /** The next command to type. */
  readonly next: string | null;
}

/** Why an address could not be told, where its answer does not say so: nothing here quotes the address. */
export type SendFault =
  | 'gone'
  | 'unset'
  | 'address'
  | 'private'
  | 'dns'
  | 'refused'
  | 'certificate'
  | 'timeout'
  | 'broken'
  | 'redirect';

/** What came of sending once. Only an answer of 200 to 299 is without a fault and ok. */
export interface SendResult {
  readonly ok: boolean;
  readonly status: number | null;
  readonly fault: SendFault | null;
}

/** An alert on its way to one address. */
export interface Letter {
  readonly id: string;
  /** What the configuration calls the address, such as `slack env ALERT_URL`; never the address. */
  readonly to: string;
  readonly alert: Alert;
  readonly createdAtMs: number;
  readonly tries: number;
  readonly nextTryMs: number;
  readonly last: (SendResult & { readonly atMs: number }) | null;
  /** Null while it waits. */
  readonly end: 'sent' | 'given_up' | null;
}

/** What is to be kept at once: states that replace those of the same mapping, and letters; one whose id is there already is left as it is. */
export interface AlertNews {
  readonly states: readonly MappingState[];
  readonly letters: readonly Letter[];
  /** Letters that ended are dropped when they were made before this. */
  readonly forgetBeforeMs: number;
}

/** The states of mappings and the outbox, durable as the rest of the state. Every method is one transaction. */
export interface AlertStore {
  states(): Promise<readonly MappingState[]>;
  /** `work` is given all states, and nobody changes them meanwhile. */
  change(work: (states: readonly MappingState[]) => AlertNews): Promise<void>;
  /** Letters that wait, the oldest first. */
  waiting(): Promise<readonly Letter[]>;
  /** Letters that ended, the newest first. */
  ended(limit: number): Promise<readonly Letter[]>;
  /** Replaces a letter by what `work` makes of it; answers that, or undefined where `work` did or there is none. */
  changeLetter(id: string, work: (letter: Letter) => Letter | undefined): Promise<Letter | undefined>;
}
