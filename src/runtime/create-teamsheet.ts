import type { PushMapping } from '../mapping/mapping.ts';
import { StoppedError, UsageError } from '../model/error.ts';
import type { RunEvent } from '../model/event.ts';
import type { RunRows } from '../model/state/run-rows.ts';
import { withholder } from '../model/withhold.ts';
import { countWrites, planPush } from '../sync/plan/plan-sync.ts';
import type { PlannedPush } from '../sync/ports.ts';
import type { PlannedChange } from '../plan/saved/push-plan.ts';
import { preparePull } from '../sync/pull.ts';
import { push, type Approve } from '../sync/push.ts';
import { resolve } from '../sync/resolve.ts';
import { resume } from '../sync/resume.ts';
import { rowIssues, validateSources, type RowIssue } from '../sync/validate.ts';
import { prepareVerify, readBackRun, verifyExit } from '../sync/verify.ts';
import { checkCall, checkTeamsheet } from './call-options.ts';
import { realClock, realRandom } from './clock.ts';
import { configOf, readConfig, type Config } from './config/config.ts';
import { connectionOf, connectionTo, type Connection } from './config/connection.ts';
import { onlyAccount, rulesOf } from './config/leagues.ts';
import { isPull, isPush, readMappings, readPullMappings, readPushMappings } from './config/mappings.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { ownTransport } from './own-transport.ts';
import { completePlanOptions } from './plan-options.ts';
import { groupReader, isPullRun, pullMappings, resumePull } from './pull-reports.ts';
import { refuseUncheckedTls, withPorts, type Session } from './session.ts';
import { openState, rememberedBaseUrl } from './state.ts';
import { openTables, type World } from './tables.ts';
import type { CallOptions, Named, PlanView, Teamsheet, TeamsheetOptions, Writing } from './teamsheet.ts';
import { withWeeks } from './weeks/week-options.ts';
import { withoutKey, type Withhold } from './withheld/withhold-key.ts';

/** The methods that write nothing, so that they take no lock. */
const READ_ONLY: ReadonlySet<string> = new Set(['plan', 'verify']);

/**
 * Opens configuration and state; the service is asked nothing.
 * Errors: UsageError `library.option`; ConfigError for what is wrong with the configuration, UnavailableError `state.*`.
 */
export async function createTeamsheet(options: TeamsheetOptions = {}): Promise<Teamsheet> {
  checkTeamsheet(options);
  const { clock = realClock, random = realRandom, on = () => undefined } = options;
  const config = readOptions(options);
  let connection: Connection | undefined;
  // Before there is a key, no text can hold it.
  let withhold: Withhold = (text) => text;
  let hasWarned = false;
  const emit = (event: RunEvent): void => {
    // A push that ended midway for it would leave writes without an answer.
    new Promise((told) => told(on(withoutKey(event, withhold)))).catch((error: unknown) => {
      // It most often fails at each event alike.
      if (hasWarned) return;
      hasWarned = true;
      process.emitWarning(`on: ${String(withoutKey(error, withhold))}`, { code: 'library.listener' });
    });
  };
  const warn = (message: string): void => emit({ kind: 'warning', message });
  config.warnings.forEach(warn);
  const { store, lock, budget } = await openState(config, clock, warn);
  const calls = oneAtATime();
  const kept = new Set<RunRows>();
  /** The rows of a plan that somebody is asked about, until the method ends. */
  const lent = new Set<RunRows>();
  const cwd = { cwd: options.folder ?? process.cwd() };
  const mappingConfig = { ...config, texts: textsOf(options.mappings) };
  const pushes = ({ mappings = [] }: Named): readonly PushMapping[] =>
    readPushMappings(mappingConfig, mappings, cwd);

  const work = async <T>(
    name: string,
    call: Pick<CallOptions, 'signal'>,
    does: (world: World) => Promise<T>,
  ): Promise<T> => {
    checkCall(name, call);
    return calls.run(name, call.signal, async (stop) => {
      try {
        return withoutKey(await does({ clock, random, emit, signal: stop }), withhold);
      } catch (error) {
        throw withoutKey(error, withhold);
      } finally {
        lent.clear();
      }
    });
  };
  const withService = <T>(
    command: string,
    call: CallOptions & Pick<Partial<Writing>, 'finishBy'>,
    does: (session: Session) => Promise<T>,
  ): Promise<T> =>
    work(command, call, async (world) => {
      const to = (connection ??= connectionFor(options, config));
      withhold = withholder(to.apiKey.reveal(), 'our own words');
      refuseUncheckedTls(config, options.insecure);
      const { maxRequests, maxWaitMs, trustOrigin, finishBy } = call;
      const task = {
        ...{ config, connection: to, store, lock, budget, command, tables: options.tables },
        ...{ maxRequests, maxWaitMs, trustOrigin, finishByMs: finishBy?.getTime() },
        readOnly: READ_ONLY.has(command),
        stateUrl: await rememberedBaseUrl(store, to.baseUrl),
        transport: options.transport && ownTransport(options.transport),
      };
      return withPorts(task, world, does);
    });
  const whileKept = async function* <T>(rows: RunRows, each: AsyncIterable<T>): AsyncGenerator<T> {
    const check = (): void => {
      if (kept.has(rows) || lent.has(rows)) return;
      throw new UsageError(
        'library.closed',
        'its rows are gone: it was disposed of, its method ended, or the teamsheet closed',
      );
    };
    check();
    for await (const one of each) {
      yield one;
      check();
    }
  };
  const disposal = (rows: RunRows): AsyncDisposable => {
    kept.add(rows);
    return {
      [Symbol.asyncDispose]: async () => {
        if (kept.delete(rows)) await rows.remove();
      },
    };
  };
  const approval =
    (approve: Writing['approve'], { signal }: Session['ports']): Approve =>
    async (planned) => {
      if (countWrites(planned) === 0) return;
      const { rows } = planned;
      const view = viewOf(planned, withhold);
      lent.add(rows);
      const answer = approve({ ...view, changes: () => whileKept(rows, view.changes()) });
      if (!(await isYes(answer, signal))) throw declined('nothing was sent');
    };
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= calls.close().then(async () => {
      for (const rows of kept) await rows.remove();
      kept.clear();
      await store.close();
    }));

  return {
    validate: (call = {}) =>
      work('validate', call, async (world) => {
        const read = readMappings(mappingConfig, call.mappings ?? [], cwd);
        const { maxWaitMs } = call;
        const task = { config, store, maxWaitMs, readOnly: true, tables: options.tables };
        const { tables, pipes } = openTables(task, world);
        try {
          const pulls = read.filter(isPull);
          await preparePull(pulls, tables, { groups: groupReader({ ...world, tables }, config) });
          const { timezone, vars } = config;
          const variable = (name: string): string | undefined => vars[name];
          const ports = { ...world, store, tables, timezone, rulesOf: rulesOf(config), variable };
          const validation = await validateSources(ports, read.filter(isPush), completePlanOptions(call));
          const { mappings, stops, exitCode, rows } = validation;
          const issues = (): AsyncIterable<RowIssue> => whileKept(rows, rowIssues(validation));
          return { mappings, stops, exitCode, pulls, issues, ...disposal(rows) };
        } finally {
          await pipes.close();
        }
      }),
    plan: (call = {}) =>
      withService('plan', call, async ({ ports }) => {
        const planned = await planPush(ports, pushes(call), completePlanOptions(call));
        const view = viewOf(planned, withhold);
        const changes = (): AsyncIterable<PlannedChange> => whileKept(planned.rows, view.changes());
        return { ...view, changes, ...disposal(planned.rows) };
      }),
    push: (call) =>
      withService('push', call, ({ ports }) =>
        push(ports, 'push', pushes(call), completePlanOptions(call), approval(call.approve, ports)),
      ),
    pull: (call = {}) =>
      withService('pull', call, (session) => {
        const { mappings = [], limit, offline = false, partial = false } = call;
        const asked = { isNamed: mappings.length > 0, isKept: config.season.keep };
        const pulls = withWeeks(readPullMappings(mappingConfig, mappings, cwd), call, asked);
        return pullMappings(session, pulls, { limit, offline, partial });
      }),
    resume: (call) =>
      withService('resume', call, async (session) => {
        const { ports } = session;
        const isPull = call.run !== undefined && (await isPullRun(ports.store, call.run));
        const pushed = isPull
          ? undefined
          : await resume(ports, call.run, approval(call.approve, ports), call);
        const result = pushed ?? (await resumePull(session, call.run));
        // The run keeps the command that began it.
        return result && { ...result, report: { ...result.report, command: 'resume' } };
      }),
    resolve: (call = {}) =>
      withService('resolve', call, async ({ ports }) => {
        const { intent, assume, approve } = call;
        if (approve === undefined) {
          if (assume === undefined) return resolve(ports, intent, undefined, 'list');
          throw new StoppedError('approval.missing', 'nothing was recorded: assume needs approve');
        }
        return resolve(ports, intent, assume, async (cases) => {
          const answer = approve(withoutKey(cases, withhold));
          if (!(await isYes(answer, ports.signal))) throw declined('nothing was recorded');
        });
      }),
    verify: (call = {}) =>
      withService('verify', call, async ({ ports }) => {
        const verification = await prepareVerify(ports, call.run);
        if (verification === undefined) return undefined;
        try {
          const { run, mappings } = verification;
          const planned =
            ports.service.counts().sent + mappings.reduce((sum, each) => sum + each.requests, 0);
          const verified = await readBackRun(verification);
          const requests = { ...ports.service.counts(), planned };
          return { run, mappings, ...verified, exitCode: verifyExit(verified.others), requests };
        } finally {
          await verification.close();
        }
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The configuration in force. Errors: ConfigError `config.*`. */
function readOptions(options: TeamsheetOptions): Config {
  const { environment, league, mappings, vars = {}, env = process.env, folder = process.cwd() } = options;
  const folderOfMappings = typeof mappings === 'string' ? mappings : undefined;
  const { insecure, state } = options;
  const args = { env: environment, league, var: vars, mappings: folderOfMappings, insecure, state };
  const seat = { cwd: folder, env };
  const written = typeof options.config === 'object' || options.baseUrl !== undefined;
  return onlyAccount(
    typeof options.config !== 'string' && written
      ? configOf(options.config ?? {}, args, seat)
      : readConfig({ ...args, config: options.config }, seat),
  );
}

function connectionFor({ baseUrl, apiKey }: TeamsheetOptions, config: Config): Connection {
  if (baseUrl === undefined) return connectionOf(config);
  return connectionTo(baseUrl, apiKey, config.environment);
}

/** The texts of mapping files; JSON is YAML. */
function textsOf(mappings: TeamsheetOptions['mappings']): readonly string[] | undefined {
  if (mappings === undefined || typeof mappings === 'string') return undefined;
  return mappings.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
}

/** A plan without the rows behind it. */
function viewOf(planned: PlannedPush, withhold: Withhold): PlanView {
  const { account, mappings, stops, requests, forecast, exitCode } = planned;
  const changes = async function* (): AsyncGenerator<PlannedChange> {
    for await (const change of planned.changes()) yield withoutKey(change, withhold);
  };
  return { account, mappings, stops, requests, forecast, exitCode, changes };
}

/** Whether the program answered true, and nothing like it. A stop waits for no answer, which may never come: the signal's reason is thrown. */
async function isYes(answer: unknown, signal: AbortSignal): Promise<boolean> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return (await Promise.race([answer, stopped])) === true;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const declined = (nothing: string): StoppedError =>
  new StoppedError('approval.declined', `not approved: ${nothing}`);
