import { leavesOf } from '../contract/field.ts';
import { lineupEntry, lineupRecord, lineupSummary } from '../contract/resources/lineups.ts';
import type { RowAsked } from '../contract/resource.ts';
import type * as z from 'zod';
import { compareValues } from './order.ts';
import { elementsOf, ownValue, type Report, type ReportSubject } from './report.ts';

const STARTERS = 11;

function entryOf(record: unknown, entry: unknown, order: number): ReportSubject {
  return { record, part: { ...(typeof entry === 'object' ? entry : undefined), order } };
}

/** One row a line-up entry: the starting XI from order 1, then the bench from order 12 (section 2.6). With `explode: none` one row a line-up, its players in texts. */
export const lineups = ({ explode }: RowAsked): Report =>
  explode === undefined
    ? {
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
      }
    : {
        leaves: [...leavesOf(lineupRecord), ...leavesOf(lineupSummary, 'eleven')],
        part: 'eleven',
        rows: (record) => [{ record, part: summaryOf(record) }],
      };

/** The players of a line-up in texts, and the best of those whose points nobody multiplies: the captain is left out. */
function summaryOf(record: unknown): z.infer<typeof lineupSummary> {
  const starting = elementsOf(record, 'squad', 'starting_xi').map(playerOf);
  const bench = elementsOf(record, 'squad', 'bench').map(playerOf);
  const plain = [...starting, ...bench].filter(({ isCaptain }) => !isCaptain);
  const best = plain.toSorted((one, other) => compareValues(one.points, other.points, true))[0];
  const lines = Map.groupBy(starting, ({ position }) => position);
  return {
    starting: [...lines].map(([position, its]) => `${position} ${namesOf(its)}`.trim()).join(' · '),
    bench: namesOf(bench),
    captain: starting.find(({ isCaptain }) => isCaptain)?.name ?? null,
    best: { name: best?.name ?? null, points: best?.points ?? null },
  };
}

interface LinedUp {
  readonly name: string;
  readonly position: string;
  readonly points: number | null;
  readonly isCaptain: boolean;
  readonly isVice: boolean;
}

function playerOf(entry: unknown): LinedUp {
  const [player, position] = [ownValue(entry, 'player'), ownValue(entry, 'position')];
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const points = ownValue(entry, 'points');
  return {
    name: text(ownValue(player, 'last_name')) || text(ownValue(player, 'first_name')),
    position: text(ownValue(position, 'abbrevation')) || text(ownValue(position, 'position')),
    points: typeof points === 'number' ? points : null,
    isCaptain: ownValue(entry, 'is_captain') === true,
    isVice: ownValue(entry, 'is_vice_captain') === true,
  };
}

const namesOf = (players: readonly LinedUp[]): string =>
  players
    .map(({ name, points, isCaptain, isVice }) =>
      [name, ...(isCaptain ? ['(C)'] : isVice ? ['(V)'] : []), ...(points === null ? [] : [points])].join(
        ' ',
      ),
    )
    .join(', ');
