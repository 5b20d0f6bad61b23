import { describe, expect, it } from 'vitest';
import type { Issue } from '../../../src/model/issue.ts';
import {
  endInStop,
  fromIssues,
  issuesAmong,
  renderSaid,
  stopWords,
  storedWords,
  wordsToStore,
  type Said,
  type Words,
} from '../../../src/model/said.ts';

const blank = (row: number): Issue => ({
  code: 'cell.blank',
  severity: 'error',
  row,
  setting: `"${row}"`,
  message: 'empty; fill it in',
});

describe('words', () => {
  it('are rendered part by part', () => {
    expect(renderSaid([])).toBe('');
    expect(
      renderSaid([
        { code: 'text', text: 'a remark' },
        { code: 'not-sent', reason: [{ code: 'run-ended' }] },
      ]),
    ).toBe('a remark; not sent: the run ended first');
  });

  it('tell issues that stand side by side together, and others where they stand', () => {
    const issues = [blank(3), blank(4), blank(5)];
    const column: Issue = { code: 'cell.long', severity: 'error', column: 'Name', message: '61 characters' };
    const said: Words = [...fromIssues(issues), { code: 'quota-no-room' }, ...fromIssues([column])];
    expect(renderSaid(said)).toBe(
      `3 settings are empty (rows 3 to 5); fill them in; the account's quota has no room for this row now; column "Name": 61 characters`,
    );
    expect(issuesAmong(said)).toEqual([...issues, column]);
  });

  it('end in a stop also where it is only their reason', () => {
    const stop = stopWords({ code: 'budget.exhausted', message: 'the day is used up' });
    const remark: Said = { code: 'text', text: 'a remark' };
    const ends = (said: Words): boolean => endInStop(said, 'budget.exhausted');
    expect(ends([remark, { code: 'not-sent', reason: stop }])).toBe(true);
    expect(ends([{ code: 'flag-not-set', reason: [{ code: 'not-sent', reason: stop }] }])).toBe(true);
    expect(ends([...stop, remark])).toBe(false);
    expect(ends(stopWords({ code: 'budget.max_requests', message: 'the day is used up' }))).toBe(false);
    expect(ends([{ code: 'answer-seen', reason: 'timeout' }])).toBe(false);
    expect(ends([])).toBe(false);
  });
});

describe('stored words', () => {
  it.each<readonly [string, Words]>([
    ['none', []],
    ['one', [{ code: 'row-edited' }]],
    [
      'a reason',
      [
        { code: 'not-sent', reason: [{ code: 'answer-none' }] },
        { code: 'text', text: '; "' },
      ],
    ],
    ['values before the code', [{ text: 'x', code: 'text' }]],
  ])('come back: %s', (_what, said) => {
    expect(storedWords(wordsToStore(said))).toEqual(said);
  });

  it.each([
    ['some text of 2025', { code: 'text', text: 'some text of 2025' }],
    ['[1] is a text too', { code: 'text', text: '[1] is a text too' }],
    ['the service refused it: no envelope', { code: 'refused-doubtful', reason: 'no envelope' }],
    ['the service refused it (400): no', { code: 'text', text: 'the service refused it (400): no' }],
  ])('of an older version stay as they were: %s', (text, said) => {
    expect(storedWords(text)).toEqual([said]);
    expect(renderSaid(storedWords(text))).toBe(text);
  });

  it('of an older version that decided by reading back have their code', () => {
    expect(storedWords('settled by reading back')).toEqual([{ code: 'read-back-settled' }]);
  });

  it('of a code that is not known are shown as they are', () => {
    expect(renderSaid(storedWords('[{"code":"of.tomorrow","row":3},{"code":"row-edited"}]'))).toBe(
      '{"code":"of.tomorrow","row":3}; stale: the row was edited in the sheet after the plan; the next push reads it again',
    );
  });
});
