import { expect, it } from 'vitest';
import { RefusedError } from '../../../../src/model/error.ts';
import type { Service } from '../../../../src/model/service.ts';
import { openWeekTable } from '../../../../src/sync/rows/league-weeks.ts';
import { pushMapping } from '../../../support/builders.ts';

const mapping = pushMapping({ name: 'subs', resource: 'auto_substitutions', operation: 'trigger' });

/** The table of the week that was last of league 99, and what is told of it. */
async function lastWeek(get: () => Promise<unknown>) {
  const notes: string[] = [];
  const table = await openWeekTable(
    {
      service: { get, timeMs: () => undefined } as unknown as Service,
      signal: new AbortController().signal,
      emit: (event) => notes.push('message' in event ? event.message : event.kind),
    },
    mapping,
    { kind: 'weeks', week: 'last', league: 99 },
    undefined,
  );
  return { rows: (await Array.fromAsync(table.batches())).flat(), notes };
}

it('makes no row where no game week is over yet', async () => {
  const { rows, notes } = await lastWeek(() => Promise.resolve({ records: [] }));
  expect(rows).toEqual([]);
  expect(notes).toEqual([
    'subs: fantasy league 99 has no game week that is over; it has none; nothing is triggered',
  ]);
});

it('takes fixtures that the service refuses to show for no season without a week', async () => {
  const refused = new RefusedError(404, 'there is no fantasy league "99"');
  await expect(lastWeek(() => Promise.reject(refused))).rejects.toBe(refused);
});
