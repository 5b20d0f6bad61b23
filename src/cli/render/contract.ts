import { renderCount } from '../../model/count.ts';
import { TOPIC_NAMES, TOPICS } from '../../model/state/learnt.ts';
import type { Learnt, SeenValue, TopicName } from '../../model/state/learnt.ts';
import type { Spelling } from '../../model/state/spelling.ts';
import type { Contract } from '../contract.ts';
import type { Style } from '../screen.ts';
import { renderColumns, safeText } from './text.ts';
import { renderTime } from '../../model/time/render-time.ts';

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

/** The texts of keys that a service may keep otherwise than they were sent. */
const KEY_TEXTS = [
  { what: 'an external_id kept in another spelling than it was sent', of: ['users'] },
  {
    what: 'a name kept in another spelling than it was sent',
    of: ['fantasy_leagues', 'mini_leagues', 'squads'],
  },
];

const notSeen = ({ learnt, spellings }: Contract): readonly string[] => [
  ...UNKNOWNS.filter(({ isSeen }) => !learnt.some(isSeen)).map(({ what }) => what),
  ...KEY_TEXTS.filter(({ of }) => !spellings.some(({ resource }) => of.includes(resource))).map(
    ({ what }) => what,
  ),
];

const GROUPS = [...new Set(Object.values(TOPICS).map(({ group }) => group))];

/** By topic, then subject. */
function inOrder(learnt: readonly Learnt[]): readonly Learnt[] {
  const place = ({ topic }: Learnt): number => TOPIC_NAMES.indexOf(topic);
  return learnt.toSorted((a, b) => place(a) - place(b) || (a.subject < b.subject ? -1 : 1));
}

type Line = readonly string[];

/** How dates are shown: on the first day and on the last. */
type Days = (seen: readonly Pick<SeenValue, 'firstAtMs' | 'lastAtMs'>[]) => string;

function daysIn(timezone: string, style: Style): Days {
  const day = (ms: number): string => renderTime(ms, timezone).slice(0, 10);
  return (seen) => {
    const first = day(Math.min(...seen.map(({ firstAtMs }) => firstAtMs)));
    const last = day(Math.max(...seen.map(({ lastAtMs }) => lastAtMs)));
    return style('dim', first === last ? first : `${first} to ${last}`);
  };
}

/** One line for each value, so that each has its dates. */
function linesOf({ topic, subject, values, more }: Learnt, days: Days): readonly Line[] {
  const { about } = TOPICS[topic];
  return [
    ...values.map((seen, index) => [
      ...(index === 0 ? [safeText(subject), about] : ['', '']),
      ...[safeText(seen.value), `${renderCount(seen.times)}×`, days([seen])],
    ]),
    ...(more ? [['', '', '… and more', '', '']] : []),
  ];
}

/** What a service does not tell apart in keys. */
function spellingText({ case: isCase, width, blanks, cut }: Spelling): string {
  return [
    ...(isCase === true ? ['upper and lower case'] : []),
    ...(width === true ? ['wide and narrow forms'] : []),
    ...(blanks === true ? ['blanks around'] : []),
    ...(cut === undefined ? [] : [`all after ${renderCount(cut)} characters`]),
  ].join(', ');
}

/** One line for all values: a field and its words. */
function wordsOf({ subject, values, more }: Learnt, days: Days): string {
  const words = [...values.map(({ value }) => safeText(value)), ...(more ? ['…'] : [])];
  return `${safeText(subject)}: ${words.join(', ')}  ${days(values)}`;
}

/** One line for all fields of an operation that differ in the same way. */
function differencesOf(learnt: readonly Learnt[], days: Days): readonly string[] {
  const found = new Map<string, { readonly paths: string[]; readonly seen: SeenValue[] }>();
  for (const { subject, values } of learnt) {
    const [operation = '', path = 'data'] = subject.split(' ');
    for (const seen of values) {
      const title = `${operation}, ${seen.value}`;
      const group = found.get(title) ?? { paths: [], seen: [] };
      found.set(title, { paths: [...group.paths, path], seen: [...group.seen, seen] });
    }
  }
  return [...found].map(
    ([title, { paths, seen }]) => `${safeText(title)}: ${safeText(paths.join(', '))}  ${days(seen)}`,
  );
}

function sectionOf(group: string, contract: Contract, days: Days): string {
  const learnt = inOrder(contract.learnt).filter(({ topic }) => TOPICS[topic].group === group);
  const of = (topic: TopicName): readonly Learnt[] => learnt.filter((each) => each.topic === topic);
  const joined: ReadonlySet<TopicName> = new Set(['field', 'extra_field', 'value']);
  const [limits, spellings] = group === 'Writing' ? [contract.limits, contract.spellings] : [[], []];
  const lines = [
    ...learnt.filter(({ topic }) => !joined.has(topic)).flatMap((each) => linesOf(each, days)),
    ...limits.map(({ resource, rows, atMs }) => [
      ...[safeText(resource), 'rows in one request from now on', renderCount(rows), ''],
      days([{ firstAtMs: atMs, lastAtMs: atMs }]),
    ]),
    ...spellings.map(({ resource, spelling, atMs }) => [
      ...[safeText(resource), 'not told apart in keys', spellingText(spelling), ''],
      days([{ firstAtMs: atMs, lastAtMs: atMs }]),
    ]),
  ];
  return [
    ...(lines.length > 0 ? [renderColumns(lines, [false, false, false, true])] : []),
    ...differencesOf(of('field'), days),
    ...of('extra_field').map((each) =>
      wordsOf({ ...each, subject: `${each.subject}, not of the interface` }, days),
    ),
    ...of('value').map((each) => wordsOf(each, days)),
  ].join('\n');
}

/** What was learnt about the service, in sections, with how often and on which days it was seen; last what was not seen yet. */
export function renderContract(contract: Contract, style: Style): string {
  const { account, timezone } = contract;
  const days = daysIn(timezone, style);
  const missing = notSeen(contract);
  const whose =
    account.accountId === '' ? 'an account that could not be read' : `account ${account.accountId}`;
  const title = `${style('bold', `Learnt about ${safeText(account.baseUrl)}`)}, ${safeText(whose)}`;
  const sections = [
    ...GROUPS.map((group) => [group, sectionOf(group, contract, days)] as const),
    ['Not seen yet', missing.join('\n')] as const,
  ].filter(([, text]) => text !== '');
  return [`\n${title}`, ...sections.map(([name, text]) => `${style('bold', name)}\n${indent(text)}`)].join(
    '\n\n',
  );
}

const indent = (text: string): string => text.replace(/^/gm, '  ');

/** The same for `--json`. */
export function contractDocument(contract: Contract): object {
  const { account, learnt, limits, spellings } = contract;
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
    spellings: spellings.map(({ resource, spelling, atMs }) => ({
      resource,
      case: spelling.case ?? false,
      width: spelling.width ?? false,
      blanks: spelling.blanks ?? false,
      cut: spelling.cut ?? null,
      at: iso(atMs),
    })),
    not_seen_yet: notSeen(contract),
  };
}
