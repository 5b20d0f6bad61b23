import type { RecentRequest } from '../http/recent-requests.ts';

/** Which requests are looked for; an empty text asks for all. */
export interface RequestFilter {
  readonly method: string;
  /** An operation, or {@link NO_OPERATION}. */
  readonly operation: string;
  /** A whole status, or its first digit for all that begin with it; 0 for a connection that ended before the answer. */
  readonly status: string;
  /** A part of what was asked, or of the request's id or fault, in any case. */
  readonly text: string;
}

/** Asks for what is no operation of the service: the operator's interface and unknown paths. */
export const NO_OPERATION = 'none';

/** Whether a filter asks for a request. */
export function isWanted(
  request: RecentRequest,
  { method, operation, status, text }: RequestFilter,
): boolean {
  return (
    (method === '' || request.method === method) &&
    (operation === '' || (request.operation ?? NO_OPERATION) === operation) &&
    (status === '' || String(request.status).startsWith(status)) &&
    (text === '' || searched(request).includes(text.toLowerCase()))
  );
}

function searched({ path, query, body, request, fault }: RecentRequest): string {
  return [path, ...query.map((pair) => pair.join('=')), body, request, fault].join('\n').toLowerCase();
}

/** Requests of one minute that asked the same operation (or path) and were answered in the same way, the newest first. */
export interface RequestGroup {
  readonly newest: RecentRequest;
  readonly requests: readonly RecentRequest[];
}

/** The requests of one minute. */
export interface RequestMinute {
  /** The time of the newest. */
  readonly time: string;
  readonly count: number;
  readonly groups: readonly RequestGroup[];
}

/** The given requests, the newest first, by the minute of their answer, and in it by what they asked and how they ended. */
export function byMinute(requests: readonly RecentRequest[]): readonly RequestMinute[] {
  const minutes = Map.groupBy(requests, ({ time }) => time.slice(0, 'YYYY-MM-DDTHH:MM'.length));
  return [...minutes.values()].map((all) => ({
    time: all[0]?.time ?? '',
    count: all.length,
    groups: [...Map.groupBy(all, kindOf).values()].flatMap((equal) => {
      const [newest] = equal;
      return newest === undefined ? [] : [{ newest, requests: equal }];
    }),
  }));
}

const kindOf = ({ method, operation, path, status, fault }: RecentRequest): string =>
  JSON.stringify([method, operation ?? path, status, fault]);
