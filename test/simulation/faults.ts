import type { Dice } from './dice.ts';

/** What may become of one request on its way there, at the service, or on its way back. */
export const FAULTS = [
  'unreachable',
  'lost_before',
  'lost_after',
  'late',
  'late_and_silent',
  'hang_before',
  'hang_after',
  'html_before',
  'html_after',
  'cut',
  'empty',
  'redirect',
  'throttled',
  'conflict_before',
  'conflict_after',
  'timeout_status',
  'lies_well',
  'lies_badly',
  'unavailable',
  'unauthorised',
  'wrong_data',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What the service does with a request that meets a fault. */
type Done = 'nothing' | 'at_once' | 'late';

/** What comes back. */
type Back =
  | { readonly kind: 'answer' }
  | { readonly kind: 'never' }
  | { readonly kind: 'error'; readonly fault: 'refused' | 'reset' }
  | { readonly kind: 'cut' }
  | {
      readonly kind: 'says';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

export interface FaultEffect {
  readonly done: Done;
  readonly back: Back;
}

const envelope = (statusCode: number, message: string, data: unknown = null): string =>
  JSON.stringify({ statusCode, message, data });
const says = (status: number, body: string, headers?: Readonly<Record<string, string>>): Back => ({
  kind: 'says',
  status,
  body,
  ...(headers !== undefined && { headers }),
});
const HTML = '<html><body>Bad gateway</body></html>';

const RETRY_AFTER = ['', '0', '-5', '3', '20', 'soon', 'Thu, 01 Jan 1970 00:00:00 GMT'] as const;

/** What a fault means, with what is left to chance in it. A read does nothing whenever it is done. */
export function faultEffect(fault: Fault, dice: Dice): FaultEffect {
  switch (fault) {
    case 'unreachable':
      return { done: 'nothing', back: { kind: 'error', fault: 'refused' } };
    case 'lost_before':
      return { done: 'nothing', back: { kind: 'error', fault: 'reset' } };
    case 'lost_after':
      return { done: 'at_once', back: { kind: 'error', fault: 'reset' } };
    case 'late':
      return { done: 'late', back: { kind: 'error', fault: 'reset' } };
    case 'late_and_silent':
      return { done: 'late', back: { kind: 'never' } };
    case 'hang_before':
      return { done: 'nothing', back: { kind: 'never' } };
    case 'hang_after':
      return { done: 'at_once', back: { kind: 'never' } };
    case 'html_before':
      return { done: 'nothing', back: says(502, HTML) };
    case 'html_after':
      return { done: 'at_once', back: says(dice.pick([500, 502, 200]), HTML) };
    case 'cut':
      return { done: 'at_once', back: { kind: 'cut' } };
    case 'empty':
      return { done: dice.pick(['at_once', 'nothing']), back: says(dice.pick([200, 204]), '') };
    case 'redirect':
      return { done: 'nothing', back: says(302, '', { location: 'https://elsewhere.example/' }) };
    case 'throttled': {
      const hint = dice.pick(RETRY_AFTER);
      const body = dice.chance(0.5) ? envelope(429, 'slow down') : 'slow down';
      return { done: 'nothing', back: says(429, body, hint === '' ? undefined : { 'retry-after': hint }) };
    }
    case 'conflict_before':
      return { done: 'nothing', back: says(409, envelope(409, 'busy')) };
    case 'conflict_after':
      return { done: 'at_once', back: says(409, envelope(409, 'it exists')) };
    case 'timeout_status':
      return { done: dice.pick(['at_once', 'nothing']), back: says(408, envelope(408, 'too slow')) };
    case 'lies_well':
      return { done: dice.pick(['at_once', 'nothing']), back: says(200, envelope(500, 'not so well')) };
    case 'lies_badly':
      return { done: 'at_once', back: says(500, envelope(201, 'done')) };
    case 'unavailable':
      return { done: dice.pick(['at_once', 'nothing']), back: says(503, envelope(503, 'later')) };
    case 'unauthorised':
      return { done: 'nothing', back: says(401, envelope(401, 'the key is not known')) };
    case 'wrong_data':
      return { done: 'at_once', back: says(201, envelope(201, 'done', dice.pick(['OK', {}, null]))) };
  }
}
