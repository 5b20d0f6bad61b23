import type { Fault } from './call.ts';

const refused = (status: number, more: object = {}): Fault => ({
  status,
  body: { error: { code: status, status: 'NO', message: 'no' } },
  ...more,
});
/** What a call to Google may meet in place of its answer; after some of them it was carried out. */
export const FAULTS: readonly Fault[] = [
  refused(401),
  refused(403),
  refused(429),
  refused(500),
  refused(503, { after: true }),
  { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } },
  { status: 200, body: '{"repl', after: true },
  'reset',
  'reset-after',
];
