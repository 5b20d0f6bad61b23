import { leavesOf } from '../contract/field.ts';
import { playerRecord, weeklyStat } from '../contract/resources/players.ts';
import type { RowAsked } from '../contract/resource.ts';
import { elementsOf, recordReport, type Report } from './report.ts';

/** One row a player with the last of its weeks as `latest.*`, or with `explode: weekly_stats` one row for each week that the player has statistics of (section 2.7). */
export const players = ({ explode }: RowAsked): Report =>
  explode === 'weekly_stats'
    ? {
        leaves: [...leavesOf(playerRecord), ...leavesOf(weeklyStat, 'stat')],
        part: 'stat',
        rows: (record) => elementsOf(record, 'weekly_stats').map((part) => ({ record, part })),
      }
    : {
        ...recordReport(playerRecord),
        part: 'latest',
        rows: (record) => [{ record, part: elementsOf(record, 'weekly_stats').at(-1) }],
      };
