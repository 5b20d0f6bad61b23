import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { googleError, tokenError } from '../../../src/tables/google/connection/google-error.ts';
import type { Asked, Identity } from '../../../src/tables/google/connection/google-error.ts';
import { stepLink } from '../../../src/tables/google/connection/steps.ts';
import type { Step } from '../../../src/tables/google/connection/steps.ts';
import type { Fault } from '../../../src/tables/google/connection/wire.ts';
import { EMAIL, refusal, SHEET } from './google-support.ts';

const SERVICE: Identity = { kind: 'service_account', email: EMAIL };
const PERSON: Identity = { kind: 'user', email: 'ada@fictional-league.example' };
const NAMELESS: Identity = { kind: 'user', email: undefined };
const MACHINE: Identity = { kind: 'ambient', email: undefined };

const root = join(import.meta.dirname, '../../..');
const guide = readFileSync(join(root, 'docs/connect-google-sheets.md'), 'utf8');
/** The anchors that GitHub gives the headings of the guide. */
const anchors = guide
  .split('\n')
  .filter((line) => line.startsWith('#'))
  .map((line) => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'));

const asked = (access: Asked['access'] = 'read', who = SERVICE): Asked => ({
  who,
  spreadsheetId: SHEET,
  access,
});
const answer = (status: number, body: object | string): Fault => ({
  kind: 'answer',
  door: 'sheets',
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfterMs: undefined,
});
const network = (fault: Extract<Fault, { kind: 'network' }>['fault'], sent: boolean): Fault => ({
  kind: 'network',
  door: 'sheets',
  fault,
  sent,
  reason: 'the connection broke (ECONNRESET)',
});
const token = (status: number, body: object | string): Fault => ({ ...answer(status, body), door: 'token' });
const info = (reason: string, metadata: object = {}): object => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata,
});
const denied = (message: string, ...details: object[]): Fault =>
  answer(403, refusal(403, 'PERMISSION_DENIED', message, details));
const bad = (message: string): Fault => answer(400, refusal(400, 'INVALID_ARGUMENT', message));

const NO_RIGHT = 'The caller does not have permission';
const DISABLED = denied(
  'Google Sheets API has not been used in project 123456 before or it is disabled.',
  info('SERVICE_DISABLED', { consumer: 'projects/123456', service: 'sheets.googleapis.com' }),
);
const SCOPE = denied(
  'Request had insufficient authentication scopes.',
  info('ACCESS_TOKEN_SCOPE_INSUFFICIENT'),
);

type Row = readonly [
  what: string,
  fault: Fault,
  asked: Asked,
  code: string,
  exit: number,
  says: readonly string[],
];
const ROWS: readonly Row[] = [
  ['not shared', denied(NO_RIGHT), asked(), 'google.not_shared', 5, [EMAIL, 'as Viewer', SHEET]],
  ['only read', denied(NO_RIGHT), asked('write'), 'google.not_shared', 5, [EMAIL, 'as Editor']],
  [
    'another account',
    denied(NO_RIGHT),
    asked('write', PERSON),
    'google.not_shared',
    5,
    ['ada@fictional-league.example', 'as Editor', 'another account'],
  ],
  [
    'nobody knows who',
    denied(NO_RIGHT),
    asked('read', NAMELESS),
    'google.not_shared',
    5,
    ['logged in', 'Viewer'],
  ],
  ['scope of a login', SCOPE, asked('write', PERSON), 'google.scope', 5, ['writing', 'auth login']],
  ['scope of a machine', SCOPE, asked('read', MACHINE), 'google.scope', 5, ['reading', 'auth/spreadsheets']],
  [
    'API disabled',
    DISABLED,
    asked(),
    'google.api_disabled',
    5,
    ['https://console.cloud.google.com/apis/library/sheets.googleapis.com?project=123456'],
  ],
  [
    '401',
    answer(401, refusal(401, 'UNAUTHENTICATED', 'x')),
    asked('read', PERSON),
    'google.token',
    5,
    ['auth login'],
  ],
  ['404', answer(404, refusal(404, 'NOT_FOUND', 'x')), asked(), 'google.not_found', 4, [SHEET, '/d/']],
  ['no such tab', bad("Unable to parse range: 'Gone'!A1"), asked(), 'google.range', 4, ["'Gone'!A1"]],
  [
    'no such id',
    bad('Invalid requests[0]: No grid with id: 7'),
    asked('write'),
    'google.range',
    4,
    ['id: 7'],
  ],
  [
    'Excel file',
    answer(400, refusal(400, 'FAILED_PRECONDITION', 'This operation is not supported for this document')),
    asked(),
    'google.office_file',
    4,
    ['Save as Google Sheets'],
  ],
  [
    'protected',
    bad('You are trying to edit a protected cell or object.'),
    asked('write'),
    'google.protected',
    5,
    ['protected'],
  ],
  [
    'full',
    bad('This action would increase the number of cells in the workbook above the limit of 10000000 cells.'),
    asked('write'),
    'google.too_many_cells',
    4,
    ['10,000,000'],
  ],
  [
    'another refusal',
    bad('Invalid requests[0]: nonsense'),
    asked('write'),
    'google.refused',
    4,
    ['nonsense'],
  ],
  [
    '429',
    answer(429, refusal(429, 'RESOURCE_EXHAUSTED', 'Quota')),
    asked(),
    'google.throttled',
    8,
    ['60 reads', 'a minute'],
  ],
  ['500', answer(500, refusal(500, 'INTERNAL', 'oops')), asked(), 'google.error', 8, ['500', 'oops']],
  ['503 of a write', answer(503, ''), asked('write'), 'google.error', 8, ['not known']],
  ['a page', answer(502, '<!DOCTYPE html>'), asked(), 'google.html', 8, ['web page']],
  ['a page that says 404', answer(404, '<html>'), asked(), 'google.not_found', 4, []],
  ['half an answer', answer(200, '{"a'), asked('write'), 'google.answer', 8, ['not whole', 'not known']],
  ['a redirect', answer(302, ''), asked(), 'google.redirect', 8, ['302']],
  ['a reset', network('reset', true), asked('write'), 'google.unreachable', 8, ['ECONNRESET', 'not known']],
  ['no connection', network('unreachable', false), asked('write'), 'google.unreachable', 8, ['network']],
  ['no answer', network('timeout', true), asked(), 'google.timeout', 8, []],
  ['no trust', network('certificate', false), asked(), 'google.certificate', 8, ['clock']],
];

const INVALID_GRANT = { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' };
const TOKEN_ROWS: readonly (readonly [string, Fault, Identity, string, number, readonly string[]])[] = [
  ['login ended', token(400, INVALID_GRANT), PERSON, 'google.expired', 5, ['login expired', 'auth login']],
  [
    'key deleted',
    token(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }),
    SERVICE,
    'google.expired',
    5,
    ['Invalid JWT Signature', 'new key'],
  ],
  ['machine', token(400, INVALID_GRANT), MACHINE, 'google.expired', 5, ['gcloud']],
  [
    'clock',
    token(400, {
      error: 'invalid_grant',
      error_description:
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.',
    }),
    SERVICE,
    'google.clock',
    5,
    ['clock'],
  ],
  ['client deleted', token(401, { error: 'deleted_client' }), PERSON, 'google.client', 5, ['deleted_client']],
  ['server down', token(503, 'busy'), SERVICE, 'google.token_server', 8, ['503']],
  ['a page', token(400, '<html>'), SERVICE, 'google.token_server', 8, []],
  ['half an answer', token(200, '{"access'), SERVICE, 'google.token_server', 8, []],
  [
    'no connection',
    { ...network('unreachable', false), door: 'token' },
    SERVICE,
    'google.unreachable',
    8,
    [],
  ],
];

const errors = [
  ...ROWS.map(([what, fault, about, code, exit, says]) => ({
    what,
    error: googleError(fault, about),
    code,
    exit,
    says,
  })),
  ...TOKEN_ROWS.map(([what, fault, who, code, exit, says]) => ({
    what,
    error: tokenError(fault, who),
    code,
    exit,
    says,
  })),
];

const STEPS: Readonly<Record<Step, true>> = {
  api: true,
  key: true,
  login: true,
  ambient: true,
  share: true,
  id: true,
  limits: true,
  network: true,
};

describe('the guide', () => {
  it.each(Object.keys(STEPS) as Step[])('has the section that errors about %s lead to', (step) => {
    expect(anchors).toContain(stepLink(step).split('#')[1]);
  });

  it('has every section that the list of errors leads to, and every code', () => {
    const list = readFileSync(join(root, 'docs/errors.md'), 'utf8');
    const links = [...list.matchAll(/connect-google-sheets\.md#([\w-]+)/g)].map(([, anchor = '']) => anchor);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
    const codes = [...list.matchAll(/`(google\.[a-z_]+)`/g)].map(([, code = '']) => code);
    const inside = ['google.not_configured', 'google.unexpected'];
    expect(codes.filter((code) => !guide.includes(`\`${code}\``) && !inside.includes(code))).toEqual([]);
  });
});

describe('what Google says, in words of people', () => {
  it.each(errors)('$what is $code', ({ error, code, exit, says }) => {
    expect(error).toMatchObject({ code, exitCode: exit });
    const told = `${error.message}\n${error.next ?? ''}`;
    expect(says.filter((text) => !told.includes(text))).toEqual([]);
  });

  it.each(errors)('$what leads to a section of the guide', ({ error }) => {
    const [, anchor = ''] = /docs\/connect-google-sheets\.md#(\S+)$/.exec(error.next ?? '') ?? [];
    expect(anchors).toContain(anchor);
  });

  it('reads leave no doubt, and neither do writes that were never sent', () => {
    for (const error of [
      googleError(network('reset', true), asked('read')),
      googleError(network('unreachable', false), asked('write')),
      tokenError({ ...network('reset', true), door: 'token' }, SERVICE),
    ])
      expect(error.message).not.toContain('not known');
  });

  it('quotes a long text of Google in part, in one line', () => {
    const { message } = googleError(bad(`line\n${'x'.repeat(10_000)}`), asked());
    expect(message.length).toBeLessThan(500);
    expect(message).not.toContain('\n');
  });

  it.each(['', 'null', '[]', '{"error":null}', '{"error":{"details":[null,1],"message":{}}}'])(
    'makes something of %s',
    (text) => {
      for (const status of [400, 401, 403, 404, 418, 429, 500])
        expect(googleError(answer(status, text), asked()).code).toMatch(/^google\./);
    },
  );
});
