import type { Account } from '../http/accounts.ts';
import type { Context } from '../context.ts';
import type { RecentRequest, RecentRequests } from '../http/recent-requests.ts';
import { handlers } from '../handlers/index.ts';
import { Refusal } from '../refusal.ts';
import { DEFAULT_SETTINGS } from '../switches.ts';
import type { Markup } from '../../pages/markup.ts';

/** Records on one page of a list. */
export const PER_PAGE = 50;
const MOST_PAGES = 1_000_000;

/** What the console shows and works with. */
export interface ConsoleOptions {
  readonly accounts: readonly [Account, ...Account[]];
  readonly controlKey: string;
  readonly requests: RecentRequests;
  /** Real time in milliseconds. */
  readonly nowMs: () => number;
  /** Told of every error that is no refusal. */
  readonly onFailure: ((error: unknown) => void) | undefined;
}

/** One request for a page. */
export interface Visit {
  /** The account that is looked at, as it is: without what its settings would hide or bend. */
  readonly context: Context;
  /** The same as clients see it. */
  readonly bent: Context;
  /** The address of this sandbox as the browser names it. */
  readonly origin: string;
  /** Its number, from 1; pages of an account stand below /console/NUMBER. */
  readonly account: number;
  /** How many accounts there are. */
  readonly accounts: number;
  /** The latest requests of all accounts, the newest first. */
  readonly requests: readonly RecentRequest[];
  /** Whether the operator has signed in and may change things. */
  readonly isOperator: boolean;
  /** What the path names, such as the id of a squad; empty when it names nothing. */
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/** What a page shows between the head and the foot that all pages have. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
}

/** Reads what one page shows. @throws Refusal 404 for an id that nothing has. */
export type View = (visit: Visit) => Page;

/** The account with a number as an address names it. @throws Refusal 404 when there is none. */
export function requireAccount(accounts: readonly Account[], number: string): Account {
  const account = /^[1-9]$/.test(number) ? accounts[Number(number) - 1] : undefined;
  if (account === undefined) throw new Refusal(404, `there is no account ${number}`);
  return account;
}

/** A context whose lists and answers are complete and current, whatever profile clients see. */
export function unbent(context: Context): Context {
  const { store } = context;
  return {
    ...context,
    settings: { ...DEFAULT_SETTINGS, page_size: PER_PAGE },
    views: { ...context.views, lists: store, records: store, account: store },
  };
}

/** The same at another time of the season: what is current then is shown. */
export function at(context: Context, time: string): Context {
  return { ...context, season: { ...context.season, now: () => time } };
}

/** The address of a page of the account. */
export function link({ account }: Pick<Visit, 'account'>, path: string): string {
  return `/console/${account}/${path}`;
}

/** An address with a query. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query).toString()}`;
}

/** A parameter of the query; empty when it is missing or stands there twice. */
export function textOf({ query }: Visit, name: string): string {
  const value = query[name];
  return typeof value === 'string' ? value : '';
}

/** A whole number from 1 to `most` of the query; `otherwise` for anything else. */
export function numberOf(visit: Visit, name: string, most: number, otherwise: number): number {
  const value = textOf(visit, name);
  return /^[1-9]\d{0,8}$/.test(value) && Number(value) <= most ? Number(value) : otherwise;
}

/** The page of a list that the query asks for. */
export const pageOf = (visit: Visit): number => numberOf(visit, 'page', MOST_PAGES, 1);

/** A squad by its id. */
export const readSquad = (context: Context, id: string) => handlers['get-squad'](context, call(id)).data;
/** The line-up of a squad by its id. */
export const readLineup = (context: Context, id: string) => handlers['get-lineup'](context, call(id)).data;
/** A fantasy league by its number. */
export const readLeague = (context: Context, id: string) =>
  handlers['get-fantasy-league'](context, call(id)).data;
/** All game weeks with their fixtures. */
export const readFixtures = (context: Context, leagueId: number) =>
  handlers['get-fixtures'](context, call(String(leagueId))).data;
/** Whether clients may make the account call or not. */
export const readAccount = ({ context, bent }: Visit) =>
  handlers['get-account']({ ...context, settings: { ...bent.settings, account_call: 'counted' } }, call(''))
    .data;
/** A mini league by its number. */
export const readMiniLeague = (context: Context, id: string) =>
  handlers['get-mini-league'](context, call(id)).data;
/** A player by his number, with the points of a fantasy league. @throws Refusal 404 when there is none. */
export const readPlayer = (context: Context, id: string, leagueId: number) =>
  handlers['get-player'](context, { ...call(id), query: { fantasy_league_id: leagueId } }).data;

const call = (id: string) => ({ id, query: undefined, body: undefined });
