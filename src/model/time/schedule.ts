/** A moment of every game week: its start, its end or its first kick-off, and how much later (or, below 0, earlier) in milliseconds. */
export interface WeekMoment {
  readonly anchor: 'start' | 'end' | 'kickoff';
  readonly offsetMs: number;
}

/** When a mapping runs by itself: by the clock on the wall, or by the game weeks. `text` is what was written. */
export type Schedule =
  | { readonly kind: 'cron'; readonly text: string }
  | { readonly kind: 'week'; readonly text: string; readonly at: WeekMoment };

/** What a mapping says of its times. */
export interface Timing {
  /** Empty: it runs when somebody types it. */
  readonly schedule: readonly Schedule[];
  /** Rows of a game week are sent before this moment of it, or deferred. */
  readonly deadline: WeekMoment | undefined;
}
