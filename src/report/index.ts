import type { ResourceName } from '../contract/resource.ts';
import { account } from './account.ts';
import { autoSubstitutions } from './auto-substitutions.ts';
import { fantasyLeagues } from './fantasy-leagues.ts';
import { fixtures } from './fixtures.ts';
import { lineups } from './lineups.ts';
import { miniLeagues } from './mini-leagues.ts';
import { players } from './players.ts';
import { pointsConfig } from './points-config.ts';
import { prices } from './prices.ts';
import type { Report, ReportOptions } from './report.ts';
import { squads } from './squads.ts';
import { users } from './users.ts';

/** The report of every resource that can be pulled. */
export const reports = {
  account,
  users,
  prices,
  points_config: pointsConfig,
  fantasy_leagues: fantasyLeagues,
  mini_leagues: miniLeagues,
  squads,
  lineups,
  players,
  fixtures,
  auto_substitutions: autoSubstitutions,
} as const satisfies Record<ResourceName, (options: ReportOptions) => Report>;
