import { canonicalBaseUrl } from '../../src/model/service-address.ts';
import {
  BUDGET_KEPT_MS,
  type BudgetDecision,
  type BudgetLook,
  type BudgetVisit,
  type KnownWindow,
  type OthersRequest,
  type SharedBudget,
} from '../../src/model/state/shared-budget.ts';
import type { ServiceAccount } from '../../src/model/state/store.ts';
import { AHEAD_MS, LOOK_BACK_MS } from '../../src/state/budget-rows.ts';

interface Entered {
  readonly number: number;
  readonly account: string;
  readonly process: string;
  readonly readsAccount: boolean;
  readonly enteredMs: number;
  readonly deadlineMs: number;
  overMs: number | undefined;
  doubtful: boolean;
}

const asIfNow = ({ enteredMs, deadlineMs, overMs, ...rest }: Entered, nowMs: number): Entered => ({
  ...{ ...rest, enteredMs: nowMs, deadlineMs: nowMs + deadlineMs - enteredMs },
  overMs: overMs && nowMs + overMs - enteredMs,
});

/** What the disk of a database holds of budgets. */
export class BudgetData {
  readonly accounts = new Map<string, string>();
  readonly windows = new Map<string, readonly KnownWindow[]>();
  requests: readonly Entered[] = [];
  lastNumber = 0;
  /** By account and process. */
  readonly wants = new Map<string, { readonly writes: boolean; readonly untilMs: number }>();
}

const nameOf = ({ baseUrl, accountId }: ServiceAccount): string =>
  `${canonicalBaseUrl(baseUrl)} ${accountId}`;

/** The budgets of accounts in memory, by the clock that `nowMs` tells. */
export class MemoryBudget implements SharedBudget {
  readonly #data: BudgetData;
  readonly #nowMs: () => number;

  constructor(data: BudgetData, nowMs: () => number) {
    this.#data = data;
    this.#nowMs = nowMs;
  }

  accountOf(baseUrl: string, keyDigest: string): Promise<string | undefined> {
    return Promise.resolve(this.#data.accounts.get(`${canonicalBaseUrl(baseUrl)} ${keyDigest}`));
  }

  rememberAccount({ baseUrl, accountId }: ServiceAccount, keyDigest: string): Promise<void> {
    this.#data.accounts.set(`${canonicalBaseUrl(baseUrl)} ${keyDigest}`, accountId);
    return Promise.resolve();
  }

  hasKeyOf({ baseUrl, accountId }: ServiceAccount): Promise<boolean> {
    const name = `${canonicalBaseUrl(baseUrl)} `;
    return Promise.resolve(
      [...this.#data.accounts].some(([key, account]) => account === accountId && key.startsWith(name)),
    );
  }

  async visit(
    account: ServiceAccount,
    visit: BudgetVisit,
    decide: (look: BudgetLook) => BudgetDecision,
  ): Promise<number | undefined> {
    const { windows, wants } = this.#data;
    const nowMs = this.#nowMs();
    const requests = this.#data.requests
      .filter(({ overMs, deadlineMs }) => (overMs ?? deadlineMs) >= nowMs - BUDGET_KEPT_MS)
      .map((each) => (each.enteredMs > nowMs + AHEAD_MS ? asIfNow(each, nowMs) : each));
    this.#data.requests = requests;
    const name = nameOf(account);
    const { process, over } = visit;
    const ends = new Map(over.map((ended) => [ended.number, ended]));
    const look: BudgetLook = {
      others: this.#others(name, visit, nowMs),
      ...this.#shares(name, visit, nowMs),
      windows: visit.windows ?? windows.get(name) ?? [],
    };
    const decision = decide(look);
    for (const request of requests) {
      const ended = ends.get(request.number);
      if (ended !== undefined) request.overMs = nowMs - Math.floor(ended.agoMs);
      if (ended !== undefined) request.doubtful = ended.doubtful;
    }
    if (visit.windows !== undefined) windows.set(name, visit.windows);
    if (decision.kind === 'none') return Promise.resolve(undefined);
    if (decision.kind === 'wait') {
      wants.set(`${name} ${process}`, {
        writes: decision.writes,
        untilMs: nowMs + Math.ceil(decision.forMs),
      });
      return Promise.resolve(undefined);
    }
    wants.delete(`${name} ${process}`);
    const number = (this.#data.lastNumber += 1);
    const deadlineMs = nowMs + Math.ceil(decision.lastsMs);
    const { readsAccount } = decision;
    const entered = { number, account: name, process, readsAccount, enteredMs: nowMs, deadlineMs };
    this.#data.requests = [...requests, { ...entered, overMs: undefined, doubtful: false }];
    return Promise.resolve(number);
  }

  leave(account: ServiceAccount, process: string): Promise<void> {
    this.#data.wants.delete(`${nameOf(account)} ${process}`);
    return Promise.resolve();
  }

  #others(name: string, { process, after, underWay }: BudgetVisit, nowMs: number): readonly OthersRequest[] {
    return this.#data.requests
      .filter(
        (each) =>
          each.account === name &&
          each.process !== process &&
          (each.number > after || underWay.includes(each.number)) &&
          (after > 0 || (each.overMs ?? each.deadlineMs) > nowMs - LOOK_BACK_MS),
      )
      .map(({ number, readsAccount, enteredMs, deadlineMs, overMs, doubtful }) => {
        const isPast = overMs === undefined && deadlineMs <= nowMs;
        const overAtMs = overMs ?? (isPast ? deadlineMs : undefined);
        return {
          number,
          readsAccount,
          enteredAgoMs: Math.max(0, nowMs - enteredMs),
          answeredAgoMs: overAtMs === undefined ? null : Math.max(0, nowMs - overAtMs),
          doubtful: doubtful || isPast,
        };
      });
  }

  #shares(
    name: string,
    { process, withinMs }: BudgetVisit,
    nowMs: number,
  ): Pick<BudgetLook, 'wanting' | 'taken'> {
    const takenBy = (who: string): number =>
      this.#data.requests.filter(
        (each) =>
          each.account === name &&
          each.process === who &&
          !each.readsAccount &&
          each.enteredMs > nowMs - withinMs,
      ).length;
    const wanting = [...this.#data.wants]
      .filter(([who, { untilMs }]) => who.startsWith(`${name} `) && untilMs > nowMs)
      .map(([who, { writes }]) => ({ who: who.slice(name.length + 1), writes }))
      .filter(({ who }) => who !== process)
      .map(({ who, writes }) => ({ writes, taken: takenBy(who) }));
    return { wanting, taken: wanting.length === 0 ? 0 : takenBy(process) };
  }
}
