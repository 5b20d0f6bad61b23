import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import * as z from 'zod';
import { ConfigError } from '../../model/error.ts';
import { KEPT_KINDS, type Kept, type Memory } from '../../model/state/memory.ts';
import type { ServiceAccount } from '../../model/state/store.ts';
import { writeAtomically } from '../../tables/atomic-write.ts';

const FORMAT = 'teamsheet memory';

const header = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1),
  account_id: z.string(),
  forgotten: z.array(z.string()),
});
const line = z.object({
  league: z.int().min(1),
  kept: z.object({
    gameWeek: z.string(),
    kind: z.enum(KEPT_KINDS),
    id: z.string(),
    variant: z.string(),
    readAtMs: z.int(),
    squad: z.string().optional(),
    member: z.string().optional(),
    record: z.unknown(),
  }),
});
const end = z.object({ end: z.int().min(0) });

/** The whole memory of an account, without what can be made of it again, as lines of JSON: what it is, one line a record, and how many there were. */
async function* linesOf(memory: Memory, account: ServiceAccount): AsyncGenerator<string> {
  const { accountId: account_id } = account;
  const first = { format: FORMAT, version: 1, account_id, forgotten: await memory.forgotten(account) };
  yield `${JSON.stringify(first)}\n`;
  let count = 0;
  for (const scope of await memory.scopes()) {
    if (scope.account.baseUrl !== account.baseUrl || scope.account.accountId !== account_id) continue;
    const counts = await memory.weeks(scope);
    for (const { gameWeek, kind } of counts.filter((each) => each.kind !== 'summary'))
      for await (const page of memory.kept(scope, gameWeek, kind)) {
        count += page.length;
        yield page.map((kept) => `${JSON.stringify({ league: scope.league, kept })}\n`).join('');
      }
  }
  yield `${JSON.stringify({ end: count })}\n`;
}

/** Writes the whole memory of an account into one file that only its owner may read; it appears under its name when it is whole. Errors: those of {@link writeAtomically}. */
export async function writeMemoryFile(file: string, memory: Memory, account: ServiceAccount): Promise<void> {
  const lines = Readable.from(linesOf(memory, account));
  await writeAtomically(
    file,
    (append) =>
      pipeline(lines, createGzip(), async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) await append(chunk);
      }),
    PRIVATE_MODE,
  );
}

const PRIVATE_MODE = 0o600;

/** Readings that are kept in one transaction. */
const TOGETHER = 500;

/**
 * Adds what a file of {@link writeMemoryFile} holds to the memory; of two readings of one record the later stays. Answers how many readings the file holds. The file is
 * read whole before anything is kept. Errors: ConfigError `memory.file`, `memory.account`.
 */
export async function readMemoryFile(
  file: string,
  shown: string,
  memory: Memory,
  account: ServiceAccount,
): Promise<number> {
  let first: z.infer<typeof header> | undefined;
  const check = async (keep?: (league: number, kept: Kept) => Promise<void>): Promise<number> => {
    let [at, count] = [0, 0];
    let ended: number | undefined;
    for await (const text of textLines(file, shown)) {
      at += 1;
      if (ended !== undefined) throw damaged(shown, at, 'something stands behind its end');
      const value = parsed(text, shown, at);
      if (at === 1) {
        first = header.safeParse(value).data;
        if (first === undefined) throw foreign(shown);
        continue;
      }
      const record = line.safeParse(value).data;
      ended = record === undefined ? end.safeParse(value).data?.end : undefined;
      if (record === undefined && ended === undefined)
        throw damaged(shown, at, 'the line is no record of the memory');
      if (record === undefined) continue;
      count += 1;
      await keep?.(record.league, record.kept as Kept);
    }
    if (at === 0) throw foreign(shown);
    if (ended !== count) throw damaged(shown, at, 'it is not whole');
    return count;
  };
  const count = await check();
  if (first?.account_id !== account.accountId)
    throw new ConfigError(
      'memory.account',
      `${shown} holds the memory of account ${first?.account_id ?? ''}, and the key is that of account ${account.accountId}`,
      { file: shown, next: 'choose the environment of that account with --env' },
    );
  for (const member of first.forgotten) await memory.forget(account, member);
  const waiting = new Map<number, Kept[]>();
  const flush = async (league: number): Promise<void> => {
    await memory.keep({ account, league }, waiting.get(league)?.splice(0) ?? []);
  };
  await check(async (league, kept) => {
    const held = waiting.get(league) ?? [];
    waiting.set(league, held);
    if (held.push(kept) >= TOGETHER) await flush(league);
  });
  for (const league of waiting.keys()) await flush(league);
  return count;
}

async function* textLines(file: string, shown: string): AsyncGenerator<string> {
  const packed = createReadStream(file);
  const unpacked = createGunzip();
  packed.on('error', (error) => unpacked.destroy(error));
  packed.pipe(unpacked).setEncoding('utf8');
  let rest = '';
  try {
    for await (const chunk of unpacked as AsyncIterable<string>) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause)) throw cause;
    if ('syscall' in cause)
      throw new ConfigError('memory.file', `${shown} cannot be read: ${cause.message}`, {
        file: shown,
        cause,
      });
    throw String(cause.code).startsWith('Z_') ? notUnpacked(shown, cause) : cause;
  } finally {
    packed.destroy();
  }
  if (rest !== '') yield rest;
}

const notRead = (file: string, message: string, more: { line?: number; cause?: Error }): ConfigError =>
  new ConfigError('memory.file', message, {
    file,
    ...more,
    next: 'name a file that weeks export wrote, whole',
  });

const notUnpacked = (shown: string, cause: Error): ConfigError =>
  notRead(shown, `${shown} is damaged, or no file of weeks export: ${cause.message}`, { cause });

const foreign = (shown: string): ConfigError =>
  notRead(shown, `${shown}:1: this is no file of weeks export`, { line: 1 });

const damaged = (shown: string, line: number, why: string): ConfigError =>
  notRead(shown, `${shown}:${line}: the file is damaged: ${why}`, { line });

function parsed(text: string, shown: string, at: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw at === 1 ? foreign(shown) : damaged(shown, at, 'the line is no JSON');
  }
}
