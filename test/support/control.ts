import type { Sandbox } from '../../src/sandbox/index.ts';
import { replyOf } from './sandbox.ts';
import type { Reply } from './sandbox.ts';

/** One request to the operator's interface, with its key unless the headers say otherwise; `path` begins after /control. */
export async function control(
  sandbox: Sandbox,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = { 'x-control-key': sandbox.controlKey },
): Promise<Reply> {
  const type: Readonly<Record<string, string>> =
    body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await sandbox.inject({
    method,
    url: `http://sandbox.test/control${path}`,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return replyOf(response);
}
