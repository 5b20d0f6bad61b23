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
    // SQLite notices a page that is no page, not a value that was changed in its place: every row is sealed with a checksum that reading compares.
    `ALTER TABLE run ADD COLUMN seal INTEGER;
     UPDATE run SET seal = seal(id, account, started_at_ms, finished, document);
     CREATE TRIGGER run_added AFTER INSERT ON run BEGIN
       UPDATE run SET seal = seal(new.id, new.account, new.started_at_ms, new.finished, new.document) WHERE sequence = new.sequence;
     END;
     CREATE TRIGGER run_changed AFTER UPDATE OF id, account, started_at_ms, finished, document ON run BEGIN
       UPDATE run SET seal = seal(new.id, new.account, new.started_at_ms, new.finished, new.document) WHERE sequence = new.sequence;
     END;
     ALTER TABLE intent ADD COLUMN seal INTEGER;
     UPDATE intent SET seal = seal(id, account, run_id, document, result, detail);
     CREATE TRIGGER intent_added AFTER INSERT ON intent BEGIN
       UPDATE intent SET seal = seal(new.id, new.account, new.run_id, new.document, new.result, new.detail) WHERE sequence = new.sequence;
     END;
     CREATE TRIGGER intent_changed AFTER UPDATE OF id, account, run_id, document, result, detail ON intent BEGIN
       UPDATE intent SET seal = seal(new.id, new.account, new.run_id, new.document, new.result, new.detail) WHERE sequence = new.sequence;
     END;
     ALTER TABLE snapshot ADD COLUMN seal INTEGER;
     UPDATE snapshot SET seal = seal(account, resource, key, record, confirmed_at_ms);
     CREATE TRIGGER snapshot_added AFTER INSERT ON snapshot BEGIN
       UPDATE snapshot SET seal = seal(new.account, new.resource, new.key, new.record, new.confirmed_at_ms) WHERE account = new.account AND resource = new.resource AND key = new.key;
     END;
     CREATE TRIGGER snapshot_changed AFTER UPDATE OF account, resource, key, record, confirmed_at_ms ON snapshot BEGIN
       UPDATE snapshot SET seal = seal(new.account, new.resource, new.key, new.record, new.confirmed_at_ms) WHERE account = new.account AND resource = new.resource AND key = new.key;
     END;
     ALTER TABLE fact ADD COLUMN seal INTEGER;
     UPDATE fact SET seal = seal(account, name, value, at_ms);
     CREATE TRIGGER fact_added AFTER INSERT ON fact BEGIN
       UPDATE fact SET seal = seal(new.account, new.name, new.value, new.at_ms) WHERE account = new.account AND name = new.name;
     END;
     CREATE TRIGGER fact_changed AFTER UPDATE OF account, name, value, at_ms ON fact BEGIN
       UPDATE fact SET seal = seal(new.account, new.name, new.value, new.at_ms) WHERE account = new.account AND name = new.name;
     END;
     CREATE VIEW sealed_run AS
       SELECT sequence, id, account, started_at_ms, finished,
         CASE WHEN seal IS seal(id, account, started_at_ms, finished, document) THEN document END AS document FROM run;
     CREATE VIEW sealed_intent AS
       SELECT sequence, id, account, run_id, result, detail,
         CASE WHEN seal IS seal(id, account, run_id, document, result, detail) THEN document END AS document FROM intent;
     CREATE VIEW sealed_snapshot AS
       SELECT account, resource, key,
         CASE WHEN seal IS seal(account, resource, key, record, confirmed_at_ms) THEN record END AS record FROM snapshot;
     CREATE VIEW sealed_fact AS
       SELECT account, name, at_ms,
         CASE WHEN seal IS seal(account, name, value, at_ms) THEN value END AS value FROM fact;`,
    // The memory of game weeks, and what was read. The first index of what is kept holds all that is counted, so that counting reads no record; a record is deflated JSON.
    // Pulls are no runs: what a push looks for in the newest runs must not be pushed out by them.
    `CREATE TABLE kept_league (
       number INTEGER PRIMARY KEY,
       account INTEGER NOT NULL REFERENCES account,
       league INTEGER NOT NULL,
       UNIQUE (account, league)
     ) STRICT;
     CREATE TABLE kept (
       number INTEGER PRIMARY KEY,
       league INTEGER NOT NULL REFERENCES kept_league,
       game_week TEXT NOT NULL,
       kind TEXT NOT NULL,
       id TEXT NOT NULL,
       variant TEXT NOT NULL,
       read_at_ms INTEGER NOT NULL,
       squad TEXT,
       member TEXT,
       record BLOB NOT NULL,
       seal INTEGER
     ) STRICT;
     CREATE INDEX kept_week ON kept (league, game_week, kind, id, read_at_ms, variant);
     CREATE INDEX kept_squad ON kept (squad, league) WHERE squad IS NOT NULL;
     CREATE TRIGGER kept_added AFTER INSERT ON kept BEGIN
       UPDATE kept SET seal = seal(new.league, new.game_week, new.kind, new.id, new.variant, new.read_at_ms, new.squad, new.member, new.record) WHERE number = new.number;
     END;
     CREATE TRIGGER kept_changed AFTER UPDATE OF league, game_week, kind, id, variant, read_at_ms, squad, member, record ON kept BEGIN
       UPDATE kept SET seal = seal(new.league, new.game_week, new.kind, new.id, new.variant, new.read_at_ms, new.squad, new.member, new.record) WHERE number = new.number;
     END;
     CREATE VIEW sealed_kept AS
       SELECT number, league, game_week, kind, id, variant, read_at_ms, squad, member,
         CASE WHEN seal IS seal(league, game_week, kind, id, variant, read_at_ms, squad, member, record) THEN record END AS record FROM kept;
     CREATE TABLE pull (
       sequence INTEGER PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       account INTEGER NOT NULL REFERENCES account,
       started_at_ms INTEGER NOT NULL,
       document TEXT NOT NULL,
       seal INTEGER
     ) STRICT;
     CREATE INDEX pull_newest ON pull (started_at_ms, sequence);
     CREATE TRIGGER pull_added AFTER INSERT ON pull BEGIN
       UPDATE pull SET seal = seal(new.id, new.account, new.started_at_ms, new.document) WHERE sequence = new.sequence;
     END;
     CREATE TRIGGER pull_changed AFTER UPDATE OF id, account, started_at_ms, document ON pull BEGIN
       UPDATE pull SET seal = seal(new.id, new.account, new.started_at_ms, new.document) WHERE sequence = new.sequence;
     END;
     CREATE VIEW sealed_pull AS
       SELECT sequence, id, account, started_at_ms,
         CASE WHEN seal IS seal(id, account, started_at_ms, document) THEN document END AS document FROM pull;
     CREATE TABLE forgotten_member (
       account INTEGER NOT NULL REFERENCES account,
       member TEXT NOT NULL,
       PRIMARY KEY (account, member)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE forgotten_squad (
       account INTEGER NOT NULL REFERENCES account,
       squad TEXT NOT NULL,
       PRIMARY KEY (account, squad)
     ) STRICT, WITHOUT ROWID;`,
    // What alerts go by: the state of each mapping, and the outbox.
    `CREATE TABLE mapping_state (
       environment TEXT NOT NULL,
       league TEXT NOT NULL,
       mapping TEXT NOT NULL,
       document TEXT NOT NULL,
       seal INTEGER,
       PRIMARY KEY (environment, league, mapping)
     ) STRICT, WITHOUT ROWID;
     CREATE TRIGGER mapping_state_added AFTER INSERT ON mapping_state BEGIN
       UPDATE mapping_state SET seal = seal(new.environment, new.league, new.mapping, new.document) WHERE environment = new.environment AND league = new.league AND mapping = new.mapping;
     END;
     CREATE TRIGGER mapping_state_changed AFTER UPDATE OF environment, league, mapping, document ON mapping_state BEGIN
       UPDATE mapping_state SET seal = seal(new.environment, new.league, new.mapping, new.document) WHERE environment = new.environment AND league = new.league AND mapping = new.mapping;
     END;
     CREATE VIEW sealed_mapping_state AS
       SELECT environment, league, mapping,
         CASE WHEN seal IS seal(environment, league, mapping, document) THEN document END AS document FROM mapping_state;
     CREATE TABLE letter (
       sequence INTEGER PRIMARY KEY,
       id TEXT NOT NULL UNIQUE,
       ended INTEGER NOT NULL,
       created_at_ms INTEGER NOT NULL,
       document TEXT NOT NULL,
       seal INTEGER
     ) STRICT;
     CREATE INDEX letter_waiting ON letter (sequence) WHERE ended = 0;
     CREATE TRIGGER letter_added AFTER INSERT ON letter BEGIN
       UPDATE letter SET seal = seal(new.id, new.ended, new.created_at_ms, new.document) WHERE sequence = new.sequence;
     END;
     CREATE TRIGGER letter_changed AFTER UPDATE OF id, ended, created_at_ms, document ON letter BEGIN
       UPDATE letter SET seal = seal(new.id, new.ended, new.created_at_ms, new.document) WHERE sequence = new.sequence;
     END;
     CREATE VIEW sealed_letter AS
       SELECT sequence, id, ended,
         CASE WHEN seal IS seal(id, ended, created_at_ms, document) THEN document END AS document FROM letter;`,
    // Whoever confirms many records seals them itself, which spares a second statement for each: the triggers seal what comes without a seal of its own.
    `DROP TRIGGER snapshot_added;
     CREATE TRIGGER snapshot_added AFTER INSERT ON snapshot WHEN new.seal IS NULL BEGIN
       UPDATE snapshot SET seal = seal(new.account, new.resource, new.key, new.record, new.confirmed_at_ms) WHERE account = new.account AND resource = new.resource AND key = new.key;
     END;
     DROP TRIGGER snapshot_changed;
     CREATE TRIGGER snapshot_changed AFTER UPDATE OF account, resource, key, record, confirmed_at_ms ON snapshot WHEN new.seal IS old.seal BEGIN
       UPDATE snapshot SET seal = seal(new.account, new.resource, new.key, new.record, new.confirmed_at_ms) WHERE account = new.account AND resource = new.resource AND key = new.key;
     END;`,
    // What whole comparisons came to: whatever changes what is confirmed drops those that it concerns.
    `CREATE TABLE comparison (
       account INTEGER NOT NULL REFERENCES account,
       resource TEXT NOT NULL,
       mapping TEXT NOT NULL,
       id TEXT NOT NULL,
       document TEXT,
       seal INTEGER,
       PRIMARY KEY (account, resource, mapping)
     ) STRICT, WITHOUT ROWID;
     CREATE TRIGGER snapshot_compared_added AFTER INSERT ON snapshot WHEN EXISTS (SELECT 1 FROM comparison WHERE account = new.account AND resource = new.resource) BEGIN
       DELETE FROM comparison WHERE account = new.account AND resource = new.resource;
     END;
     CREATE TRIGGER snapshot_compared_changed AFTER UPDATE ON snapshot WHEN EXISTS (SELECT 1 FROM comparison) BEGIN
       DELETE FROM comparison WHERE account IN (old.account, new.account) AND resource IN (old.resource, new.resource);
     END;
     CREATE TRIGGER snapshot_compared_dropped AFTER DELETE ON snapshot WHEN EXISTS (SELECT 1 FROM comparison WHERE account = old.account AND resource = old.resource) BEGIN
       DELETE FROM comparison WHERE account = old.account AND resource = old.resource;
     END;`,
    // The rows that a comparison found to be as they are known: they go with it.
    `CREATE UNIQUE INDEX comparison_id ON comparison (id);
     CREATE TABLE compared_rows (
       id TEXT NOT NULL REFERENCES comparison (id) ON DELETE CASCADE,
       part INTEGER NOT NULL,
       bytes BLOB NOT NULL,
       PRIMARY KEY (id, part)
     ) STRICT, WITHOUT ROWID;`,
  ],
};
