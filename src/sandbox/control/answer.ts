import type { FastifySchema } from 'fastify';

/** What is checked of a request, for a route that is not one of the service's operations and so not in its description. */
export function hidden(checks: FastifySchema = {}): { readonly schema: FastifySchema } {
  return { schema: { ...checks, hide: true } };
}

/** A successful answer in the envelope of section 1. */
export function success<T extends object>(message: string, data: T) {
  return { statusCode: 200, message, data };
}
