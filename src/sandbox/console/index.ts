import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hidden } from '../control/answer.ts';
import { advance } from '../game/play.ts';
import { docs } from '../docs/page.ts';
import { Refusal } from '../refusal.ts';
import { addActions } from './actions.ts';
import { activity } from './activity.ts';
import { fixtures } from './fixtures.ts';
import { bare, frame, resetPage } from './frame.ts';
import { checkPlace, openSessions, type Sessions } from './guard.ts';
import { league, leagues } from './leagues.ts';
import { prices, substitutions } from './logs.ts';
import { markup } from '../../pages/markup.ts';
import { miniLeague, miniLeagues } from './mini-leagues.ts';
import { overview } from './overview.ts';
import { player, players } from './players.ts';
import { squad } from './squad.ts';
import { squads } from './squads.ts';
import { ICON } from '../../pages/style.ts';
import { STYLE, STYLE_PATH } from './style.ts';
import { user, users } from './users.ts';
import { requireAccount, unbent, type ConsoleOptions, type View, type Visit } from './visit.ts';

/** The pages of an account by their path, and the section of the head that each belongs to. */
const PAGES: readonly (readonly [path: string, section: string, view: View])[] = [
  ['', '', overview],
  ['leagues', 'leagues', leagues],
  ['leagues/:id', 'leagues', league],
  ['users', 'users', users],
  ['users/:id', 'users', user],
  ['squads', 'squads', squads],
  ['squads/:id', 'squads', squad],
  ['fixtures', 'fixtures', fixtures],
  ['players', 'players', players],
  ['players/:id', 'players', player],
  ['mini-leagues', 'mini-leagues', miniLeagues],
  ['mini-leagues/:id', 'mini-leagues', miniLeague],
  ['prices', 'prices', prices],
  ['substitutions', 'substitutions', substitutions],
  ['activity', 'activity', activity],
];

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Stricter would take the origin from the console's own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};
const HTML = 'text/html; charset=utf-8';

/**
 * The console for people, at /, /docs and below /console: every page is read with the handlers of the service, needs no key and changes nothing. What an
 * operator does goes through the interface at /control, after the control key was typed once. Answers this machine alone.
 */
export function consoleOf(options: ConsoleOptions) {
  return (site: FastifyInstance, _options: object, done: () => void): void => {
    const sessions = openSessions(options.nowMs);
    site.addHook('onRequest', (request, reply, next) => {
      void reply.headers(HEADERS);
      checkPlace(request);
      next();
    });
    site.setErrorHandler(errorPage(options));
    const visitOf = visitsOf(options, sessions);
    const show = (section: string, view: View) => (request: FastifyRequest, reply: FastifyReply) => {
      const visit = visitOf(request);
      const notice = sessions.takeNotice(request);
      void reply.type(HTML);
      return frame(view(visit), { visit, section, notice });
    };
    const get = (url: string, handler: ReturnType<typeof show>): void => {
      site.route({ method: ['GET', 'HEAD'], url, ...hidden(), handler });
    };
    get('/', show('', overview));
    for (const [path, section, view] of PAGES) get(`/console/:account/${path}`, show(section, view));
    get('/console/:account/reset', show('', resetPage));
    get('/docs', show('docs', docs));
    get('/console/*', () => {
      throw new Refusal(404, 'there is no such page');
    });
    addAssets(get);
    addActions(site, options, sessions);
    done();
  };
}

type Get = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => string) => void;

function addAssets(get: Get): void {
  const asset = (type: string, text: string) => (_request: FastifyRequest, reply: FastifyReply) => {
    void reply.type(type).header('cache-control', 'public, max-age=31536000, immutable');
    return text;
  };
  get(STYLE_PATH, asset('text/css; charset=utf-8', STYLE));
  get('/console/icon.svg', asset('image/svg+xml', ICON));
}

function visitsOf({ accounts, requests }: ConsoleOptions, sessions: Sessions) {
  return (request: FastifyRequest): Visit => {
    const { account: number = '1', id = '' } = request.params as {
      readonly account?: string;
      readonly id?: string;
    };
    const { context } = requireAccount(accounts, number);
    advance(context, context.season.now());
    return {
      context: unbent(context),
      bent: context,
      // The place was checked: the header names this machine.
      origin: `http://${request.headers.host ?? ''}`,
      account: Number(number),
      accounts: accounts.length,
      requests: requests.list(),
      isOperator: sessions.isOpen(request),
      id,
      query: request.query as Readonly<Record<string, unknown>>,
    };
  };
}

function errorPage({ onFailure }: ConsoleOptions) {
  return (error: FastifyError | Refusal, _request: FastifyRequest, reply: FastifyReply): void => {
    const status = error.statusCode !== undefined && error.statusCode >= 400 ? error.statusCode : 500;
    if (status >= 500) onFailure?.(error);
    const heading = status === 404 ? 'Not found' : status >= 500 ? 'The sandbox failed' : 'Refused';
    const message = status >= 500 ? 'This is a mistake of its own.' : error.message;
    const body = markup`<body><main id="main" class="lonely"><p class="big">${status}</p><h1>${heading}</h1><p>${message}</p><p><a class="button" href="/">To the overview</a></p></main></body>`;
    // The request may have been refused before the console saw it.
    void reply.headers(HEADERS).status(status).type(HTML).send(bare(heading, body));
  };
}
