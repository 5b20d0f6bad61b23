import type { FastifyInstance, FastifySchema } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';

/** The operator's interface: what a request holds is typed by the schemas that check it. */
export type Control = ReturnType<typeof typed>;

/** The same routes, typed by their schemas. */
export const typed = (control: FastifyInstance) => control.withTypeProvider<ZodTypeProvider>();

/** What is checked of a request, for a route that is not one of the service's operations and so not in its description. */
export function hidden<const Checks extends FastifySchema>(checks?: Checks) {
  return { schema: { ...checks, hide: true } as Checks };
}

/** Records on a page of a list. */
export const PAGE = 100;

/** What stands beside a page of a list. */
export const pagingOf = (page: number, current: number, total: number) => ({
  page,
  page_total: Math.ceil(total / PAGE),
  per_page: PAGE,
  current,
  total,
});

/** A successful answer in the envelope of section 1. */
export function success<T extends object>(message: string, data: T) {
  return { statusCode: 200, message, data };
}
