import { renderCount, renderCountOf } from '../../model/count.ts';
import type { CountedAccess } from '../../tables/google/connection/access.ts';
import type { Program } from '../program.ts';
import { renderDuration } from './text.ts';

/** `Google Sheets: 4 reads and 1 write (60 of each a minute)` on standard error, when Google was asked. */
export function sayGoogle(google: CountedAccess, { screen }: Pick<Program, 'screen'>): void {
  const counts = google.counts();
  if (counts === undefined) return;
  const { reads, writes, throttled, waitedMs } = counts;
  const parts = [
    `Google Sheets: ${renderCountOf(reads, 'read')} and ${renderCountOf(writes, 'write')} (60 of each a minute)`,
    ...(throttled > 0 ? [`${renderCount(throttled)} refused for the quota`] : []),
    ...(waitedMs > 0 ? [`waited ${renderDuration(waitedMs)}`] : []),
  ];
  screen.say(screen.style('dim', parts.join(', ')));
}

/** `google` as `--json` prints it beside `requests`; nothing when Google was not asked. */
export function googleDocument(google: CountedAccess): object {
  const counts = google.counts();
  if (counts === undefined) return {};
  const { reads, writes, throttled, waitedMs } = counts;
  return { google: { reads, writes, throttled, waited_ms: waitedMs } };
}
