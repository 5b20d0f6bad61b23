import { endpoints } from '../contract/index.ts';
import type { Account } from '../contract/resources/account.ts';
import { readWithout, renderSchemaIssues } from './envelope.ts';

/** Where the requests of a command and the memory of the state stand on: nothing there is guessed. */
const VITAL = [['id'], ['config', 'rate_limit']] as const;

/** An account whose values of another kind are missing from it, and what they are. */
export interface LenientAccount {
  readonly account: Account;
  readonly leftOut: string;
}

/** An account with values of another kind than documented where no request needs them: it is read as if they were missing. Undefined where one is vital. */
export function readLeniently(data: unknown): LenientAccount | undefined {
  const { record } = endpoints['get-account'];
  const { error } = record.safeParse(data);
  const account = error && (readWithout(record, data, error, VITAL) as Account | undefined);
  return account && { account, leftOut: renderSchemaIssues(error) };
}
