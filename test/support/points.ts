import { endpoints } from '../../src/contract/index.ts';

/** The 34 settings of a points configuration beside its league, in the interface's order. */
export const settingNames: readonly string[] = Object.keys(endpoints['set-points-config'].body.shape).filter(
  (name) => name !== 'fantasy_league_id',
);
