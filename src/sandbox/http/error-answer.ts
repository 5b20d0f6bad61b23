import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusalBody } from './refusal-body.ts';
import { MalformedBody, Refusal } from '../refusal.ts';
import type { Settings } from '../switches.ts';

/** Most bytes of a body. */
export const BODY_LIMIT_BYTES = 1_048_576;

type OnFailure = ((error: unknown) => void) | undefined;

/** Fastify's own refusals that do not say what would be right. */
const PLAIN_WORDS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the content type of a body must be application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: `body: larger than ${BODY_LIMIT_BYTES} bytes`,
};

/** Answers with a refusal whatever went wrong; what is no refusal is our own mistake, and its message is not for clients. */
export function errorAnswer(onFailure: OnFailure, settings: Settings) {
  return (error: FastifyError | Refusal, _request: FastifyRequest, reply: FastifyReply): void => {
    const status = statusOf(error, settings);
    if (status >= 500) onFailure?.(error);
    if (error instanceof Refusal && error.retryAfter !== undefined) {
      void reply.header('retry-after', error.retryAfter);
    }
    const known = 'code' in error ? PLAIN_WORDS[error.code] : undefined;
    const message =
      status >= 500 ? 'the sandbox failed; this is a mistake of its own' : (known ?? error.message);
    const answer = refusalBody(settings.error_shape, status, message);
    void reply.status(answer.status).type(answer.type).send(answer.body);
  };
}

function statusOf(error: FastifyError | Refusal, { validation_status }: Settings): number {
  const { statusCode = 500 } = error;
  if (statusCode < 400) return 500;
  const isInvalid = statusCode === 400 && error instanceof Refusal && !(error instanceof MalformedBody);
  return isInvalid ? Number(validation_status) : statusCode;
}

/**
 * Refuses what no route takes: with 405 and the header Allow where the path is known and its method is not, else with 404. Sees the routes that are
 * added after it.
 */
export function refuseUnknown(app: FastifyInstance, answerError: ReturnType<typeof errorAnswer>): void {
  const routes: { readonly url: string; readonly method: string | readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ url, method });
  });
  const allowedAt = (path: string): readonly string[] => {
    const methods = routes.flatMap(({ url, method }) => (isRouteOf(url, path) ? method : []));
    return [...new Set(methods)].toSorted();
  };
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const allowed = allowedAt(path);
    if (allowed.length === 0) {
      answerError(new Refusal(404, `there is no ${request.method} ${path}`), request, reply);
      return;
    }
    void reply.header('allow', allowed.join(', '));
    answerError(
      new Refusal(405, `${path} takes ${allowed.join(', ')}, not ${request.method}`),
      request,
      reply,
    );
  });
}

/** Whether a path is one of a route's, whose parameters take any text and whose `*` is left aside. */
function isRouteOf(url: string, path: string): boolean {
  const [wanted, given] = [url.split('/'), path.split('/')];
  const fits = (part: string, index: number): boolean =>
    part.startsWith(':') ? given[index] !== '' : part === given[index];
  return wanted.length === given.length && wanted.every(fits);
}
