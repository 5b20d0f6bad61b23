import type { DatabaseFormat } from './database.ts';

/** The file of a run's rows, migrated as the state file is. */
export const RUN_ROWS_FORMAT: DatabaseFormat = {
  applicationId: 0x74735277,
  migrations: [
    `CREATE TABLE mapping (
       number INTEGER PRIMARY KEY,
       name TEXT NOT NULL UNIQUE,
       header TEXT
     ) STRICT;
     CREATE TABLE row (
       mapping INTEGER NOT NULL,
       row_number INTEGER NOT NULL,
       lines TEXT NOT NULL,
       key TEXT,
       folded TEXT,
       digest TEXT,
       fields TEXT,
       change TEXT NOT NULL,
       before TEXT,
       message TEXT NOT NULL,
       outcome TEXT,
       id TEXT,
       PRIMARY KEY (mapping, row_number)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX row_state ON row (mapping, outcome, change);
     CREATE TABLE known (
       mapping INTEGER NOT NULL,
       key TEXT NOT NULL,
       id TEXT NOT NULL,
       record TEXT NOT NULL,
       PRIMARY KEY (mapping, key, id)
     ) STRICT, WITHOUT ROWID;`,
    'ALTER TABLE row ADD COLUMN lookups TEXT;',
    'ALTER TABLE row ADD COLUMN issues TEXT;',
    'ALTER TABLE row ADD COLUMN read_key TEXT;',
  ],
};
