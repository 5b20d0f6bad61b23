import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildRequest } from '../../../src/client/request.ts';
import type { CallParts } from '../../../src/client/request.ts';
import { endpoints } from '../../../src/contract/index.ts';
import type { OperationId } from '../../../src/contract/index.ts';
import type { HttpRequest } from '../../../src/model/ports.ts';
import { Secret } from '../../../src/model/secret.ts';

const ID = '0b0e3c9a-0000-4000-8000-000000000002';

function build(operation: OperationId, parts: CallParts = {}, base = 'https://service.test'): HttpRequest {
  return buildRequest(base, new Secret('the-key'), operation, endpoints[operation], parts);
}

describe('buildRequest', () => {
  it('puts /v1 after the base address, which may hold a path and a slash', () => {
    expect(build('get-account').url).toBe('https://service.test/v1/auth/account');
    expect(build('get-account', {}, 'https://service.test/a/b/').url).toBe(
      'https://service.test/a/b/v1/auth/account',
    );
  });

  it('sends the key, the kinds of content and the version of the package', () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    const request = build('update-user', { body: { id: ID, is_active: true } });
    expect(request).toMatchObject({ method: 'PATCH', body: `{"id":"${ID}","is_active":true}` });
    expect(request.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': `teamsheet/${version}`,
      'x-api-key': 'the-key',
    });
    expect(build('get-account').headers).not.toHaveProperty('content-type');
  });

  it.each(['../auth/account', '1?x=', '%2e%2e', 'a/b', '#', '\\..\\', '$&'])(
    'keeps the id %s one path segment',
    (id) => {
      const { pathname, search, hash } = new URL(build('get-fantasy-league', { id }).url);
      expect(pathname.split('/')).toHaveLength(4);
      expect(decodeURIComponent(pathname.split('/')[3] ?? '')).toBe(id);
      expect([search, hash]).toEqual(['', '']);
    },
  );

  it.each(['.', '..', '\ud800'])('refuses the id %j, which no encoding keeps', (id) => {
    expect(() => build('get-fantasy-league', { id })).toThrow(
      expect.objectContaining({ code: 'request.invalid' }),
    );
  });

  it.each<[OperationId, CallParts, string]>([
    ['get-player', { id: 0, query: { fantasy_league_id: 1 } }, 'path id'],
    ['get-player', { id: 1 }, 'fantasy_league_id'],
    ['get-squad', { id: 'no-uuid' }, 'path id'],
    ['get-squad', {}, 'path id'],
    ['get-account', { id: 1 }, 'path id'],
    ['get-account', { query: {} }, 'query'],
    ['list-users', { query: { page: 0 } }, 'page'],
    ['list-users', { query: { color: 'red' } }, 'color'],
    ['update-user', {}, 'id'],
    ['update-user', { body: { id: ID, display_name: 'x'.repeat(51) } }, 'display_name'],
    ['upload-prices', { body: { fantasy_league_id: 1, prices: [] } }, 'prices'],
    ['create-squad', { body: { user_id: 1, name: 'ab', fantasy_league_id: 1, players_in: [1] } }, 'name'],
    ['list-users', { body: {} }, 'body'],
  ])('sends nothing when %s is called with %j', (operation, parts, field) => {
    expect(() => build(operation, parts)).toThrow(
      expect.objectContaining({
        code: 'request.invalid',
        message: expect.stringContaining(field) as string,
      }),
    );
  });

  it('encodes the query and leaves out what is undefined', () => {
    expect(build('list-squads', { query: { page: 2, user_id: undefined, fantasy_league_id: 7 } }).url).toBe(
      'https://service.test/v1/squad?page=2&fantasy_league_id=7',
    );
  });
});
