import { TOPIC_NAMES, TOPICS } from '../../model/learnt.ts';
import type { Learnt, SeenValue, TopicName } from '../../model/learnt.ts';
import type { Contract } from '../contract.ts';
import type { Style } from '../screen.ts';
import { renderColumns, renderCount, renderTime, safeText } from './text.ts';

interface Unknown {
  readonly what: string;
  readonly isSeen: (learnt: Learnt) => boolean;
}

const seenIn =
  (topic: TopicName, value: RegExp = /(?:)/, subject: RegExp = /(?:)/) =>
  (learnt: Learnt): boolean =>
    learnt.topic === topic &&
    subject.test(learnt.subject) &&
    learnt.values.some((seen) => value.test(seen.value));

const valuesOf = (field: string, subject: string): Unknown => ({
  what: `the values of ${field}`,
  isSeen: (learnt) => learnt.topic === 'value' && learnt.subject === subject,
});

/** What the interface does not show and a season depends on (sections 2.15 and 4 of the service's interface). */
const UNKNOWNS: readonly Unknown[] = [
  {
    what: 'how many records a full page of users holds',
    isSeen: seenIn('page_size', undefined, /^list-users$/),
  },
  {
    what: 'whether GET /user takes page',
    isSeen: seenIn('page', /^(?:honoured|ignored|refused)/, /^list-users$/),
  },
  { what: 'what a page past the end is', isSeen: seenIn('past_end') },
  { what: 'what the fields of paging mean', isSeen: seenIn('paging') },
  { what: 'whether the account call takes a request', isSeen: seenIn('account_call', /^(?:takes|is free)/) },
  { what: 'whether the rate windows are fixed or sliding', isSeen: seenIn('window_kind') },
  { what: 'how long a 429 asks to wait', isSeen: seenIn('retry_after') },
  {
    what: 'the status of a successful POST',
    isSeen: seenIn('status', undefined, /^(?:create|upload|set|trigger)-/),
  },
  { what: 'the status and the body of a refusal', isSeen: seenIn('refusal') },
  {
    what: 'how many rows POST /user takes at once',
    isSeen: seenIn('batch_refused', undefined, /^create-users$/),
  },
  {
    what: 'how many prices POST /price takes at once',
    isSeen: seenIn('batch_refused', undefined, /^upload-prices$/),
  },
  { what: 'what a repeated external_id does', isSeen: seenIn('repeated_key') },
  { what: 'which {id} GET /points/config takes', isSeen: seenIn('points_config_id') },
  valuesOf('tier', 'account tier'),
  valuesOf('state of a quota', 'account state'),
  valuesOf('window', 'account window'),
  valuesOf('rank_system', 'mini-league rank_system'),
  valuesOf('style', 'mini-league style'),
  valuesOf('type of a mini league that are taken', 'mini-league type, as sent'),
  valuesOf('status of a fixture', 'fixtures status'),
  valuesOf('result', 'player result'),
  valuesOf('txn_type of a price', 'price txn_type'),
  valuesOf('type of a price that are taken', 'price type, as sent'),
  valuesOf('txn_type of a substitution', 'auto-substitution txn_type'),
  valuesOf('action', 'auto-substitution action'),
  {
    what: 'the values of chip',
    isSeen: ({ topic, subject }) => topic === 'value' && /^(?:squad|lineup) chip$/.test(subject),
  },
];

const notSeen = ({ learnt }: Contract): readonly string[] =>
  UNKNOWNS.filter(({ isSeen }) => !learnt.some(isSeen)).map(({ what }) => what);

const GROUPS = [...new Set(Object.values(TOPICS).map(({ group }) => group))];

/** By group, then topic, then subject. */
function inOrder(learnt: readonly Learnt[]): readonly Learnt[] {
  return TOPIC_NAMES.flatMap((topic) =>
    learnt
      .filter((each) => each.topic === topic)
      .toSorted((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0)),
  );
}

/** What was learnt about the service, in sections, each value with how often and on which days it was seen; last what was not seen yet. */
export function renderContract(contract: Contract, style: Style): string {
  const { account, learnt, limits, timezone } = contract;
  const day = (ms: number): string => renderTime(ms, timezone).slice(0, 10);
  const dates = ({ firstAtMs, lastAtMs }: Pick<SeenValue, 'firstAtMs' | 'lastAtMs'>): string => {
    const [first, last] = [day(firstAtMs), day(lastAtMs)];
    return first === last ? first : `${first} to ${last}`;
  };
  const ordered = inOrder(learnt);
  const sections = GROUPS.map((group) => {
    const lines = ordered
      .filter(({ topic }) => TOPICS[topic].group === group)
      .flatMap(({ topic, subject, values, more }) => [
        ...values.map((seen) => [
          ...[safeText(subject), TOPICS[topic].about, safeText(seen.value)],
          ...[`${renderCount(seen.times)}×`, style('dim', dates(seen))],
        ]),
        ...(more ? [[safeText(subject), TOPICS[topic].about, '… and more', '', '']] : []),
      ]);
    const shrunk =
      group === 'Writing'
        ? limits.map(({ resource, rows, atMs }) => [
            ...[resource, 'rows in one request from now on', renderCount(rows), '', style('dim', day(atMs))],
          ])
        : [];
    return [group, [...lines, ...shrunk]] as const;
  });
  const missing = notSeen(contract);
  const whose =
    account.accountId === '' ? 'an account that could not be read' : `account ${account.accountId}`;
  return [
    `\n${style('bold', `Learnt about ${safeText(account.baseUrl)}`)} ${style('dim', `for ${safeText(whose)}, from answers to other questions`)}`,
    ...sections
      .filter(([, lines]) => lines.length > 0)
      .map(
        ([group, lines]) =>
          `${style('bold', group)}\n${indent(renderColumns(lines, [false, false, false, true]))}`,
      ),
    ...(missing.length > 0 ? [`${style('bold', 'Not seen yet')}\n${indent(missing.join('\n'))}`] : []),
  ].join('\n\n');
}

const indent = (text: string): string => text.replace(/^/gm, '  ');

/** The same for `--json`. */
export function contractDocument(contract: Contract): object {
  const { account, learnt, limits } = contract;
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    account: { base_url: account.baseUrl, id: account.accountId === '' ? null : account.accountId },
    learnt: inOrder(learnt).map(({ topic, subject, values, more }) => ({
      topic,
      subject,
      about: TOPICS[topic].about,
      values: values.map(({ value, times, firstAtMs, lastAtMs }) => ({
        ...{ value, times, first_at: iso(firstAtMs), last_at: iso(lastAtMs) },
      })),
      more,
    })),
    batch_limits: limits.map(({ resource, rows, atMs }) => ({ resource, rows, at: iso(atMs) })),
    not_seen_yet: notSeen(contract),
  };
}
