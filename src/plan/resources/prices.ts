import type { FieldValue } from '../../model/tables/cell.ts';
import { confirmSent, fieldsOf, type PushRequests } from '../requests.ts';
import type { ResourcePlan } from './resource-plan.ts';

/** What the names of steps have in them. */
const STEP_NAME = /delta|step|incr|decr|diff|relative/i;

/** Whether a kind of price is a step, which the service adds to the price it has. No kind is documented: its name tells. */
export const isStep = (type: FieldValue | undefined): boolean =>
  typeof type === 'string' && STEP_NAME.test(type);

const requests: PushRequests = {
  operation: 'upload-prices',
  parallel: false,
  groupOf: (row) => String(fieldsOf(row).fantasy_league_id ?? row.lookups?.fantasy_league_id?.after?.key),
  body: (rows) => ({
    fantasy_league_id: Number(rows[0]?.fields?.fantasy_league_id),
    prices: rows.map((row) => {
      const { player_id, price, type } = fieldsOf(row);
      return { player_id: Number(player_id), price: Number(price), type: String(type) };
    }),
  }),
  // The answer holds a reference and a count. A count that is there and is another one than was sent proves nothing for any single row.
  match: (rows, records) => {
    const count = (records[0] as { count?: number | null } | undefined)?.count;
    if (typeof count === 'number' && count !== rows.length) return new Map();
    return new Map(rows.flatMap((row) => confirmSent(row, null)));
  },
};

export const prices = {
  nouns: ['price', 'prices'],
  verb: 'upload',
  requests,
  hidden: [],
} as const satisfies ResourcePlan;
