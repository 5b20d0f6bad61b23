import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { StoppedError } from '../../model/error.ts';
import { canonicalBaseUrl } from '../../model/service-address.ts';
import type { Clock } from '../../model/ports.ts';
import type { HeldLock, Lock, ServiceAccount } from '../../model/store.ts';
import { isErrno } from '../private-files.ts';
import { integer, text } from '../sql-row.ts';
import type { Database, Statements } from './database.ts';
import { storable } from './storable.ts';

/** Does work again and again until it is told to stop; it keeps no process alive. */
export type Repeat = (work: () => void, everyMs: number) => () => void;

export interface LeaseOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** A lease that is not renewed for so long is free. */
  readonly termMs: number;
  /** In place of a timer. */
  readonly repeat?: Repeat | undefined;
  /** In place of {@link thisProcess}. */
  readonly process?: string | undefined;
}

interface Held {
  readonly account: ServiceAccount;
  readonly number: number;
  readonly lost: AbortController;
  /** When the last renewal that came through was asked for: by a clock that never jumps, and by one that goes on while the machine sleeps. */
  renewed: Moment;
}

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Leases that this process let go of while the database was away: whoever opens the state here next says so. */
const letGo = new Set<string>();

/** A database that takes longer than two thirds of the term for each renewal is as good as gone. */
const RENEWALS = 3;

const byTimer: Repeat = (work, everyMs) => {
  const timer = setInterval(work, everyMs).unref();
  return () => clearInterval(timer);
};

/**
 * One writer for each account over all machines: a row with an owner and a time at which it is free, by the database's clock. Taking it over raises its number,
 * and an intent is recorded only under the number that its writer was given.
 */
export class Leases implements Lock {
  readonly #db: Database;
  readonly #clock: LeaseOptions['clock'];
  readonly #termMs: number;
  readonly #repeat: Repeat;
  readonly #process: string;
  readonly #held = new Map<string, Held>();

  constructor(db: Database, { clock, termMs, repeat = byTimer, process = thisProcess() }: LeaseOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#termMs = termMs;
    this.#repeat = repeat;
    this.#process = process;
  }

  /** Errors: StoppedError `lock.held`; those of the database. */
  async acquire(account: ServiceAccount, owner: string): Promise<HeldLock> {
    const renewed = this.#now();
    const number = await this.#db.together(
      async (statements) =>
        (await this.#take(statements, account, owner, '')) ??
        (await this.#takeFromGone(statements, account, owner)),
    );
    await this.noteGone();
    const held: Held = { account, number, renewed, lost: new AbortController() };
    const name = keyOf(account).join(' ');
    this.#held.set(name, held);
    const stop = this.#repeat(() => {
      // What cannot be renewed runs out.
      this.#renew(held).catch(() => {
        if (this.#ageMs(held) >= this.#termMs) held.lost.abort(lost(account));
      });
    }, this.#termMs / 3);
    return {
      lost: held.lost.signal,
      check: () => this.#check(held),
      release: async () => {
        stop();
        if (this.#held.get(name) !== held) return;
        this.#held.delete(name);
        const own = this.#nameOf(number);
        letGo.add(own);
        await this.#db.together(async (statements) => {
          const free = `UPDATE {lease} SET expires = '-infinity' WHERE ${OF} AND number = $3`;
          await statements.run(free, ...keyOf(account), number);
          // Its own word, where it was asleep: from here on it sends nothing.
          await statements.run(`${IS_GONE} AND lease = $2`, this.#clock.now(), number);
        });
        letGo.delete(own);
      },
    };
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

  /** Between a statement and the bytes on the wire a process can be stopped for an hour: it sends only while a third of its term is left. */
  async #check(held: Held): Promise<void> {
    for (let renewals = 0; renewals < RENEWALS; renewals += 1) {
      if (this.#ageMs(held) <= (this.#termMs * 2) / 3) {
        held.lost.signal.throwIfAborted();
        return;
      }
      await this.#renew(held);
    }
    throw lost(held.account);
  }

  #now(): Moment {
    return { monotonicMs: this.#clock.monotonic(), wallMs: this.#clock.now() };
  }

  #ageMs({ renewed }: Held): number {
    const now = this.#now();
    return Math.max(now.monotonicMs - renewed.monotonicMs, now.wallMs - renewed.wallMs);
  }

  /**
   * Records an intent of `accountNumber` under the lease of its account, which is renewed by that; `document` is what the intent says. Errors: StoppedError
   * `lock.lost` where this process does not hold the lease any more, and then nothing is recorded.
   */
  async addIntent(
    statements: Statements,
    account: ServiceAccount,
    accountNumber: number,
    intent: { readonly id: string; readonly runId: string; readonly document: string },
  ): Promise<void> {
    const held = this.#held.get(keyOf(account).join(' '));
    const renewed = this.#now();
    const added = await statements.run(
      `WITH held AS (UPDATE {lease} SET expires = ${EXPIRES} WHERE ${HELD} RETURNING number)
       INSERT INTO {intent} (id, account, run_id, document, lease) SELECT $5::text, $6::bigint, $7::text, $8::text, number FROM held`,
      ...keyOf(account),
      held?.number ?? 0,
      this.#termMs,
      ...[intent.id, accountNumber, intent.runId, intent.document],
    );
    if (added === 0) throw this.#lose(account, held);
    if (held !== undefined) held.renewed = renewed;
  }

  /**
   * Has the rest of a transaction happen only where a lease that this process was given is still its own; where it has none, there is nothing to check. Errors:
   * StoppedError `lock.lost`.
   */
  async refuseLost(statements: Statements, account: ServiceAccount): Promise<void> {
    const held = this.#held.get(keyOf(account).join(' '));
    if (held === undefined) return;
    const own = `SELECT 1 FROM {lease} WHERE ${HELD} FOR SHARE`;
    if ((await statements.get(own, ...keyOf(account), held.number)) === undefined)
      throw this.#lose(account, held);
  }

  /** Errors: StoppedError `lock.lost`; those of the database. */
  async #renew(held: Held): Promise<void> {
    const renewed = this.#now();
    const changed = await this.#db.alone((statements) =>
      statements.run(
        `UPDATE {lease} SET expires = ${EXPIRES} WHERE ${HELD}`,
        ...keyOf(held.account),
        held.number,
        this.#termMs,
      ),
    );
    if (changed === 0) throw this.#lose(held.account, held);
    held.renewed = renewed;
  }

  #lose(account: ServiceAccount, held: Held | undefined): StoppedError {
    const error = lost(account);
    held?.lost.abort(error);
    return error;
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
       SELECT number, owner || ' on ' || host, process FROM {lease} AS held WHERE ${OF} AND expires > '-infinity' AND expires <= now()
         AND EXISTS (SELECT 1 FROM {intent} AS intent WHERE intent.lease = held.number AND intent.result IS NULL) FOR UPDATE`,
      ...keyOf(account),
    );
    const row = await statements.get(
      `INSERT INTO {lease} AS held (base_url, account_id, number, owner, host, process, since, expires)
       VALUES ($1, $2, nextval('{lease_number}'), $3, $5, $6, clock_timestamp(), ${EXPIRES})
       ON CONFLICT (base_url, account_id) DO UPDATE SET number = nextval('{lease_number}'), owner = excluded.owner, host = excluded.host,
         process = excluded.process, since = excluded.since, expires = excluded.expires
       WHERE held.expires <= now() OR (held.process <> '' AND held.process = $7)
       RETURNING number`,
      ...keyOf(account),
      storable(`pid ${process.pid} (${owner})`),
      this.#termMs,
      ...[storable(hostname()), this.#process, gone],
    );
    return row && integer(row, 0);
  }

  /** A process of this machine that is gone renews nothing any more, so that nobody waits for the end of its lease. Errors: StoppedError `lock.held`. */
  async #takeFromGone(statements: Statements, account: ServiceAccount, owner: string): Promise<number> {
    const row = await statements.get(
      `SELECT owner, host, to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), process FROM {lease} WHERE ${OF}`,
      ...keyOf(account),
    );
    const holder = row === undefined ? '' : text(row, 3);
    const number = isGone(holder, this.#process)
      ? await this.#take(statements, account, owner, holder)
      : undefined;
    if (number !== undefined) return number;
    const who =
      row === undefined ? 'another process' : `${text(row, 0)} on ${text(row, 1)} since ${text(row, 2)} UTC`;
    throw new StoppedError(
      'lock.held',
      `${account.baseUrl} (account ${account.accountId}) is being written to by ${who}`,
      { next: 'Wait until it ends, then run the command again.' },
    );
  }
}

const IS_GONE = 'UPDATE {silent} SET gone_at_ms = $1 WHERE gone_at_ms IS NULL';
const OF = 'base_url = $1 AND account_id = $2';
/** Nobody has taken it over or let it go. */
const HELD = `${OF} AND number = $3 AND expires > '-infinity'`;
const EXPIRES = "clock_timestamp() + $4 * interval '1 millisecond'";

/** All names of a service on one machine are one service. */
const keyOf = ({ baseUrl, accountId }: ServiceAccount): readonly [string, string] => [
  storable(canonicalBaseUrl(baseUrl)),
  storable(accountId),
];

const lost = ({ baseUrl, accountId }: ServiceAccount): StoppedError =>
  new StoppedError(
    'lock.lost',
    `the lock of ${baseUrl} (account ${accountId}) is not held by this process any more: nothing more is sent`,
    { next: 'See what the other process did with runs, then run the command again.' },
  );

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
