import * as z from 'zod';
import { resources } from '../contract/index.ts';
import type { PullTarget, ResourceName } from '../contract/resource.ts';
import { fixtureRecord, gameWeekFixtures } from '../contract/resources/fixtures.ts';
import { lineupEntry, lineupRecord } from '../contract/resources/lineups.ts';
import { playerRecord, weeklyStat } from '../contract/resources/players.ts';
import { squadListRecord, squadRecord } from '../contract/resources/squads.ts';

/** What a pull of a resource may ask for. Every resource can be pulled. */
export function pullTarget(resource: ResourceName): PullTarget | undefined {
  const { pull } = resources[resource] as { pull?: PullTarget };
  return pull;
}

/** The shape of what one report row is made of, with the paths that are added to the record (interfaces.md, section 4). */
export function reportRecord(
  resource: ResourceName,
  detail: boolean,
  explode: string | undefined,
): z.core.$ZodType {
  switch (resource) {
    case 'lineups':
      return lineupRecord.extend({ entry: lineupEntry.extend({ order: z.int() }) });
    case 'fixtures':
      return fixtureRecord.extend({ game_week: gameWeekFixtures });
    case 'players':
      return playerRecord.extend(explode === undefined ? { latest: weeklyStat } : { stat: weeklyStat });
    case 'squads':
      return detail ? squadRecord : squadListRecord;
    default:
      return pullTarget(resource)?.record ?? z.looseObject({});
  }
}
