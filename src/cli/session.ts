import { TeamsheetError } from '../model/error.ts';
import { withholder } from '../model/withhold.ts';
import { readConfig, type Config } from '../runtime/config/config.ts';
import { connectionOf, type Connection } from '../runtime/config/connection.ts';
import { onlyAccount } from '../runtime/config/leagues.ts';
import { refuseUncheckedTls, withPorts, type Session as OpenSession } from '../runtime/session.ts';
import { openState, rememberedBaseUrl } from '../runtime/state.ts';
import type { ArgsOf } from './command.ts';
import type { serviceFlags } from './flags.ts';
import type { Program } from './program.ts';
import { cutOffSentence, sayCutOff } from './push/cut-off.ts';
import { readFinishBy } from './push/finish-by.ts';
import { sayGoogle } from './render/google.ts';
import { createReporter } from './render/progress.ts';

/** Everything that a command needs to work with the service. */
export interface Session extends OpenSession {
  /** Takes the line of progress away until there is more of it, as before a question. */
  readonly endProgress: () => void;
}

/** How a session is opened. */
export interface SessionOptions {
  /** Google is asked for no right to write. */
  readonly readOnly?: boolean | undefined;
  /** It is a part of a command that says itself which run was interrupted. */
  readonly isPart?: boolean | undefined;
}

export type SessionArgs = ArgsOf<typeof serviceFlags> & { readonly finishBy?: string | undefined };

/**
 * Opens the configuration, and the state and the service of its one account, does the work and closes them.
 * Errors: those of {@link readConfig}, {@link onlyAccount} and {@link withAccount}.
 */
export async function withSession<T>(
  args: SessionArgs,
  program: Program,
  work: (session: Session) => Promise<T>,
  options: SessionOptions = {},
): Promise<T> {
  return withAccount(onlyAccount(readConfig(args, program)), args, program, work, options);
}

/**
 * The same in an account whose configuration is known.
 * Errors: those of {@link readFinishBy} and {@link connectionOf}; StoppedError `tls.unchecked`, `origin.changed`; those of the work.
 */
export async function withAccount<T>(
  config: Config,
  args: SessionArgs,
  program: Program,
  work: (session: Session) => Promise<T>,
  { readOnly, isPart = false }: SessionOptions,
): Promise<T> {
  const { screen, command = '' } = program;
  const finishByMs =
    args.finishBy === undefined
      ? undefined
      : readFinishBy(args.finishBy, config.timezone, program.clock.now());
  const connection = connectionOf(config);
  for (const warning of [...config.warnings, ...connection.warnings]) screen.warn(warning, true);
  refuseUncheckedTls(config, args.insecure);
  const state = await openState(config, program.clock, (message) => screen.warn(message, true));
  const { store, lock, budget } = state;
  const { emit, stop } = createReporter(screen, program.clock);
  try {
    const stateUrl = await rememberedBaseUrl(store, connection.baseUrl);
    const sentence = async (): Promise<string | undefined> =>
      isPart
        ? undefined
        : cutOffSentence(state, config, program, ({ account }) => account.baseUrl === stateUrl);
    const cutOff = await sentence();
    if (cutOff !== undefined) screen.warn(cutOff);
    withholdKey(connection, program);
    const { maxWait: maxWaitMs, maxRequests, trustOrigin } = args;
    const limits = { readOnly, maxWaitMs, maxRequests, finishByMs, trustOrigin };
    const task = { config, connection, store, lock, budget, command, stateUrl, ...limits };
    return await withPorts(task, { ...program, emit }, async (session) => {
      try {
        return await work({ ...session, endProgress: stop });
      } catch (error) {
        stop();
        // Where the state is not in its place, the run looks lost.
        if (!(error instanceof TeamsheetError && error.code === 'state.moved'))
          await sayCutOff(sentence, cutOff, session.ports.service.counts().writes, program);
        throw error;
      } finally {
        stop();
        sayGoogle(session.google, program);
      }
    });
  } finally {
    stop();
    await store.close();
  }
}

/** From now on the screen shows the key nowhere. */
export function withholdKey({ apiKey }: Connection, { screen }: Pick<Program, 'screen'>): void {
  screen.withhold(withholder(apiKey.reveal(), 'our own words'));
}
