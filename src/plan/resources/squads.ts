import type { BodyOf, RecordOf } from '../../contract/index.ts';
import { partsOfKey } from '../../model/state/spelling.ts';
import { knownSquad } from '../known-records.ts';
import { squadIssues } from '../squad-issues.ts';
import { creates } from '../record-requests.ts';
import type { ResourcePlan } from './resource-plan.ts';

const requests = creates(
  'create-squad',
  true,
  ({ user_id, name, fantasy_league_id, players_in }): BodyOf<'create-squad'> => ({
    user_id: Number(user_id),
    name: String(name),
    fantasy_league_id: Number(fantasy_league_id),
    players_in: Array.isArray(players_in) ? players_in.map(Number) : [],
  }),
);

export const squads = {
  nouns: ['squad', 'squads'],
  verb: 'set up',
  requests,
  listed: {
    operation: 'list-squads',
    feature: 'squads',
    one: 'squad',
    several: 'squads',
    filters: ['fantasy_league_id', 'user_id'],
    byId: 'get-squad',
    known: (record) => knownSquad(record as RecordOf<'list-squads'>),
    besideKey: (key) => partsOfKey('squads', key)?.before ?? '',
  },
  hidden: ['players_in'],
  ruleIssues: squadIssues,
} as const satisfies ResourcePlan;
