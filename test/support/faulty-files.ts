import type * as Files from 'node:fs/promises';
import { expect } from 'vitest';
import { eachCall } from './each-call.ts';

/** The descriptor of a file that was closed. */
const CLOSED = -1;

type Call = <T>(name: string, effect: () => Promise<T>) => Promise<T>;

/** What every call of the file system passes; a test sets it for as long as its process lives. */
export interface FaultyFiles {
  call: Call;
  /** Every file that was opened, where a test asks for them. */
  readonly opened?: Files.FileHandle[];
}

/** The functions that writing a file is made of. */
const FUNCTIONS = ['open', 'mkdir', 'rename', 'rm', 'lstat', 'realpath', 'stat', 'access'] as const;
const METHODS = new Set('appendFile write writeFile sync datasync chmod close read stat'.split(' '));

/**
 * `node:fs/promises` with every call passing `faulty.call`, for `vi.mock`. The methods of an open file are named like `handle.sync`.
 */
export function faultyFiles(real: typeof Files, faulty: FaultyFiles): typeof Files {
  const wrapped = Object.fromEntries(
    FUNCTIONS.map((name) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        const effect = real[name] as (...args: unknown[]) => Promise<unknown>;
        const result = await faulty.call(name, () => effect(...args));
        if (name !== 'open') return result;
        const handle = result as Files.FileHandle;
        faulty.opened?.push(handle);
        return eachCall(
          handle,
          (method) => METHODS.has(method),
          (method, effect) => faulty.call(`handle.${method}`, effect),
        );
      },
    ]),
  );
  const mocked = { ...real, ...wrapped };
  return { ...mocked, default: mocked } as typeof Files;
}

/** Passes once every file that was opened is closed. */
export const expectAllClosed = ({ opened = [] }: FaultyFiles): Promise<void> =>
  expect.poll(() => opened.filter(({ fd }) => fd !== CLOSED)).toEqual([]);
