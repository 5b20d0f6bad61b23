import * as z from 'zod';
import type { Context } from '../context.ts';
import { listEffects, readEffect } from '../store/effects.ts';
import { unknownId } from '../refusal.ts';
import { hidden, success, type Control } from './answer.ts';

const MOST = 100;
const listQuery = z.strictObject({
  after: z.int().min(0).optional(),
  limit: z.int().min(1).max(MOST).optional(),
});
const params = z.object({ number: z.int().min(1) });

/** GET /effects, a page of them from a number on, and GET /effects/NUMBER. */
export function addEffectRoutes(control: Control, { store }: Context): void {
  control.get('/effects', hidden({ querystring: listQuery }), ({ query: { after = 0, limit = 50 } }) => {
    const effects = listEffects(store, after, limit);
    const last = effects.at(-1)?.number ?? after;
    const total = store.count('SELECT count(*) AS n FROM effects');
    const isMore = store.count('SELECT count(*) AS n FROM effects WHERE number > ?', last) > 0;
    const paging = { after, limit, total, next_after: isMore ? last : null };
    return { ...success('Effects', effects), paging };
  });
  control.get('/effects/:number', hidden({ params }), (request) => {
    const { number } = request.params;
    const effect = readEffect(store, number);
    if (effect === undefined) throw unknownId('number', 'effect', number);
    return success('Effect', effect);
  });
}
