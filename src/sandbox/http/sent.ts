import type { IncomingHttpHeaders } from 'node:http';

/** What a request asked, as people may read it: no key stands in it. */
export interface Sent {
  readonly path: string;
  /** Its parameters, decoded; nothing of a query that is too long to show. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** The first 4,000 characters of its body; null without one. */
  readonly body: string | null;
  /** The bytes of the whole body where more was sent than is shown; else null. */
  readonly cutFrom: number | null;
}

/** The part of a request that {@link readSent} reads. */
interface SentRequest {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Uint8Array | null;
}

const MOST_QUERY = 2_000;
const MOST_BODY = 4_000;
/** A character of a key takes no more bytes than this in JSON: \u0041. */
const WIDEST = 6;
const HIDDEN = '[key]';

/** What a request asked, without the given keys and without those that its headers carry. */
export function readSent({ url, headers, rawBody }: SentRequest, keys: readonly string[]): Sent {
  const secrets = [...keys, ...keysOf(headers)];
  const [path = '', ...rest] = url.split('?');
  const queryText = rest.join('?');
  const query = queryText.length > MOST_QUERY ? [] : [...new URLSearchParams(queryText)];
  return {
    path: withoutKeys(path, secrets),
    query: query.map(([name, value]) => [withoutKeys(name, secrets), withoutKeys(value, secrets)]),
    ...bodyOf(rawBody, secrets),
  };
}

function bodyOf(rawBody: Uint8Array | null, secrets: readonly string[]): Pick<Sent, 'body' | 'cutFrom'> {
  if (rawBody === null) return { body: null, cutFrom: null };
  // Not more than is shown is kept in memory. The end of what was read may be a part of a key, which nobody would know again.
  const longestKey = WIDEST * Math.max(...secrets.map((secret) => secret.length));
  const read = rawBody.subarray(0, 4 * MOST_BODY + longestKey);
  const text = withoutKeys(Buffer.from(read).toString(), secrets);
  const safe = read.length === rawBody.length ? text : text.slice(0, -longestKey);
  const body = safe.slice(0, MOST_BODY);
  return { body, cutFrom: body === text ? null : rawBody.length };
}

/** The text with a sign in the place of every key; nothing else of one that spells a key by escapes. */
function withoutKeys(text: string, keys: readonly string[]): string {
  const hidden = keys.reduce((shown, key) => shown.replaceAll(key, HIDDEN), text);
  const spelledOut = hidden.replace(
    /\\(?:u([0-9a-f]{4})|(.))/gi,
    (_escape, code: string | undefined, other: string) =>
      code === undefined ? other : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return keys.some((key) => spelledOut.includes(key)) ? HIDDEN : hidden;
}

/** What the request's own headers hold, known or not. */
function keysOf(headers: IncomingHttpHeaders): readonly string[] {
  const { 'x-api-key': apiKey, 'x-control-key': controlKey, authorization = '' } = headers;
  const sent = [apiKey, controlKey, authorization.split(' ').at(-1)].flat();
  return sent.filter((key) => key !== undefined).filter((key) => key !== '');
}
