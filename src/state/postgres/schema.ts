import { ConfigError } from '../../model/error.ts';
import { integer, textOrNull } from '../sql-row.ts';
import type { Database, Statements } from './database.ts';

const OLDEST_SERVER = 140_000;

/** The tables of the state: version n + 1 is what the nth list of statements leaves. One that was released is never edited; a change is a new one. */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    'CREATE TABLE {format} (version integer NOT NULL)',
    'INSERT INTO {format} VALUES (0)',
    `CREATE TABLE {account} (
       number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       base_url text NOT NULL,
       account_id text NOT NULL,
       UNIQUE (base_url, account_id)
     )`,
    // One writer for each account, over all machines. Taking a lease over raises its number, by which everything that it may write is checked.
    `CREATE TABLE {lease} (
       base_url text NOT NULL,
       account_id text NOT NULL,
       number bigint NOT NULL,
       owner text NOT NULL,
       host text NOT NULL,
       process text NOT NULL,
       since timestamptz NOT NULL,
       expires timestamptz NOT NULL,
       PRIMARY KEY (base_url, account_id)
     )`,
    `CREATE TABLE {run} (
       sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       id text NOT NULL UNIQUE,
       account bigint NOT NULL REFERENCES {account},
       started_at_ms bigint NOT NULL,
       finished integer NOT NULL,
       conflicts integer NOT NULL,
       document text NOT NULL
     )`,
    'CREATE INDEX run_newest ON {run} (started_at_ms, sequence)',
    `CREATE TABLE {pull} (
       sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       id text NOT NULL UNIQUE,
       account bigint NOT NULL REFERENCES {account},
       started_at_ms bigint NOT NULL,
       document text NOT NULL
     )`,
    'CREATE INDEX pull_newest ON {pull} (started_at_ms, sequence)',
    `CREATE TABLE {intent} (
       sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       id text NOT NULL UNIQUE,
       account bigint NOT NULL REFERENCES {account},
       run_id text NOT NULL,
       document text NOT NULL,
       result text,
       detail text NOT NULL DEFAULT '',
       settled_at_ms bigint
     )`,
    'CREATE INDEX intent_run ON {intent} (run_id)',
    "CREATE INDEX intent_open ON {intent} (account) WHERE result IS NULL OR result = 'ambiguous'",
    `CREATE TABLE {snapshot} (
       account bigint NOT NULL REFERENCES {account},
       resource text NOT NULL,
       key text COLLATE "C" NOT NULL,
       record text NOT NULL,
       managed_by text,
       confirmed_at_ms bigint NOT NULL,
       PRIMARY KEY (account, resource, key)
     )`,
    `CREATE TABLE {fact} (
       account bigint NOT NULL REFERENCES {account},
       name text COLLATE "C" NOT NULL,
       value text NOT NULL,
       at_ms bigint NOT NULL,
       PRIMARY KEY (account, name)
     )`,
    'CREATE TABLE {key_origin} (key_digest text PRIMARY KEY, origin text NOT NULL)',
    `CREATE TABLE {kept_league} (
       number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       account bigint NOT NULL REFERENCES {account},
       league bigint NOT NULL,
       UNIQUE (account, league)
     )`,
    `CREATE TABLE {kept} (
       league bigint NOT NULL REFERENCES {kept_league},
       game_week text COLLATE "C" NOT NULL,
       kind text COLLATE "C" NOT NULL,
       id text COLLATE "C" NOT NULL,
       variant text COLLATE "C" NOT NULL,
       read_at_ms bigint NOT NULL,
       squad text,
       member text,
       record bytea NOT NULL,
       PRIMARY KEY (league, game_week, kind, id, variant)
     )`,
    `CREATE TABLE {forgotten_member} (
       account bigint NOT NULL REFERENCES {account},
       member text COLLATE "C" NOT NULL,
       PRIMARY KEY (account, member)
     )`,
    `CREATE TABLE {forgotten_squad} (
       account bigint NOT NULL REFERENCES {account},
       squad text COLLATE "C" NOT NULL,
       PRIMARY KEY (account, squad)
     )`,
    `CREATE TABLE {mapping_state} (
       environment text COLLATE "C" NOT NULL,
       league text COLLATE "C" NOT NULL,
       mapping text COLLATE "C" NOT NULL,
       document text NOT NULL,
       PRIMARY KEY (environment, league, mapping)
     )`,
    `CREATE TABLE {letter} (
       sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       id text NOT NULL UNIQUE,
       ended integer NOT NULL,
       created_at_ms bigint NOT NULL,
       document text NOT NULL
     )`,
    'CREATE INDEX letter_waiting ON {letter} (sequence) WHERE ended = 0',
    // The rows of runs.
    'CREATE TABLE {run_rows} (run_id text PRIMARY KEY, changed_at timestamptz NOT NULL)',
    `CREATE TABLE {run_mapping} (
       number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       run_id text NOT NULL REFERENCES {run_rows} ON DELETE CASCADE,
       name text NOT NULL,
       header text,
       UNIQUE (run_id, name)
     )`,
    `CREATE TABLE {run_row} (
       mapping bigint NOT NULL REFERENCES {run_mapping} ON DELETE CASCADE,
       row_number bigint NOT NULL,
       key text COLLATE "C",
       folded text COLLATE "C",
       lines text NOT NULL,
       fields text,
       change text NOT NULL,
       before text,
       said text NOT NULL,
       outcome text,
       id text,
       lookups text,
       read_key text,
       CONSTRAINT run_row_unique PRIMARY KEY (mapping, row_number)
     )`,
    'CREATE INDEX run_row_state ON {run_row} (mapping, outcome, change, row_number)',
    `CREATE TABLE {known} (
       mapping bigint NOT NULL REFERENCES {run_mapping} ON DELETE CASCADE,
       key text COLLATE "C" NOT NULL,
       id text COLLATE "C" NOT NULL,
       record text NOT NULL,
       PRIMARY KEY (mapping, key, id)
     )`,
  ],
  [
    // Numbers of leases are each given once, so that a number alone names who wrote.
    'CREATE SEQUENCE {lease_number}',
    `SELECT setval('{lease_number}', (SELECT coalesce(max(number), 0) + 1 FROM {lease}))`,
    'ALTER TABLE {intent} ADD COLUMN lease bigint',
    // Holders whose lease ran out while a write of theirs was on its way: they may be asleep.
    `CREATE TABLE {silent} (
       lease bigint PRIMARY KEY,
       holder text NOT NULL,
       process text NOT NULL,
       gone_at_ms bigint
     )`,
    // The process that has the name of a host now.
    'CREATE TABLE {host} (name text PRIMARY KEY, process text NOT NULL)',
  ],
  [
    // What all processes send with an account; the rest is deleted once nobody looks at it any more.
    `CREATE TABLE {budget} (
       base_url text NOT NULL,
       account_id text NOT NULL,
       windows text NOT NULL,
       PRIMARY KEY (base_url, account_id)
     )`,
    `CREATE TABLE {budget_key} (
       base_url text NOT NULL,
       key_digest text NOT NULL,
       account_id text NOT NULL,
       PRIMARY KEY (base_url, key_digest)
     )`,
    `CREATE TABLE {budget_request} (
       number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       base_url text NOT NULL,
       account_id text NOT NULL,
       process text NOT NULL,
       reads_account integer NOT NULL,
       entered_ms bigint NOT NULL,
       deadline_ms bigint NOT NULL,
       over_ms bigint,
       doubtful integer NOT NULL
     )`,
    'CREATE INDEX budget_request_account ON {budget_request} (base_url, account_id, number)',
    `CREATE TABLE {budget_want} (
       base_url text NOT NULL,
       account_id text NOT NULL,
       process text NOT NULL,
       writes integer NOT NULL,
       until_ms bigint NOT NULL,
       PRIMARY KEY (base_url, account_id, process)
     )`,
  ],
  [
    // Every outcome of a row was written into this index too, and reading in the order of rows is as fast.
    'DROP INDEX {run_row_state}',
    // Accounts are never deleted, and each record that is confirmed looked for its own.
    'ALTER TABLE {snapshot} DROP CONSTRAINT snapshot_account_fkey',
  ],
  [
    // What whole comparisons came to: whoever changes what is confirmed drops those that it concerns.
    `CREATE TABLE {comparison} (
       account bigint NOT NULL REFERENCES {account},
       resource text NOT NULL,
       mapping text COLLATE "C" NOT NULL,
       id text NOT NULL,
       document text,
       PRIMARY KEY (account, resource, mapping)
     )`,
  ],
  [
    // Whoever enters a request, waits for room or reports windows changes it: who looked before knows by that that the look is old.
    'ALTER TABLE {budget} ADD COLUMN turn bigint NOT NULL DEFAULT 0',
    // An older teamsheet that still runs takes no turns: nobody would see what it enters, so that it must enter nothing.
    'ALTER TABLE {budget_request} ADD COLUMN turn bigint NOT NULL DEFAULT 0',
    'ALTER TABLE {budget_request} ALTER COLUMN turn DROP DEFAULT',
  ],
  [
    // The rows that a comparison found to be as they are known: they go with it.
    'ALTER TABLE {comparison} ADD UNIQUE (id)',
    `CREATE TABLE {compared_rows} (
       id text NOT NULL REFERENCES {comparison} (id) ON DELETE CASCADE,
       part integer NOT NULL,
       bytes bytea NOT NULL,
       PRIMARY KEY (id, part)
     )`,
  ],
];

/** The version that this teamsheet writes. */
export const NEWEST_FORMAT = MIGRATIONS.length;

/** The tables that the newest version has. */
export const TABLES: readonly string[] = MIGRATIONS.flat().flatMap(
  (statement) => /^CREATE TABLE \{(\w+)\}/.exec(statement)?.[1] ?? [],
);

/**
 * Looks without changing anything; answers the version of the tables, 0 where there is no state yet. Errors: those of the database; ConfigError
 * `state.version`.
 */
export function lookAtSchema(db: Database): Promise<number> {
  return db.alone(async (statements) => {
    const [found = []] = await statements.all(
      "SELECT current_setting('server_version_num')::integer, to_regclass('{format}')::text",
    );
    const server = integer(found, 0);
    if (server < OLDEST_SERVER)
      throw new ConfigError(
        'state.version',
        `${db.name} is PostgreSQL ${Math.floor(server / 10_000)}; the state needs 14 or newer`,
        { next: 'Name a newer server in "state:" of teamsheet.yaml, then run the command again.' },
      );
    return textOrNull(found, 1) === null ? 0 : formatOf(statements);
  });
}

const formatOf = (statements: Statements): Promise<number> =>
  statements.count('SELECT version FROM {format}');

/** The format of the state, 0 where there is none yet. Errors: those of {@link lookAtSchema}; ConfigError `state.newer`. */
export async function knownFormat(db: Database): Promise<number> {
  const format = await lookAtSchema(db);
  if (format > NEWEST_FORMAT)
    throw new ConfigError(
      'state.newer',
      `the state in ${db.name} was written by a newer teamsheet (format ${format}; this one knows ${NEWEST_FORMAT})`,
      { next: 'Install the newest teamsheet, then run the command again.' },
    );
  return format;
}

/** Makes the state's tables or brings them to the newest version. Errors: those of {@link knownFormat}, and then nothing was changed; those of the database. */
export async function openSchema(db: Database): Promise<void> {
  if ((await knownFormat(db)) < NEWEST_FORMAT) await migrate(db);
}

/** Whether a schema is there: to make one needs a right that nobody needs otherwise. */
export async function hasSchema(statements: Statements, name: string): Promise<boolean> {
  return (await statements.count('SELECT count(*) FROM pg_namespace WHERE nspname = $1', name)) > 0;
}

async function migrate(db: Database): Promise<void> {
  await db.together(async (statements) => {
    // Others that open it wait here, and then find it made.
    await statements.get('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', `teamsheet ${db.schema}`);
    if (!(await hasSchema(statements, db.schema))) await statements.run(`CREATE SCHEMA "${db.schema}"`);
    const isMade = (await statements.count("SELECT count(to_regclass('{format}'))")) > 0;
    const format = isMade ? await formatOf(statements) : 0;
    if (format >= NEWEST_FORMAT) return;
    for (const statement of MIGRATIONS.slice(format).flat()) await statements.run(statement);
    await statements.run('UPDATE {format} SET version = $1', NEWEST_FORMAT);
  });
}
