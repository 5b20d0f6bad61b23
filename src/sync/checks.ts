/**
 * What is looked at before the first write of a command: that the key goes where it went before, that nobody else writes, that no unanswered write may still be
 * applied, that the state remembers what is there and is no older copy, that the guards hold, and that somebody said yes.
 */
export const CHECKS = [
  'origin',
  'lock',
  'open_writes',
  'memory',
  'older_state',
  'guards',
  'approval',
] as const;
export type Check = (typeof CHECKS)[number];
