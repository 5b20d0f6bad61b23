import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What the log keeps of one request: no body, no query, no key. */
export interface AnswerLine {
  readonly time: string;
  /** Stands in the answer's x-request-id and with its effect. */
  readonly request: string;
  readonly method: string;
  readonly path: string;
  /** The operation, where it is one of the service's. */
  readonly operation?: string;
  /** 0 when the connection ended before the answer did. */
  readonly status: number;
  readonly ms: number;
  /** The fault that the request met. */
  readonly fault?: string;
}

/** Tells `onAnswer` of every request, once its answer is out or its connection has ended; `clockMs` is milliseconds since the epoch. */
export function addLog(
  app: FastifyInstance,
  onAnswer: (line: AnswerLine, request: FastifyRequest) => void,
  clockMs: () => number,
): void {
  app.addHook('onRequest', (request, reply, next) => {
    const { operation } = request.routeOptions.config;
    const startedMs = performance.now();
    reply.raw.once('close', () =>
      onAnswer(
        {
          time: new Date(clockMs()).toISOString(),
          request: request.id,
          method: request.method,
          path: request.url.split('?')[0] ?? '',
          ...(operation !== undefined && { operation }),
          status: reply.raw.writableFinished ? reply.statusCode : 0,
          ms: Math.round((performance.now() - startedMs) * 10) / 10,
          ...(request.fault !== null && { fault: request.fault.kind }),
        },
        request,
      ),
    );
    next();
  });
}
