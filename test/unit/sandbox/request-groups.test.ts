import { describe, expect, it } from 'vitest';
import { byMinute, isWanted } from '../../../src/sandbox/console/request-groups.ts';
import type { RecentRequest } from '../../../src/sandbox/http/recent-requests.ts';

function requestOf(over: Partial<RecentRequest>): RecentRequest {
  return {
    time: '2026-09-01T12:00:00.000Z',
    request: 'r-1',
    method: 'GET',
    path: '/v1/user',
    operation: 'list-users',
    status: 200,
    ms: 1,
    account: 1,
    query: [],
    body: null,
    cutFrom: null,
    ...over,
  };
}
const ALL = { method: '', operation: '', status: '', text: '' };

describe('a filter of requests', () => {
  const one = requestOf({
    request: 'Run-77',
    method: 'POST',
    operation: 'create-users',
    path: '/v1/user',
    status: 409,
    query: [['page', '7']],
    body: '{"name":"Zoë"}',
    fault: 'late',
  });

  it.each([
    {},
    { method: 'POST' },
    { operation: 'create-users' },
    { status: '409' },
    { status: '4' },
    { text: 'ZOË' },
    { text: 'page=7' },
    { text: 'run-77' },
    { text: '/v1/u' },
    { text: 'late' },
    { method: 'POST', operation: 'create-users', status: '4', text: 'zo' },
  ])('%j asks for it', (filter) => {
    expect(isWanted(one, { ...ALL, ...filter })).toBe(true);
  });

  it.each([
    { method: 'GET' },
    { operation: 'list-users' },
    { operation: 'none' },
    { status: '401' },
    { status: '2' },
    { text: 'nobody' },
    { method: 'POST', status: '5' },
  ])('%j does not', (filter) => {
    expect(isWanted(one, { ...ALL, ...filter })).toBe(false);
  });

  it('knows what is no operation, and connections without an answer', () => {
    const { operation: _none, ...control } = requestOf({ path: '/control/clock', status: 0 });
    expect(isWanted(control, { ...ALL, operation: 'none', status: '0' })).toBe(true);
    expect(isWanted(one, { ...ALL, status: '0' })).toBe(false);
  });
});

describe('requests by minute', () => {
  it('stand together where they asked the same and ended the same, the newest first', () => {
    const page = (number: string, time: string, over: Partial<RecentRequest> = {}): RecentRequest =>
      requestOf({ request: number, query: [['page', number]], time: `2026-09-01T${time}Z`, ...over });
    const minutes = byMinute([
      page('6', '12:01:00.000'),
      page('5', '12:00:59.999'),
      page('4', '12:00:30.000', { status: 429 }),
      page('3', '12:00:20.000'),
      page('2', '12:00:10.000', { fault: 'late' }),
      page('1', '12:00:00.000'),
    ]);
    const ids = minutes.map(({ time, count, groups }) => [
      time.slice(11, 16),
      count,
      groups.map(({ newest, requests }) => [newest.request, requests.map(({ request }) => request)]),
    ]);
    expect(ids).toEqual([
      ['12:01', 1, [['6', ['6']]]],
      [
        '12:00',
        5,
        [
          ['5', ['5', '3', '1']],
          ['4', ['4']],
          ['2', ['2']],
        ],
      ],
    ]);
  });

  it('are one group for one operation with several ids, and several for paths of none', () => {
    const player = (id: number) => requestOf({ operation: 'get-player', path: `/v1/player/${id}` });
    const unknown = (path: string): RecentRequest => {
      const { operation: _none, ...rest } = requestOf({ path });
      return rest;
    };
    const [minute] = byMinute([player(1), player(2), unknown('/v1/a'), unknown('/v1/b')]);
    expect(minute?.groups.map(({ requests }) => requests.length)).toEqual([2, 1, 1]);
    expect(byMinute([])).toEqual([]);
  });
});
