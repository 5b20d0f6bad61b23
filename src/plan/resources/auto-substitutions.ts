import { endpoints, type BodyOf } from '../../contract/index.ts';
import { renderCountOf } from '../../model/count.ts';
import type { Said } from '../../model/said.ts';
import { confirmSent, type PushRequests } from '../requests.ts';
import type { ResourcePlan } from './resource-plan.ts';

/** One trigger for each league and game week. Its answer names neither. */
const requests: PushRequests = {
  operation: 'trigger-auto-substitution',
  parallel: false,
  groupOf: (row) => row.key ?? '',
  body: ([row]): BodyOf<'trigger-auto-substitution'> => ({
    fantasy_league_id: Number(row?.fields?.fantasy_league_id),
    game_week_id: String(row?.fields?.game_week_id),
  }),
  match: ([row], [record]) => {
    if (row === undefined) return new Map();
    const answer = endpoints['trigger-auto-substitution'].record.safeParse(record);
    const { message, code, events } = answer.data ?? {};
    const isSaid = (part: string | null | undefined): part is string =>
      typeof part === 'string' && part !== '';
    const counted = typeof events === 'number' ? renderCountOf(events, 'event') : undefined;
    const facts = [code, counted].filter(isSaid).join(', ');
    const text = isSaid(message) && facts !== '' ? `${message} (${facts})` : (message ?? '') + facts;
    const note: Said | undefined = text === '' ? undefined : { code: 'text', text };
    return new Map(confirmSent(row, null).map(([key, found]) => [key, { ...found, ...(note && { note }) }]));
  },
};

export const autoSubstitutions = {
  nouns: ['game week', 'game weeks'],
  verb: 'process',
  createdWord: 'triggered',
  requests,
  hidden: [],
} as const satisfies ResourcePlan;
