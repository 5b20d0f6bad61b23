import type { DatabaseFormat } from './database.ts';

/** The state file: version n + 1 is what the nth migration leaves. A migration that was released is never edited; a change is a new one. */
export const STATE_FORMAT: DatabaseFormat = {
  applicationId: 0x74735374,
  migrations: [
    `CREATE TABLE account (
       number INTEGER PRIMARY KEY,
       base_url TEXT NOT NULL,
       account_id TEXT NOT NULL,
       UNIQUE (base_url, account_id)
     ) STRICT;
     CREATE TABLE run (
       sequence INTEGER PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       account INTEGER NOT NULL REFERENCES account,
       started_at_ms INTEGER NOT NULL,
       finished INTEGER NOT NULL,
       document TEXT NOT NULL
     ) STRICT;
     CREATE INDEX run_newest ON run (started_at_ms, sequence);
     CREATE TABLE intent (
       sequence INTEGER PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       account INTEGER NOT NULL REFERENCES account,
       run_id TEXT NOT NULL,
       document TEXT NOT NULL,
       result TEXT,
       detail TEXT NOT NULL DEFAULT '',
       settled_at_ms INTEGER
     ) STRICT;
     CREATE INDEX intent_run ON intent (run_id);
     CREATE INDEX intent_open ON intent (account) WHERE result IS NULL OR result = 'ambiguous';
     CREATE TABLE snapshot (
       account INTEGER NOT NULL REFERENCES account,
       resource TEXT NOT NULL,
       key TEXT NOT NULL,
       record TEXT NOT NULL,
       confirmed_at_ms INTEGER NOT NULL,
       PRIMARY KEY (account, resource, key)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE fact (
       account INTEGER NOT NULL REFERENCES account,
       name TEXT NOT NULL,
       value TEXT NOT NULL,
       at_ms INTEGER NOT NULL,
       PRIMARY KEY (account, name)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE key_origin (
       key_digest TEXT PRIMARY KEY,
       origin TEXT NOT NULL
     ) STRICT, WITHOUT ROWID;`,
  ],
};
