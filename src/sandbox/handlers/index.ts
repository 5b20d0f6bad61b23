import type { OperationId } from '../../contract/index.ts';
import type { Handler } from '../context.ts';
import { getAccount } from './account.ts';
import { listAutoSubstitutions, triggerAutoSubstitution } from './auto-substitutions.ts';
import { createFantasyLeague, getFantasyLeague } from './fantasy-leagues.ts';
import { getFixtures } from './fixtures.ts';
import { getLineup } from './lineups.ts';
import { createMiniLeague, getMiniLeague, listMiniLeagues } from './mini-leagues.ts';
import { getPlayer } from './players.ts';
import { getPointsConfig, setPointsConfig } from './points-config.ts';
import { listPrices, uploadPrices } from './prices.ts';
import { createSquad, getSquad, listSquads } from './squads.ts';
import { createUsers, listUsers, updateUser } from './users.ts';

/** What carries out each operation; the compiler names a missing one. */
export const handlers = {
  'get-account': getAccount,
  'create-fantasy-league': createFantasyLeague,
  'get-fantasy-league': getFantasyLeague,
  'get-fixtures': getFixtures,
  'create-mini-league': createMiniLeague,
  'list-mini-leagues': listMiniLeagues,
  'get-mini-league': getMiniLeague,
  'create-users': createUsers,
  'list-users': listUsers,
  'update-user': updateUser,
  'create-squad': createSquad,
  'list-squads': listSquads,
  'get-squad': getSquad,
  'get-lineup': getLineup,
  'get-player': getPlayer,
  'set-points-config': setPointsConfig,
  'get-points-config': getPointsConfig,
  'upload-prices': uploadPrices,
  'list-prices': listPrices,
  'trigger-auto-substitution': triggerAutoSubstitution,
  'list-auto-substitutions': listAutoSubstitutions,
} as const satisfies { readonly [Id in OperationId]: Handler<Id> };
