import type { OperationId } from '../../src/contract/index.ts';
import type { Account } from '../../src/contract/resources/account.ts';
import type { User } from '../../src/contract/resources/users.ts';
import { UnavailableError } from '../../src/model/error.ts';
import type { Service, WriteResult } from '../../src/model/service.ts';

/** What happens to one write instead of an ordinary answer. */
export type Fault =
  /** Applied, but the answer is lost. */
  | 'lost'
  /** The answer is lost and nothing was applied. */
  | 'vanished'
  /** The first half of a batch is applied, then the whole is refused. */
  | 'half_then_refused'
  | 'refused'
  | 'unreachable'
  | { readonly throws: Error };

/** A service in memory with an effect log, for the engine's tests: users, prices and points configuration. */
export class FakeService implements Service {
  readonly users: User[] = [];
  readonly prices: { player_id: number; price: number }[] = [];
  readonly configs = new Map<number, Record<string, unknown>>();
  /** Every write that reached the service, in order. */
  readonly writes: { readonly operation: OperationId; readonly body: unknown }[] = [];
  /** Faults for the next writes, first to last; undefined is an ordinary answer. */
  readonly faults: (Fault | undefined)[] = [];
  /** External ids and player ids that the service refuses, and with them their whole batch. */
  readonly refuses = new Set<string | number>();
  listable = true;
  maxBatch = Infinity;
  reads = 0;

  account(): Promise<Account> {
    this.reads += 1;
    return Promise.resolve({
      id: '0B0E3C9A-0000-4000-8000-000000000001',
      is_active: true,
      config: {
        features: {
          users: { max: 1_000_000, used: this.users.length, remaining: 1_000_000 - this.users.length },
        },
      },
    });
  }

  get: Service['get'] = (operation) => {
    this.reads += 1;
    if (operation !== 'list-prices') throw new Error(`unexpected read ${operation}`);
    const records = this.prices.map((_, index) => ({ id: String(index) }));
    return Promise.resolve({
      status: 200,
      message: 'ok',
      records: records as never,
      issues: [],
      paging: { total: records.length },
    });
  };

  list: Service['list'] = (operation) => this.#list(operation);

  async *#list(operation: OperationId): AsyncGenerator<readonly never[]> {
    this.reads += 1;
    await Promise.resolve();
    if (operation !== 'list-users' || !this.listable)
      throw new UnavailableError('list.unstable', 'the list does not add up');
    yield this.users.map((user) => ({ ...user })) as unknown as readonly never[];
  }

  send: Service['send'] = async (operation, input) => {
    const fault = this.faults.shift();
    if (typeof fault === 'object') throw fault.throws;
    if (fault === 'unreachable') return { kind: 'not_applied', reason: 'connection refused' };
    await Promise.resolve();
    this.writes.push({ operation, body: input.body });
    if (fault === 'vanished') return { kind: 'ambiguous', reason: 'timeout' };
    if (fault === 'refused') return { kind: 'refused', status: 400, message: 'no' };
    if (fault === 'half_then_refused') {
      this.#createUsers((input.body as { users: User[] }).users.slice(0, 1));
      return { kind: 'refused', status: 400, message: 'half done' };
    }
    const result = this.#apply(operation, input.body);
    return fault === 'lost'
      ? { kind: 'ambiguous', reason: 'connection reset' }
      : (result as WriteResult<typeof operation>);
  };

  counts: Service['counts'] = () => ({
    planned: 0,
    sent: this.reads + this.writes.length,
    reads: this.reads,
    writes: this.writes.length,
    throttled: 0,
    waited_ms: 0,
  });

  forecast: Service['forecast'] = (requests) => ({ pauses: [], finishesAtMs: 0, requests, fits: requests });

  #apply(operation: OperationId, body: unknown): WriteResult<OperationId> {
    if (operation === 'create-users') {
      const { users } = body as { users: User[] };
      if (users.length > this.maxBatch)
        return { kind: 'refused', status: 413, message: `at most ${this.maxBatch}` };
      const bad = users.find((user) => this.refuses.has(user.external_id));
      if (bad !== undefined)
        return { kind: 'refused', status: 400, message: `external_id ${bad.external_id} is not wanted` };
      return answer(this.#createUsers(users));
    }
    if (operation === 'update-user') {
      const { id, ...changes } = body as User;
      const index = this.users.findIndex((user) => user.id === id);
      const user = this.users[index];
      if (user === undefined) return { kind: 'refused', status: 404, message: 'no such user' };
      if (this.refuses.has(user.external_id))
        return { kind: 'refused', status: 403, message: 'not this one' };
      this.users[index] = { ...user, ...changes };
      return answer([this.users[index]]);
    }
    if (operation === 'upload-prices') {
      const { prices } = body as { prices: { player_id: number; price: number }[] };
      const bad = prices.find((price) => this.refuses.has(price.player_id));
      if (bad !== undefined)
        return { kind: 'refused', status: 400, message: `player_id ${bad.player_id} is not known` };
      this.prices.push(...prices);
      return answer([{ reference: 'r', count: prices.length }]);
    }
    const config = body as Record<string, unknown> & { fantasy_league_id: number };
    this.configs.set(config.fantasy_league_id, config);
    return answer([{ id: `config-${config.fantasy_league_id}`, ...config }]);
  }

  #createUsers(users: readonly Pick<User, 'external_id' | 'display_name'>[]): readonly User[] {
    return users.map(({ external_id, display_name }) => {
      const number = this.users.length + 1;
      const user = { id: `user-${number}`, user_id: number, external_id, display_name, is_active: true };
      this.users.push(user);
      return { ...user };
    });
  }
}

function answer(records: readonly unknown[]): WriteResult<OperationId> {
  return { kind: 'applied', status: 201, message: 'created', records: records as never, issues: [] };
}
