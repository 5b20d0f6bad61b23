import { endpoints } from '../contract/index.ts';
import type { BodyOf } from '../contract/index.ts';
import type { Fields } from '../model/cell.ts';
import { renderCountOf } from '../model/count.ts';
import type { RunRow } from '../model/run-rows.ts';
import type { Said } from '../model/said.ts';
import { known, numberOf, remembered } from './known-records.ts';
import type { Confirmation, PushRequests } from './requests.ts';

type RecordOperation = 'create-fantasy-league' | 'create-mini-league' | 'create-squad';

/** What an answer to one of these operations may say of the record that was made. */
interface Created {
  readonly id: string | number;
  readonly name?: string | null | undefined;
  readonly fantasy_league_id?: number | null | undefined;
  readonly fantasy_league?: { readonly id?: number | null | undefined } | null | undefined;
}

/** An answer that shows another name or league is about another record. */
function answersFor(fields: Fields, created: Created): boolean {
  const league = created.fantasy_league_id ?? created.fantasy_league?.id;
  const { name } = created;
  const sameName = typeof name !== 'string' || name.normalize('NFC').trim() === fields.name;
  return sameName && (typeof league !== 'number' || league === fields.fantasy_league_id);
}

/** Creates of one record each, whose answer is the record. */
function creates(
  operation: RecordOperation,
  parallel: boolean,
  body: (fields: Fields) => BodyOf<RecordOperation>,
): PushRequests {
  return {
    operation,
    updatesLikeCreates: true,
    parallel,
    groupOf: (row) => row.key ?? '',
    body: ([row]) => body(row?.fields ?? {}),
    match: ([row], [record]) => {
      const answer = endpoints[operation].record.safeParse(record);
      if (row?.key === null || row === undefined || !answer.success) return new Map();
      const created: Created = answer.data;
      const fields = row.fields ?? {};
      if (!answersFor(fields, created)) return new Map();
      return new Map([[row.key, confirmRow(row.key, row, String(created.id))]]);
    },
  };
}

/** The row itself is what was confirmed. */
function confirmRow(key: string, row: RunRow, id: string | null): Confirmation {
  return { id, record: remembered(known(key, id, numberOf(id), row.fields ?? {})) };
}

export const fantasyLeagueRequests = creates(
  'create-fantasy-league',
  false,
  ({ name, league_id }): BodyOf<'create-fantasy-league'> => ({
    name: String(name),
    league_id: Number(league_id),
  }),
);

export const miniLeagueRequests = creates(
  'create-mini-league',
  true,
  ({ fantasy_league_id, name, type }): BodyOf<'create-mini-league'> => ({
    fantasy_league_id: Number(fantasy_league_id),
    name: String(name),
    type: String(type),
  }),
);

export const squadRequests = creates(
  'create-squad',
  true,
  ({ user_id, name, fantasy_league_id, players_in }): BodyOf<'create-squad'> => ({
    user_id: Number(user_id),
    name: String(name),
    fantasy_league_id: Number(fantasy_league_id),
    players_in: Array.isArray(players_in) ? players_in.map(Number) : [],
  }),
);

/** One trigger for each league and game week. Its answer names neither. */
export const substitutionRequests: PushRequests = {
  operation: 'trigger-auto-substitution',
  updatesLikeCreates: true,
  parallel: false,
  groupOf: (row) => row.key ?? '',
  body: ([row]): BodyOf<'trigger-auto-substitution'> => ({
    fantasy_league_id: Number(row?.fields?.fantasy_league_id),
    game_week_id: String(row?.fields?.game_week_id),
  }),
  match: ([row], [record]) => {
    if (row?.key === null || row === undefined) return new Map();
    const answer = endpoints['trigger-auto-substitution'].record.safeParse(record);
    const { message, code, events } = answer.data ?? {};
    const isSaid = (part: string | null | undefined): part is string =>
      typeof part === 'string' && part !== '';
    const counted = typeof events === 'number' ? renderCountOf(events, 'event') : undefined;
    const facts = [code, counted].filter(isSaid).join(', ');
    const text = isSaid(message) && facts !== '' ? `${message} (${facts})` : (message ?? '') + facts;
    const note: Said | undefined = text === '' ? undefined : { code: 'text', text };
    return new Map([[row.key, { ...confirmRow(row.key, row, null), ...(note && { note }) }]]);
  },
};
