/** The times of a game week; undefined and NaN are not known. */
interface WeekSpan {
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
}

/** Whether a match is played before its game week, while the one before it runs or earlier: then it is no first kick-off of its week. */
export const isBroughtForward = (kickOffMs: number, week: WeekSpan, last: WeekSpan | undefined): boolean =>
  kickOffMs < (week.startMs ?? Number.NaN) && kickOffMs < (last?.endMs ?? Number.NaN);

/** Whether a match of a week was put off until the next one has begun: nothing that is made of its week waits for it. */
export const isPutOff = (kickOffMs: number, next: Pick<WeekSpan, 'startMs'> | undefined): boolean =>
  kickOffMs >= (next?.startMs ?? Number.NaN);
