import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hidden } from '../control/answer.ts';
import { isSame } from '../http/keys.ts';
import { Refusal } from '../refusal.ts';
import { checkOrigin, type Notice, type Sessions } from './guard.ts';
import { requireAccount, type ConsoleOptions } from './visit.ts';

const BODY_LIMIT_BYTES = 4_096;

/** What an operator may do to an account, by the name of the operation at /control and here; and what is sent along. */
const ACTIONS = {
  'play-next-week': () => undefined,
  clock: (form) => ({ advance: form.get('advance') ?? '' }),
  reset: () => undefined,
} as const satisfies Record<string, (form: URLSearchParams) => object | undefined>;

/** The forms of the console. All of them ask for a page of the console as their origin, and all but the first for a session too. */
export function addActions(site: FastifyInstance, options: ConsoleOptions, sessions: Sessions): void {
  site.removeAllContentTypeParsers();
  site.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  const post = (
    url: string,
    act: (request: FastifyRequest, reply: FastifyReply) => Promise<string> | string,
  ): void => {
    site.post(
      url,
      { ...hidden(), onRequest: (request, _reply, next) => next(originError(request)) },
      async (request, reply) => reply.redirect(await act(request, reply), 303),
    );
  };
  post('/console/session', (request, reply) => {
    if (!isSame(formOf(request).get('key') ?? '', options.controlKey)) {
      throw new Refusal(401, 'that is not the control key of this sandbox');
    }
    sessions.begin(reply);
    return '/';
  });
  post('/console/session/end', (request, reply) => {
    sessions.end(request, reply);
    return '/';
  });
  for (const [name, bodyOf] of Object.entries(ACTIONS)) {
    post(`/console/:account/${name}`, async (request) => {
      if (!sessions.isOpen(request)) throw new Refusal(401, 'sign in with the control key first');
      const { account } = request.params as { readonly account: string };
      requireAccount(options.accounts, account);
      sessions.tell(request, await operate(site, options, { account, name, body: bodyOf(formOf(request)) }));
      return account === '1' ? '/' : `/console/${account}/`;
    });
  }
}

function originError(request: FastifyRequest): Error | undefined {
  try {
    checkOrigin(request);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams();

interface Operation {
  readonly account: string;
  readonly name: string;
  readonly body: object | undefined;
}

/** Does it by the operator's interface, which checks and words it; tells what came of it. */
async function operate(
  site: FastifyInstance,
  { controlKey }: ConsoleOptions,
  operation: Operation,
): Promise<Notice> {
  const { account, name, body } = operation;
  const below = account === '1' ? '/control' : `/control/accounts/${account}`;
  const answer = await site.inject({
    method: 'POST',
    url: `${below}/${name}`,
    headers: { 'x-control-key': controlKey },
    ...(body !== undefined && { payload: body }),
  });
  const { message } = answer.json<{ readonly message: string }>();
  return { isGood: answer.statusCode < 400, text: message };
}
