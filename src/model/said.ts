import type { FieldValue } from './tables/cell.ts';
import { renderCountOf } from './count.ts';
import type { TeamsheetError } from './error.ts';
import { renderIssues, type Issue } from './issue.ts';

/** What a part says of another thing that was said. */
interface Because {
  readonly reason: Words;
}
interface OfRun {
  readonly run: string;
}
interface OfMapping {
  readonly mapping: string;
}
interface OtherValue {
  readonly field: string;
  readonly wanted: FieldValue;
  /** Null where the service shows only that it is another value. */
  readonly held: FieldValue | null;
}

const shown = (value: FieldValue | undefined): string =>
  value === undefined ? 'another value' : JSON.stringify(value);

const byWord = (at: string): string => `as the operator said at ${at}`;

/** What can be said of a row, of a write and of what is open, by its code. Codes and values are stored: a code that was ever used keeps its meaning. */
const SAID = {
  /** Words of an older version, and of others: the service, Google, the disk. */
  text: ({ text }: { readonly text: string }): string => text,
  /** What is wrong with a row in its source. Issues that stand side by side are rendered together. */
  issue: ({ issue }: { readonly issue: Issue }): string => renderIssues([issue]),
  /** What ended the run; `stop` is the code of its error. */
  stop: ({ message }: { readonly stop: string; readonly message: string }): string => message,

  'duplicate-same': ({ row }: { readonly row: number }): string => `unchanged (duplicate of row ${row})`,
  'compared-unknown': ({ key }: { readonly key: string }): string =>
    `"${key}" is not known to the service: update changes existing records only; use upsert to create it`,
  'compared-several': ({ key, what, ids }: SeveralRecords): string =>
    `the service has ${ids.length} ${what} for "${key}": ${ids.join(' and ')}`,
  'compared-unseen': ({ fields }: { readonly fields: readonly string[] }): string =>
    `the record exists; its ${fields.join(', ')} could not be compared, because the service does not list that`,
  'compared-other': ({ key, fields, canChange }: OtherRecord): string =>
    `"${key}" exists with other values (${fields.map(({ name, held, wanted }) => `${name} is ${shown(held)}, not ${shown(wanted)}`).join(', ')}): create does not change it${canChange ? '; use upsert to change it' : '; the service can neither change nor delete it: write the old values into the row, or another name'}`,
  'compared-kept': ({ fields }: { readonly fields: readonly string[] }): string =>
    `the service keeps ${fields.join(', ')} otherwise than the row says, also after it was sent, so that it is not sent again: write it as the service keeps it, or let the mapping do so with transform`,
  'compared-shown-as': ({ key, own, fields }: ShownAs): string =>
    `the list shows the key ${JSON.stringify(key)} for the record that was confirmed as ${JSON.stringify(own)}, with another ${fields.join(', ')}: put the row ${JSON.stringify(own)} back beside it, or give it the values of that record`,
  'user-nameless': (): string => 'a new user needs a display_name: fill it in',
  'key-zeros-lost': ({ key, full }: { readonly key: string; readonly full: string }): string =>
    `key "${key}" looks like ${full} with its zeros lost: format the column as plain text, or add --allow-key-shape`,
  'key-is-there': ({ text, wasSent }: { readonly text?: string; readonly wasSent?: true }): string =>
    `not sent${wasSent === true ? ' again' : ''}: the service has this record already${text === undefined ? '' : ` as ${JSON.stringify(text)}`}; the next push compares it`,
  'list-unread': ({ what }: { readonly what: string }): string =>
    `the list of the service could not be read, so nobody knows whether this ${what} exists`,
  'quota-no-room': (): string => "the account's quota has no room for this row now",
  'quota-full': ({ feature, run }: OfRun & { readonly feature: string }): string =>
    `the account's quota of ${feature.replaceAll('_', ' ')} is full; after it is raised, teamsheet resume ${run} sends it`,

  'row-edited': (): string =>
    'stale: the row was edited in the sheet after the plan; the next push reads it again',
  'row-as-it-should-be': (): string => 'the record is now as the row says',
  'not-sent': ({ reason }: Because): string => `not sent: ${renderSaid(reason)}`,
  'not-sent-again': ({ reason }: Because): string => `not sent again: ${renderSaid(reason)}`,
  'change-unsendable': ({ id, reason }: { readonly id: string; readonly reason: string }): string =>
    `the service gives it the id ${JSON.stringify(id)}, by which it cannot be changed: ${reason}; ask your provider`,
  'not-sent-no-id': (): string =>
    'not sent: you said that the record exists, but its id is not known, and a change needs the id; push again with --compare live when the service can be listed',
  'waits-gone': ({ name }: { readonly name: string }): string =>
    `waits for ${name}, which is no longer there`,
  'waits-for': ({ name, outcome }: { readonly name: string; readonly outcome: string | null }): string =>
    `not sent: it waits for ${name}, which is ${outcome ?? 'not sent'}`,
  'waits-value': ({ name, take }: { readonly name: string; readonly take: string }): string =>
    `not sent: the service did not give the ${take} of ${name}`,
  'sibling-unanswered': ({ mapping }: OfMapping): string =>
    `${mapping} sent the same key in this run, and no trustworthy answer came`,
  'sibling-makes': ({ mapping }: OfMapping): string =>
    `${mapping} has the same row and writes it in this run`,
  'sibling-unwritten': ({ mapping }: OfMapping): string =>
    `${mapping} has the same row, which was not written`,
  'sibling-other': ({ fields }: { readonly fields: readonly string[] }): string =>
    `another mapping of this run has the same key with another ${fields.join(', ')}: keep it in one of the tables only; ${READ_AGAIN}`,

  'run-ended': (): string => 'the run ended first',
  'run-unrecorded': (): string => 'the run ended before an answer was recorded',
  'run-read-since': ({ run }: OfRun): string => `run ${run} has read its table since; ${READ_AGAIN}`,
  'run-created-later': ({ run }: OfRun): string => `a later run (${run}) created the record`,
  'limit-unread': (): string =>
    'with --limit it may stand in a row that was not read; a push without --limit reads it',
  'limit-leaves': ({ run }: OfRun): string => `--limit leaves it to teamsheet resume ${run}`,
  'resume-looks': ({ run }: OfRun): string => `teamsheet resume ${run} looks for it`,
  'resume-sends': ({ run }: OfRun): string => `teamsheet resume ${run} sends it`,
  'resume-sends-again': ({ run }: OfRun): string => `teamsheet resume ${run} sends it again`,
  'resume-does': ({ run }: OfRun): string => `teamsheet resume ${run} does it`,

  refused: ({ status, message }: { readonly status: number; readonly message: string }): string =>
    `the service refused it (${status}): ${message}`,
  /** Refused in other words than the envelope: only reading back shows that nothing was applied. Of a batch they are those of the row with the `key`, where there is one. */
  'refused-doubtful': ({ reason, held }: DoubtfulRefusal): string =>
    `the service refused it: ${reason}${held === undefined ? '' : `; it has ${JSON.stringify(held)}, and may take it for the same key`}`,
  'refused-in-part': ({ reason }: Because): string =>
    `${renderSaid(reason)}, and some rows of its request may have been applied`,
  'answer-seen': ({ reason }: { readonly reason: string }): string => reason,
  /** `others`: it has records that are none of the rows, and may be theirs under other keys. */
  'answer-unnamed': ({ what }: { readonly what: string; readonly others?: true }): string =>
    `the answer does not name this ${what}`,
  'answer-none': ({ reason }: Partial<Because>): string =>
    `no trustworthy answer${reason === undefined ? '' : ` (${renderSaid(reason)})`}`,
  'answer-without-user': ({ what = 'user' }: { readonly what?: string }): string =>
    `no trustworthy answer (the answer does not name this ${what})`,
  'answer-several': ({ key, count }: { readonly key: string; readonly count: number }): string =>
    `the service answered with ${count} users for "${key}"`,
  'answer-kept-as': ({ text }: { readonly text: string }): string => `kept as ${text}`,
  'answer-again': (): string => 'the same change was sent again, and its answer came',
  'sent-unanswered': ({ run }: OfRun): string =>
    `an earlier write of this row (run ${run}) has no trustworthy answer; the row is not sent before that is resolved`,
  'sender-silent': ({ holder }: { readonly holder: string }): string =>
    `${holder} recorded this write, went silent and may still send it: start teamsheet there again, or when that process has ended decide with teamsheet resolve`,
  'sent-not-shown': (): string => `sent without a trustworthy answer, and ${NOT_SHOWN}`,
  'sent-spent': ({ times, isProved, reason }: Spent): string =>
    `sent ${times} times${isProved ? ' and never applied' : ` without a trustworthy answer, and ${NOT_SHOWN}`} (the last answer: ${renderSaid(reason)})`,
  'sent-not-applied': (): string => `sent, but ${PROVED_ABSENT}`,
  'sent-not-read-back': (): string =>
    'sent, but no trustworthy answer came, and it cannot be read back; it is not sent again',
  'flag-not-set': ({ reason }: Because): string =>
    `created, but its active flag was not set: ${renderSaid(reason)}`,
  'flag-not-set-yet': ({ reason }: Partial<Because>): string =>
    `created, but its active flag was not set yet${reason === undefined ? '' : `: ${renderSaid(reason)}`}`,
  'flag-unknown': (): string =>
    'created, but nobody knows whether its active flag is as the row says: the next push compares it',

  'held-missing': (): string => 'the service has no such record',
  'held-unreadable': ({ reason }: { readonly reason: string }): string => `it cannot be read back: ${reason}`,
  'held-as-row': (): string => 'the service now has one record, as the row says',
  'held-other': ({ field, held, wanted }: OtherValue): string =>
    `the service has ${held === null ? `another ${field}` : `${field} ${JSON.stringify(held)}`}, not ${JSON.stringify(wanted)}`,
  'held-still-other': ({ fields }: { readonly fields: readonly string[] }): string =>
    `the service still has another value of ${fields.join(', ')}`,
  'held-changed-since': ({ done, fields }: ChangedSince): string =>
    `${done}, and changed later: the service now has another ${fields.join(', ')}`,

  'read-back-found': (): string => 'found by reading back',
  'read-back-found-some': ({ found, of }: { readonly found: number; readonly of: number }): string =>
    `${found} of ${of} rows were found by reading back, the others were not applied`,
  /** Decided by what reading back showed or did not show. */
  'read-back-settled': (): string => 'decided by reading back',
  /** Of a create: it may have been taken for a record that was there, and that nothing else of its run changed. */
  'read-back-changed': (): string =>
    'a record that was there before, and that may be the one of a row, was changed since',
  'read-back-absent': (): string => PROVED_ABSENT,
  'read-back-not-shown': (): string => NOT_SHOWN,
  'read-back-rows-lost': (): string =>
    'the rows of this write are lost: the records that were found are remembered, and the next push sends the others',
  'read-back-conflict': ({ reason }: Because): string => `in conflict: ${renderSaid(reason)}`,
  'read-back-strange': (): string =>
    'the list has new records with keys that were not sent; they may be these rows',
  'read-back-no-evidence': (): string =>
    'what the service had before the write could not be read, so nobody can tell whether it was applied',
  'prices-not-logged': (): string =>
    'the upload log does not show it; the price may be a delta, so it is not sent again',
  'prices-more': ({ more }: { readonly more: number }): string =>
    more < 0
      ? `the upload log lacks ${renderCountOf(-more, 'record')} that it showed before or that were confirmed, so it does not show all uploads`
      : `the upload log has ${renderCountOf(more, 'record')} more than before, and no upload of just these players`,
  'prices-other': ({ player }: { readonly player: string }): string =>
    `the upload log has one of just these players, but the service shows another price of player ${player}: somebody else may have uploaded it, the price may be a delta, or it was changed later`,
  'fantasy-leagues-not-counted': (): string =>
    'the account counts no more fantasy leagues than before, but its counter may be late',
  'fantasy-leagues-counted': ({ intents }: { readonly intents: readonly string[] }): string =>
    `the account counts ${intents.length} more than before, so it seems to exist, but nothing shows its id: ask the provider for it, then type ${intents.map((id) => `teamsheet resolve ${id} --assume applied`).join(' and ')}`,
  'fantasy-leagues-more': ({ more, open }: { readonly more: number; readonly open: number }): string =>
    `the account counts ${more} more fantasy leagues than before, and ${open} had no answer: ask the provider which exist`,
  'points-config-unread': (): string => 'the points configuration of the league could not be read',
  'points-config-other': (): string =>
    'the league has another points configuration; it is not sent again, because it may add a second one',
  'substitutions-none': (): string =>
    'the log of the league shows no new substitution, but a game week without substitutions leaves none; --again sends the trigger again',
  'substitutions-of-another': (): string =>
    'the log has new substitutions; they may belong to another trigger of the league',
  'substitutions-late': (): string =>
    'the log of the league has new substitutions, but they came after settle had passed: they may be late, or somebody else made them',

  'word-assumed': ({ assume, at }: ByWord): string => `${assume}, ${byWord(at)}`,
  'word-taken': ({ assume, at }: ByWord): string =>
    `taken as ${assume === 'applied' ? 'applied' : 'not applied'}, ${byWord(at)}`,
  'word-left': ({ reason, at }: Because & { readonly at: string }): string =>
    `left as the service has it (${renderSaid(reason)}), ${byWord(at)}`,
  'word-sent-again': ({ at }: { readonly at: string }): string =>
    `to be compared and sent again, ${byWord(at)}`,
  'word-wanted': (): string => 'only you can say whether it was applied',
} satisfies Readonly<Record<string, (values: never) => string>>;

const READ_AGAIN = 'the next push reads the row again';
const NOT_SHOWN = 'nothing shows that it was applied';
const PROVED_ABSENT = 'reading back showed that it was not applied';

interface SeveralRecords {
  readonly key: string;
  readonly what: string;
  readonly ids: readonly string[];
}
interface OtherRecord {
  readonly key: string;
  readonly fields: readonly {
    readonly name: string;
    readonly held?: FieldValue;
    readonly wanted?: FieldValue;
  }[];
  /** Only users can be changed. */
  readonly canChange: boolean;
}
interface ShownAs {
  readonly key: string;
  /** The key that it was confirmed under. */
  readonly own: string;
  readonly fields: readonly string[];
}
interface DoubtfulRefusal {
  readonly reason: string;
  readonly held?: string;
  readonly key?: string;
}
interface Spent extends Because {
  readonly times: number;
  /** Only of what a list shows for good is it known that it was never applied. */
  readonly isProved: boolean;
}
interface ChangedSince {
  readonly done: 'created' | 'updated';
  readonly fields: readonly string[];
}
interface ByWord {
  readonly assume: 'applied' | 'not-applied';
  readonly at: string;
}

type Table = typeof SAID;
type ValuesOf<Code extends keyof Table> = Parameters<Table[Code]> extends [infer Values] ? Values : unknown;

/** One thing that is said, by its code and values: what decides reads these, and only what a person reads is rendered. */
export type Said = { readonly [Code in keyof Table]: { readonly code: Code } & ValuesOf<Code> }[keyof Table];

/** What is said of one thing, part by part; nothing where there are none. */
export type Words = readonly Said[];

const render = (said: Said): string => (SAID[said.code] as (values: Said) => string)(said);

/** `a; b`: the words as people read them. */
export function renderSaid(words: Words): string {
  const parts: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const side: Issue[] = [];
    for (let part = words[at]; part?.code === 'issue'; at += 1, part = words[at]) side.push(part.issue);
    if (side.length > 0) parts.push(renderIssues(side));
    const part = words[at];
    if (part !== undefined) parts.push(render(part));
  }
  return parts.join('; ');
}

/** The issues among the words. */
export const issuesAmong = (words: Words): readonly Issue[] =>
  words.flatMap((part) => (part.code === 'issue' ? [part.issue] : []));

export const fromIssues = (issues: readonly Issue[]): Words =>
  issues.map((issue) => ({ code: 'issue', issue }));

/** What ended the run, as its rows say it. */
export const stopWords = ({ code, message }: Pick<TeamsheetError, 'code' | 'message'>): Words => [
  { code: 'stop', stop: code, message },
];

/** Whether words end with a stop, which is told by itself. */
export function endInStop(words: Words, stop: string): boolean {
  const last = words.at(-1);
  if (last === undefined) return false;
  if (last.code === 'stop') return last.stop === stop;
  return 'reason' in last && typeof last.reason === 'object' && endInStop(last.reason, stop);
}

/** The stop of `reject_mode: fail`, which nothing but a push of corrected rows takes away. */
export const REJECTED = 'guard.reject_mode';

/** What is said of rows that another push reads again, so that nothing of them is to be resumed. */
const LEFT_TO_PUSH: ReadonlySet<Said['code']> = new Set([
  'row-edited',
  'run-read-since',
  'sibling-other',
  'limit-unread',
]);

/** Whether words leave a row to the next push. */
export const isLeftToPush = (words: Words): boolean =>
  words.some(
    (part) =>
      LEFT_TO_PUSH.has(part.code) ||
      (part.code === 'stop' && part.stop === REJECTED) ||
      ('reason' in part && typeof part.reason === 'object' && isLeftToPush(part.reason)),
  );

/** What is said of a row whose key an earlier mapping of the run gives other values. */
export const siblingOther = (fields: readonly string[]): Said => ({
  code: 'not-sent',
  reason: [{ code: 'sibling-other', fields }],
});

/** Whether two parts say the same. */
export const isSameSaid = (one: Said, other: Said): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Words as they are stored; {@link storedWords} reads them. */
export const wordsToStore = (words: Words): string =>
  words.length === 0 ? '' : JSON.stringify(words.map(({ code, ...values }) => ({ code, ...values })));

/** Words that were stored. What is no such text are the words of an older version, and stays readable as it is. */
export function storedWords(stored: string): Words {
  if (stored === '') return [];
  if (!stored.startsWith('[{"code":"')) return oldWords(stored);
  return knownWords(JSON.parse(stored) as readonly { readonly code: string }[]);
}

/** Words of which some may be those of a newer version: they stay readable as they are. */
export const knownWords = (parts: readonly { readonly code: string }[]): Words =>
  parts.map((part) => (isKnown(part) ? part : { code: 'text', text: JSON.stringify(part) }));

const isKnown = (part: { readonly code: string }): part is Said => Object.hasOwn(SAID, part.code);

const OLD_REFUSAL = 'the service refused it: ';
const OLD_DECIDED = 'settled by reading back';

/** Versions up to 0.1 knew by these two texts what had become of a write: a run that one of them left open must go on as safely. */
function oldWords(text: string): Words {
  if (text.startsWith(OLD_REFUSAL))
    return [{ code: 'refused-doubtful', reason: text.slice(OLD_REFUSAL.length) }];
  return text === OLD_DECIDED ? [{ code: 'read-back-settled' }] : [{ code: 'text', text }];
}
