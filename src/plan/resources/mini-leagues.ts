import type { BodyOf, RecordOf } from '../../contract/index.ts';
import { partsOfKey } from '../../model/state/spelling.ts';
import { knownMiniLeague } from '../known-records.ts';
import { creates } from '../record-requests.ts';
import type { ResourcePlan } from './resource-plan.ts';

const requests = creates(
  'create-mini-league',
  true,
  ({ fantasy_league_id, name, type }): BodyOf<'create-mini-league'> => ({
    fantasy_league_id: Number(fantasy_league_id),
    name: String(name),
    type: String(type),
  }),
);

export const miniLeagues = {
  nouns: ['mini league', 'mini leagues'],
  verb: 'set up',
  requests,
  listed: {
    operation: 'list-mini-leagues',
    feature: 'mini_leagues',
    one: 'mini league',
    several: 'mini leagues',
    filters: ['fantasy_league_id'],
    byId: 'get-mini-league',
    known: (record) => knownMiniLeague(record as RecordOf<'list-mini-leagues'>),
    besideKey: (key) => partsOfKey('mini_leagues', key)?.before ?? '',
  },
  hidden: ['type'],
} as const satisfies ResourcePlan;
