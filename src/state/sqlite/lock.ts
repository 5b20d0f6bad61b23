import { hash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, hostname, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { ConfigError, StoppedError } from '../../model/error.ts';
import type { HeldLock, Lock, LockLook, ServiceAccount } from '../../model/state/store.ts';
import { canonicalBaseUrl } from '../../model/service-address.ts';
import { makePrivateFile, makePrivateFolder } from '../private-files.ts';
import { attempt } from '../storage-error.ts';

const SQLITE_BUSY = 5;
/** Who only looks at a lock has it for less. */
const LOOK_MS = 200;

/** Where the system says that the user's own folder is: HOME, then its list of users. */
const HOMES: readonly (() => string)[] = [homedir, () => userInfo().homedir];

/**
 * The folder of this machine's locks: `teamsheet/locks` under XDG_STATE_HOME (when that is absolute) or `~/.local/state`. It is the same in whatever folder a
 * command is typed. Errors: ConfigError `lock.folder` where the user has no home.
 */
export function lockFolder(env: Readonly<Record<string, string | undefined>>, homes = HOMES): string {
  const base = env.XDG_STATE_HOME;
  const state = base !== undefined && isAbsolute(base) ? base : join(homeOf(homes), '.local', 'state');
  return join(state, 'teamsheet', 'locks');
}

function homeOf(homes: typeof HOMES): string {
  for (const find of homes) {
    try {
      const home = find();
      if (isAbsolute(home)) return home;
    } catch {
      // A user that the system's list lacks, as in a container, has none there.
    }
  }
  throw new ConfigError(
    'lock.folder',
    'the user who runs this has no home folder, in which the locks of this machine stand',
    {
      next: 'Set HOME or XDG_STATE_HOME to the absolute path of a folder of that user, then run the command again.',
    },
  );
}

/**
 * A lock on files in `folder` (made 0700 when missing). It is SQLite's own exclusive lock, so the operating system frees it however its process
 * ends: a dead owner never blocks, a live one always does. Errors: StoppedError `lock.held`, UnavailableError `state.unwritable`.
 */
export function createLock({ folder }: { readonly folder: string }): Lock & LockLook {
  const nameOf = ({ baseUrl, accountId }: ServiceAccount): string =>
    `${canonicalBaseUrl(baseUrl)}\n${accountId}`;
  const held =
    ({ baseUrl, accountId }: ServiceAccount): Held =>
    (holder) => ({
      code: 'lock.held',
      message: `${baseUrl} (account ${accountId}) is being written to by ${holder}`,
    });
  return {
    acquire: (account, owner) => hold(folder, nameOf(account), owner, held(account), LOOK_MS),
    refuseHeld: (account) => {
      const path = pathOf(folder, nameOf(account));
      return attempt(folder, () => {
        makePrivateFolder(folder);
        const connection = lockFile(`${path}.lock`, SHARED, 0);
        if (connection === undefined) throw stopped(held(account), path);
        connection.close();
      });
    },
  };
}

/** The same lock for the folder of a site; `shown` is how messages call it. Errors: StoppedError `publish.busy`, UnavailableError `state.unwritable`. */
export function lockSite(folder: string, site: string, shown: string): Promise<HeldLock> {
  return hold(folder, `publish\n${site}`, 'publish', (holder) => ({
    code: 'publish.busy',
    message: `the folder ${shown} is being published by ${holder}; this publish changed nothing`,
  }));
}

/** What is said of a lock that another process has. */
type Held = (holder: string) => { readonly code: string; readonly message: string };

function hold(folder: string, what: string, owner: string, held: Held, waitMs = 0): Promise<HeldLock> {
  const path = pathOf(folder, what);
  return attempt(folder, () => {
    makePrivateFolder(folder);
    const connection = lockFile(`${path}.lock`, 'BEGIN EXCLUSIVE', waitMs);
    if (connection === undefined) throw stopped(held, path);
    try {
      writeOwner(`${path}.owner`, `pid ${process.pid} (${owner}) on ${hostname()}`);
    } catch (error) {
      connection.close();
      throw error;
    }
    return {
      // The operating system takes it from nobody.
      check: () => Promise.resolve(),
      lost: new AbortController().signal,
      release: () => attempt(path, () => release(connection, `${path}.owner`)),
    };
  });
}

const pathOf = (folder: string, what: string): string => join(folder, hash('sha256', what).slice(0, 32));

function stopped(held: Held, path: string): StoppedError {
  const { code, message } = held(readOwner(`${path}.owner`));
  return new StoppedError(code, message, { next: 'Wait until it ends, then run the command again.' });
}

function release(connection: DatabaseSync, ownerFile: string): void {
  if (!connection.isOpen) return;
  rmSync(ownerFile, { force: true });
  connection.close();
}

/** Many may have it at once, while nobody has an exclusive one. */
const SHARED = 'BEGIN; SELECT count(*) FROM sqlite_schema';

/** Undefined where somebody else has the lock for longer than that. */
function lockFile(file: string, begin: string, timeoutMs: number): DatabaseSync | undefined {
  makePrivateFile(file);
  const connection = new DatabaseSync(file, { timeout: timeoutMs });
  try {
    connection.exec(`PRAGMA journal_mode = MEMORY; ${begin}`);
    return connection;
  } catch (error) {
    connection.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

/** Beside the lock, because a locked SQLite file cannot be read; renamed into place, so that it is never read half written. */
function writeOwner(file: string, owner: string): void {
  const draft = `${file}.${process.pid}.new`;
  rmSync(draft, { force: true });
  try {
    makePrivateFile(draft);
    writeFileSync(draft, owner);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

function readOwner(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  // The owner has this moment taken the lock or is letting it go.
  if (found === undefined) return 'another process';
  const since = found.mtime.toISOString().slice(0, 16).replace('T', ' ');
  return `${readFileSync(file, 'utf8')} since ${since} UTC`;
}
