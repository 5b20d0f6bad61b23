import type { OperationId } from '../../src/contract/index.ts';
import type { Account } from '../../src/contract/resources/account.ts';
import type { User } from '../../src/contract/resources/users.ts';
import { RefusedError, UnavailableError } from '../../src/model/error.ts';
import type { OnUnreadable, Wholeness, Service, WriteResult } from '../../src/model/service.ts';
import { keptName, spelled, type Habits } from '../simulation/habits.ts';

/** What happens to one write instead of an ordinary answer. */
export type Fault =
  /** Applied, but the answer is lost. */
  | 'lost'
  /** The answer is lost and nothing was applied. */
  | 'vanished'
  /** The answer is lost, and the write is applied `lateMs` after it was sent. */
  | 'late'
  /** The first half of a batch is applied, then the whole is refused. */
  | 'half_then_refused'
  /** Applied, then refused. */
  | 'all_then_refused'
  | 'refused'
  /** Refused for its size. */
  | 'too_large'
  /** Refused with 429 after all the client's waiting. */
  | 'throttled'
  | 'unreachable'
  /** Applied, and answered without its first record. */
  | 'short'
  | { readonly throws: Error };

/** One write that reached the service. */
interface Write {
  readonly operation: OperationId;
  readonly body: unknown;
}

/** What a write did to one key. */
export interface Effect {
  readonly key: string;
  readonly kind: 'create' | 'update';
  /** Its position in `writes`. */
  readonly write: number;
}

/** A league, mini league or squad that the fake service holds. */
interface FakeRecord {
  readonly id: number | string;
  readonly name: string;
  readonly fantasy_league_id?: number;
  readonly user_id?: number;
}

/** A price as it was uploaded. */
interface FakePrice {
  readonly player_id: number;
  readonly price: number;
  /** A `delta` is added to the price before it. */
  readonly type?: string;
  readonly league?: number;
  /** The write that it came with. */
  readonly write?: number;
  readonly atMs?: number;
}

/** A service in memory with an effect log, for the engine's tests: everything that can be pushed. */
export class FakeService implements Service {
  readonly users: User[] = [];
  readonly prices: FakePrice[] = [];
  /** What the log of prices says of the upload that a record came with: a reference of it, one for each record, or nothing. */
  references: 'upload' | 'record' | 'absent' = 'upload';
  /** Records of lists and logs are shown when they are this old. */
  listLagMs = 0;
  readonly leagues: FakeRecord[] = [];
  readonly miniLeagues: FakeRecord[] = [];
  readonly squads: FakeRecord[] = [];
  /** Records of the substitution log, one for each trigger, by fantasy league. */
  readonly substitutions: {
    readonly id: string;
    readonly fantasy_league_id: number;
    readonly atMs?: number;
    readonly created_at?: string;
  }[] = [];
  /** Records that a trigger leaves in the log. */
  substitutes = 1;
  readonly configs = new Map<number, Record<string, unknown>>();
  /** Every write that reached the service, in order. */
  readonly writes: Write[] = [];
  /** What was applied, in order. */
  readonly effects: Effect[] = [];
  /** Faults for the next writes, first to last; undefined is an ordinary answer. */
  readonly faults: (Fault | undefined)[] = [];
  /** Errors of the next reads, first to last; undefined is an ordinary answer. */
  readonly readFaults: (Error | undefined)[] = [];
  /** External ids and player ids that the service refuses, and with them their whole batch. */
  readonly refuses = new Set<string | number>();
  listable = true;
  /** What POST /user makes of the flag that it does not take. */
  newUsersActive = true;
  /** External ids of users, and names of squads and mini leagues, whose records in the list cannot be read. */
  readonly unreadable = new Set<string>();
  maxBatch = Infinity;
  /** Users that the quota has room for, which nothing says before it is passed. */
  maxUsers = Infinity;
  /** Users on one page of the list. */
  pageSize = Infinity;
  /** Users that were taken away and go on being counted. */
  removed = 0;
  /** Whether every page of the list states how many users there are. */
  statesTotal = true;
  /** How external ids and names are shown, and where; what is held stays as it was sent. */
  spelling: Habits['spelling'] = {};
  /** How it keeps the names of users. */
  names: Habits['names'] = 'as_sent';
  reads = 0;
  /** The time that late writes and a lagging counter go by. */
  now = (): number => 0;
  lateMs = 60_000;
  /** What the account says of the users it counts: all, those older than a while, or nothing. */
  counter: { readonly lagMs: number } | 'absent' = { lagMs: 0 };
  /** What the account says of its quotas, in the place of what it would say. */
  quotas: Readonly<
    Record<string, { readonly max: number; readonly used: number; readonly remaining: number }>
  > = {};
  /** Called before anything of a call happens, with the body of a write. */
  onCall: (body?: unknown) => Promise<void> | void = () => undefined;
  readonly #late: { readonly atMs: number; apply(): void }[] = [];
  readonly #createdAtMs: number[] = [];

  async account(): Promise<Account> {
    await this.#read();
    const { counter } = this;
    const quota = (all: number) => ({ max: 1_000_000, used: all, remaining: 1_000_000 - all });
    const features =
      counter === 'absent'
        ? {}
        : {
            users: { max: 1_000_000, ...this.#counted(counter.lagMs) },
            ...(counter.lagMs === 0 && {
              fantasy_leagues: quota(this.leagues.length),
              mini_leagues: quota(this.miniLeagues.length),
              squads: quota(this.squads.length),
            }),
            ...this.quotas,
          };
    return { id: '0B0E3C9A-0000-4000-8000-000000000001', is_active: true, config: { features } };
  }

  get: Service['get'] = async (operation, input) => {
    await this.#read();
    const { page = 1, ...query } = (input?.query ?? {}) as { readonly page?: number };
    const records = this.#one(operation, input?.id) ?? this.#logOf(operation, query);
    const from = page === 1 ? 0 : (page - 1) * this.pageSize;
    return {
      status: 200,
      message: 'ok',
      records: records.slice(from, from + this.pageSize) as never,
      issues: [],
      ...(this.statesTotal && { paging: { total: records.length } }),
    };
  };

  #one(operation: OperationId, id: string | number = 0): readonly unknown[] | undefined {
    if (operation === 'get-player') {
      const prices = this.prices.filter(({ player_id }) => player_id === id);
      if (prices.length === 0) throw new RefusedError(404, 'no such player');
      return [{ id, price: prices.reduce((sum, each) => each.price + (each.type === 'delta' ? sum : 0), 4) }];
    }
    if (operation === 'get-fantasy-league') return [{ id, name: `League ${id}` }];
    if (operation !== 'get-points-config') return undefined;
    const league = Number(String(id).replace('config-', ''));
    const config = this.configs.get(league);
    if (config === undefined) throw new RefusedError(404, 'no such configuration');
    return [{ id: `config-${league}`, ...config }];
  }

  #logOf(operation: OperationId, query: object): readonly unknown[] {
    if (operation === 'list-prices') return this.#priceLog();
    if (operation === 'list-auto-substitutions')
      return this.substitutions.filter(fits(query)).filter(({ atMs }) => this.#isShown(atMs));
    throw new Error(`unexpected read ${operation}`);
  }

  #isShown(atMs: number | undefined): boolean {
    return atMs === undefined || atMs <= this.now() - this.listLagMs;
  }

  #priceLog(): readonly unknown[] {
    return this.prices
      .map((price, index) => ({ ...price, index }))
      .filter(({ atMs }) => this.#isShown(atMs))
      .map(({ player_id, league, write, index }) => ({
        id: String(index),
        ...(this.references === 'upload' && { txn_ref: `upload-${write ?? 'before'}` }),
        ...(this.references === 'record' && { txn_ref: `record-${index}` }),
        fantasy_league_id: league,
        player: { id: player_id },
      }));
  }

  list: Service['list'] = (operation, query, _signal, onUnreadable, onEnd) =>
    operation === 'list-users'
      ? this.#list(operation, onUnreadable, onEnd)
      : this.#listOthers(operation, query ?? {}, onUnreadable, onEnd);

  async *#listOthers(
    operation: OperationId,
    query: object,
    onUnreadable?: OnUnreadable,
    onEnd?: (wholeness: Wholeness) => void,
  ): AsyncGenerator<readonly never[]> {
    await this.#read();
    if (!this.listable) throw new UnavailableError('list.unstable', 'the list does not add up');
    const league = ({ fantasy_league_id }: FakeRecord) => ({ fantasy_league: { id: fantasy_league_id } });
    const canRead = ({ name }: FakeRecord): boolean => !this.unreadable.has(name);
    const held = { 'list-squads': this.squads, 'list-mini-leagues': this.miniLeagues }[operation as string];
    const records =
      operation === 'list-squads'
        ? this.squads
            .filter(canRead)
            .filter(fits(query))
            .map((squad) => ({
              ...this.#shown(squad, 'lists'),
              ...league(squad),
              user: { user_id: squad.user_id },
            }))
        : operation === 'list-mini-leagues'
          ? this.miniLeagues
              .filter(canRead)
              .filter(fits(query))
              .map((mini) => ({ ...this.#shown(mini, 'lists'), ...league(mini) }))
          : this.#logOf(operation, query);
    for (let at = 0; at < records.length; at += this.pageSize)
      yield records.slice(at, at + this.pageSize) as unknown as readonly never[];
    if (onUnreadable === 'fail' && held?.every(canRead) === false)
      throw new UnavailableError('list.unstable', 'a record cannot be read');
    onEnd?.(this.statesTotal ? 'stated' : 'assumed');
  }

  async *#list(
    operation: OperationId,
    onUnreadable?: OnUnreadable,
    onEnd?: (wholeness: Wholeness) => void,
  ): AsyncGenerator<readonly never[]> {
    await this.#read();
    if (operation !== 'list-users' || !this.listable)
      throw new UnavailableError('list.unstable', 'the list does not add up');
    const created = this.#createdAtMs.length;
    const users = this.users
      .filter((_, index) => this.#isShown(this.#createdAtMs[index - this.users.length + created]))
      .filter((user) => !this.unreadable.has(user.external_id))
      .map((user) => this.#shownUser(user, 'lists'));
    for (let at = 0; at < users.length; at += this.pageSize)
      yield users.slice(at, at + this.pageSize) as unknown as readonly never[];
    if (onUnreadable === 'fail' && this.unreadable.size > 0)
      throw new UnavailableError('list.unstable', 'a record cannot be read');
    onEnd?.(this.statesTotal ? 'stated' : 'assumed');
  }

  send: Service['send'] = async (operation, input) => {
    await this.onCall(input.body);
    this.applyLate();
    const fault = this.faults.shift();
    if (typeof fault === 'object') throw fault.throws;
    if (fault === 'unreachable') return { kind: 'not_applied', reason: 'connection refused' };
    const write = { operation, body: input.body };
    this.writes.push(write);
    return this.#answer(fault, write) as WriteResult<typeof operation>;
  };

  counts: Service['counts'] = () => ({
    planned: 0,
    sent: this.reads + this.writes.length,
    reads: this.reads,
    writes: this.writes.length,
    throttled: 0,
    waited_ms: 0,
  });

  timeMs: Service['timeMs'] = () => this.now();

  forecast: Service['forecast'] = (steps) => {
    const requests = steps.reduce((sum, step) => sum + step.requests, 0);
    return Promise.resolve({
      pauses: [],
      finishesAtMs: 0,
      requests,
      fits: requests,
      fittingRows: steps.reduce((sum, step) => sum + step.rows, 0),
      limitedBy: undefined,
      finishByMs: undefined,
      atTheLatest: false,
    });
  };

  /** A record as the service shows it. */
  #shown<Shown extends { readonly name: string }>(record: Shown, place: 'lists' | 'answers'): Shown {
    return { ...record, name: spelled(record.name, this.spelling, place) };
  }

  #shownUser(user: User, place: 'lists' | 'answers'): User {
    return {
      ...user,
      external_id: spelled(user.external_id, this.spelling, place),
      display_name: keptName(user.display_name, this) as User['display_name'],
    };
  }

  /** Applies the late writes whose time has come. */
  applyLate(): void {
    const due = this.#late.filter(({ atMs }) => atMs <= this.now());
    for (const late of due) {
      this.#late.splice(this.#late.indexOf(late), 1);
      late.apply();
    }
  }

  async #read(): Promise<void> {
    await this.onCall();
    this.applyLate();
    const fault = this.readFaults.shift();
    if (fault !== undefined) throw fault;
    this.reads += 1;
  }

  #counted(lagMs: number): { readonly used: number; readonly remaining: number } {
    const unseen = this.#createdAtMs.filter((atMs) => atMs > this.now() - lagMs).length;
    const used = this.users.length + this.removed - unseen;
    return { used, remaining: 1_000_000 - used };
  }

  #answer(fault: Exclude<Fault, object> | undefined, write: Write): WriteResult<OperationId> {
    switch (fault) {
      case 'vanished':
        return { kind: 'ambiguous', reason: 'timeout' };
      case 'late':
        this.#late.push({ atMs: this.now() + this.lateMs, apply: () => this.#apply(write) });
        return { kind: 'ambiguous', reason: 'timeout' };
      case 'lost':
        this.#apply(write);
        return { kind: 'ambiguous', reason: 'connection reset' };
      case 'refused':
        return { kind: 'refused', status: 400, message: 'no' };
      case 'too_large':
        return { kind: 'refused', status: 413, message: 'too large' };
      case 'all_then_refused':
        this.#apply(write);
        return { kind: 'refused', status: 400, message: 'done all the same' };
      case 'throttled':
        return { kind: 'refused', status: 429, message: 'slow down' };
      case 'half_then_refused':
        if (write.operation === 'create-users') {
          const { users } = write.body as { users: User[] };
          this.#createUsers(write, users.slice(0, users.length / 2));
        }
        if (write.operation === 'upload-prices') {
          const { prices } = write.body as { prices: FakePrice[] };
          this.#upload(write, prices.slice(0, prices.length / 2));
        }
        return { kind: 'refused', status: 400, message: 'half done' };
      case 'short': {
        const result = this.#apply(write);
        return result.kind === 'applied' ? applied(result.records.slice(1)) : result;
      }
      default:
        return this.#apply(write);
    }
  }

  #apply(write: Write): WriteResult<OperationId> {
    const { operation, body } = write;
    if (operation === 'create-users') {
      const { users } = body as { users: User[] };
      if (users.length > this.maxBatch)
        return { kind: 'refused', status: 413, message: `at most ${this.maxBatch}` };
      const bad = users.find((user) => this.refuses.has(user.external_id));
      if (bad !== undefined)
        return { kind: 'refused', status: 400, message: `external_id ${bad.external_id} is not wanted` };
      const room = this.maxUsers - this.users.length;
      if (users.length > room)
        return { kind: 'refused', status: 429, message: 'quota', quota: { feature: 'users', room } };
      return applied(this.#createUsers(write, users));
    }
    if (operation === 'update-user') return this.#updateUser(write);
    if (operation === 'upload-prices') {
      const { prices } = body as { prices: FakePrice[] };
      const bad = prices.find((price) => this.refuses.has(price.player_id));
      if (bad !== undefined)
        return { kind: 'refused', status: 400, message: `player_id ${bad.player_id} is not known` };
      this.#upload(write, prices);
      return applied([{ reference: 'r', count: prices.length }]);
    }
    if (operation !== 'set-points-config') return this.#create(write);
    const config = body as Record<string, unknown> & { fantasy_league_id: number };
    this.configs.set(config.fantasy_league_id, config);
    this.#log(write, String(config.fantasy_league_id), 'update');
    return applied([{ id: `config-${config.fantasy_league_id}`, ...config }]);
  }

  #create(write: Write): WriteResult<OperationId> {
    const body = write.body as Omit<FakeRecord, 'id'> & { readonly game_week_id: string };
    const { name, fantasy_league_id = 0, user_id } = body;
    if (this.refuses.has(name)) return { kind: 'refused', status: 400, message: `${name} is not wanted` };
    switch (write.operation) {
      case 'create-fantasy-league':
        this.leagues.push({ id: this.leagues.length + 1, name });
        this.#log(write, `league ${name}`, 'create');
        return applied([this.#shown({ id: this.leagues.length, name }, 'answers')]);
      case 'create-mini-league': {
        const mini = { id: this.miniLeagues.length + 1, name, fantasy_league_id };
        this.miniLeagues.push(mini);
        this.#log(write, `mini ${fantasy_league_id}/${name}`, 'create');
        return applied([
          { ...this.#shown({ id: mini.id, name }, 'answers'), fantasy_league: { id: fantasy_league_id } },
        ]);
      }
      case 'create-squad': {
        const squad = {
          id: `squad-${this.squads.length + 1}`,
          name,
          fantasy_league_id,
          user_id: user_id ?? 0,
        };
        this.squads.push(squad);
        this.#log(write, `squad ${fantasy_league_id}/${user_id}/${name}`, 'create');
        return applied([this.#shown({ id: squad.id, name, fantasy_league_id }, 'answers')]);
      }
      default:
        for (let more = 0; more < this.substitutes; more += 1) {
          const id = `substitution-${this.substitutions.length + 1}`;
          const created_at = new Date(this.now()).toISOString();
          this.substitutions.push({ id, fantasy_league_id, atMs: this.now(), created_at });
        }
        this.#log(write, `trigger ${fantasy_league_id}/${body.game_week_id}`, 'create');
        return applied([{ message: 'done', code: 'PROCESSED', events: 1 }]);
    }
  }

  #upload(write: Write, prices: readonly Pick<FakePrice, 'player_id' | 'price' | 'type'>[]): void {
    const { fantasy_league_id: league } = write.body as { fantasy_league_id: number };
    const upload = { league, write: this.writes.indexOf(write), atMs: this.now() };
    this.prices.push(...prices.map((price) => ({ ...price, ...upload })));
    for (const { player_id } of prices) this.#log(write, String(player_id), 'create');
  }

  #createUsers(write: Write, users: readonly Pick<User, 'external_id' | 'display_name'>[]): readonly User[] {
    return users.map(({ external_id, display_name }) => {
      const number = this.users.length + 1;
      const user = {
        id: `user-${number}`,
        user_id: number,
        external_id,
        display_name,
        is_active: this.newUsersActive,
      };
      this.users.push(user);
      this.#createdAtMs.push(this.now());
      this.#log(write, external_id, 'create');
      return this.#shownUser(user, 'answers');
    });
  }

  #updateUser(write: Write): WriteResult<OperationId> {
    const { id, ...changes } = write.body as User;
    const index = this.users.findIndex((user) => user.id === id);
    const user = this.users[index];
    if (user === undefined) return { kind: 'refused', status: 404, message: 'no such user' };
    if (this.refuses.has(user.external_id)) return { kind: 'refused', status: 403, message: 'not this one' };
    const changed = { ...user, ...changes };
    this.users[index] = changed;
    this.#log(write, user.external_id, 'update');
    return applied([this.#shownUser(changed, 'answers')]);
  }

  #log(write: Write, key: string, kind: Effect['kind']): void {
    this.effects.push({ key: key.normalize('NFC'), kind, write: this.writes.indexOf(write) });
  }
}

/** Whether a record is what a filter asks for. */
const fits =
  (query: object) =>
  (record: object): boolean =>
    Object.entries(query).every(([name, value]) => (record as Record<string, unknown>)[name] === value);

/** The answer to a write that came through. */
export function applied<Id extends OperationId>(records: readonly unknown[]): WriteResult<Id> {
  return { kind: 'applied', status: 201, message: 'created', records: records as never, issues: [] };
}
