import type { Sandbox } from '../../src/sandbox/index.ts';
import type { Fields } from './sandbox.ts';

export interface ControlReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly message: string;
  /** `data` when it is an object, else empty. */
  readonly record: Fields;
  /** `data` when it is an array, else empty. */
  readonly list: readonly Fields[];
  readonly paging: Fields;
}

/** One request to the operator's interface, with its key unless the headers say otherwise; `path` begins after /control. */
export async function control(
  sandbox: Sandbox,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = { 'x-control-key': sandbox.controlKey },
): Promise<ControlReply> {
  const type: Readonly<Record<string, string>> =
    body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await sandbox.inject({
    method,
    url: `http://sandbox.test/control${path}`,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const parsed = JSON.parse(response.body) as {
    readonly statusCode: number;
    readonly message: string;
    readonly data: Fields | readonly Fields[] | null;
    readonly paging?: Fields;
  };
  if (parsed.statusCode !== response.status) throw new Error(`envelope and HTTP disagree: ${response.body}`);
  return {
    status: response.status,
    headers: response.headers,
    message: parsed.message,
    record: parsed.data === null || Array.isArray(parsed.data) ? {} : (parsed.data as Fields),
    list: Array.isArray(parsed.data) ? (parsed.data as readonly Fields[]) : [],
    paging: parsed.paging ?? {},
  };
}
