import { leavesOf } from '../contract/field.ts';
import { lineupEntry, lineupRecord } from '../contract/resources/lineups.ts';
import { elementsOf, type Report, type ReportSubject } from './report.ts';

const STARTERS = 11;

function entryOf(record: unknown, entry: unknown, order: number): ReportSubject {
  return { record, part: { ...(typeof entry === 'object' ? entry : undefined), order } };
}

/** One row a line-up entry: the starting XI from order 1, then the bench from order 12 (section 2.6). */
export const lineups = (): Report => ({
  leaves: [
    ...leavesOf(lineupRecord),
    ...leavesOf(lineupEntry, 'entry'),
    { path: 'entry.order', type: 'integer' },
  ],
  part: 'entry',
  rows: (record) => {
    const starting = elementsOf(record, 'squad', 'starting_xi');
    const benchFrom = Math.max(STARTERS, starting.length) + 1;
    return [
      ...starting.map((entry, index) => entryOf(record, entry, index + 1)),
      ...elementsOf(record, 'squad', 'bench').map((entry, index) =>
        entryOf(record, entry, benchFrom + index),
      ),
    ];
  },
});
