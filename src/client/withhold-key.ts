import type { Wrap } from '../model/ports.ts';
import type { Secret } from '../model/secret.ts';

/** A shorter key may be part of an ordinary word. */
const SHORTEST_KEY = 16;

/** Replaces the key wherever an answer quotes it, so that no message, result or log made of an answer can show it. */
export function withholdKey(apiKey: Secret): Wrap {
  // As it stands inside a JSON text.
  const key = JSON.stringify(apiKey.reveal()).slice(1, -1);
  return (next) => async (request) => {
    const response = await next(request);
    if (key.length < SHORTEST_KEY || !response.body.includes(key)) return response;
    return { ...response, body: response.body.replaceAll(key, () => String(apiKey)) };
  };
}
