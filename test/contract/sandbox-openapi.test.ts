import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATION_IDS, endpoints } from '../../src/contract/index.ts';
import { at, openSandbox } from '../support/sandbox.ts';
import type { TestSandbox } from '../support/sandbox.ts';

describe('/openapi.json', () => {
  let box: TestSandbox;
  let text = '';
  beforeAll(async () => {
    box = await openSandbox();
    const answer = await box.sandbox.inject({ method: 'GET', url: '/openapi.json', headers: {} });
    expect(answer.status).toBe(200);
    text = answer.body;
  });
  afterAll(() => box.close());

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(text) as Record<string, unknown>);
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('describes every operation and nothing else', () => {
    const paths = (JSON.parse(text) as { paths: Record<string, Record<string, { operationId: string }>> })
      .paths;
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const expected = OPERATION_IDS.map((id) => `${id} ${endpoints[id].method} /v1${endpoints[id].path}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  it('has the constraints of the requests and the records of the answers', () => {
    const document: unknown = JSON.parse(text);
    const body = at(document, 'paths./v1/squad.post.requestBody.content.application/json.schema');
    expect(at(body, 'properties.name.minLength')).toBe(3);
    expect(at(body, 'properties.players_in.minItems')).toBe(1);
    expect(at(body, 'required')).toEqual(['user_id', 'name', 'fantasy_league_id', 'players_in']);
    const answer = at(document, 'paths./v1/user.get.responses.200.content.application/json.schema');
    expect(at(answer, 'properties.data.items.$ref')).toBe('#/components/schemas/User');
    expect(at(answer, 'properties.paging.properties.page_total.anyOf.0.type')).toBe('integer');
    expect(at(document, 'components.schemas.User.properties.external_id')).toEqual({ type: 'string' });
    expect(at(document, 'paths./v1/user.get.responses.4XX')).toBeDefined();
    expect(at(document, 'components.securitySchemes.apiKey.name')).toBe('x-api-key');
  });
});
