import type { BodyOf } from '../../contract/index.ts';
import { pointsConfigRecord } from '../../contract/resources/points-config.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import { confirmSent, fieldsOf, type PushRequests } from '../requests.ts';
import type { ResourcePlan } from './resource-plan.ts';

const requests: PushRequests = {
  operation: 'set-points-config',
  parallel: false,
  groupOf: (row) => row.key ?? '',
  // A group is one league, so its only row; its fields were checked by the contract's own schemas when they were read.
  body: (rows) => fieldsOf(rows[0] as RunRow) as unknown as BodyOf<'set-points-config'>,
  match: (rows, records) => {
    const answer = pointsConfigRecord.safeParse(records[0]);
    const [row] = rows;
    if (!answer.success || row === undefined) return new Map();
    const held: Readonly<Record<string, unknown>> = answer.data;
    const wrong = Object.entries(fieldsOf(row)).find(
      ([name, value]) => held[name] !== undefined && held[name] !== null && held[name] !== value,
    );
    return new Map(
      confirmSent(row, answer.data.id).map(([key, confirmation]) => [
        key,
        wrong === undefined
          ? confirmation
          : {
              ...confirmation,
              disagrees: { code: 'held-other', field: wrong[0], held: held[wrong[0]], wanted: wrong[1] },
            },
      ]),
    );
  },
};

export const pointsConfig = {
  nouns: ['points configuration', 'points configurations'],
  verb: 'configure',
  requests,
  hidden: [],
} as const satisfies ResourcePlan;
