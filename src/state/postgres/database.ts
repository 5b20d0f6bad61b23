import { integer, type SqlRow } from '../sql-row.ts';
import type { Answer, PostgresClient, Session, Value } from './client.ts';
import { databaseError } from './database-error.ts';

/** Statements on one session. `{name}` in a statement is the table of that name in the schema of the state. */
export class Statements {
  readonly #session: Session;
  readonly #named: (statement: string) => string;
  readonly #keepsPlans: boolean;

  constructor(session: Session, named: (statement: string) => string, keepsPlans = false) {
    this.#session = session;
    this.#named = named;
    this.#keepsPlans = keepsPlans;
  }

  async all(statement: string, ...values: Value[]): Promise<readonly SqlRow[]> {
    return (await this.#query(statement, values)).rows;
  }

  async get(statement: string, ...values: Value[]): Promise<SqlRow | undefined> {
    return (await this.all(statement, ...values))[0];
  }

  /** The integer that a one-row, one-column answer holds. */
  async count(statement: string, ...values: Value[]): Promise<number> {
    return integer((await this.get(statement, ...values)) ?? [], 0);
  }

  /** Answers how many rows changed. */
  async run(statement: string, ...values: Value[]): Promise<number> {
    return (await this.#query(statement, values)).changes;
  }

  /** The last statement of a transaction; whatever it must refuse, it refuses by an error of the database. */
  async end(statement: string, ...values: Value[]): Promise<void> {
    await this.#query(statement, values, true);
  }

  #query(statement: string, values: readonly Value[], ends = false): Promise<Answer> {
    return this.#session.query(this.#named(statement), values, { keepsPlan: this.#keepsPlans, ends });
  }
}

/** The schema of one state in a PostgreSQL database. */
export class Database {
  /** How messages call it; no password and no user. */
  readonly name: string;
  readonly schema: string;
  readonly #client: PostgresClient;
  readonly #texts = new Map<string, string>();
  readonly #alone: Statements;
  readonly #kept: Statements;

  /** `schema` is a name of letters, digits and `_`. */
  constructor(client: PostgresClient, name: string, schema: string) {
    this.name = name;
    this.schema = schema;
    this.#client = client;
    const named = (statement: string): string => this.#named(statement);
    this.#alone = new Statements(client, named);
    this.#kept = new Statements(client, named, true);
  }

  /** Each statement of `work` is a transaction of its own. `keepsPlans`: as in {@link Session}, for all its statements. Errors: those of {@link databaseError}. */
  async alone<T>(work: (statements: Statements) => Promise<T>, { keepsPlans = false } = {}): Promise<T> {
    try {
      return await work(keepsPlans ? this.#kept : this.#alone);
    } catch (error) {
      throw databaseError(this.name, error);
    }
  }

  /** One statement alone, and its rows. */
  all<T>(parse: (row: SqlRow) => T, statement: string, ...values: Value[]): Promise<readonly T[]> {
    return this.alone(async (statements) => (await statements.all(statement, ...values)).map(parse));
  }

  /** The same of an answer that has one row or none. */
  async get<T>(parse: (row: SqlRow) => T, statement: string, ...values: Value[]): Promise<T | undefined> {
    return (await this.all(parse, statement, ...values))[0];
  }

  /** The integer that one statement alone answers. */
  count(statement: string, ...values: Value[]): Promise<number> {
    return this.alone((statements) => statements.count(statement, ...values));
  }

  /** One statement alone; answers how many rows changed. */
  run(statement: string, ...values: Value[]): Promise<number> {
    return this.alone((statements) => statements.run(statement, ...values));
  }

  /**
   * Runs `work` as one transaction; resolves once it is committed. Errors: those of {@link databaseError}, and then nothing was changed.
   */
  together<T>(work: (statements: Statements) => Promise<T>, { keepsPlans = false } = {}): Promise<T> {
    return this.alone(() =>
      this.#client.transaction((session) =>
        work(new Statements(session, (statement) => this.#named(statement), keepsPlans)),
      ),
    );
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #named(statement: string): string {
    let text = this.#texts.get(statement);
    if (text === undefined) {
      text = statement.replaceAll(/\{(\w+)\}/g, `"${this.schema}"."$1"`);
      this.#texts.set(statement, text);
    }
    return text;
  }
}
