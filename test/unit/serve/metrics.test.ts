import { expect, it } from 'vitest';
import type { MappingLine, RunLine, Work } from '../../../src/pages/dashboard/values.ts';
import { outcomeCounts } from '../../../src/plan/counts.ts';
import { renderMetrics } from '../../../src/serve/metrics.ts';

const work: Work = {
  mapping: 'users',
  league: 'north',
  name: 'users@north',
  resource: 'users',
  direction: 'push',
  health: 'degraded',
  outcomes: outcomeCounts(new Map([['invalid', 2]])),
  records: null,
  error: null,
  file: null,
};
const run: RunLine = {
  id: 'R',
  command: 'sync',
  startedAtMs: 1500,
  endedAtMs: 2000,
  exitCode: 3,
  isAtWork: false,
  isFinished: true,
  replacedBy: [],
  work: [work],
  requests: { planned: 1, sent: 5, reads: 4, writes: 1, throttled: 0, waited_ms: 0 },
};
const line: MappingLine = {
  mapping: 'users',
  league: 'north',
  direction: 'push',
  resource: 'users',
  table: 'Members of Ada.csv',
  last: { run, work },
  running: undefined,
  health: 'degraded',
  schedule: '* * * * *',
  next: { atMs: 9000, inMs: 1000, week: '7' },
};

it('are numbers by mapping and league, in the text format, and nothing of a row', () => {
  const text = renderMetrics({ mappings: [line], newest: run, openCases: 4, calendarAtMs: 1 }, '1.2.3');
  const samples = text.split('\n').filter((each) => each !== '' && !each.startsWith('#'));
  expect(samples).toContain('teamsheet_info{version="1.2.3"} 1');
  expect(samples).toContain('teamsheet_open_cases 4');
  const labels = 'mapping="users",league="north",direction="push"';
  expect(samples).toContain(`teamsheet_mapping_state{${labels},state="degraded"} 1`);
  expect(samples).toContain(`teamsheet_mapping_state{${labels},state="ok"} 0`);
  expect(samples).toContain(`teamsheet_mapping_last_rows{${labels},outcome="invalid"} 2`);
  expect(samples).toContain(`teamsheet_mapping_last_run_timestamp_seconds{${labels}} 1.5`);
  expect(samples).toContain(`teamsheet_mapping_next_run_timestamp_seconds{${labels}} 9`);
  expect(samples).toContain('teamsheet_last_run_exit_code 3');
  expect(samples).toContain('teamsheet_last_run_requests{kind="sent"} 5');
  for (const sample of samples) expect(sample).toMatch(/^teamsheet_\w+(\{(\w+="[^"\n]*",?)+\})? -?[\d.]+$/);
  expect(text).not.toContain('Ada');
  expect(text.endsWith('\n')).toBe(true);
});

it('escape what a label cannot hold, and are there before anything ran', () => {
  const strange = { ...line, mapping: 'a"b\\c\nd', last: undefined, health: undefined };
  const text = renderMetrics(
    { mappings: [strange], newest: undefined, openCases: 0, calendarAtMs: undefined },
    '1',
  );
  expect(text).toContain('{mapping="a\\"b\\\\c\\nd",league="north"');
  expect(text).not.toContain('mapping_state');
});
