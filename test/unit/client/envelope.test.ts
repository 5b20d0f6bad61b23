import { describe, expect, it } from 'vitest';
import { parseEnvelope, readRecords } from '../../../src/client/envelope.ts';
import { endpoints } from '../../../src/contract/index.ts';

const nested = (depth: number): string =>
  `{"statusCode":200,"message":"ok","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

describe('parseEnvelope', () => {
  it('reads the envelope and keeps paging', () => {
    expect(parseEnvelope(' {"statusCode":200,"message":"ok","data":[],"paging":{"total":0}}')).toEqual({
      kind: 'envelope',
      envelope: { statusCode: 200, message: 'ok', data: [], paging: { total: 0 } },
    });
  });

  it('counts brackets outside strings only, and takes 64 levels', () => {
    expect(parseEnvelope(nested(63)).kind).toBe('envelope');
    expect(parseEnvelope(nested(64))).toEqual({
      kind: 'no_envelope',
      reason: 'JSON nested deeper than 64 levels',
    });
    const text = JSON.stringify({ statusCode: 200, message: `"\\${'['.repeat(100)}`, data: null });
    expect(parseEnvelope(text).kind).toBe('envelope');
  });

  it('does not overflow on a hundred thousand brackets', () => {
    expect(parseEnvelope('['.repeat(100_000)).kind).toBe('no_envelope');
  });

  it('leaves no prototype behind', () => {
    const parsed = parseEnvelope(
      '{"statusCode":200,"message":"ok","data":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}',
    );
    expect(parsed.kind).toBe('envelope');
    expect(JSON.stringify(parsed)).not.toContain('polluted');
    expect('polluted' in {}).toBe(false);
    expect((parsed as unknown as { envelope: { polluted?: number } }).envelope.polluted).toBeUndefined();
  });

  it.each(['\\u005f_proto__', '__\\u0070roto__', '__pro\\u0074o\\u005F_'])(
    'leaves no prototype behind: %s',
    (key) => {
      const parsed = parseEnvelope(`{"statusCode":200,"message":"ok","data":[{"${key}":{"polluted":1}}]}`);
      expect(parsed).toMatchObject({ kind: 'envelope', envelope: { data: [{}] } });
      expect(JSON.stringify(parsed)).not.toContain('polluted');
    },
  );

  it.each(['{"message":"ok","data":1}', '{"statusCode":"200","message":"ok","data":1}', 'null', '"text"'])(
    'does not take %s for an envelope',
    (body) => {
      expect(parseEnvelope(body).kind).toBe('no_envelope');
    },
  );
});

describe('readRecords', () => {
  it('makes a bad record an issue of that record alone', () => {
    const read = readRecords(endpoints['list-users'], [
      { id: 'A', external_id: 'M-1' },
      { id: 'B' },
      { id: 'C', external_id: 'M-3', shoe_size: 43 },
    ]);
    expect(read?.records).toEqual([
      { id: 'A', external_id: 'M-1' },
      { id: 'C', external_id: 'M-3', shoe_size: 43 },
    ]);
    expect(read?.issues).toEqual([{ index: 1, message: expect.stringContaining('external_id') as string }]);
  });

  it('does not take an object for a list, nor a list for a record', () => {
    expect(readRecords(endpoints['list-users'], {})).toBeUndefined();
    expect(readRecords(endpoints['get-account'], [])).toBeUndefined();
    expect(readRecords(endpoints['get-account'], null)?.issues).toHaveLength(1);
  });
});
