import type { SqlRow } from '../sql-row.ts';

/** What a statement is given for $1, $2 and so on. */
export type Value = string | number | null;

export interface Answer {
  /** Each with its columns in the order of the SELECT; numbers of 64 bits as numbers. */
  readonly rows: readonly SqlRow[];
  /** How many rows a statement that writes has written. */
  readonly changes: number;
}

/**
 * Statements of one session are carried out one after the other, in the order in which they are asked for; in a transaction a next one may be asked for before the
 * answer of the one before is there. Where one fails, those after it fail too: what is awaited first says why. Errors: {@link DatabaseFailure}.
 */
export interface Session {
  query(statement: string, values: readonly Value[], how?: Asking): Promise<Answer>;
}

export interface Asking {
  /** It is asked again and again, and however its tables grow, one plan suits it. */
  readonly keepsPlan?: boolean;
  /** Where it is carried out, its transaction is committed without waiting for its answer; nothing is asked after it. */
  readonly ends?: boolean;
}

/** The little of a PostgreSQL driver that the state needs: `pg` and PGlite both have it. A statement of its own is a transaction of its own. */
export interface PostgresClient extends Session {
  /** Runs `work` on one session as one transaction; what it throws undoes it. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** A second call does nothing. */
  close(): Promise<void>;
}

/** A statement failed. */
export class DatabaseFailure extends Error {
  /** The SQLSTATE; undefined where no answer of the database came. */
  readonly sqlState: string | undefined;

  constructor(sqlState: string | undefined, cause: unknown) {
    super(reasonOf(cause), { cause });
    this.sqlState = sqlState;
  }
}

/** The server asks for a password, and nobody has given one. */
export class MissingPassword extends DatabaseFailure {
  constructor(reason: string) {
    super(undefined, new Error(reason));
  }
}

/** The system says nothing of an address that has several, but for each. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
