const REDACTED = '[redacted]';

/** The shortest part of a key that counts. */
const PART = 8;
/** Parts count of a key of this length; a shorter one counts whole. */
const LONG_KEY = 16;
/** A still shorter key, and one below {@link LONG_KEY} that could be a word or a number, would blank ordinary texts. */
const SHORT_KEY = 8;
const WORD_OR_NUMBER = /^([a-z]+|[A-Z]+|[A-Z][a-z]+|\d+)$/;
/** What stands in many texts: few characters repeated, such as `00000000`. */
const isRepeated = (part: string): boolean => new Set(part).size < 4;
/** Words of letters of one case, numbers and times. Other signs stand between letters in no words of ours. */
const WORDS = /^([a-z _-]+|[A-Z _-]+|[\d .,:_-]+)$/;

/** Characters of base64, of base64 for addresses and of hexadecimal digits. */
const ENCODED = /[\w+/=-]/;
/** How a character that a key may have is written in JSON, in an address and in HTML. */
const ESCAPES =
  /\\u00([2-7][0-9a-f])|\\(["\\/])|%([2-7][0-9a-f])|&#(\d{2,3});|&#x([0-9a-f]{2});|&(amp|lt|gt|quot|apos);/gi;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** One form inside another, as HTML in a text of JSON. */
const MOST_ESCAPED = 3;

/** What to look for: the beginning and the end of a key, the same for one that counts only whole, and both as other programs encode them. */
interface Marks {
  readonly first: string;
  readonly last: string;
  readonly encoded: readonly string[];
}

/** A run of text, from one index up to another. */
type Span = readonly [from: number, to: number];

/**
 * A function that replaces a key, and any run of at least 8 characters from its beginning or end, wherever a text shows it: plain, escaped
 * for JSON, HTML or an address, in hexadecimal digits, or in base64, also inside a longer one. A key of 8 to 15 characters counts whole, unless
 * it could be a word or a number; a shorter one is not looked for. `our own words`: a run must also hold more than words or a number, which our
 * messages and the names and numbers of our JSON are made of.
 */
export function withholder(
  key: string,
  among: 'any text' | 'our own words' = 'any text',
  hidden: (part: string) => string = () => REDACTED,
): (text: string) => string {
  const marks = marksOf(key, (part) => isRepeated(part) || (among === 'our own words' && WORDS.test(part)));
  if (marks === undefined) return (text) => text;
  const all = [marks.first, marks.last, ...marks.encoded];
  const holds = (text: string): boolean => all.some((mark) => text.includes(mark));
  return (text) => {
    const found = readings(text).filter((reading) => holds(reading.text));
    if (found.length === 0) return text;
    const spans = found.flatMap((reading) =>
      spansIn(reading.text, key, marks).map(([from, to]): Span => [reading.at(from), reading.at(to)]),
    );
    return replaced(text, spans, hidden);
  };
}

function marksOf(key: string, isOrdinary: (part: string) => boolean): Marks | undefined {
  if (key.length < SHORT_KEY || (key.length < LONG_KEY && WORD_OR_NUMBER.test(key))) return undefined;
  const [first, last] =
    key.length < LONG_KEY
      ? ([key, key] as const)
      : ([tellingPart(key, isOrdinary, 1), tellingPart(key, isOrdinary, -1)] as const);
  const encoded = new Set([first, last].flatMap((text) => [...inBase64(text), ...inHex(text)]));
  return { first, last, encoded: [...encoded] };
}

/** The shortest part that counts, from the beginning or from the end. */
function tellingPart(key: string, isOrdinary: (part: string) => boolean, direction: 1 | -1): string {
  for (let length = PART; length < key.length; length += 1) {
    const part = direction === 1 ? key.slice(0, length) : key.slice(-length);
    if (!isOrdinary(part)) return part;
  }
  return key;
}

/** The characters of base64 that do not depend on what stands around the text, for each of its three places in a group. */
function inBase64(text: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bits = 8 * (before + text.length);
    const whole = btoa('\0'.repeat(before) + text).slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function inHex(text: string): readonly string[] {
  const hex = Array.from(text, (character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return [hex, hex.toUpperCase()];
}

/** A text as it may be read, and where each of its characters stood. */
interface Reading {
  readonly text: string;
  readonly at: (index: number) => number;
}

/** A text as it is, with its escapes resolved, with those resolved that come to light then, and so on. */
function readings(text: string): readonly Reading[] {
  const all: Reading[] = [{ text, at: (index) => index }];
  for (let last = all[0]; last !== undefined && all.length <= MOST_ESCAPED;) {
    const before = last;
    const next = unescaped(before.text);
    last = next && { text: next.text, at: (index) => before.at(next.at(index)) };
    if (last !== undefined) all.push(last);
  }
  return all;
}

/** A text with its escapes resolved; undefined when it has none. */
function unescaped(text: string): Reading | undefined {
  if (!/[\\%]|&[#a-z]/i.test(text)) return undefined;
  const ends: number[] = [];
  const shifts: number[] = [];
  let shift = 0;
  const plain = text.replace(ESCAPES, (match: string, ...rest: (string | number | undefined)[]) => {
    const [json, itself, address, decimal, hex, name] = rest as (string | undefined)[];
    const offset = rest[6] as number;
    shifts.push(shift);
    ends.push(offset - shift);
    shift += match.length - 1;
    return (
      itself ??
      NAMED[name?.toLowerCase() ?? ''] ??
      String.fromCharCode(
        decimal === undefined ? parseInt(json ?? address ?? hex ?? '', 16) : Number(decimal),
      )
    );
  });
  if (ends.length === 0) return undefined;
  shifts.push(shift);
  return { text: plain, at: (index) => index + (shifts[countBelow(ends, index)] ?? 0) };
}

/** How many of the ascending numbers are less than `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function spansIn(text: string, key: string, { first, last, encoded }: Marks): Span[] {
  const spans: Span[] = [];
  for (const from of placesOf(first, text)) {
    let length = first.length;
    while (length < key.length && text[from + length] === key[length]) length += 1;
    spans.push([from, from + length]);
  }
  for (const start of placesOf(last, text)) {
    const to = start + last.length;
    let length = last.length;
    while (length < key.length && text[to - length - 1] === key.at(-length - 1)) length += 1;
    spans.push([to - length, to]);
  }
  for (const mark of encoded)
    for (const start of placesOf(mark, text)) {
      let [from, to] = [start, start + mark.length];
      while (from > 0 && ENCODED.test(text[from - 1] ?? '')) from -= 1;
      while (to < text.length && ENCODED.test(text[to] ?? '')) to += 1;
      spans.push([from, to]);
    }
  return spans;
}

function* placesOf(mark: string, text: string): Generator<number> {
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) yield at;
}

function replaced(text: string, spans: readonly Span[], hidden: (part: string) => string): string {
  const joined: Span[] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last === undefined || from >= last[1]) joined.push([from, to]);
    else if (to > last[1]) joined.splice(-1, 1, [last[0], to]);
  }
  let done = 0;
  const parts = joined.map(([from, to]) => {
    const before = text.slice(done, from);
    done = to;
    return before + hidden(text.slice(from, to));
  });
  return parts.join('') + text.slice(done);
}
