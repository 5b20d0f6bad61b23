import type { AnswerLine } from './log.ts';
import type { Sent } from './sent.ts';

/** A request as the log has it, with what it asked, and with the number of the account whose key it carried; null without a known key. */
export interface RecentRequest extends AnswerLine, Sent {
  readonly account: number | null;
}

/** How many requests are remembered. */
const MOST = 300;

/** The latest requests of the service, in memory alone. */
export interface RecentRequests {
  add(request: RecentRequest): void;
  /** The newest first. */
  list(): readonly RecentRequest[];
}

/** Whether a path is one of the service or of its operator's interface; what people look at in a browser is not remembered. */
export const isOfInterest = (path: string): boolean => /^\/(v1|control)(\/|$)/.test(path);

/** Remembers the latest 300 requests. */
export function openRecentRequests(): RecentRequests {
  const kept: RecentRequest[] = [];
  let next = 0;
  return {
    add: (request) => {
      kept[next] = request;
      next = (next + 1) % MOST;
    },
    list: () => [...kept.slice(next), ...kept.slice(0, next)].toReversed(),
  };
}
