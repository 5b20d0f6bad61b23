import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { StoppedError } from '../../model/error.ts';
import type { Clock } from '../../model/ports.ts';
import type { LockLook, ServiceAccount } from '../../model/state/store.ts';
import { lockLost, type LeaseTable } from '../lease.ts';
import { isErrno } from '../private-files.ts';
import { integer, text, type SqlRow } from '../sql-row.ts';
import { OF_SERVICE, serviceKey } from './accounts.ts';
import { DatabaseFailure } from './client.ts';
import { refuseOtherTime } from './clock-off.ts';
import type { Database, Statements } from './database.ts';
import { storable } from './storable.ts';

export interface LeaseTableOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** A lease that is not renewed for so long is free. */
  readonly termMs: number;
  /** The longest that the clock of this machine may be from that of the database. */
  readonly clockToleranceMs: number;
  /** In place of {@link thisProcess}. */
  readonly process?: string | undefined;
}

/** Leases that this process let go of while the database was away: whoever opens the state here next says so. */
const letGo = new Set<string>();

/**
 * One writer for each account over all machines: a row with an owner and a time at which it is free, by the database's clock. Taking it over raises its number,
 * and an intent is recorded only under the number that its writer was given.
 */
export class PostgresLeases implements LeaseTable, LockLook {
  readonly #db: Database;
  readonly #clock: LeaseTableOptions['clock'];
  readonly #termMs: number;
  readonly #clockToleranceMs: number;
  readonly #process: string;

  constructor(db: Database, { clock, termMs, clockToleranceMs, process = thisProcess() }: LeaseTableOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#termMs = termMs;
    this.#clockToleranceMs = clockToleranceMs;
    this.#process = process;
  }

  /** Errors: StoppedError `lock.held`, `lock.clock`; those of the database. */
  async take(account: ServiceAccount, owner: string): Promise<number> {
    await refuseOtherTime(this.#db, this.#clock, this.#clockToleranceMs);
    const number = await this.#db.together(
      async (statements) =>
        (await this.#take(statements, account, owner, '')) ??
        (await this.#takeFromGone(statements, account, owner)),
    );
    await this.noteGone();
    return number;
  }

  /** Errors: StoppedError `lock.held`; those of the database. */
  async refuseHeld(account: ServiceAccount): Promise<void> {
    const holder = `${HOLDER} AND expires > clock_timestamp()`;
    const row = await this.#db.alone((statements) => statements.get(holder, ...serviceKey(account)));
    if (row !== undefined && !isGone(text(row, 3), this.#process)) throw heldBy(account, row);
  }

  /** Errors: StoppedError `lock.clock`, for a clock may jump while a command runs; those of the database. */
  async renew(account: ServiceAccount, lease: number): Promise<boolean> {
    await refuseOtherTime(this.#db, this.#clock, this.#clockToleranceMs);
    const statement = `UPDATE {lease} SET expires = ${EXPIRES} WHERE ${HELD}`;
    return (await this.#db.run(statement, ...serviceKey(account), lease, this.#termMs)) > 0;
  }

  async free(account: ServiceAccount, lease: number): Promise<void> {
    const own = this.#nameOf(lease);
    letGo.add(own);
    await this.#db.together(async (statements) => {
      const free = `UPDATE {lease} SET expires = '-infinity' WHERE ${OF_SERVICE} AND number = $3`;
      await statements.run(free, ...serviceKey(account), lease);
      // Its own word, where it was asleep: from here on it sends nothing.
      await statements.run(`${IS_GONE} AND lease = $2`, this.#clock.now(), lease);
    });
    letGo.delete(own);
  }

  /**
   * Notes which holders that went silent are processes of this machine that do not run any more, or this one, where it let a lease go and the database could not be
   * told: nothing of theirs goes out from now on.
   */
  async noteGone(): Promise<void> {
    await this.#db.alone(async (statements) => {
      const silent = await statements.all('SELECT process, lease FROM {silent} WHERE gone_at_ms IS NULL');
      for (const number of silent
        .map((row) => integer(row, 1))
        .filter((own) => letGo.has(this.#nameOf(own)))) {
        await statements.run(`${IS_GONE} AND lease = $2`, this.#clock.now(), number);
        letGo.delete(this.#nameOf(number));
      }
      for (const process of new Set(silent.map((row) => text(row, 0))))
        if (isGone(process, this.#process)) await this.#noteGone(statements, process);
    });
  }

  /** Takes the name of a host, which one process has at a time: the one that had it before is gone, wherever it ran, and what it held is free. */
  async arriveAs(host: string): Promise<void> {
    if (this.#process === '') return;
    await this.#db.together(async (statements) => {
      const name = storable(host);
      const before = await statements.get('SELECT process FROM {host} WHERE name = $1 FOR UPDATE', name);
      if (before !== undefined) {
        const gone = text(before, 0);
        await statements.run("UPDATE {lease} SET expires = '-infinity' WHERE process = $1", gone);
        await this.#noteGone(statements, gone);
      }
      await statements.run(
        'INSERT INTO {host} VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET process = excluded.process',
        name,
        this.#process,
      );
    });
  }

  #nameOf(lease: number): string {
    return `${this.#process} ${this.#db.name} ${this.#db.schema} ${lease}`;
  }

  #noteGone(statements: Statements, process: string): Promise<number> {
    return statements.run(`${IS_GONE} AND process = $2`, this.#clock.now(), process);
  }

  /**
   * Ends a transaction with the intent of `accountNumber` under a lease of its account, which is renewed by that; `document` is what the intent says. Errors: StoppedError
   * `lock.lost` where the lease is not its holder's any more, and then nothing is recorded.
   */
  async addIntent(
    statements: Statements,
    account: ServiceAccount,
    lease: number,
    intent: {
      readonly id: string;
      readonly accountNumber: number;
      readonly runId: string;
      readonly document: string;
    },
  ): Promise<void> {
    try {
      // What it divides by is 0 where the lease is lost: so the database itself refuses the transaction.
      await statements.end(
        `WITH held AS (UPDATE {lease} SET expires = ${EXPIRES} WHERE ${HELD} RETURNING number),
           added AS (
             INSERT INTO {intent} (id, account, run_id, document, lease) SELECT $5::text, $6::bigint, $7::text, $8::text, number FROM held
             RETURNING 1
           )
         SELECT 1 / count(*) FROM added`,
        ...serviceKey(account),
        lease,
        this.#termMs,
        ...[intent.id, intent.accountNumber, intent.runId, intent.document],
      );
    } catch (error) {
      throw error instanceof DatabaseFailure && error.sqlState === DIVISION_BY_ZERO
        ? lockLost(account)
        : error;
    }
  }

  /** To the end of the transaction nobody else takes a lease that is held. */
  async isHeld(statements: Statements, account: ServiceAccount, lease: number): Promise<boolean> {
    const own = `SELECT 1 FROM {lease} WHERE ${HELD} FOR SHARE`;
    return (await statements.get(own, ...serviceKey(account), lease)) !== undefined;
  }

  /**
   * Takes a lease that is free or whose holder is the process `gone`; answers its number, undefined where it is neither. A holder whose lease ran out while a write of
   * its was on its way is noted: it may be asleep, and send that when it wakes.
   */
  async #take(
    statements: Statements,
    account: ServiceAccount,
    owner: string,
    gone: string,
  ): Promise<number | undefined> {
    // Both statements go by the time at which the transaction began; who was noted cannot renew before its end.
    await statements.run(
      `INSERT INTO {silent} (lease, holder, process)
       SELECT number, owner || ' on ' || host, process FROM {lease} AS held WHERE ${OF_SERVICE} AND expires > '-infinity' AND expires <= now()
         AND EXISTS (SELECT 1 FROM {intent} AS intent WHERE intent.lease = held.number AND intent.result IS NULL) FOR UPDATE`,
      ...serviceKey(account),
    );
    const row = await statements.get(
      `INSERT INTO {lease} AS held (base_url, account_id, number, owner, host, process, since, expires)
       VALUES ($1, $2, nextval('{lease_number}'), $3, $5, $6, clock_timestamp(), ${EXPIRES})
       ON CONFLICT (base_url, account_id) DO UPDATE SET number = nextval('{lease_number}'), owner = excluded.owner, host = excluded.host,
         process = excluded.process, since = excluded.since, expires = excluded.expires
       WHERE held.expires <= now() OR (held.process <> '' AND held.process = $7)
       RETURNING number`,
      ...serviceKey(account),
      storable(`pid ${process.pid} (${owner})`),
      this.#termMs,
      ...[storable(hostname()), this.#process, gone],
    );
    return row && integer(row, 0);
  }

  /** A process of this machine that is gone renews nothing any more, so that nobody waits for the end of its lease. Errors: StoppedError `lock.held`. */
  async #takeFromGone(statements: Statements, account: ServiceAccount, owner: string): Promise<number> {
    const row = await statements.get(HOLDER, ...serviceKey(account));
    const holder = row === undefined ? '' : text(row, 3);
    const number = isGone(holder, this.#process)
      ? await this.#take(statements, account, owner, holder)
      : undefined;
    if (number !== undefined) return number;
    throw heldBy(account, row);
  }
}

/** What is said of a lease that the holder in a row of {@link HOLDER} has. */
function heldBy({ baseUrl, accountId }: ServiceAccount, row: SqlRow | undefined): StoppedError {
  const who =
    row === undefined ? 'another process' : `${text(row, 0)} on ${text(row, 1)} since ${text(row, 2)} UTC`;
  return new StoppedError('lock.held', `${baseUrl} (account ${accountId}) is being written to by ${who}`, {
    next: 'Wait until it ends, then run the command again.',
  });
}

const HOLDER = `SELECT owner, host, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), process FROM {lease} WHERE ${OF_SERVICE}`;
const DIVISION_BY_ZERO = '22012';
const IS_GONE = 'UPDATE {silent} SET gone_at_ms = $1 WHERE gone_at_ms IS NULL';
/** Nobody has taken it over or let it go. */
const HELD = `${OF_SERVICE} AND number = $3 AND expires > '-infinity'`;
const EXPIRES = "clock_timestamp() + $4 * interval '1 millisecond'";

/** Names this process among all, and its machine since that started, where the system says enough. */
function thisProcess(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // Two containers of a machine may each have a process of one number.
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${process.pid}`;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return `${randomUUID()} ${process.pid}`;
    throw error;
  }
}

/** Whether `holder` is a process of the machine of `own` that does not run any more. */
function isGone(holder: string, own: string): boolean {
  const [machine, pid] = splitProcess(holder);
  if (holder === '' || machine !== splitProcess(own)[0]) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return isErrno(error, 'ESRCH');
  }
}

function splitProcess(process: string): readonly [machine: string, pid: number] {
  const at = process.lastIndexOf(' ');
  return [process.slice(0, at), Number(process.slice(at + 1))];
}
