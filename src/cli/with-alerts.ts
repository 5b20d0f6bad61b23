import type { MappingState } from '../model/state/alerts.ts';
import { ConfigError, EXIT, TeamsheetError, type ExitCode } from '../model/error.ts';
import { inLeague } from '../model/league-name.ts';
import { readConfig, type Config } from '../runtime/config/config.ts';
import { environmentOf } from '../runtime/config/connection.ts';
import { accountsOf, runsIn } from '../runtime/config/leagues.ts';
import { readMappings } from '../runtime/config/mappings.ts';
import { withState, type OpenState } from '../runtime/state.ts';
import type { AlertDesk } from '../runtime/tell-alerts.ts';
import type { Deadline } from '../schedule/alerts.ts';
import { hasFailed, type Attempt, type MappingId, type RunEnd } from '../schedule/mapping-states.ts';
import type { CommonArgs } from './command.ts';
import type { Program } from './program.ts';

type Args = CommonArgs & { readonly mapping: readonly string[]; readonly dryRun?: boolean | undefined };
/** Which mappings a command runs, where it is not all. */
type Direction = 'push' | 'pull' | undefined;
type Work = (program: Program) => Promise<ExitCode>;

/** The work of a command that something may start which nobody watches, such as cron: with `--yes` and without a terminal, it is done {@link withAlerts}. */
export function withAlertsAlone(
  args: Args,
  program: Program,
  direction: Direction,
  work: Work,
): Promise<ExitCode> {
  const isAlone = args.yes === true && args.dryRun !== true && !program.interactive;
  return isAlone ? withAlerts(args, program, direction, work) : work(program);
}

/**
 * The work of a command that runs by itself, with what the configuration says under `alerts`: a ping when it begins, and once it has ended what became of its
 * mappings. However alerts go, the command ends as the work does. Errors: those of {@link readConfig}.
 */
export async function withAlerts(
  args: Args,
  program: Program,
  direction: Direction,
  work: Work,
  deadlines: readonly Deadline[] = [],
): Promise<ExitCode> {
  const config = readConfig(args, program);
  if (config.alerts.length === 0) return work(program);
  // Not at the start: the modules behind it take a tenth of a second.
  const { pingAll } = await import('../runtime/tell-alerts.ts');
  const { clock, signal, screen } = program;
  const desk: AlertDesk = { config, clock, signal, warn: screen.warn };
  const started = pingAll('start', desk);
  const ends: RunEnd[] = [];
  let exitCode: ExitCode = EXIT.internal;
  try {
    exitCode = await work({ ...program, ended: (end) => ends.push(end) });
    return exitCode;
  } catch (error) {
    if (error instanceof TeamsheetError) ({ exitCode } = error);
    throw error;
  } finally {
    await started;
    if (!signal.aborted)
      await tellEnd({ ends, exitCode }, args, direction, { program, config, desk, deadlines });
  }
}

interface Office {
  readonly program: Program;
  readonly config: Config;
  readonly desk: AlertDesk;
  readonly deadlines: readonly Deadline[];
}

async function tellEnd(
  end: Omit<Attempt, 'asked'>,
  { mapping: names }: Args,
  direction: Direction,
  { program, config, desk, deadlines }: Office,
): Promise<void> {
  const { pingAll, tellAlerts } = await import('../runtime/tell-alerts.ts');
  try {
    const tell = async ({ store }: OpenState): Promise<void> => {
      const held = heldIn(config, await store.alerts.states());
      const asked =
        idsOf(config, names, program, direction) ?? (names.length === 0 ? held : namedIn(config, names));
      const known = idsOf(config, [], program) ?? held;
      const attempt = { ...end, asked };
      await pingAll(hasFailed(attempt) ? 'fail' : 'success', desk);
      await tellAlerts({ ...desk, store }, { attempt, known, deadlines });
    };
    await withState(config, program.clock, () => undefined, tell);
  } catch (error) {
    if (!(error instanceof TeamsheetError)) throw error;
    program.screen.warn(`alerts: ${error.message}`);
  }
}

/** The named mappings, or all, in each account; undefined where they cannot be read: that is what the command stopped for. */
function idsOf(
  config: Config,
  names: readonly string[],
  program: Program,
  direction?: Direction,
): readonly MappingId[] | undefined {
  try {
    return accountsOf(config).flatMap((account) => {
      const ours = namesIn(account, names);
      if (ours.length === 0 && names.length > 0) return [];
      const environment = environmentOf(account);
      return readMappings(account, ours, program, direction).map(({ name }) => ({ environment, name }));
    });
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

const namedIn = (config: Config, names: readonly string[]): readonly MappingId[] =>
  accountsOf(config).flatMap((account) =>
    namesIn(account, names).map((name) => ({ environment: environmentOf(account), name })),
  );

/** Those of the named mappings that run in an account. */
function namesIn(account: Config, names: readonly string[]): readonly string[] {
  return names.filter((name) => account.leagues.length === 0 || runsIn(account, name));
}

/** What the state knows of the accounts of a configuration. */
function heldIn(config: Config, states: readonly MappingState[]): readonly MappingId[] {
  const environments = new Set(accountsOf(config).map(environmentOf));
  return states
    .filter(({ environment }) => environments.has(environment))
    .map(({ environment, mapping, league }) => ({
      environment,
      name: league === null ? mapping : inLeague(mapping, league),
    }));
}
