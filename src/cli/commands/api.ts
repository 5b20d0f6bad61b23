import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type * as z from 'zod';
import { endpoints, OPERATION_IDS } from '../../contract/index.ts';
import type { OperationId } from '../../contract/index.ts';
import { isRead } from '../../contract/endpoint.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import type { ResourceName } from '../../contract/resource.ts';
import { nearest } from '../../model/nearest.ts';
import {
  ConfigError,
  EXIT,
  RefusedError,
  StoppedError,
  UnavailableError,
  UsageError,
} from '../../model/error.ts';
import type { ExitCode } from '../../model/error.ts';
import type { CallInput } from '../../model/service.ts';
import type { IntentResult } from '../../model/store.ts';
import { openAccount } from '../../sync/plan-sync.ts';
import { defineCommand } from '../command.ts';
import { namedValues, serviceFlags, text } from '../flags.ts';
import type { Program } from '../program.ts';
import { renderStop } from '../render/stop.ts';
import { safeJson } from '../render/text.ts';
import { withSession } from '../session.ts';
import type { Session } from '../session.ts';

/** `api OPERATION`: one raw call; standard output is the envelope as it came. */
export const api = defineCommand({
  options: {
    ...serviceFlags,
    id: text('the id in the path'),
    query: {
      type: 'string',
      array: true,
      requiresArg: true,
      default: [],
      defaultDescription: 'none',
      coerce: namedValues('query'),
      describe: 'name=value of the query; may be repeated',
    },
    body: text('the body as JSON, or @FILE'),
  },
  positionals: {
    operation: { type: 'string', demandOption: true, describe: `one of ${OPERATION_IDS.join(' ')}` },
  },
  examples: [
    ['api get-account', 'one reading request'],
    ['api get-player --id 7 --query fantasy_league_id=1', 'with a path id and a query'],
    ['api update-user --body \'{"id":"…","is_active":false}\' --yes', 'a writing request needs --yes'],
  ],
  run: (args, program) => {
    const operation = OPERATION_IDS.find((id) => id === args.operation);
    if (operation === undefined) throw unknownOperation(args.operation);
    const isReading = isRead(endpoints[operation]);
    if (!isReading && args.yes !== true) {
      throw new StoppedError(
        'approval.missing',
        `${operation} writes to the service: nothing was sent without --yes`,
        {
          next: 'add --yes to the same command',
        },
      );
    }
    const input = inputOf(operation, args, program);
    return withSession(args, program, (session) =>
      isReading
        ? readOnce(operation, input, session, program)
        : writeOnce(operation, input, session, program),
    );
  },
});

function unknownOperation(name: string): UsageError {
  const near = nearest(name, OPERATION_IDS);
  return new UsageError('usage.operation', `there is no operation "${name}"`, {
    next: near === undefined ? `choose one of ${OPERATION_IDS.join(', ')}` : `api ${near}`,
  });
}

interface ApiArgs {
  readonly id?: string | undefined;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The call, checked against the contract. Errors: UsageError `api.input`. */
function inputOf(
  operation: OperationId,
  { id, query, body }: ApiArgs,
  program: Program,
): CallInput<OperationId> {
  const endpoint: Endpoint = endpoints[operation];
  const asWritten = Object.entries(query).map(([name, value]) => [name, numberOr(value)] as const);
  const input = {
    id: check(operation, '--id', endpoint.pathId, id === undefined ? undefined : numberOr(id)),
    query: check(
      operation,
      '--query',
      endpoint.query,
      endpoint.query || asWritten.length > 0 ? Object.fromEntries(asWritten) : undefined,
    ),
    body: check(
      operation,
      '--body',
      endpoint.body,
      body === undefined ? undefined : parseBody(operation, body, program),
    ),
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
  const [issue] = error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  const problem = value === undefined ? 'is missing' : `${place}${issue?.message ?? 'does not fit'}`;
  throw new UsageError('api.input', `${operation}: ${flag} ${problem}`, { next });
}

function parseBody(operation: OperationId, given: string, { cwd }: Program): unknown {
  const file = given.startsWith('@') ? given.slice(1) : undefined;
  try {
    return JSON.parse(file === undefined ? given : readFileSync(resolve(cwd, file), 'utf8'));
  } catch (cause) {
    const where = file ?? '--body';
    throw new ConfigError(
      'api.body',
      `${operation}: ${where} is not JSON that can be read: ${(cause as Error).message}`,
      { file, cause },
    );
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
    if (error instanceof RefusedError) return tellRefusal(error, session, program);
    throw error;
  }
  await writeEnvelope(session, program);
  return EXIT.done;
}

const RESOURCE_OF: Readonly<Partial<Record<OperationId, ResourceName>>> = {
  'create-fantasy-league': 'fantasy_leagues',
  'create-mini-league': 'mini_leagues',
  'create-users': 'users',
  'update-user': 'users',
  'create-squad': 'squads',
  'set-points-config': 'points_config',
  'upload-prices': 'prices',
  'trigger-auto-substitution': 'auto_substitutions',
};

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
  const { service: account } = await openAccount(ports);
  const lock = await ports.lock.acquire(account, 'api');
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
      resource: RESOURCE_OF[operation] ?? 'account',
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
    const result = await ports.service.send(operation, input);
    const settled: IntentResult = result.kind;
    const detail = 'reason' in result ? result.reason : result.message;
    await store.settleIntent(account, intent.id, settled, detail, []);
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
      return await tellRefusal(stop, session, program);
    if (session.lastAnswer() !== before) await writeEnvelope(session, program);
    if (stop !== undefined) throw stop;
    return exitCode;
  } finally {
    await lock.release();
  }
}

type Sent = Awaited<ReturnType<Session['ports']['service']['send']>>;

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
      );
    case 'not_applied':
      return new UnavailableError('service.unavailable', `${operation} was not sent: ${result.reason}`);
    case 'ambiguous':
      return new UnavailableError(
        'service.ambiguous',
        `${operation} was sent, but whether it was applied is not known: ${result.reason}`,
        {
          next: `look with a reading operation before sending it again; teamsheet resolve ${intentId} --assume applied, or not-applied, records what you found`,
        },
      );
  }
}

/** The envelope is the only thing on standard output, with `--json` too. Errors: the refusal itself when its answer was no envelope. */
async function tellRefusal(error: RefusedError, session: Session, program: Program): Promise<ExitCode> {
  if (!(await writeEnvelope(session, program))) throw error;
  program.screen.tell(renderStop(error, program));
  return error.exitCode;
}

/** The last answer as it came, laid out; one that is no JSON is not an envelope and is left to the message. */
async function writeEnvelope({ lastAnswer }: Session, { screen }: Program): Promise<boolean> {
  const text = lastAnswer()?.body;
  if (text === undefined) return false;
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    return false;
  }
  await screen.data(safeJson(JSON.stringify(envelope, null, 2)));
  return true;
}
