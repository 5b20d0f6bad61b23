import type { Endpoint } from '../contract/endpoint.ts';
import { isPathSegment } from '../contract/path-segment.ts';
import { InternalError } from '../model/error.ts';
import type { HttpRequest } from '../model/ports.ts';
import type { Secret } from '../model/secret.ts';
import { renderSchemaIssues } from './envelope.ts';

/** Sent with every request; the version is the package's. */
const USER_AGENT = 'teamsheet/0.1.0';

/** The parts of one call, of any operation. */
export interface CallParts {
  readonly id?: string | number | undefined;
  readonly query?: unknown;
  /** Parameters that the interface does not name. */
  readonly otherQuery?: Readonly<Record<string, string | number>> | undefined;
  readonly body?: unknown;
}

function invalid(operation: string, part: string, reason: string): InternalError {
  return new InternalError('request.invalid', `${operation} was not sent: its ${part} is wrong (${reason})`);
}

function checkPart(
  operation: string,
  part: 'query' | 'body',
  schema: Endpoint['query'],
  value: unknown,
): void {
  if (schema === undefined) {
    if (value !== undefined) throw invalid(operation, part, 'the operation takes none');
    return;
  }
  const parsed = schema.safeParse(value ?? {});
  if (!parsed.success) throw invalid(operation, part, renderSchemaIssues(parsed.error));
}

/** The path below `/v1` with its id as exactly one segment, whatever characters it holds. */
function pathOf(operation: string, endpoint: Endpoint, id: string | number | undefined): string {
  if (endpoint.pathId === undefined) {
    if (id !== undefined) throw invalid(operation, 'path id', 'the operation takes none');
    return endpoint.path;
  }
  const parsed = endpoint.pathId.safeParse(id);
  if (!parsed.success) throw invalid(operation, 'path id', renderSchemaIssues(parsed.error));
  const text = String(parsed.data);
  if (!isPathSegment(text)) {
    throw invalid(operation, 'path id', `${JSON.stringify(text)} cannot stand in an address`);
  }
  return endpoint.path.replace('{id}', () => encodeURIComponent(text));
}

/** The query was checked by the operation's schema: an object of numbers and texts. */
function queryString(query: unknown): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}) as [string, string | number | undefined][]) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

/**
 * The request of one call, its path id, query and body checked strictly against the contract.
 * Errors: InternalError `request.invalid` naming the field; nothing is sent then.
 */
export function buildRequest(
  baseUrl: string,
  apiKey: Secret,
  operation: string,
  endpoint: Endpoint,
  parts: CallParts,
): HttpRequest {
  const path = pathOf(operation, endpoint, parts.id);
  checkPart(operation, 'query', endpoint.query, parts.query);
  checkPart(operation, 'body', endpoint.body, parts.body);
  const headers = { accept: 'application/json', 'user-agent': USER_AGENT, 'x-api-key': apiKey.reveal() };
  const url = `${baseUrl.replace(/\/+$/, '')}/v1${path}${queryString({ ...(parts.query as object | undefined), ...parts.otherQuery })}`;
  if (parts.body === undefined) return { method: endpoint.method, url, headers };
  return {
    method: endpoint.method,
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(parts.body),
  };
}
