import type { ResourceName } from '../contract/resource.ts';
import { accountRecord } from '../contract/resources/account.ts';
import { autoSubstitutionRecord } from '../contract/resources/auto-substitutions.ts';
import { fantasyLeagueRecord } from '../contract/resources/fantasy-leagues.ts';
import { miniLeagueRecord } from '../contract/resources/mini-leagues.ts';
import { pointsConfigRecord } from '../contract/resources/points-config.ts';
import { priceRecord } from '../contract/resources/prices.ts';
import { squadListRecord, squadRecord } from '../contract/resources/squads.ts';
import { userRecord } from '../contract/resources/users.ts';
import { fixtures } from './fixtures.ts';
import { lineups } from './lineups.ts';
import { players } from './players.ts';
import { recordReport, type Report, type ReportOptions } from './report.ts';

/** The report of every resource that can be pulled. Those without a file of their own are one row a record, with its scalar leaves as columns. */
export const reports = {
  account: () => recordReport(accountRecord),
  users: () => recordReport(userRecord),
  prices: () => recordReport(priceRecord),
  points_config: () => recordReport(pointsConfigRecord),
  fantasy_leagues: () => recordReport(fantasyLeagueRecord),
  mini_leagues: () => recordReport(miniLeagueRecord),
  squads: ({ detail }) => recordReport(detail ? squadRecord : squadListRecord),
  lineups,
  players,
  fixtures,
  auto_substitutions: () => recordReport(autoSubstitutionRecord),
} as const satisfies Record<ResourceName, (options: ReportOptions) => Report>;
