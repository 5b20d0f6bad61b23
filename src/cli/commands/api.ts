import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type * as z from 'zod';
import { withoutKey } from '../../client/withhold-key.ts';
import { endpoints, OPERATION_IDS, type OperationId, type PushedResource } from '../../contract/index.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import { findingsOf } from '../../mapping/parse/zod-issues.ts';
import { PUSHED_RESOURCES, resourcePlans } from '../../plan/resources/index.ts';
import { nearest } from '../../model/nearest.ts';
import {
  ConfigError,
  EXIT,
  RefusedError,
  StoppedError,
  UnavailableError,
  UsageError,
  type ExitCode,
} from '../../model/error.ts';
import { withholder } from '../../model/withhold.ts';
import type { HttpResponse } from '../../model/ports.ts';
import type { Words } from '../../model/said.ts';
import type { CallInput } from '../../model/service.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import { createPipes } from '../../tables/pipes.ts';
import { readFileText } from '../../tables/regular-file.ts';
import { CONFLICT, conflictSays } from '../api/conflict.ts';
import { type ArgsOf, defineCommand } from '../command.ts';
import { pairs, serviceFlags, text } from '../flags.ts';
import type { Program } from '../program.ts';
import { renderStop } from '../render/stop.ts';
import { safeJson } from '../render/text.ts';
import { withSession, type Session } from '../session.ts';

const inputFlags = {
  id: text('the id in the path'),
  query: pairs('query', 'name=value of the query; may be repeated'),
  body: text('the body as JSON, or @FILE'),
};

/** `api OPERATION`: one raw call; standard output is the envelope as it came, but for the key. */
export const api = defineCommand({
  options: { ...serviceFlags, ...inputFlags },
  positionals: {
    operation: { type: 'string', demandOption: true, describe: `one of ${OPERATION_IDS.join(' ')}` },
  },
  examples: [
    ['api get-account', 'one reading request'],
    ['api get-player --id 7 --query fantasy_league_id=1', 'with a path id and a query'],
    ['api update-user --body \'{"id":"…","is_active":false}\' --yes', 'a writing request needs --yes'],
  ],
  run: async (args, program) => {
    const operation = OPERATION_IDS.find((id) => id === args.operation);
    if (operation === undefined) throw unknownOperation(args.operation);
    const isReading = endpoints[operation].method === 'GET';
    if (!isReading && args.yes !== true) {
      throw new StoppedError(
        'approval.missing',
        `${operation} writes to the service: nothing was sent without --yes`,
        {
          next: 'add --yes to the same command',
        },
      );
    }
    const input = await inputOf(operation, args, program);
    return withSession(args, program, (session) =>
      isReading
        ? readOnce(operation, input, session, program)
        : writeOnce(operation, input, session, program),
    );
  },
});

function unknownOperation(name: string): UsageError {
  const near = nearest(name, OPERATION_IDS);
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  return new UsageError('usage.operation', `there is no operation "${name}"${meant}`, {
    next: near === undefined ? `choose one of ${OPERATION_IDS.join(', ')}` : `api ${near}`,
  });
}

/** The call, checked against the contract. Errors: UsageError `api.input`. */
async function inputOf(
  operation: OperationId,
  { id, query, body }: ArgsOf<typeof inputFlags>,
  program: Program,
): Promise<CallInput<OperationId>> {
  const endpoint: Endpoint = endpoints[operation];
  const asWritten = Object.entries(query).map(([name, value]) => [name, numberOr(value)] as const);
  const isNamed = (name: string): boolean => Object.hasOwn(endpoint.query?.shape ?? {}, name);
  const others = asWritten.filter(([name]) => !isNamed(name));
  for (const [name] of others)
    program.screen.warn(`${operation}: the interface has no query parameter ${name}; it is sent unchanged`);
  const input = {
    id: check(operation, '--id', endpoint.pathId, id === undefined ? undefined : numberOr(id)),
    query: check(
      operation,
      '--query',
      endpoint.query,
      endpoint.query && Object.fromEntries(asWritten.filter(([name]) => isNamed(name))),
    ),
    body: check(
      operation,
      '--body',
      endpoint.body,
      body === undefined ? undefined : await parseBody(operation, body, program),
    ),
    otherQuery: others.length === 0 ? undefined : Object.fromEntries(others),
    signal: program.signal,
  };
  // What is not given is left out; each part was checked by the operation's own schema.
  return Object.fromEntries(Object.entries(input).filter(([, part]) => part !== undefined));
}

const numberOr = (value: string): string | number => (/^\d{1,15}$/.test(value) ? Number(value) : value);

function check(operation: OperationId, flag: string, schema: z.ZodType | undefined, value: unknown): unknown {
  const next = 'api --help';
  if (schema === undefined) {
    if (value === undefined) return undefined;
    throw new UsageError('api.input', `${operation} takes no ${flag}`, { next });
  }
  const { error } = schema.safeParse(value);
  if (flag === '--id' && typeof value === 'string' && !isPathSegment(value)) {
    throw new UsageError('api.input', `${operation}: --id ${value} cannot stand in an address`, { next });
  }
  if (error === undefined) return value;
  const [found] = findingsOf(error.issues, value, []);
  const place = found === undefined || found.path.length === 0 ? '' : `${found.path.join('.')}: `;
  const message = found?.of === 'key' ? 'the operation takes no such field' : found?.message;
  const problem = value === undefined ? 'is missing' : `${place}${message ?? 'does not fit'}`;
  throw new UsageError('api.input', `${operation}: ${flag} ${problem}`, { next });
}

async function parseBody(operation: OperationId, given: string, program: Program): Promise<unknown> {
  const file = given.startsWith('@') ? given.slice(1) : undefined;
  try {
    return JSON.parse(file === undefined ? given : await readBody(file, program));
  } catch (cause) {
    program.signal.throwIfAborted();
    const where = file ?? '--body';
    throw new ConfigError(
      'api.body',
      `${operation}: ${where} is not JSON that can be read: ${(cause as Error).message}`,
      { file, cause },
    );
  }
}

/** The text of a file, or of a pipe such as standard input. */
async function readBody(file: string, { cwd, clock, signal, screen }: Program): Promise<string> {
  const pipes = createPipes({ folder: tmpdir(), clock, signal, say: screen.say });
  try {
    return readFileText(await pipes.fileOf(resolve(cwd, file), file));
  } finally {
    await pipes.close();
  }
}

async function readOnce(
  operation: OperationId,
  input: CallInput<OperationId>,
  session: Session,
  program: Program,
): Promise<ExitCode> {
  try {
    await session.ports.service.get(operation, input);
  } catch (error) {
    if (error instanceof RefusedError) {
      const refusal = new RefusedError(error.status, error.message, EXIT.rows);
      return tellRefusal(refusal, session.lastAnswer(), session, program);
    }
    // The record of another id: whoever asks by hand sees it.
    const isShown = error instanceof UnavailableError && error.code === 'service.record';
    if (isShown) await writeEnvelope(session.lastAnswer(), session, program);
    throw error;
  }
  await writeEnvelope(session.lastAnswer(), session, program);
  return EXIT.done;
}

/** The resource that a write is of. */
function resourceOf(operation: OperationId): PushedResource {
  const found = PUSHED_RESOURCES.find((each) => {
    const { requests } = resourcePlans[each];
    return requests.operation === operation || requests.change?.operation === operation;
  });
  if (found === undefined) throw new Error(`nothing is written by ${operation}`);
  return found;
}

/** Sends under the lock, with a durable intent before and what came of it after, as every write. */
async function writeOnce(
  operation: OperationId,
  input: CallInput<OperationId>,
  session: Session,
  program: Program,
): Promise<ExitCode> {
  const { ports } = session;
  const { store, clock, random } = ports;
  const { body }: { readonly body?: unknown } = input;
  const { service: account, record } = await openAccount(ports);
  const lock = await ports.lock.acquire(account, 'api');
  // Without --yes it would not have come so far.
  ports.passed?.('approval');
  try {
    const startedAtMs = clock.now();
    const runId = random.ulid(startedAtMs);
    await store.addRun({
      id: runId,
      command: 'api',
      account,
      startedAtMs,
      endedAtMs: null,
      exitCode: null,
      phase: 'writing',
      finished: true,
      mappings: '[]',
      summaries: [],
      requests: null,
    });
    const intent = {
      id: random.ulid(startedAtMs),
      runId,
      mapping: 'api',
      resource: resourceOf(operation),
      operation,
      rowNumbers: [],
      keys: [],
      bodyDigest: createHash('sha256')
        .update(JSON.stringify(body ?? null))
        .digest('hex'),
      sentAtMs: clock.now(),
    };
    await store.addIntent(account, intent);
    const before = session.lastAnswer();
    const sent = await ports.service.send(operation, input);
    const answer = session.lastAnswer() === before ? undefined : session.lastAnswer();
    const conflict =
      sent.kind === 'ambiguous'
        ? await conflictSays(ports, operation, intent.resource, body, record, answer)
        : undefined;
    const result: Sent =
      conflict === undefined ? sent : { kind: 'refused', status: CONFLICT, message: conflict };
    await store.recordResult(account, intent.id, result.kind, wordsOf(result), []);
    const stop = stopOf(operation, result, intent.id);
    const exitCode = stop?.exitCode ?? EXIT.done;
    await store.updateRun(runId, {
      phase: 'ended',
      endedAtMs: clock.now(),
      exitCode,
      requests: ports.service.counts(),
    });
    // Where a quota explains the refusal, the last answer is the account.
    if (stop instanceof RefusedError && !('quota' in result))
      return await tellRefusal(stop, answer, session, program);
    await writeEnvelope(answer, session, program);
    if (stop !== undefined) throw stop;
    return exitCode;
  } finally {
    await lock.release();
  }
}

type Sent = Awaited<ReturnType<Session['ports']['service']['send']>>;

/** What came of it, as the state keeps it. */
function wordsOf(result: Sent): Words {
  const reason = 'reason' in result ? result.reason : result.message;
  return reason === '' ? [] : [{ code: 'answer-seen', reason }];
}

function stopOf(
  operation: OperationId,
  result: Sent,
  intentId: string,
): RefusedError | UnavailableError | undefined {
  switch (result.kind) {
    case 'applied':
      return undefined;
    case 'refused':
      return new RefusedError(
        result.status,
        `${operation} was refused with ${result.status}: ${result.message}${result.quota === undefined ? '' : `; the account's quota of ${result.quota.feature} has room for ${result.quota.room} more`}`,
        EXIT.rows,
      );
    case 'not_applied':
      return new UnavailableError('service.unavailable', `${operation} was not sent: ${result.reason}`);
    case 'ambiguous':
      return new UnavailableError(
        'service.ambiguous',
        `${operation} was sent, but nobody knows whether it was applied: ${result.reason}`,
        {
          next: `look with a reading operation before sending it again; teamsheet resolve ${intentId} --assume applied, or not-applied, records what you found`,
        },
      );
  }
}

/** The envelope is the only thing on standard output, with `--json` too. Errors: the refusal itself when its answer was no envelope. */
async function tellRefusal(
  error: RefusedError,
  answer: HttpResponse | undefined,
  session: Session,
  program: Program,
): Promise<ExitCode> {
  if (!(await writeEnvelope(answer, session, program))) throw error;
  program.screen.tell(renderStop(error, program));
  return error.exitCode;
}

/** An answer as it came but for the key, laid out; one that is no JSON is not an envelope and is left to the message. */
async function writeEnvelope(
  answer: HttpResponse | undefined,
  { connection }: Session,
  { screen }: Program,
): Promise<boolean> {
  const text = answer?.body;
  if (text === undefined) return false;
  let envelope: unknown;
  try {
    envelope = JSON.parse(withoutKey(text, withholder(connection.apiKey.reveal())));
  } catch {
    return false;
  }
  await screen.exact(`${safeJson(JSON.stringify(envelope, null, 2))}\n`);
  return true;
}
