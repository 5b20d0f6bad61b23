import { TeamsheetError, type ExitCode } from '../model/error.ts';
import { worstExit } from '../model/worst-exit.ts';
import { readMappings } from '../runtime/config/mappings.ts';
import { readConfig, type Config } from '../runtime/config/config.ts';
import { connectionOf } from '../runtime/config/connection.ts';
import { accountsOf, chosenLeagues, onlyAccount, runsIn } from '../runtime/config/leagues.ts';
import { joinDocuments, joinRuns, keepDocuments, type AccountDocument } from './join-documents.ts';
import type { Program } from './program.ts';
import { renderStop, stopDocument } from './render/stop.ts';
import { safeText } from './render/text.ts';
import type { Screen } from './screen.ts';
import { withAccount, type Session, type SessionArgs, type SessionOptions } from './session.ts';

interface LeagueOptions extends SessionOptions {
  /** The mappings that were named; all of them are read before the first account is asked anything. */
  readonly names?: readonly string[];
  readonly direction?: 'push' | 'pull';
  /** It cannot be done in several accounts at once. */
  readonly isOfOne?: boolean;
  /** The codes of stops by which an account says that what was named, such as a run, is another's. */
  readonly elsewhere?: readonly string[];
}

/** A command that takes the id of a run, which one account knows. */
export const OF_RUN: LeagueOptions = { elsewhere: ['run.other_account'] };

/** What is done in one account: with the mappings of it that were named, and the program as it is there. */
type Work = (session: Session, program: Program, names: readonly string[]) => Promise<ExitCode>;

/**
 * Does the work once in each account that the leagues of the configuration are in, one account after the other; without leagues that is one. An account that
 * stops does not stop the others; several documents become one. Answers the worst exit code.
 * Errors: those of {@link readConfig}, {@link readMappings} and {@link connectionOf}; with one account those of the work.
 */
export async function withLeagues(
  args: SessionArgs,
  program: Program,
  work: Work,
  { names: named, direction, isOfOne = false, elsewhere = [], ...options }: LeagueOptions,
): Promise<ExitCode> {
  const config = readConfig(args, program);
  const isOfMappings = named !== undefined;
  const names = named ?? [];
  const accounts = isOfOne
    ? [onlyAccount(config)]
    : accountsOf(config).filter((each) => names.length === 0 || names.some((name) => runsIn(each, name)));
  const [only = config, ...others] = accounts;
  // What is named wrongly is said before a service is looked for; of one account the work itself says it.
  if (accounts.length !== 1 && isOfMappings) readMappings(config, names, program, direction);
  if (others.length === 0)
    return withAccount(only, args, program, (session) => work(session, program, names), options);
  for (const account of accounts) connectionOf(account);
  const done = await inTurn(accounts, args, program, work, { ...options, names, elsewhere });
  const exitCode = worstExit(done.map((each) => each.exitCode));
  if (program.screen.json) await program.screen.data(JSON.stringify(joinDocuments(done, exitCode)));
  return exitCode;
}

/** What came of the work in each account. Errors: the stop of the last account where what was named is in none. */
async function inTurn(
  accounts: readonly Config[],
  args: SessionArgs,
  program: Program,
  work: Work,
  { names = [], elsewhere = [], ...options }: LeagueOptions,
): Promise<readonly AccountDocument[]> {
  const nextScreen = shareScreen(program.screen);
  const done: AccountDocument[] = [];
  let notHere: TeamsheetError | undefined;
  for (const account of accounts) {
    if (program.signal.aborted) break;
    const { screen, documents } = nextScreen();
    const own = { ...program, screen };
    const { environment = '' } = account;
    const leagues = chosenLeagues(account);
    const ours = names.filter((name) => runsIn(account, name));
    screen.say(screen.style('bold', safeText(`${environment}: ${leagues.join(', ')}`)));
    try {
      const exitCode = await withAccount(account, args, own, (session) => work(session, own, ours), options);
      done.push({ environment, leagues, exitCode, document: joinRuns(documents(), exitCode) });
    } catch (error) {
      if (!(error instanceof TeamsheetError)) throw error;
      if (elsewhere.includes(error.code)) {
        notHere = error;
        continue;
      }
      screen.redraw(undefined);
      screen.tell(renderStop(error, program));
      const document = stopDocument(program.command ?? null, error, program);
      done.push({ environment, leagues, exitCode: error.exitCode, document });
    }
  }
  if (done.length === 0 && notHere !== undefined) throw notHere;
  return done;
}

/** A screen for each account: what was warned of once is not warned of again, and documents are kept. */
function shareScreen(screen: Screen): () => ReturnType<typeof keepDocuments> {
  const warned = new Set<string>();
  const warn: Screen['warn'] = (message, isLasting) => {
    if (!warned.has(message)) screen.warn(message, isLasting);
    warned.add(message);
  };
  return () => keepDocuments({ ...screen, warn });
}
