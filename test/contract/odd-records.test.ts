import { rm } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { push } from '../../src/sync/push.ts';
import type { Transport } from '../../src/model/ports.ts';
import type { MappingSummary } from '../../src/model/state/store.ts';
import { parseMappings } from '../../src/mapping/parse/parse-mappings.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { PLAN_OPTIONS, stateFolder } from '../support/engine.ts';
import { clientOn, engineOn, openPatientSandbox } from '../support/sandbox-engine.ts';

const START_MS = Date.UTC(2026, 7, 14, 18, 0, 0);
const MAPPINGS =
  '- { version: 1, name: users, push: users, source: { csv: users.csv }, operation: upsert, columns: auto }';

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
  const folder = await stateFolder();
  const own = await openPatientSandbox(START_MS, {});
  const engine = await engineOn(folder, own.clock);
  const service = clientOn(engine, { ...own, transport: withUsers(own.transport, change) });
  const mappings = parseMappings(MAPPINGS, 'mappings.yaml', {
    variable: () => undefined,
    resolvePath: (path) => path,
    readLayout: (file) => ({ file, text: '' }),
  }) as readonly PushMapping[];
  const summaries: (MappingSummary | undefined)[] = [];
  try {
    for (const names of tables) {
      const rows = names.map((name, index) => [`M${index}`, name]);
      engine.tables.set('users.csv', [['external_id', 'display_name'], ...rows]);
      const ports = { ...engine.ports, service, clock: own.clock };
      const { report } = await own.clock.drive(
        push(ports, 'push', mappings, PLAN_OPTIONS, () => Promise.resolve()),
      );
      summaries.push(report.mappings[0]);
    }
    return summaries;
  } finally {
    await own.sandbox.close();
    await engine.store.close();
    await rm(folder, { recursive: true, force: true });
  }
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
