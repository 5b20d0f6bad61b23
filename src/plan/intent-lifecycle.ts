import type { IntentResult, StoredIntent } from '../model/state/store.ts';

/** Where the intent of a write stands: sent, in doubt, or closed with what came of it. */
export type IntentState = 'sent' | IntentResult;

/** One thing that may happen to an intent. `when` is a sentence of docs/lifecycle.md. */
interface IntentMove {
  readonly from: readonly IntentState[];
  readonly to: IntentResult;
  readonly when: string;
}

const OPEN: readonly IntentState[] = ['sent', 'ambiguous'];

/** Whether nobody knows yet what became of a write. */
export const isOpenIntent = ({ result }: Pick<StoredIntent, 'result'>): boolean =>
  OPEN.includes(result ?? 'sent');

/** Whether a write may have been applied. */
export const isMaybeApplied = ({ result }: Pick<StoredIntent, 'result'>): boolean =>
  result !== 'refused' && result !== 'not_applied';

/** All that may happen to an intent, in the order of a run. A closed intent stays as it is: the state refuses another result. */
export const INTENT_MOVES = {
  'not-sent': { from: ['sent'], to: 'not_applied', when: 'The request surely never reached the service.' },
  answered: { from: ['sent'], to: 'applied', when: 'The answer shows every row of the request.' },
  refused: {
    from: OPEN,
    to: 'refused',
    when: 'The service refused the request, and surely applied no part of it.',
  },
  doubted: {
    from: OPEN,
    to: 'ambiguous',
    when: 'No answer can be trusted for every row: a part may be applied.',
  },
  shown: { from: OPEN, to: 'applied', when: 'Reading back shows the records of its rows.' },
  absent: { from: OPEN, to: 'not_applied', when: 'Reading back shows that nothing of it was applied.' },
  'assumed-applied': { from: OPEN, to: 'applied', when: 'The operator says that it was applied.' },
  'assumed-not-applied': {
    from: OPEN,
    to: 'not_applied',
    when: 'The operator says that it was not applied.',
  },
  repeated: { from: OPEN, to: 'applied', when: 'The same change was sent again later and was answered.' },
} as const satisfies Record<string, IntentMove>;

/** What happened to an intent. */
export type IntentEvent = keyof typeof INTENT_MOVES;

/** What an intent comes to by what happened to it. */
export const intentAfter = <Event extends IntentEvent>(event: Event): (typeof INTENT_MOVES)[Event]['to'] =>
  INTENT_MOVES[event].to;
