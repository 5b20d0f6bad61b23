import { MOST_VALUES, TOPICS, type Sighting, type TopicName } from '../../model/state/learnt.ts';

/** Longest text that is kept of a value. */
const LONGEST = 60;

const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`);

/** Counts what was seen since it was last taken, in bounded memory. */
export class Tally {
  readonly #counts = new Map<TopicName, Map<string, Map<string, number>>>();

  add(topic: TopicName, subject: string, value: string): void {
    const subjects = this.#counts.get(topic) ?? new Map<string, Map<string, number>>();
    this.#counts.set(topic, subjects);
    const values = subjects.get(subject) ?? new Map<string, number>();
    subjects.set(subject, values);
    const { keep } = TOPICS[topic];
    if (keep === 'each') count(values, cut(value));
    else addExtreme(values, keep, value);
  }

  /** Everything that was counted, which is then forgotten. */
  take(): readonly Sighting[] {
    const seen = [...this.#counts].flatMap(([topic, subjects]) =>
      [...subjects].flatMap(([subject, values]) =>
        [...values].map(([value, times]) => ({ topic, subject, value, times })),
      ),
    );
    this.#counts.clear();
    return seen;
  }
}

/** Counts a value; one more value than is ever kept tells that there are more. */
function count(values: Map<string, number>, value: string): void {
  const before = values.get(value);
  if (before !== undefined || values.size <= MOST_VALUES) values.set(value, (before ?? 0) + 1);
}

function addExtreme(values: Map<string, number>, keep: 'most' | 'least', value: string): void {
  const [only] = values.keys();
  const change = only === undefined ? 0 : Number(value) - Number(only);
  if (keep === 'most' ? change < 0 : change > 0) return;
  if (change !== 0) values.clear();
  count(values, value);
}
