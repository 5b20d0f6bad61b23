import type { HttpRequest } from '../../src/model/ports.ts';
import type { Dice } from './dice.ts';
import { keptName, spelled, type Habits } from './habits.ts';
import { Limiter } from './limiter.ts';
import { listRecords } from './lists.ts';
import { latest, Records, uuidOf, type Held, type Kind, type Values } from './records.ts';
import { refuse, type Reply } from './reply.ts';

/** A request as the service reads it. */
export interface Asked {
  readonly method: string;
  /** Below `/v1`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Values;
  /** Its number on our wire; undefined for another writer. */
  readonly request: number | undefined;
}

/** A request as it comes from a wire, with its number on ours. */
export function askedOf({ method, url, body }: HttpRequest, request: number | undefined): Asked {
  const { pathname, searchParams } = new URL(url);
  return {
    method,
    path: pathname.replace(/^.*\/v1/, ''),
    query: searchParams,
    body: body === undefined ? {} : (JSON.parse(body) as Values),
    request,
  };
}

/** An answer as text, whole. */
export interface Answered {
  readonly status: number;
  /** The service said no, wherever its answer says so. */
  readonly isRefused?: boolean;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ACCOUNT_ID = '0b0e3c9a-0000-4000-8000-000000000001';
/** A real time, for the service's timestamps. */
export const EPOCH_MS = Date.UTC(2026, 7, 14, 18, 0, 0);

/** Names that the service does not take, whatever the operator wants. */
export const REFUSED = { user: 'Refused', player: 13, squad: 'Refused XI' } as const;
const PLAYERS = 40;

/**
 * The service in memory, as one reading of its interface (`Habits`) has it: requests in, envelopes as text out, and a log of everything that it did.
 * Written from the interface alone, so that it agrees with no mistake of ours.
 */
export class SimulatedService {
  readonly records = new Records();
  /** Records that the account may still create of each kind; lifted when the trouble is over. */
  readonly quota = new Map<Kind, number>();
  /** Lists of records show their first half alone, and say that this is all. */
  endsEarly = false;
  /** Answers that left out the record which a repeat was taken for: nothing shows whose it is then. */
  silentMerges = 0;
  /** The requests that the limiter refused, and how long the window is that was full. */
  readonly refusedByLimiter: { readonly number: number; readonly windowMs: number }[] = [];
  readonly #habits: Habits;
  readonly #dice: Dice;
  readonly #now: () => number;
  readonly #limiter: Limiter;

  /** A day whose requests are spent is a trouble like any other, that ends with the others. */
  enlargeDay(): void {
    this.#limiter.enlargeDay();
  }

  constructor(habits: Habits, dice: Dice, now: () => number) {
    this.#habits = habits;
    this.#dice = dice;
    this.#now = now;
    this.#limiter = new Limiter(habits.limits, this.#clockMs());
    // The league and its players are there before anybody uses the account.
    this.records.create('fantasy_leagues', 'Existing', '1', { name: 'Existing' }, -1e9, undefined);
    this.records.newNumber();
  }

  /** Handles a request now: whatever it does is done when this returns. `free` requests are not counted. */
  answer(asked: Asked, free = false): Answered {
    const { accountCall } = this.#habits.limits;
    const isAccount = asked.path === '/auth/account';
    const counts = !isAccount || accountCall !== 'free';
    const unlisted = isAccount && accountCall === 'unlisted' ? this.#reply(asked) : undefined;
    const windowMs = counts && !free ? this.#limiter.admit(this.#clockMs()) : undefined;
    if (windowMs !== undefined) {
      if (asked.request !== undefined) this.refusedByLimiter.push({ number: asked.request, windowMs });
      return this.#text(refuse(429, 'too many requests'));
    }
    return this.#text(unlisted ?? this.#reply(asked));
  }

  /** The headers that every answer has. */
  headers(): Readonly<Record<string, string>> {
    return this.#habits.dateHeader ? { date: new Date(this.#clockMs()).toUTCString() } : {};
  }

  #clockMs(): number {
    return EPOCH_MS + this.#now() + this.#habits.skewMs;
  }

  #text({ status, message, data, paging, errors }: Reply): Answered {
    const headers = this.headers();
    const { refusal } = this.#habits;
    if (status >= 400 && status !== 429 && refusal === 'problem_json')
      return {
        status,
        isRefused: true,
        headers,
        body: JSON.stringify({ type: 'about:blank', title: message, status }),
      };
    const isRefused = status >= 400;
    const rest = isRefused && refusal === 'without_data' ? {} : { data: data ?? null };
    const body = JSON.stringify({ statusCode: status, message, ...rest, paging, errors });
    return { status: isRefused && refusal === 'http_200' ? 200 : status, isRefused, headers, body };
  }

  #reply(asked: Asked): Reply {
    const { method, path, query, body } = asked;
    const [, first = '', second = ''] = path.split('/');
    switch (
      `${method} /${first}${second === '' ? '' : `/${first === 'points' || first === 'auth' ? second : '*'}`}`
    ) {
      case 'GET /auth/account':
        return this.#ok(this.#account());
      case 'POST /user':
        return this.#createUsers(asked, body['users'] as readonly Values[]);
      case 'PATCH /user':
        return this.#updateUser(asked);
      case 'GET /user':
        return this.#listed('users', query);
      case 'POST /fantasy-league':
        return this.#createLeague(asked);
      case 'GET /fantasy-league/*':
        return this.#readLeague(second);
      case 'POST /mini-league':
        return this.#createMini(asked);
      case 'GET /mini-league':
        return this.#listed('mini_leagues', query);
      case 'POST /squad':
        return this.#createSquad(asked);
      case 'GET /squad':
        return this.#listed('squads', query);
      case 'GET /player/*':
        return this.#readPlayer(Number(second), Number(query.get('fantasy_league_id')));
      case 'POST /price':
        return this.#uploadPrices(asked, body['prices'] as readonly Values[]);
      case 'GET /price':
        return this.#listed('prices', query);
      case 'POST /points/config':
        return this.#setPoints(asked);
      case 'GET /points/config':
        return this.#readPoints(path.split('/')[3] ?? '');
      case 'POST /auto-substitution':
        return this.#trigger(asked);
      case 'GET /auto-substitution':
        return this.#listed('auto_substitutions', query);
      default:
        return refuse(404, 'no such operation');
    }
  }

  #listed(kind: Kind, query: URLSearchParams): Reply {
    const all = this.records.of(kind);
    const isLog = kind === 'prices' || kind === 'auto_substitutions';
    const shown = this.endsEarly && !isLog ? all.slice(0, all.length / 2) : all;
    return listRecords(this.#habits, shown, kind, query, this.#now());
  }

  #ok(data: unknown): Reply {
    return { status: 200, message: 'ok', data };
  }

  #made(data: unknown): Reply {
    return { status: this.#habits.success, message: 'done', data };
  }

  #account(): Values {
    const { counters } = this.#habits;
    const feature = (kind: Kind): Values => {
      const lagMs = counters === 'absent' ? 0 : counters.lagMs;
      const seenMs = lagMs === Infinity ? 0 : this.#now() - lagMs;
      const used = this.records.of(kind).filter(({ createdMs }) => createdMs <= seenMs).length;
      const left = this.quota.get(kind);
      const remaining = left ?? 1_000_000;
      return { max: used + remaining, used, remaining, state: 'ok', is_blocked: false };
    };
    const features =
      counters === 'absent'
        ? undefined
        : {
            users: feature('users'),
            squads: feature('squads'),
            mini_leagues: feature('mini_leagues'),
            fantasy_leagues: feature('fantasy_leagues'),
          };
    return {
      id: ACCOUNT_ID,
      tier: 'gold',
      is_active: true,
      api_key_active: true,
      config: { rate_limit: this.#limiter.report(this.#clockMs()), features },
    };
  }

  /** Takes one from the quota; false when there is none left. */
  #spendQuota(kind: Kind, request: number | undefined): boolean {
    const left = this.quota.get(kind);
    if (left === undefined || request === undefined) return true;
    if (left <= 0) return false;
    this.quota.set(kind, left - 1);
    return true;
  }

  #createUsers({ request }: Asked, users: readonly Values[]): Reply {
    const { batchLimit, badRow, repeatedUser } = this.#habits;
    if (users.length > batchLimit) return refuse(413, `at most ${batchLimit} users`);
    const isBad = (user: Values): boolean => {
      const taken = this.records.find('users', keyOf(user['external_id'])).length > 0;
      const refused = repeatedUser === 'refuse' || repeatedUser === 'conflict';
      return user['display_name'] === REFUSED.user || (taken && refused);
    };
    const left = this.quota.get('users');
    if (left !== undefined && request !== undefined && users.length > left)
      return refuse(403, 'quota exceeded');
    const bad = users.filter(isBad);
    const good = users.filter((user) => !bad.includes(user));
    const status =
      bad.some((user) => user['display_name'] === REFUSED.user) || repeatedUser === 'refuse' ? 400 : 409;
    const refusal = refuse(status, 'a user is not wanted');
    if (bad.length > 0 && badRow === 'refuse_all') return refusal;
    if (bad.length > 0 && badRow === 'half_then_refuse') {
      const first = users.indexOf(bad[0] ?? {});
      this.#applyUsers(users.slice(0, first), request);
      return refusal;
    }
    const made = this.#applyUsers(good, request);
    const told = this.#saidOf(users, made);
    if (bad.length > 0 && (badRow === 'good_then_refuse' || made.length + told.length === 0)) return refusal;
    const records = this.#disordered(made);
    const isMerged = ({ id }: Values): boolean =>
      this.records.effects.some(
        (effect) => effect.kind === 'merge' && effect.request === request && effect.id === id,
      );
    if (made.some((record) => isMerged(record) && !records.includes(record))) this.silentMerges += 1;
    return this.#habits.leftOut.endsWith('beside')
      ? { ...this.#made(records), errors: told }
      : this.#made([...records, ...told]);
  }

  /** What an answer says of users that it has no record of. */
  #saidOf(users: readonly Values[], made: readonly Values[]): readonly Values[] {
    const { leftOut } = this.#habits;
    if (leftOut === 'nothing') return [];
    return users.flatMap(({ external_id }, index) => {
      const shown = this.#shown(external_id);
      if (made.some((record) => record['external_id'] === shown)) return [];
      const error = 'this user is not wanted';
      return [leftOut.startsWith('by_key') ? { external_id: shown, error } : { index, error }];
    });
  }

  #applyUsers(users: readonly Values[], request: number | undefined): readonly Values[] {
    return users.flatMap((user) => {
      const key = keyOf(user['external_id']);
      const [there] = this.records.find('users', key);
      const { repeatedUser, newUsersActive } = this.#habits;
      if (there !== undefined && repeatedUser === 'skip') return [];
      if (there !== undefined && repeatedUser === 'merge') {
        const { display_name } = user;
        this.records.change('users', there, { display_name }, this.#now(), request, 'merge');
        return [this.#user(there)];
      }
      this.#spendQuota('users', request);
      const number = this.records.newNumber();
      const values = {
        user_id: number,
        external_id: user['external_id'],
        display_name: user['display_name'],
        is_active: newUsersActive,
      };
      const held = this.records.create('users', key, uuidOf(number), values, this.#now(), request);
      return [this.#user(held)];
    });
  }

  /** The records of an answer in the order that this service has. */
  #disordered(made: readonly Values[]): readonly Values[] {
    const { answerOrder, extraRecord, missingRecord } = this.#habits;
    const rest = this.#dice.chance(missingRecord) ? made.slice(1) : made;
    const [older] = this.records.of('users');
    const all =
      extraRecord && older !== undefined && !rest.some(({ id }) => id === older.id)
        ? [this.#user(older), ...rest]
        : rest;
    if (answerOrder === 'reversed') return all.toReversed();
    if (answerOrder === 'same') return all;
    return all.toSorted((a, b) => (String(a['external_id']) < String(b['external_id']) ? -1 : 1));
  }

  #user(held: Held): Values {
    const values = latest(held);
    return {
      id: held.id,
      ...values,
      external_id: this.#shown(values['external_id']),
      display_name: keptName(values['display_name'], this.#habits),
    };
  }

  #shown(text: unknown): string {
    return spelled(String(text), this.#habits.spelling, 'answers');
  }

  #updateUser({ request, body }: Asked): Reply {
    const { id, ...changes } = body;
    const held = this.records.byId('users', String(id));
    if (held === undefined) return refuse(404, 'no such user');
    if (changes['display_name'] === REFUSED.user) return refuse(422, 'this name is not wanted');
    this.records.change('users', held, changes, this.#now(), request);
    return this.#ok(this.#user(held));
  }

  /** A record of its own, where one of the same key may be there. */
  #createRecord(
    kind: Kind,
    key: string,
    id: string,
    values: Values,
    request: number | undefined,
  ): Reply | Held {
    const { repeatedRecord } = this.#habits;
    if (this.records.find(kind, key).length > 0 && repeatedRecord !== 'second')
      return refuse(repeatedRecord === 'refuse' ? 400 : 409, 'it exists');
    if (!this.#spendQuota(kind, request)) return refuse(403, 'quota exceeded');
    return this.records.create(kind, key, id, values, this.#now(), request);
  }

  #createLeague({ request, body }: Asked): Reply {
    const name = keyOf(body['name']);
    const number = this.records.newNumber();
    const made = this.#createRecord('fantasy_leagues', name, String(number), { name }, request);
    return 'status' in made ? made : this.#made({ id: number, name: this.#shown(name), is_active: true });
  }

  #readLeague(id: string): Reply {
    const held = this.records.byId('fantasy_leagues', id);
    if (held === undefined) return refuse(404, 'no such league');
    const [points] = this.records.find('points_config', id);
    const shown = points && { id: points.id, ...latest(points) };
    const { leaguePoints } = this.#habits;
    const points_config =
      leaguePoints === 'absent' ? undefined : leaguePoints === 'shown' ? (shown ?? null) : { rules: [shown] };
    const values = latest(held);
    return this.#ok({ id: Number(id), ...values, name: this.#shown(values['name']), points_config });
  }

  #createMini({ request, body }: Asked): Reply {
    const { fantasy_league_id, name } = body;
    if (this.records.byId('fantasy_leagues', String(fantasy_league_id)) === undefined)
      return refuse(404, 'no such league');
    const number = this.records.newNumber();
    const values = { name, fantasy_league_id };
    const key = `${String(fantasy_league_id)}/${keyOf(name)}`;
    const made = this.#createRecord('mini_leagues', key, String(number), values, request);
    return 'status' in made
      ? made
      : this.#made({
          id: number,
          name: this.#shown(name),
          fantasy_league: { id: fantasy_league_id, name: 'a league' },
        });
  }

  #createSquad({ request, body }: Asked): Reply {
    const { fantasy_league_id, user_id, name, players_in } = body;
    if (name === REFUSED.squad) return refuse(400, 'this name is not wanted');
    if (this.records.byId('users', uuidOf(Number(user_id))) === undefined) return refuse(404, 'no such user');
    const number = this.records.newNumber();
    const values = { name, fantasy_league_id, user_id, players_in };
    const key = `${String(fantasy_league_id)}/${String(user_id)}/${keyOf(name)}`;
    const made = this.#createRecord('squads', key, uuidOf(number), values, request);
    return 'status' in made ? made : this.#made({ id: made.id, name: this.#shown(name), fantasy_league_id });
  }

  #readPlayer(id: number, league: number): Reply {
    if (!(id >= 1 && id <= PLAYERS)) return refuse(404, 'no such player');
    const price = this.records
      .of('prices')
      .map(latest)
      .filter((record) => record['player_id'] === id && record['fantasy_league_id'] === league)
      .reduce((before, record) => Number(record['price']) + (record['type'] === 'delta' ? before : 0), 5);
    return this.#ok({ id, price });
  }

  #uploadPrices({ request, body }: Asked, prices: readonly Values[]): Reply {
    const { batchLimit, badRow, priceLog } = this.#habits;
    if (prices.length > batchLimit) return refuse(413, `at most ${batchLimit} prices`);
    const isBad = (price: Values): boolean => Number(price['player_id']) === REFUSED.player;
    const bad = prices.filter(isBad);
    const refusal = refuse(400, 'a player is not known');
    if (bad.length > 0 && badRow === 'refuse_all') return refusal;
    const good =
      bad.length > 0 && badRow === 'half_then_refuse'
        ? prices.slice(0, prices.findIndex(isBad))
        : prices.filter((price) => !isBad(price));
    const reference = `ref-${this.records.newNumber()}`;
    const league = body['fantasy_league_id'];
    for (const { player_id, price, type } of good) {
      const number = this.records.newNumber();
      const key = `${String(league)}/${String(player_id)}/${String(type)}`;
      const own = priceLog === 'own_references' ? `txn-${number}` : undefined;
      const txn_ref = priceLog === 'by_reference' ? reference : own;
      const values = { fantasy_league_id: league, player_id, price, type, txn_ref };
      this.records.create('prices', key, uuidOf(number), values, this.#now(), request);
    }
    if (bad.length > 0 && (badRow !== 'good_only' || good.length === 0)) return refusal;
    return this.#made({ reference, count: good.length });
  }

  #setPoints({ request, body }: Asked): Reply {
    const key = String(body['fantasy_league_id']);
    const [there] = this.records.find('points_config', key);
    if (there !== undefined) {
      if (this.#habits.repeatedSetting === 'refuse') return refuse(409, 'there is a configuration');
      this.records.change('points_config', there, body, this.#now(), request);
      return this.#made({ id: there.id, ...latest(there) });
    }
    const id = uuidOf(this.records.newNumber());
    this.records.create('points_config', key, id, body, this.#now(), request);
    return this.#made({ id, ...body });
  }

  #readPoints(id: string): Reply {
    const held = this.#habits.pointsByLeague
      ? (this.records.find('points_config', id)[0] ?? this.records.byId('points_config', id))
      : this.records.byId('points_config', id);
    return held === undefined
      ? refuse(404, 'no such configuration')
      : this.#ok({ id: held.id, ...latest(held) });
  }

  #trigger({ request, body }: Asked): Reply {
    const { fantasy_league_id, game_week_id } = body;
    const key = `${String(fantasy_league_id)}/${String(game_week_id)}`;
    if (this.records.find('auto_substitutions', key).length > 0 && this.#habits.repeatedSetting === 'refuse')
      return refuse(409, 'that week is processed');
    const id = uuidOf(this.records.newNumber());
    this.records.create('auto_substitutions', key, id, { fantasy_league_id }, this.#now(), request);
    return this.#made({ message: 'processed', code: 'OK', events: 1 });
  }
}

const keyOf = (value: unknown): string => String(value).normalize('NFC');
