import type { DuplicateGroup, LookAlike } from '../model/run-rows.ts';
import type { Database } from './database.ts';
import { integer, text, textOrNull, type SqlRow } from './sql-row.ts';

// The indexes are made when first asked for: sorting all rows once costs a fraction of keeping an index in order while they arrive.
const KEY_INDEX = 'CREATE INDEX IF NOT EXISTS row_key ON row (mapping, key) WHERE key IS NOT NULL';
const FOLDED_INDEX = `CREATE INDEX IF NOT EXISTS row_folded ON row (mapping, folded, key)
  WHERE folded IS NOT NULL AND key IS NOT NULL`;

const PAGE_ROWS = 2000;
const VALID = "key IS NOT NULL AND change NOT IN ('invalid', 'excluded')";

const DUPLICATE_ROWS = `
  WITH repeated AS (
    SELECT key FROM row WHERE mapping = ?1 AND key IS NOT NULL GROUP BY key HAVING count(*) > 1
  ), duplicate AS (
    SELECT row.key, min(row.row_number) AS first
    FROM repeated CROSS JOIN row INDEXED BY row_key
    ON row.mapping = ?1 AND row.key = repeated.key
    WHERE row.${VALID} GROUP BY row.key HAVING count(*) > 1
  )
  SELECT row.row_number FROM duplicate CROSS JOIN row INDEXED BY row_key
    ON row.mapping = ?1 AND row.key = duplicate.key
  WHERE row.${VALID} ORDER BY duplicate.first, row.row_number`;

const LOOK_ALIKE_ROWS = `
  WITH mixed AS (
    SELECT folded FROM row WHERE mapping = ?1 AND folded IS NOT NULL AND key IS NOT NULL
    GROUP BY folded HAVING min(key) <> max(key)
  )
  SELECT row.row_number FROM mixed CROSS JOIN row INDEXED BY row_folded
  ON row.mapping = ?1 AND row.folded = mixed.folded
  WHERE row.${VALID} ORDER BY mixed.folded, row.row_number`;

/** Groups of valid rows with the same key, in order of their first row, as they stood when it was asked. */
export async function* duplicateGroups(db: Database, mapping: number): AsyncGenerator<DuplicateGroup> {
  let key: string | undefined;
  let rows: { rowNumber: number; digest: string }[] = [];
  for await (const row of rowsInOrder(db, mapping, KEY_INDEX, DUPLICATE_ROWS)) {
    const rowKey = text(row, 1);
    if (key !== undefined && key !== rowKey) {
      yield { key, rows };
      rows = [];
    }
    key = rowKey;
    rows.push({ rowNumber: integer(row, 0), digest: textOrNull(row, 3) ?? '' });
  }
  if (key !== undefined) yield { key, rows };
}

interface SeenRow {
  readonly folded: string;
  readonly rowNumber: number;
  readonly key: string;
}

/** Each valid row that has an earlier one of another key and the same folded key, with the earliest such row, as they stood when it was asked. */
export async function* lookAlikePairs(db: Database, mapping: number): AsyncGenerator<LookAlike> {
  let first: SeenRow | undefined;
  let firstOfAnotherKey: SeenRow | undefined;
  for await (const row of rowsInOrder(db, mapping, FOLDED_INDEX, LOOK_ALIKE_ROWS)) {
    const seen = {
      folded: text(row, 2),
      rowNumber: integer(row, 0),
      key: text(row, 1),
    };
    if (first?.folded !== seen.folded) {
      first = seen;
      firstOfAnotherKey = undefined;
      continue;
    }
    const other = first.key === seen.key ? firstOfAnotherKey : first;
    if (other === first) firstOfAnotherKey ??= seen;
    if (other !== undefined) {
      yield { rowNumber: seen.rowNumber, otherRow: other.rowNumber, otherKey: other.key };
    }
  }
}

/** The rows whose numbers `selection` answers, in its order; only their numbers are kept. */
async function* rowsInOrder(
  db: Database,
  mapping: number,
  index: string,
  selection: string,
): AsyncGenerator<SqlRow> {
  const rowNumbers = await db.write(() => {
    db.run(index);
    return db.integers(selection, mapping);
  });
  for (let start = 0; start < rowNumbers.length; start += PAGE_ROWS) {
    const wanted = JSON.stringify(rowNumbers.slice(start, start + PAGE_ROWS));
    yield* await db.read(() =>
      db.all(
        `SELECT row_number, row.key, folded, digest FROM json_each(?2) AS wanted CROSS JOIN row
         ON row.mapping = ?1 AND row.row_number = wanted.value ORDER BY wanted.key`,
        mapping,
        wanted,
      ),
    );
  }
}
