/** How the values of a topic are kept: each of them, or only the largest or the smallest number. */
type Keep = 'each' | 'most' | 'least';

interface Topic {
  /** The heading that it stands under. */
  readonly group: 'Lists' | 'Budget' | 'Answers' | 'Writing' | 'Records' | 'Values';
  /** What it says of its subject, for people. */
  readonly about: string;
  readonly keep: Keep;
}

const topic = (group: Topic['group'], about: string, keep: Keep = 'each'): Topic => ({ group, about, keep });

/** Everything that answers teach about a service whose interface leaves it open, by the name that it is stored under. */
export const TOPICS = {
  page_size: topic('Lists', 'records on a full page'),
  page: topic('Lists', 'the parameter page'),
  past_end: topic('Lists', 'a page past the end'),
  paging: topic('Lists', 'a field of paging'),
  list: topic('Lists', 'reads of the whole list'),
  account_call: topic('Budget', 'the account call'),
  window_kind: topic('Budget', 'kind of window'),
  window_limit: topic('Budget', 'requests in a window'),
  reset_at: topic('Budget', 'reset_at by the Date header'),
  retry_after: topic('Budget', 'Retry-After'),
  status: topic('Answers', 'status of success'),
  refusal: topic('Answers', 'refusals'),
  batch_taken: topic('Writing', 'most rows taken in one request', 'most'),
  batch_refused: topic('Writing', 'fewest rows refused with 413', 'least'),
  batch_answer: topic('Writing', 'records of the answer'),
  repeated_key: topic('Writing', 'a known external_id'),
  price_count: topic('Writing', 'count'),
  price_reference: topic('Writing', 'reference'),
  trigger_events: topic('Writing', 'events'),
  points_config_id: topic('Writing', 'the {id} that it takes'),
  field: topic('Records', 'differs from the interface'),
  extra_field: topic('Records', 'fields beside the interface'),
  time_format: topic('Records', 'times'),
  value: topic('Values', 'values'),
} as const satisfies Record<string, Topic>;

export type TopicName = keyof typeof TOPICS;
export const TOPIC_NAMES = Object.keys(TOPICS) as readonly TopicName[];

/** One thing that answers showed: no secret and nothing of a person may stand in it. */
export interface Sighting {
  readonly topic: TopicName;
  /** What it was seen of: an operation, a field. */
  readonly subject: string;
  readonly value: string;
  readonly times: number;
}

/** A value with how often and when it was seen; times are those of the ends of commands. */
export interface SeenValue {
  readonly value: string;
  readonly times: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

/** What is known of one subject under one topic. */
export interface Learnt {
  readonly topic: TopicName;
  readonly subject: string;
  /** At most {@link MOST_VALUES}, the first that were seen. */
  readonly values: readonly SeenValue[];
  /** There were more values than are kept. */
  readonly more: boolean;
}

/** Values kept for one subject. */
export const MOST_VALUES = 20;

const PREFIX = 'learnt:';

/** What was learnt, as a fact of the store. */
export function learntFact({ topic: name, subject, values, more }: Learnt): { name: string; value: string } {
  return { name: `${PREFIX}${name}:${subject}`, value: JSON.stringify({ values, more }) };
}

/** What a fact of the store says was learnt; undefined for facts of another kind, and for topics of another version. */
export function learntOf({
  name,
  value,
}: {
  readonly name: string;
  readonly value: string;
}): Learnt | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const [word = '', ...rest] = name.slice(PREFIX.length).split(':');
  const found = TOPIC_NAMES.find((known) => known === word);
  if (found === undefined) return undefined;
  // Only learntFact writes facts of these names.
  const kept = JSON.parse(value) as Pick<Learnt, 'values' | 'more'>;
  return { topic: found, subject: rest.join(':'), ...kept };
}

/** What is known once more was seen. */
export function learnMore(known: Learnt | undefined, seen: Sighting, atMs: number): Learnt {
  const { topic: name, subject, value, times } = seen;
  const { values, more } = known ?? { values: [], more: false };
  const fresh: SeenValue = { value, times, firstAtMs: atMs, lastAtMs: atMs };
  const before = values.find((each) => each.value === value);
  if (before !== undefined) {
    const again = { ...before, times: before.times + times, lastAtMs: atMs };
    return { topic: name, subject, values: values.map((each) => (each === before ? again : each)), more };
  }
  const { keep } = TOPICS[name];
  const [only] = values;
  if (keep !== 'each' && only !== undefined) {
    const better = keep === 'most' ? Number(value) > Number(only.value) : Number(value) < Number(only.value);
    return { topic: name, subject, values: better ? [fresh] : values, more };
  }
  if (values.length >= MOST_VALUES) return { topic: name, subject, values, more: true };
  return { topic: name, subject, values: [...values, fresh], more };
}
