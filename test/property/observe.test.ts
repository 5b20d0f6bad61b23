import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Observer } from '../../src/client/observe/observe.ts';
import { parseEnvelope } from '../../src/client/envelope.ts';
import { endpoints, OPERATION_IDS } from '../../src/contract/index.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { MOST_VALUES } from '../../src/model/state/learnt.ts';

/** Names that the observer looks at, so that they meet values of every kind. */
const names = fc.constantFrom(
  ...[
    'id',
    'external_id',
    'display_name',
    'user_id',
    'created_at',
    'updated_at',
    'config',
    'rate_limit',
    'per_minute',
  ],
  ...[
    'features',
    'users',
    'max',
    'remaining',
    'reset_at',
    'window',
    'tier',
    'chips',
    'count',
    'reference',
    'events',
  ],
  ...[
    'toString',
    'valueOf',
    'constructor',
    'status',
    'fixtures',
    'week',
    'fantasy_league_id',
    'page',
    'total',
  ],
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1.5, '', '12', 'ä', '2026-08-14T18:00:00.000Z', '2026-08-14'),
    fc.string(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(names, fc.string()), tie('json'), { maxKeys: 6 }),
  ),
}));

it('no answer trips the observer, and what it keeps is bounded', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...OPERATION_IDS),
      fc.array(fc.tuple(fc.constantFrom(200, 201, 204, 302, 400, 404, 409, 413, 429, 503), json, json), {
        maxLength: 5,
      }),
      fc.dictionary(fc.constantFrom('date', 'retry-after'), fc.string()),
      (operation, answers, headers) => {
        const observer = new Observer();
        const endpoint: Endpoint = endpoints[operation];
        const request = {
          ...{ method: endpoint.method, url: 'https://service.test/v1/points/config/7', headers: {} },
          ...(endpoint.method !== 'GET' && {
            body: JSON.stringify({
              users: [{ external_id: '12', display_name: 'ä' }],
              prices: [{ type: 'x' }],
            }),
          }),
        };
        for (const [status, data, paging] of answers) {
          const body = JSON.stringify({ statusCode: status, message: 'm', data, paging });
          const parsed = parseEnvelope(body);
          if (status < 300 && parsed.kind === 'envelope')
            observer.applied(operation, request, { status, headers, body }, parsed.envelope);
          observer.refused(operation, request, { status, headers, body: JSON.stringify(data) });
        }
        const found = observer.take();
        const subjects = new Map<string, number>();
        for (const { topic, subject, value } of found) {
          expect(value.length).toBeLessThanOrEqual(60);
          const name = `${topic} ${subject}`;
          subjects.set(name, (subjects.get(name) ?? 0) + 1);
        }
        expect(Math.max(0, ...subjects.values())).toBeLessThanOrEqual(MOST_VALUES + 1);
      },
    ),
  );
});
