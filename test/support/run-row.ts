import type { RunRow } from '../../src/model/state/run-rows.ts';

/** A valid, open row of one line; `changes` replace what matters to a test. */
export function runRow(changes: Partial<RunRow> & Pick<RunRow, 'rowNumber'>): RunRow {
  const key = changes.key === undefined ? `m-${changes.rowNumber}` : changes.key;
  return {
    lines: [[key ?? '', 'Ada Pitch']],
    key,
    folded: key === null ? null : key.toLowerCase(),
    fields: { external_id: key ?? '', is_active: true, players_in: [1, 2] },
    change: 'pending',
    before: null,
    said: [],
    outcome: null,
    id: null,
    ...changes,
  };
}
