import type { Endpoint } from '../contract/endpoint.ts';
import { paging as pagingSchema, type Envelope } from '../contract/envelope.ts';
import {
  countingFeature,
  endpoints,
  type OperationId,
  type PagedOperationId,
  type QueryOf,
  type RecordOf,
} from '../contract/index.ts';
import type { Account } from '../contract/resources/account.ts';
import type { RequestStep } from '../model/budget.ts';
import { InternalError, TeamsheetError } from '../model/error.ts';
import { excerptOf } from '../model/excerpt.ts';
import type { HttpRequest, Random, Transport, Wrap } from '../model/ports.ts';
import { quotaUsed, type QuotaRefusal } from '../model/quota.ts';
import type { Secret } from '../model/secret.ts';
import type {
  Answer,
  CallInput,
  OnUnreadable,
  RecordIssue,
  Service,
  Wholeness,
  WriteResult,
} from '../model/service.ts';
import { Budget, type BudgetOptions } from './budget/budget.ts';
import { classify, isSuccess, type Verdict } from './classify.ts';
import { entriesOf, otherId, readForPush, readRecords } from './envelope.ts';
import { withoutKept } from './kept-answer.ts';
import { keyDigest } from '../model/key-digest.ts';
import { readList, unreadable, type Page } from './list.ts';
import type { ListReading } from './observe/observe-list.ts';
import type { Observer } from './observe/observe.ts';
import { quotaAgainst, quotaExplains, QuotaUsedUp } from './quota-refusal.ts';
import { readLeniently, type LenientAccount } from './read-account.ts';
import { buildRequest, type CallParts } from './request.ts';
import { retry } from './retry.ts';
import type { SharingOptions } from './budget/sharing.ts';
import {
  failedRead,
  noRecord,
  otherRecord,
  refusal,
  throttledForGood,
  unavailable,
  unreadableAccount,
} from './service-error.ts';
import { timeout } from './timeout.ts';
import { TransportError } from './transport-error.ts';
import { withholdKey } from './withhold-key.ts';

/** Everything a client is made of; times in milliseconds. */
export interface ClientOptions extends Omit<
  BudgetOptions,
  'finishByMs' | 'wire' | 'readAccount' | 'quotaExplains' | 'throttledForGood' | 'sharing'
> {
  /** `{base_url}` of the interface: may hold a path; a slash at its end is tolerated. */
  readonly baseUrl: string;
  readonly apiKey: Secret;
  readonly transport: Transport;
  readonly random: Random;
  /** Wall-clock time after which no request is under way any more; undefined sets no end. */
  readonly finishByMs?: number | undefined;
  /** For one whole answer. */
  readonly timeoutMs: number;
  /** Aborted: nothing new is sent, reads in flight end, a write in flight is waited for. */
  readonly signal: AbortSignal;
  /** What other processes send with the account, and whether this one writes; left out where nobody shares it. */
  readonly sharing?: Pick<SharingOptions, 'shared' | 'writes'> | undefined;
  /** Is shown every answer, to learn from it; nothing here depends on it. */
  readonly observer?: Observer;
}

type SignalledParts = CallParts & { readonly signal?: AbortSignal | undefined };

/** How often one call may go again after a 429. */
const THROTTLES = 5;
const FORBIDDEN = 403;

/** An answer or its absence, as a verdict. */
interface Attempted {
  readonly verdict: Verdict;
  readonly cause?: unknown;
}

async function attempt(
  transport: Transport,
  request: HttpRequest,
  operation: OperationId,
  observer: Observer | undefined,
): Promise<Attempted> {
  try {
    const response = await transport(request);
    const verdict = classify(request.method, response);
    if (verdict.kind === 'applied') observer?.applied(operation, request, response, verdict.envelope);
    else if (isSuccess(response.status)) observer?.refused(operation, request, response);
    return { verdict };
  } catch (error) {
    if (error instanceof QuotaUsedUp)
      return { verdict: classify(request.method, error.answer), cause: error };
    if (!(error instanceof TransportError)) throw error;
    return { verdict: classify(request.method, error), cause: error };
  }
}

/** The envelope's records as the operation's answer; undefined when `data` is not of the documented kind. */
function answerOf<Id extends OperationId>(
  endpoint: Endpoint,
  { statusCode, message, data, paging }: Envelope,
): Answer<Id> | undefined {
  const pages = pagingSchema.safeParse(paging).data;
  // Some services write a list without records as null.
  const isEmpty = endpoint.paged && data === null && pages?.total === 0;
  const read = readRecords(endpoint, isEmpty ? [] : data);
  // Each record was checked by the operation's own schema.
  return (
    read && {
      status: statusCode,
      message,
      records: read.records as RecordOf<Id>[],
      issues: read.issues,
      paging: pages,
    }
  );
}

/** Shows the observer every answer that is no success, those too that are repeated or waited for. */
function showRefusals(observer: Observer | undefined): Wrap {
  return (next) => async (request) => {
    const response = await next(request);
    if (!isSuccess(response.status) && request.operation !== undefined)
      observer?.refused(request.operation, request, response);
    return response;
  };
}

const WRONG_DATA = 'data of another kind than the operation answers with';

/** A service whose budget others may share. */
export interface ClosingService extends Service {
  /** Nothing is asked any more: what the others wait for is told to them. Errors: those of the state. */
  end(): Promise<void>;
}

/** The service over HTTP. */
class Client implements ClosingService {
  readonly #options: ClientOptions;
  readonly #budget;
  readonly #transport: Transport;
  #mayBeQuota = true;
  /** As it was read last. */
  #lastAccount: Account | undefined;
  /** What was said to be left out of it. */
  #leftOut: string | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { clock, random, emit, timeoutMs, transport, observer, baseUrl, apiKey } = options;
    this.#budget = new Budget({
      ...options,
      sharing: options.sharing && {
        ...options.sharing,
        ...{ baseUrl, keyDigest: keyDigest(apiKey), clock, timeoutMs, process: random.ulid(clock.now()) },
      },
      finishByMs: options.finishByMs,
      wire: showRefusals(observer)(withholdKey(apiKey)(withoutKept(timeout(clock, timeoutMs)(transport)))),
      readAccount: (wire, signal) =>
        this.#readAccount(retry({ clock, random, emit, throttles: 0 })(wire), signal),
      quotaExplains,
      throttledForGood: () => throttledForGood(this.#request('get-account', {})),
    });
    this.#transport = retry({ clock, random, emit, throttles: THROTTLES })(this.#budget.transport);
    observer?.watch(this.#budget.findings);
  }

  async get<Id extends OperationId>(operation: Id, input: CallInput<Id> = {}): Promise<Answer<Id>> {
    const { answer, request, envelope } = await this.#read<Id>(operation, input);
    const endpoint: Endpoint = endpoints[operation];
    if (!endpoint.list && (envelope.data ?? null) === null) throw noRecord(request);
    if (answer === undefined) throw unavailable(request, 'service.no_envelope', WRONG_DATA);
    const other = endpoint.answersId ? otherId(input.id, envelope.data) : undefined;
    if (input.id !== undefined && other !== undefined) throw otherRecord(request, input.id, other);
    return answer;
  }

  async send<Id extends OperationId>(operation: Id, input: CallInput<Id>): Promise<WriteResult<Id>> {
    const endpoint: Endpoint = endpoints[operation];
    if (endpoint.method === 'GET') throw new InternalError('request.invalid', `${operation} writes nothing`);
    const request = this.#request(operation, input);
    const { verdict, cause } = await attempt(this.#transport, request, operation, this.#options.observer);
    switch (verdict.kind) {
      case 'applied': {
        const { envelope } = verdict;
        const answer = answerOf<Id>(endpoint, envelope);
        const hasRecords = answer !== undefined && answer.records.length > 0;
        const entries = entriesOf(envelope, hasRecords);
        if (answer === undefined || (answer.issues.length > 0 && !hasRecords)) {
          const said = envelope.data === undefined ? '' : `: ${excerptOf(JSON.stringify(envelope.data))}`;
          return { kind: 'ambiguous', reason: `the service answered with ${WRONG_DATA}${said}`, entries };
        }
        return { kind: 'applied', ...answer, entries };
      }
      case 'refused':
        if (verdict.status === 401) throw refusal(request, operation, verdict);
        return {
          ...verdict,
          ...(verdict.status === FORBIDDEN && (await this.#quotaBehind(request))),
        };
      case 'throttled':
        return {
          ...verdict,
          kind: 'refused',
          ...(cause instanceof QuotaUsedUp && { quota: cause.quota }),
        };
      case 'not_applied':
        return { kind: 'not_applied', reason: verdict.reason };
      case 'ambiguous':
      case 'retry':
      case 'redirected': {
        const { fault: _, ...doubt } = verdict;
        return { ...doubt, kind: 'ambiguous' };
      }
    }
  }

  async *list<Id extends PagedOperationId>(
    operation: Id,
    query?: QueryOf<Id>,
    signal?: AbortSignal,
    onUnreadable: OnUnreadable = 'keep',
    onEnd?: (wholeness: Wholeness) => void,
  ): AsyncGenerator<readonly RecordOf<Id>[]> {
    const endpoint: Endpoint = endpoints[operation];
    const address = `GET ${endpoint.path}`;
    const strict = onUnreadable === 'keep';
    let odd: readonly string[] = [];
    const readPage = async (page: number | undefined): Promise<Page<RecordOf<Id>>> => {
      const { issues, ...answer } = await this.#readPage(operation, query, page, signal, strict);
      const found = issues.map(({ index, message }) => `page ${page ?? 1}, record ${index + 1}: ${message}`);
      // Without a page number a new read of the whole list begins.
      odd = page === undefined ? found : [...odd, ...found];
      return answer;
    };
    const { observer } = this.#options;
    const watcher = {
      read: (reading: ListReading) => observer?.listed(operation, reading),
      pageRefused: (status: number) => observer?.pageRefused(operation, status),
    };
    const feature = countingFeature(operation);
    const counted = feature && this.#lastAccount && quotaUsed(this.#lastAccount, feature);
    const wholeness = yield* readList(address, readPage, watcher, { strict, counted });
    const [first, ...more] = odd;
    if (first !== undefined && !strict) throw unreadable(address, first, more.length);
    onEnd?.(wholeness);
  }

  end(): Promise<void> {
    return this.#budget.end();
  }

  account(): Promise<Account> {
    return this.#budget.account(this.#options.signal);
  }

  timeMs(): number | undefined {
    return this.#budget.timeMs();
  }

  counts(): ReturnType<Service['counts']> {
    return this.#budget.counts();
  }

  forecast(steps: readonly RequestStep[]): ReturnType<Service['forecast']> {
    return this.#budget.forecast(steps, this.#options.signal);
  }

  /** Some services refuse with 403 what a quota has no room for. Asked once for nothing, the account is not asked again: it is another matter. */
  async #quotaBehind(request: HttpRequest): Promise<{ readonly quota?: QuotaRefusal }> {
    if (!this.#mayBeQuota || request.operation === undefined) return {};
    const endpoint: Endpoint = endpoints[request.operation];
    if (endpoint.quota === undefined) return {};
    try {
      const quota = quotaAgainst(request, await this.account());
      this.#mayBeQuota = quota !== undefined;
      return quota === undefined ? {} : { quota };
    } catch (error) {
      // The refusal stands, whatever keeps the account from being read; the next request meets that too.
      if (error instanceof TeamsheetError) return {};
      throw error;
    }
  }

  #request(operation: OperationId, parts: SignalledParts): HttpRequest {
    const { baseUrl, apiKey, signal } = this.#options;
    const { signal: own = signal } = parts;
    const request = buildRequest(baseUrl, apiKey, operation, endpoints[operation], parts);
    return {
      ...request,
      operation,
      signal: own === signal ? signal : AbortSignal.any([signal, own]),
    };
  }

  /** One read until there is an answer to use. `answer` is undefined when `data` is not of the documented kind. */
  async #read<Id extends OperationId>(
    operation: Id,
    parts: SignalledParts,
  ): Promise<{ request: HttpRequest; envelope: Envelope; answer: Answer<Id> | undefined }> {
    const endpoint: Endpoint = endpoints[operation];
    if (endpoint.method !== 'GET') throw new InternalError('request.invalid', `${operation} is not a read`);
    const request = this.#request(operation, parts);
    const { verdict, cause } = await attempt(this.#transport, request, operation, this.#options.observer);
    if (verdict.kind !== 'applied') throw failedRead(request, operation, verdict, cause);
    return { request, envelope: verdict.envelope, answer: answerOf<Id>(endpoint, verdict.envelope) };
  }

  async #readPage<Id extends PagedOperationId>(
    operation: Id,
    query: QueryOf<Id> | undefined,
    page: number | undefined,
    signal: AbortSignal | undefined,
    keepsOdd: boolean,
  ): Promise<Page<RecordOf<Id>> & Pick<Answer<Id>, 'issues'>> {
    const { request, envelope, answer } = await this.#read<Id>(operation, {
      query: page === undefined ? query : { ...(query as object | undefined), page },
      signal,
    });
    if (answer === undefined) throw unavailable(request, 'service.no_envelope', WRONG_DATA);
    const endpoint: Endpoint = endpoints[operation];
    const byIndex = new Map(answer.issues.map((issue) => [issue.index, issue]));
    const records = answer.records.values();
    const lost: RecordIssue[] = [];
    const elements = ((envelope.data ?? []) as readonly unknown[]).map((raw, index) => {
      const odd = byIndex.get(index);
      // What is kept says which record it is, and what else it says is only shown. A push goes without values that it does not need.
      const kept = odd && ((keepsOdd ? odd.kept : readForPush(endpoint, raw)) as RecordOf<Id> | undefined);
      const record = odd === undefined ? records.next().value : kept;
      if (odd !== undefined && kept === undefined) lost.push(odd);
      // Every paged record has an id; either case of a UUID is the same record.
      return { key: record === undefined ? JSON.stringify(raw) : String(record.id).toLowerCase(), record };
    });
    const oddPaging =
      answer.paging === undefined && envelope.paging !== undefined && envelope.paging !== null;
    return { elements, paging: answer.paging, oddPaging, issue: lost[0]?.message, issues: lost };
  }

  #warnOfAccount({ account, leftOut }: LenientAccount): Account {
    if (this.#leftOut !== leftOut)
      this.#options.emit({
        kind: 'warning',
        message: `the account is read without values of another kind than documented (${leftOut})`,
      });
    this.#leftOut = leftOut;
    return account;
  }

  /** Undefined when the call was throttled: the budget then waits and asks again. */
  async #readAccount(transport: Transport, signal: AbortSignal): Promise<Account | undefined> {
    const operation = 'get-account';
    const request = { ...this.#request(operation, {}), signal };
    const { verdict, cause } = await attempt(transport, request, operation, this.#options.observer);
    if (verdict.kind === 'throttled') return undefined;
    if (verdict.kind !== 'applied') throw failedRead(request, operation, verdict, cause);
    const answer = answerOf<typeof operation>(endpoints[operation], verdict.envelope);
    const [account] = answer?.records ?? [];
    if (account !== undefined) return (this.#lastAccount = account);
    const lenient = readLeniently(verdict.envelope.data);
    if (lenient !== undefined) return (this.#lastAccount = this.#warnOfAccount(lenient));
    const issue = (verdict.envelope.data ?? null) === null ? 'data: missing' : answer?.issues[0]?.message;
    throw issue === undefined
      ? unavailable(request, 'service.no_envelope', WRONG_DATA)
      : unreadableAccount(request, issue);
  }
}

/**
 * The service's operations over one transport (sections 1 to 5 of its interface): every call is checked against the contract, waits for the
 * budget, is bounded by the timeout, and is repeated only while that is safe.
 */
export function createClient(options: ClientOptions): ClosingService {
  return new Client(options);
}
