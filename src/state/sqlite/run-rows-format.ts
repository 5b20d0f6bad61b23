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
    // Rows in blocks: what is read of them apart from what a run changes, and how many stand where.
    `CREATE TABLE block (
       number INTEGER PRIMARY KEY,
       mapping INTEGER NOT NULL,
       last_row INTEGER NOT NULL,
       tally TEXT NOT NULL,
       row_numbers TEXT NOT NULL,
       states TEXT NOT NULL
     ) STRICT;
     CREATE UNIQUE INDEX block_place ON block (mapping, last_row);
     CREATE TABLE content (
       block INTEGER PRIMARY KEY,
       key TEXT NOT NULL,
       folded TEXT NOT NULL,
       fields TEXT NOT NULL,
       lookups TEXT NOT NULL,
       lines TEXT NOT NULL
     ) STRICT;
     CREATE TEMP TABLE placed AS
       SELECT *, dense_rank() OVER (ORDER BY mapping, (place - 1) / 250) AS block FROM (
         SELECT *, row_number() OVER (PARTITION BY mapping ORDER BY row_number) AS place FROM row
       );
     CREATE INDEX temp.placed_block ON placed (block);
     INSERT INTO block SELECT block, mapping, max(row_number),
       (SELECT json_group_array(json_array(change, outcome, count, told)) FROM (
         SELECT change, outcome, count(*) AS count, issues IS NOT NULL OR message <> '' AS told
         FROM temp.placed AS own WHERE own.block = placed.block GROUP BY 1, 2, 4
       )),
       json_group_array(row_number ORDER BY row_number),
       '[' || group_concat('{"change":' || json_quote(change)
         || iif(outcome IS NULL, '', ',"outcome":' || json_quote(outcome)) || iif(id IS NULL, '', ',"id":' || json_quote(id))
         || iif(before IS NULL, '', ',"before":' || before) || iif(read_key IS NULL, '', ',"readKey":' || json_quote(read_key))
         || CASE
           WHEN issues IS NOT NULL THEN ',"said":' || coalesce((SELECT json_group_array(json_object('code', 'issue', 'issue', json(value))) FROM json_each(iif(json_valid(issues), issues, '[]'))), 'x')
           WHEN message = '' THEN '' WHEN message LIKE '[{"code":%' THEN ',"said":' || message ELSE ',"said":' || json_quote(message)
         END || '}', ',' ORDER BY row_number) || ']'
       FROM temp.placed GROUP BY block;
     INSERT INTO content SELECT block, json_group_array(key ORDER BY row_number), json_group_array(folded ORDER BY row_number),
       '[' || group_concat(coalesce(fields, 'null'), ',' ORDER BY row_number) || ']',
       '[' || group_concat(coalesce(lookups, 'null'), ',' ORDER BY row_number) || ']', '[' || group_concat(lines, ',' ORDER BY row_number) || ']'
       FROM temp.placed GROUP BY block;
     DROP TABLE temp.placed;
     DROP TABLE row;`,
  ],
};
