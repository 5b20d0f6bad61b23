import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  columnsOf,
  copiedSnapshot,
  refuseNotEmpty,
  snapshotToCopy,
  TABLE_NAMES,
  type CopiedRow,
  type CopySource,
  type CopyTarget,
  type TableName,
} from '../copy.ts';
import { StoppedError, TeamsheetError } from '../../model/error.ts';
import { openDatabase, type Database } from './database.ts';
import { makePrivateFolder, syncFolder } from '../private-files.ts';
import { RunFolders } from '../run-folders.ts';
import { text, type SqlRow } from '../sql-row.ts';
import { openKeptRunRows, openRunRows } from './run-rows.ts';
import { STATE_FORMAT } from './state-format.ts';
import { refuseWrongPath } from './state-path.ts';
import { attempt, damaged, storageError } from '../storage-error.ts';

const PAGE_ROWS = 1000;

const open = (file: string): Database =>
  openDatabase({ file, format: STATE_FORMAT, durability: 'full', isChecked: true });

/** What `work` makes of a state file, as it stands at one moment. Errors: those of `openStore`. */
export async function readSqliteState<T>(file: string, work: (source: CopySource) => Promise<T>): Promise<T> {
  const db = await attempt(file, () => open(file));
  try {
    await db.read(() => db.run('BEGIN'));
    return await work(new SqliteCopy(file, db, new RunFolders(join(dirname(file), 'runs'))));
  } finally {
    db.close();
  }
}

/**
 * Makes a state file of what `work` adds: under its name it appears when it is whole, with the rows of its runs beside it. Errors: those of `openStore`;
 * StoppedError `state.not_empty`.
 */
export async function makeSqliteState<T>(file: string, work: (target: CopyTarget) => Promise<T>): Promise<T> {
  const draft = join(dirname(file), `.${basename(file)}.copy`);
  await attempt(file, () => {
    refuseWrongPath(file);
    refuseOccupied(file);
    rmSync(draft, { recursive: true, force: true });
    makePrivateFolder(draft);
  });
  try {
    const state = join(draft, basename(file));
    const db = await attempt(state, () => open(state));
    const copy = new SqliteCopy(file, db, new RunFolders(join(draft, 'runs')));
    let made: T;
    try {
      made = await work(copy);
      await db.sync();
    } finally {
      db.close();
    }
    await attempt(file, () => publish(state, file, draft, copy.made));
    return made;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Errors: StoppedError `state.not_empty`; those of `openStore`. */
function refuseOccupied(file: string): void {
  if (!existsSync(file)) return;
  try {
    refuseNotEmpty(file, countRows(file));
  } catch (error) {
    if (!(error instanceof TeamsheetError) || error.code !== 'state.damaged') throw error;
    throw new StoppedError('state.not_empty', `${file} is there and is no state: nothing is copied over it`, {
      next: 'Name another file, then run the command again.',
      cause: error,
    });
  }
}

function countRows(file: string): number {
  const db = open(file);
  try {
    return TABLE_NAMES.reduce((sum, table) => sum + db.count(`SELECT count(*) FROM ${table}`), 0);
  } finally {
    db.close();
  }
}

/** The state file comes last: what stands in `runs` without it is nobody's. */
function publish(state: string, file: string, draft: string, runs: readonly string[]): void {
  const folders = new RunFolders(join(dirname(file), 'runs'));
  for (const id of runs) {
    makePrivateFolder(folders.of(id));
    const rows = join(folders.of(id), 'rows.sqlite');
    for (const suffix of ['-wal', '-shm']) rmSync(`${rows}${suffix}`, { force: true });
    renameSync(join(draft, 'runs', id, 'rows.sqlite'), rows);
    syncFolder(folders.of(id));
  }
  refuseOccupied(file);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  // A file that somebody else has made by now stays.
  linkSync(state, file);
  syncFolder(dirname(file));
}

/** Where a broken seal shows. */
const SEALED: Partial<Record<TableName, string>> = {
  ...{ run: 'document', pull: 'document', intent: 'document', mapping_state: 'document', letter: 'document' },
  ...{ snapshot: 'record', kept: 'record', fact: 'value' },
};

class SqliteCopy implements CopyTarget {
  readonly name: string;
  /** Runs whose rows were made. */
  readonly made: string[] = [];
  readonly #db: Database;
  readonly #folders: RunFolders;

  constructor(name: string, db: Database, folders: RunFolders) {
    this.name = name;
    this.#db = db;
    this.#folders = folders;
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- A database elsewhere has to be waited for.
  async *rows(table: TableName): AsyncGenerator<readonly CopiedRow[]> {
    const columns = columnsOf(table);
    try {
      const sealed = SEALED[table];
      if (
        sealed !== undefined &&
        this.#db.count(`SELECT count(*) FROM sealed_${table} WHERE ${sealed} IS NULL`) > 0
      )
        throw damaged(this.name, `a row of "${table}" is not what was written`);
      let page: CopiedRow[] = [];
      for (const row of this.#db.each(`SELECT ${columns.map(([name]) => name).join(', ')} FROM ${table}`)) {
        page.push(toCopy(table, row));
        if (page.length < PAGE_ROWS) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    } catch (error) {
      throw storageError(this.name, error);
    }
  }

  add(table: TableName, rows: readonly CopiedRow[]): Promise<void> {
    const columns = columnsOf(table);
    const names = [...columns.map(([name]) => name), ...(table === 'snapshot' ? ['key'] : [])];
    const statement = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    return this.#db.write(() => {
      for (const row of rows) {
        const values = columns.map(([, column], at) => {
          const value = row[at] ?? null;
          return column === 'bytes' ? Buffer.from(String(value), 'base64') : value;
        });
        if (table === 'snapshot') values.push(copiedSnapshot(String(row[2])).key);
        this.#db.run(statement, ...values);
      }
    });
  }

  async runRows(runId: string) {
    const file = join(this.#folders.of(runId), 'rows.sqlite');
    return attempt(file, () => openKeptRunRows(file));
  }

  async makeRunRows(runId: string) {
    const folder = await this.#folders.make(runId);
    this.made.push(runId);
    return attempt(folder, () => openRunRows(join(folder, 'rows.sqlite')));
  }
}

const toCopy = (table: TableName, row: SqlRow): CopiedRow =>
  row.map((value, at) => {
    if (table === 'snapshot' && at === 2) return snapshotToCopy(text(row, 2), null);
    return value instanceof Uint8Array
      ? Buffer.from(value).toString('base64')
      : (value as string | number | null);
  });
