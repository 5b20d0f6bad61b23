import { resources } from '../contract/index.ts';
import type { Wrap } from '../model/ports.ts';
import type { Secret } from '../model/secret.ts';
import { withholder } from '../model/withhold.ts';

type Withhold = (text: string) => string;

/** Fields of records that are compared with the operator's own cells, and the ids that records are told by: what stands there stays. */
const COMPARED: ReadonlySet<string> = new Set(
  Object.values(resources).flatMap((resource) =>
    'push' in resource ? Object.keys(resource.push.fields) : [],
  ),
);
const isCompared = (name: string): boolean => COMPARED.has(name) || name === 'id' || name.endsWith('_id');

/** Replaces the key wherever an answer quotes it, so that no message, result, state or log made of an answer can show it. */
export function withholdKey(apiKey: Secret): Wrap {
  const withhold = withholder(apiKey.reveal());
  return (next) => async (request) => {
    const response = await next(request);
    if (withhold(response.body) === response.body) return response;
    return {
      ...response,
      body: withoutKey(response.body, withhold, response.status < 300 ? isCompared : () => false),
    };
  };
}

/** The text of an answer without the key; in JSON its values alone, so that it stays what it is. Fields that `keeps` names stay. */
export function withoutKey(
  body: string,
  withhold: Withhold,
  keeps: (field: string) => boolean = () => false,
): string {
  try {
    return JSON.stringify(withoutKeyIn(JSON.parse(body), withhold, keeps));
  } catch {
    // No JSON, or deeper than any answer.
    return withhold(body);
  }
}

function withoutKeyIn(value: unknown, withhold: Withhold, keeps: (field: string) => boolean): unknown {
  if (typeof value === 'string') return withhold(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => withoutKeyIn(element, withhold, keeps));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' && keeps(name) ? inner : withoutKeyIn(inner, withhold, keeps),
    ]),
  );
}
