import type { Outcome } from '../model/outcome.ts';
import { fromIssues, issuesAmong, type Words } from '../model/said.ts';

/** Outcomes of rows that later commands ask a finished run for. */
export const KEPT_OUTCOMES: readonly Outcome[] = ['created', 'updated', 'invalid', 'rejected'];

/** What is kept then of the words of an invalid row: which columns are wrong, and by which codes. */
export const wrongColumns = (said: Words): Words =>
  fromIssues(
    issuesAmong(said).flatMap(({ code, severity, column }) =>
      column === undefined ? [] : [{ code, severity, column, message: '' }],
    ),
  );
