import { describe, expect, it } from 'vitest';
import { TeamsheetError } from '../../src/model/error.ts';
import type { PushSummary } from '../../src/model/state/store.ts';
import { push } from '../../src/sync/push.ts';
import { resume } from '../../src/sync/resume.ts';
import { PLAN_OPTIONS } from '../support/engine.ts';
import { approve } from '../support/push-case.ts';
import type { Fault } from '../support/google/fake-google.ts';
import { makeSheetEngine, WRITE_BACK, type SheetEngine } from '../support/sheet-engine.ts';
import { googleOfFile } from '../support/google/of-file.ts';

const fake = googleOfFile();

type Answer = Exclude<Fault, string>;
const refused = (code: number, status: string, more: Partial<Answer> = {}): Answer => ({
  status: code,
  body: { error: { code, status, message: 'no' } },
  ...more,
});
/** What may come in the place of an answer, and the exit code when it comes to every call from then on. */
const FAULTS: readonly (readonly [string, Fault, number])[] = [
  ['401', refused(401, 'UNAUTHENTICATED'), 5],
  ['403', refused(403, 'PERMISSION_DENIED'), 5],
  ['404', refused(404, 'NOT_FOUND'), 4],
  ['429', refused(429, 'RESOURCE_EXHAUSTED'), 8],
  ['429 with a pause asked for', refused(429, 'RESOURCE_EXHAUSTED', { headers: { 'retry-after': '7' } }), 8],
  ['500', refused(500, 'INTERNAL'), 8],
  ['503 after the request was carried out', refused(503, 'UNAVAILABLE', { after: true }), 8],
  [
    'a web page',
    { status: 200, body: '<html>Please log in</html>', headers: { 'content-type': 'text/html' } },
    8,
  ],
  ['a cut answer', { status: 200, body: '{"sheets":[{"properties"' }, 8],
  ['a cut answer after the request was carried out', { status: 200, body: '{"repl', after: true }, 8],
  ['a broken connection', 'reset', 8],
  ['a connection that breaks after the request was carried out', 'reset-after', 8],
];

const ROWS = [
  ['external_id', 'display_name', 'Fee'],
  ['A', 'Ann', 1],
  ['B', 'x'.repeat(51), 2],
  ['C', 'Cyd', 3],
];

interface Result {
  readonly exit: number;
  readonly summary: PushSummary | undefined;
}

async function settled(work: () => ReturnType<typeof resume>): Promise<Result> {
  try {
    const result = await work();
    return {
      exit: result?.report.exit_code ?? 0,
      summary: result?.report.mappings[0] as PushSummary | undefined,
    };
  } catch (error) {
    if (error instanceof TeamsheetError) return { exit: error.exitCode, summary: undefined };
    throw error;
  }
}
const run = ({ ports, mapping }: SheetEngine): Promise<Result> =>
  settled(() => push(ports, 'push', [mapping({ writeBack: WRITE_BACK })], PLAN_OPTIONS, approve));

function expectWhole({ engine, tab }: SheetEngine): void {
  expect(engine.service.users.map(({ external_id }) => external_id)).toEqual(['A', 'C']);
  const shown = tab.shown();
  expect(shown[0]).toEqual([
    'external_id',
    'display_name',
    'Fee',
    'Status',
    'Message',
    'Service ID',
    'Synced',
  ]);
  expect(shown.slice(1).map(([key, , fee, status, , id]) => [key, fee, status, id])).toEqual([
    ['A', '1', expect.stringMatching(/created|unchanged/), 'user-1'],
    ['B', '2', 'invalid', ''],
    ['C', '3', expect.stringMatching(/created|unchanged/), 'user-2'],
  ]);
}

describe.each(FAULTS)('%s', (_name, fault, exit) => {
  it.each([1, 2, 3, 4, 5, 6])('instead of the answer to call %i, and of all that follow', async (nth) => {
    const made = await makeSheetEngine(fake, ROWS);
    let calls = 0;
    let isBroken = true;
    fake.before(({ path }) => {
      if (!isBroken || !path.includes(made.id)) return undefined;
      calls += 1;
      return calls >= nth ? fault : undefined;
    });
    const { exit: code, summary } = await run(made);
    if (summary !== undefined) {
      const { rows, created, invalid, deferred, unchanged } = summary;
      expect(created + invalid + deferred + unchanged).toBe(rows);
    }
    // Once something was sent, a spreadsheet that is gone is a destination that cannot be written.
    expect(code).toBe(exit === 4 && nth > 3 ? 8 : exit);
    isBroken = false;
    await settled(() => resume(made.ports, undefined, approve));
    await run(made);
    expectWhole(made);
    const before = fake.calls.length;
    const writes = made.engine.service.writes.length;
    expect((await run(made)).summary).toMatchObject({ rows: 3, unchanged: 2, invalid: 1 });
    expect(made.engine.service.writes.length).toBe(writes);
    expect(fake.calls.slice(before).filter(({ kind }) => kind === 'write')).toEqual([]);
  });

  it.each([1, 4, 6])('once, instead of the answer to call %i', async (nth) => {
    const made = await makeSheetEngine(fake, ROWS);
    let calls = 0;
    fake.before(({ path }) => {
      if (!path.includes(made.id)) return undefined;
      calls += 1;
      return calls === nth ? fault : undefined;
    });
    await run(made);
    await settled(() => resume(made.ports, undefined, approve));
    await run(made);
    expectWhole(made);
  });
});
