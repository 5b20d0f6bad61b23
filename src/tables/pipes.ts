import { randomUUID } from 'node:crypto';
import { openSync } from 'node:fs';
import { open, stat, unlink, type FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { ConfigError } from '../model/error.ts';
import type { Clock } from '../model/ports.ts';
import { OPEN_FLAGS } from './regular-file.ts';
import { systemCode } from './system-error.ts';

/** The most that a pipe may hold: more than any table that is sent, less than a disk. */
const MAX_BYTES = 1024 ** 3;
/** After this long, people are told what is waited for. */
const PATIENCE_MS = 1_000;
/** Standard input and other open files by their number, as shells name them. */
const DESCRIPTOR = /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/(\d+))$/;

/** Pipes that are read for their contents. */
export interface Pipes {
  /** The path of a file that holds what the path does: the path itself, or for a pipe a file with its contents. `origin` is for messages. */
  readonly fileOf: (path: string, origin: string) => Promise<string>;
  /** Lets go of what pipes held. */
  readonly close: () => Promise<void>;
}

interface PipeOptions {
  /** A folder of this user alone, for what pipes hold. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Ends the wait for whoever writes. */
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
  readonly maxBytes?: number;
}

/**
 * Tables are read more than once, and a pipe only once: each pipe is read to its end, into a file without a name, which the system removes however the
 * process ends. Errors of reading: ConfigError `source.pipe`; the reason of the signal.
 */
export function createPipes(options: PipeOptions): Pipes {
  const kept = new Map<string, Promise<FileHandle>>();
  return {
    fileOf: async (path, origin) => {
      if (!kept.has(path) && !(await isPipe(path))) return path;
      const reading = kept.get(path) ?? keepPipe(path, origin, options);
      kept.set(path, reading);
      return `/dev/fd/${(await reading).fd}`;
    },
    close: async () => {
      // What could not be read is closed, and told, already.
      for (const reading of kept.values())
        await reading.then(
          (file) => file.close(),
          () => undefined,
        );
    },
  };
}

/** A socket can be read as an open file alone: programs give each other standard inputs of this kind. */
async function isPipe(path: string): Promise<boolean> {
  try {
    const facts = await stat(path);
    return facts.isFIFO() || (facts.isSocket() && DESCRIPTOR.test(path));
  } catch {
    // Whoever opens the path says what is wrong with it.
    return false;
  }
}

async function keepPipe(path: string, origin: string, options: PipeOptions): Promise<FileHandle> {
  const { clock, signal, say, maxBytes = MAX_BYTES } = options;
  const begun = new AbortController();
  clock.sleep(PATIENCE_MS, begun.signal).then(
    () => say(`${origin} is a pipe: waiting for what is written into it; Ctrl+C ends the wait`),
    () => undefined,
  );
  let file: FileHandle | undefined;
  try {
    file = await unnamedFile(options.folder);
    let bytes = 0;
    for await (const chunk of addAbortSignal(signal, await openPipe(path)) as AsyncIterable<Buffer>) {
      begun.abort();
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLong(origin, maxBytes);
      await file.writeFile(chunk);
    }
    return file;
  } catch (cause) {
    await file?.close();
    signal.throwIfAborted();
    const code = systemCode(cause);
    if (code === undefined) throw cause;
    throw new ConfigError('source.pipe', `${origin}: the pipe cannot be read (${code})`, {
      file: origin,
      next: 'Write what it holds into a file, and name that.',
      cause,
    });
  } finally {
    begun.abort();
  }
}

/** Opened without waiting for a writer: the stream begins when there is one, and ends with the last one. */
async function openPipe(path: string): Promise<Socket> {
  const isSocket = (await stat(path)).isSocket();
  const fd = isSocket ? Number(DESCRIPTOR.exec(path)?.[1] ?? 0) : openSync(path, OPEN_FLAGS);
  return new Socket({ fd, readable: true, writable: false });
}

async function unnamedFile(folder: string): Promise<FileHandle> {
  const path = join(folder, `${randomUUID()}.pipe`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

function tooLong(origin: string, maxBytes: number): ConfigError {
  return new ConfigError('source.pipe', `${origin}: the pipe holds more than ${maxBytes / 1024 ** 2} MB`, {
    file: origin,
    next: 'Look at what writes into it, or write it into a file and name that.',
  });
}
