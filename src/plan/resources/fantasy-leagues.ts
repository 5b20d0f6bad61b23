import type { BodyOf } from '../../contract/index.ts';
import { creates } from '../record-requests.ts';
import type { ResourcePlan } from './resource-plan.ts';

const requests = creates(
  'create-fantasy-league',
  false,
  ({ name, league_id }): BodyOf<'create-fantasy-league'> => ({
    name: String(name),
    league_id: Number(league_id),
  }),
);

export const fantasyLeagues = {
  nouns: ['league', 'leagues'],
  verb: 'set up',
  requests,
  hidden: ['league_id'],
} as const satisfies ResourcePlan;
