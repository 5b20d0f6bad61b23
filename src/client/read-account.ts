import { endpoints } from '../contract/index.ts';
import type { Account } from '../contract/resources/account.ts';
import { renderSchemaIssues } from './envelope.ts';

/** Where the requests of a command and the memory of the state stand on: nothing there is guessed. */
const VITAL = [['id'], ['config', 'rate_limit']] as const;

/** An account whose values of another kind are missing from it, and what they are. */
export interface LenientAccount {
  readonly account: Account;
  readonly leftOut: string;
}

/** Whether one of two paths leads through the other. */
const meet = (path: readonly PropertyKey[], other: readonly PropertyKey[]): boolean =>
  path.every((name, depth) => depth >= other.length || name === other[depth]);

/** The value without what stands at the path. */
function without(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (name === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]: [string, unknown]) => [
      key,
      key === name ? without(inner, rest) : inner,
    ]),
  );
}

/** An account with values of another kind than documented where no request needs them: it is read as if they were missing. Undefined where one is vital. */
export function readLeniently(data: unknown): LenientAccount | undefined {
  const { record } = endpoints['get-account'];
  const { error } = record.safeParse(data);
  if (error === undefined || error.issues.some(({ path }) => VITAL.some((vital) => meet(path, vital))))
    return undefined;
  const rest = error.issues.reduce((account, { path }) => without(account, path), data);
  const account = record.safeParse(rest).data;
  return account && { account, leftOut: renderSchemaIssues(error) };
}
