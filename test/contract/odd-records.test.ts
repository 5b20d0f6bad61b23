import { expect, it } from 'vitest';
import type { Transport } from '../../src/model/ports.ts';
import type { MappingSummary } from '../../src/model/state/store.ts';
import { mappingsOf } from '../support/builders.ts';
import { clientOn, withSandboxEngine } from '../support/sandbox-engine.ts';

const START_MS = Date.UTC(2026, 7, 14, 18, 0, 0);
const MAPPINGS = mappingsOf(
  '- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: auto }',
);

type Record = Readonly<globalThis.Record<string, unknown>>;

/** A transport whose users are answered otherwise, wherever they are. */
const withUsers =
  (transport: Transport, change: (user: Record) => Record): Transport =>
  async (request) => {
    const answer = await transport(request);
    if (!new URL(request.url).pathname.endsWith('/user')) return answer;
    const envelope = JSON.parse(answer.body) as { readonly data: Record | readonly Record[] | null };
    const { data } = envelope;
    const changed = Array.isArray(data) ? data.map(change) : data && change(data as Record);
    return { ...answer, body: JSON.stringify({ ...envelope, data: changed }) };
  };

/** What becomes of tables of users that are pushed one after another. */
async function pushed(
  change: (user: Record) => Record,
  ...tables: readonly (readonly string[])[]
): Promise<readonly (MappingSummary | undefined)[]> {
  return withSandboxEngine(
    START_MS,
    () => ({}),
    async (own) => {
      const service = clientOn(own.engine, { ...own, transport: withUsers(own.transport, change) });
      const summaries: (MappingSummary | undefined)[] = [];
      for (const names of tables) {
        const rows = names.map((name, index) => [`M${index}`, name]);
        own.engine.tables.set('users.csv', [['external_id', 'display_name'], ...rows]);
        const { report } = await own.push(MAPPINGS, service);
        summaries.push(report.mappings[0]);
      }
      return summaries;
    },
  );
}

it('users whose times are numbers are compared and pushed', async () => {
  const asNumber = (user: Record): Record => ({
    ...user,
    created_at: 1_767_225_600,
    updated_at: 1_767_225_600,
  });
  expect(await pushed(asNumber, ['Ann', 'Bo'], ['Ann', 'Bo'], ['Ann', 'Bob', 'Cy'])).toMatchObject([
    { created: 2 },
    { unchanged: 2, created: 0 },
    { unchanged: 1, updated: 1, created: 1 },
  ]);
});

it('a user whose name is no text is taken neither for the same nor for another one', async () => {
  const nameless = (user: Record): Record =>
    user.external_id === 'M0' ? { ...user, display_name: { first: 'Ann' } } : user;
  const [, second] = await pushed(nameless, ['Ann'], ['Ann', 'Bo']);
  expect(second).toMatchObject({ created: 0, updated: 0, deferred: 2 });
});
