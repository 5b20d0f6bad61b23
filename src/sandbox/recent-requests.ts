import type { AnswerLine } from './log.ts';

/** A request as the log has it, with the number of the account whose key it carried; null without a known key. */
export interface RecentRequest extends AnswerLine {
  readonly account: number | null;
}

/** The service and its operator's interface; what people look at in a browser is not of interest. */
const OF_INTEREST = /^\/(v1|control)(\/|$)/;
/** How many requests are remembered. */
const MOST = 300;

/** The latest requests of the service, in memory alone. */
export interface RecentRequests {
  add(request: RecentRequest): void;
  /** The newest first. */
  list(): readonly RecentRequest[];
}

/** Remembers the latest 300 requests below /v1 and /control. */
export function openRecentRequests(): RecentRequests {
  const kept: RecentRequest[] = [];
  let next = 0;
  return {
    add: (request) => {
      if (!OF_INTEREST.test(request.path)) return;
      kept[next] = request;
      next = (next + 1) % MOST;
    },
    list: () => [...kept.slice(next), ...kept.slice(0, next)].toReversed(),
  };
}
