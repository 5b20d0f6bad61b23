import { describe, expect, it } from 'vitest';
import { classify, isThrottled } from '../../../src/client/classify.ts';
import { TransportError } from '../../../src/client/transport-error.ts';
import type { HttpResponse } from '../../../src/model/ports.ts';
import { envelopeAnswer } from '../../support/transport.ts';

const raw = (status: number, body: string): HttpResponse => ({ status, headers: {}, body });
const HTML = '<!doctype html><title>Sign in</title>';
const CUT = '{"statusCode":200,"message":"ok","data":[{"id":';

type Row = readonly [name: string, answer: HttpResponse | TransportError, write: string, read: string];

const ROWS: readonly Row[] = [
  ['200', envelopeAnswer(200, {}), 'applied', 'applied'],
  ['201', envelopeAnswer(201, {}), 'applied', 'applied'],
  ['201 with 200 in the envelope', envelopeAnswer(201, {}, { statusCode: 200 }), 'applied', 'applied'],
  ...[400, 401, 403, 404, 405, 413, 415, 422].map((status): Row => [
    String(status),
    envelopeAnswer(status, null),
    'refused',
    'refused',
  ]),
  ['429', envelopeAnswer(429, null), 'throttled', 'throttled'],
  ['429 without an envelope', raw(429, HTML), 'throttled', 'throttled'],
  ...[408, 409, 418, 500, 502, 503, 504].map((status): Row => [
    String(status),
    envelopeAnswer(status, null),
    'ambiguous',
    'retry',
  ]),
  ...[200, 201, 302, 404, 409, 499].flatMap((status) =>
    [400, 401, 403, 405, 413, 415, 422].map((statusCode): Row => [
      `${status} with ${statusCode} in the envelope`,
      envelopeAnswer(status, null, { statusCode }),
      'ambiguous',
      'refused',
    ]),
  ),
  ['200 with 429 in the envelope', envelopeAnswer(200, null, { statusCode: 429 }), 'ambiguous', 'throttled'],
  ...[408, 409, 500].map((statusCode): Row => [
    `200 with ${statusCode} in the envelope`,
    envelopeAnswer(200, null, { statusCode }),
    'ambiguous',
    'retry',
  ]),
  ['500 with 404 in the envelope', envelopeAnswer(500, null, { statusCode: 404 }), 'ambiguous', 'retry'],
  ['404 with 200 in the envelope', envelopeAnswer(404, null, { statusCode: 200 }), 'ambiguous', 'retry'],
  ['429 with 200 in the envelope', envelopeAnswer(429, null, { statusCode: 200 }), 'ambiguous', 'retry'],
  ...[301, 302, 307, 308].map((status): Row => [String(status), raw(status, ''), 'ambiguous', 'redirected']),
  ['304', raw(304, ''), 'ambiguous', 'retry'],
  ['200 with HTML', raw(200, HTML), 'ambiguous', 'retry'],
  ['404 with HTML', raw(404, HTML), 'ambiguous', 'retry'],
  ['200 and empty', raw(200, ''), 'ambiguous', 'retry'],
  ['204', raw(204, ''), 'ambiguous', 'retry'],
  ['cut JSON', raw(200, CUT), 'ambiguous', 'retry'],
  ['JSON of another kind', raw(200, '[1,2]'), 'ambiguous', 'retry'],
  ['refused connection', new TransportError('refused', 'x'), 'not_applied', 'not_applied'],
  ['unknown host', new TransportError('dns', 'x'), 'not_applied', 'not_applied'],
  ['connect timeout', new TransportError('connect_timeout', 'x'), 'not_applied', 'not_applied'],
  ['certificate', new TransportError('certificate', 'x'), 'not_applied', 'not_applied'],
  ['reset', new TransportError('reset', 'x'), 'ambiguous', 'retry'],
  ['timeout', new TransportError('timeout', 'x'), 'ambiguous', 'retry'],
  ['endless body', new TransportError('too_large', 'x'), 'ambiguous', 'retry'],
];

describe('classify', () => {
  it.each(ROWS)('%s', (_name, answer, write, read) => {
    expect(classify('POST', answer).kind).toBe(write);
    expect(classify('PATCH', answer).kind).toBe(write);
    expect(classify('GET', answer).kind).toBe(read);
  });

  it.each([
    ['499', raw(499, HTML), 'service.html'],
    ['399', raw(399, HTML), 'service.redirect'],
    ['300', raw(300, ''), 'service.redirect'],
    ['304', raw(304, ''), 'service.error'],
    ['299', envelopeAnswer(299, {}), undefined],
    ['199', envelopeAnswer(199, {}), 'service.error'],
    ['200 with 300 in the envelope', envelopeAnswer(200, {}, { statusCode: 300 }), 'service.error'],
  ])('the edge of a class of statuses: %s', (_name, answer, fault) => {
    expect((classify('GET', answer) as { fault?: string }).fault).toBe(fault);
  });

  it.each([
    [
      'POST',
      raw(302, ''),
      'a redirect (HTTP 302), which is never followed, because it would send the key elsewhere',
    ],
    [
      'GET',
      raw(302, ''),
      'a redirect (HTTP 302), which is never followed, because it would send the key elsewhere',
    ],
    ['GET', raw(502, HTML), "an HTML page, not the service's JSON (HTTP 502)"],
    ['GET', envelopeAnswer(500, null, { message: 'down' }), 'HTTP 500 and the message "down"'],
    [
      'POST',
      envelopeAnswer(200, null, { statusCode: 404, message: 'not here' }),
      'HTTP 200 but 404 in its envelope, with the message "not here"',
    ],
    ['POST', new TransportError('reset', 'the connection broke'), 'the connection broke'],
    ['POST', new TransportError('dns', 'no such host'), 'no such host'],
  ] as const)('says why: %s %j', (method, answer, reason) => {
    expect(classify(method, answer)).toMatchObject({ reason });
  });

  it.each([
    [envelopeAnswer(422, null, { message: 'a name is missing' }), 'refused', 422, 'a name is missing'],
    [envelopeAnswer(429, null, { message: 'slow down' }), 'throttled', 429, 'slow down'],
    [raw(429, HTML), 'throttled', 429, 'too many requests'],
  ] as const)('hands on what a refusal says: %j', (answer, kind, status, message) => {
    expect(classify('POST', answer)).toEqual({ kind, status, message });
  });

  it.each<readonly [string, HttpResponse | TransportError, number | undefined]>([
    ['400 without the envelope', raw(400, '{"title":"no"}'), 400],
    ['503 with HTML', raw(503, HTML), 503],
    ['409 with its envelope', envelopeAnswer(409, null), 409],
    ['200 with 413 in the envelope', envelopeAnswer(200, null, { statusCode: 413 }), 413],
    ['413 with 200 in the envelope', envelopeAnswer(413, null, { statusCode: 200 }), 413],
    ['reset', new TransportError('reset', 'x'), undefined],
  ])('%s: says with what status it could not be trusted', (_name, answer, status) => {
    const { kind, ...rest } = classify('POST', answer);
    expect([kind, 'status' in rest ? rest.status : undefined]).toEqual(['ambiguous', status]);
  });

  it.each([
    ['409 with its envelope', envelopeAnswer(409, null), true],
    ['409 with 200 in the envelope', envelopeAnswer(409, null, { statusCode: 200 }), false],
    ['200 with 409 in the envelope', envelopeAnswer(200, null, { statusCode: 409 }), true],
    ['400 with 409 in the envelope', envelopeAnswer(400, null, { statusCode: 409 }), false],
    ['409 without the envelope', raw(409, '{"title":"no"}'), true],
    ['500 with its envelope', envelopeAnswer(500, null), false],
  ] as const)('%s: says whether it is a conflict', (_name, answer, isConflict) => {
    expect('isConflict' in classify('POST', answer)).toBe(isConflict);
  });

  it.each<readonly [string, HttpResponse, string]>([
    ['the words of a conflict', raw(409, 'taken'), '(HTTP 409): "taken"'],
    ['the words', raw(400, '{"title":\n "no"}'), String.raw`(HTTP 400): "{\"title\": \"no\"}"`],
    ['no character that a terminal obeys', raw(422, 'a\u001b[2J\u009b1m\u202eb'), '(HTTP 422): "a [2J 1m b"'],
    ['at most an excerpt', raw(413, 'x'.repeat(500)), `(HTTP 413): "${'x'.repeat(200)}…"`],
    ['the whole of a short one', raw(413, 'x'.repeat(200)), `(HTTP 413): "${'x'.repeat(200)}"`],
    ['nothing of an empty body', raw(400, ' '), '(HTTP 400)'],
    ['nothing of a page', raw(400, HTML), '(HTTP 400)'],
    ['nothing of a failure', raw(500, 'no'), '(HTTP 500)'],
  ])('tells of a refusal in its own shape %s', (_name, answer, end) => {
    const verdict = classify('POST', answer);
    expect('reason' in verdict && verdict.reason.endsWith(end), JSON.stringify(verdict)).toBe(true);
  });

  it('takes the status of a refused read from its envelope', () => {
    const answer = envelopeAnswer(200, null, { statusCode: 404, message: 'not here' });
    expect(classify('GET', answer)).toEqual({ kind: 'refused', status: 404, message: 'not here' });
  });

  it.each<readonly [string, HttpResponse, boolean]>([
    ['HTTP alone', raw(429, HTML), true],
    ['HTTP, whatever its envelope says', envelopeAnswer(429, null, { statusCode: 404 }), true],
    ['the envelope alone', envelopeAnswer(200, null, { statusCode: 429 }), true],
    ['the envelope of a failure', envelopeAnswer(500, null, { statusCode: 429 }), false],
    ['another refusal', envelopeAnswer(404, null), false],
    ['a page', raw(200, HTML), false],
  ])('looks for a throttle in both places: %s', (_name, answer, throttled) => {
    expect(isThrottled(answer)).toBe(throttled);
  });

  it('gives each unusable answer its own code', () => {
    const faultOf = (answer: HttpResponse | TransportError): unknown =>
      (classify('GET', answer) as { fault?: string }).fault;
    expect(faultOf(raw(200, HTML))).toBe('service.html');
    expect(faultOf(raw(200, ''))).toBe('service.no_envelope');
    expect(faultOf(raw(200, CUT))).toBe('service.no_envelope');
    expect(faultOf(raw(302, ''))).toBe('service.redirect');
    expect(faultOf(envelopeAnswer(500, null))).toBe('service.error');
    expect(faultOf(new TransportError('timeout', 'x'))).toBe('service.timeout');
    expect(faultOf(new TransportError('dns', 'x'))).toBe('service.unreachable');
    expect(faultOf(new TransportError('reset', 'x'))).toBe('service.unreachable');
    expect((classify('POST', raw(302, '')) as { fault?: string }).fault).toBe('service.redirect');
  });
});

describe('what a refusal says', () => {
  const refused = (others: object, message = 'invalid'): object =>
    classify('POST', raw(422, JSON.stringify({ statusCode: 422, message, ...others })));

  it.each<readonly [string, object, string]>([
    ['its message', { data: null, errors: [], data2: {}, error: 'Unprocessable' }, 'invalid'],
    [
      'a list beside it',
      { data: null, errors: [{ field: 'name', message: 'taken' }] },
      'invalid: {"errors":[{"field":"name","message":"taken"}]}',
    ],
    ['an object', { data: { name: ['taken'] } }, 'invalid: {"data":{"name":["taken"]}}'],
  ])('is %s', (_what, others, message) => {
    expect(refused(others)).toEqual({ kind: 'refused', status: 422, message });
  });

  it('is cut, in one line, and what stands beside an empty message', () => {
    expect(refused({ errors: ['no\u202e'] }, '')).toMatchObject({ message: '{"errors":["no "]}' });
    const { message } = refused({ errors: ['x'.repeat(300)] }) as { readonly message: string };
    expect(message).toMatch(/^invalid: \{"errors":\["x+…$/);
    expect(message).toHaveLength('invalid: '.length + 201);
  });

  it('stands in the reason of a doubt, too', () => {
    const body = JSON.stringify({ statusCode: 422, message: 'invalid', errors: ['taken'] });
    expect(classify('POST', raw(200, body))).toMatchObject({
      kind: 'ambiguous',
      reason: 'HTTP 200 but 422 in its envelope, with the message "invalid: {\\"errors\\":[\\"taken\\"]}"',
    });
  });
});
