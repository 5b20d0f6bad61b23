import { globalAgent } from 'node:https';
import type { Mapping } from '../../mapping/mapping.ts';
import { EXIT } from '../../model/error.ts';
import { checkGoogle } from '../doctor/check-google.ts';
import { askService } from '../doctor/check-service.ts';
import { checkState } from '../doctor/check-state.ts';
import { defineCommand } from '../command.ts';
import { readContract, type Contract } from '../contract.ts';
import { readConfig, type Config } from '../../runtime/config/config.ts';
import { keyPlace } from '../../runtime/config/connection.ts';
import { cutOffSentence } from '../push/cut-off.ts';
import { attempt, good, type Finding } from '../doctor/finding.ts';
import { serviceFlags, yes } from '../flags.ts';
import { accountsOf, onlyAccount } from '../../runtime/config/leagues.ts';
import { lackedFiles, lackedFilesError } from '../../runtime/config/mapping-files.ts';
import { listMappingNames, readMappings } from '../../runtime/config/mappings.ts';
import type { Program } from '../program.ts';
import { renderCheck } from '../render/checks.ts';
import { contractDocument, renderContract } from '../render/contract.ts';
import { withAccount, type SessionArgs } from '../session.ts';
import { withState } from '../../runtime/state.ts';

/** `doctor`: one line for everything that must be right before a push, with the fix. Sends one GET, and asks Google only where it is used. */
export const doctor = defineCommand({
  options: { ...serviceFlags, contract: yes('also show what was learnt about the service, with dates') },
  positionals: {},
  examples: [
    ['doctor', 'what is wrong, and what to type'],
    ['doctor --contract', 'how the service behaves where its interface does not say'],
  ],
  run: async (args, program) => {
    const { screen } = program;
    const findings: Finding[] = [];
    const wanted: Wanted = { contract: args.contract === true };
    for await (const finding of examine(args, program, wanted)) {
      findings.push(finding);
      if (!screen.json) await screen.data(renderCheck(finding, screen.dataStyle));
    }
    const exitCode = findings.find(({ level }) => level === 'bad')?.exitCode ?? EXIT.done;
    const { learnt } = wanted;
    if (screen.json) {
      const checks = findings.map(({ level, name, found, fix = null }) => ({ level, name, found, fix }));
      const contract = wanted.contract
        ? { contract: learnt === undefined ? null : contractDocument(learnt) }
        : {};
      await screen.data(JSON.stringify({ command: 'doctor', exit_code: exitCode, checks, ...contract }));
    } else if (learnt !== undefined) {
      await screen.data(renderContract(learnt, screen.dataStyle));
    }
    return exitCode;
  },
});

/** Whether what was learnt is to be read where the service is asked, and what it then was. */
interface Wanted {
  readonly contract: boolean;
  learnt?: Contract;
}

async function* examine(args: SessionArgs, program: Program, wanted: Wanted): AsyncGenerator<Finding> {
  const config = await attempt('configuration', program, () => readConfig(args, program));
  if ('level' in config) {
    yield config;
    return;
  }
  yield good('configuration', config.file ?? 'none; TEAMSHEET_BASE_URL and TEAMSHEET_API_KEY are used');
  for (const found of config.warnings) yield { level: 'warning', name: 'secrets', found };
  const mappings = yield* checkMappings(config, program);
  yield* checkFiles(config, mappings);
  yield* checkNetwork(config);
  let isStateBad = false;
  for await (const finding of checkState(config, program)) {
    isStateBad ||= finding.level === 'bad';
    yield finding;
  }
  if (isStateBad)
    yield { level: 'warning', name: 'service', found: 'is not asked while the state cannot be used' };
  else yield* checkAccounts(config, args, program, wanted);
  yield* checkGoogle(config, mappings, program);
}

/** What the service says to the key of each account. */
async function* checkAccounts(
  config: Config,
  args: SessionArgs,
  program: Program,
  wanted: Wanted,
): AsyncGenerator<Finding> {
  const quiet: Program = { ...program, screen: { ...program.screen, warn: () => undefined } };
  const accounts = await attempt('configuration', program, () =>
    wanted.contract ? [onlyAccount(config)] : accountsOf(config),
  );
  if ('level' in accounts) {
    yield accounts;
    return;
  }
  let answered = false;
  for (const account of accounts) {
    const found = await attempt('service', program, () =>
      withAccount(
        account,
        args,
        quiet,
        async (session) => {
          try {
            return await askService(session, program);
          } finally {
            if (wanted.contract) wanted.learnt = await readContract(session);
          }
        },
        {},
      ),
    );
    if (!('level' in found)) answered = true;
    const told = 'level' in found ? [notOfService(found, account) ?? found] : found;
    const of = accounts.length === 1 ? '' : `${account.environment ?? ''}: `;
    yield* told.map((each) => ({ ...each, found: of + each.found }));
  }
  if (answered) yield* checkRuns(config, program);
}

/** A run that was interrupted is told as a finding, with its next command. */
async function* checkRuns(config: Config, program: Program): AsyncGenerator<Finding> {
  const found = await withState(
    config,
    program.clock,
    () => undefined,
    (state) => cutOffSentence(state, config, program),
  );
  if (found !== undefined) yield { level: 'warning', name: 'runs', found };
}

/** What keeps the service from being asked, or from answering more than that it is there. */
function notOfService(found: Finding, config: Config): Finding | undefined {
  if (found.code === 'service.access')
    return { ...found, name: 'key', fix: `set the right key: ${keyPlace(config)}` };
  const name = /^(?:state|key)(?=\.)/.exec(found.code ?? '')?.[0];
  return name === undefined ? undefined : { ...found, name };
}

/** Each mapping by itself: one that only lacks a variable is no mistake before it is used. */
async function* checkMappings(config: Config, program: Program): AsyncGenerator<Finding, readonly Mapping[]> {
  const names = await attempt('mappings', program, () => listMappingNames(config, program));
  if ('level' in names) {
    yield names;
    return [];
  }
  const ready: Mapping[] = [];
  const unset = new Map<string, Finding>();
  for (const name of names) {
    const read = await attempt('mappings', program, () => readMappings(config, [name], program));
    if (!('level' in read)) ready.push(...read);
    else if (read.code === 'mapping.variable') unset.set(read.fix ?? '', { ...read, level: 'warning' });
    else yield read;
  }
  yield good('mappings', `${ready.length} of ${names.length} ready`);
  yield* unset.values();
  return ready;
}

/** Machines that share a state share the tables of scheduled mappings too. */
function* checkFiles({ state }: Config, mappings: readonly Mapping[]): Generator<Finding> {
  if (state.kind !== 'postgres') return;
  const timed = mappings.filter(({ timing }) => timing !== undefined);
  const error = lackedFilesError(new Map(timed.map((each) => [each.name, lackedFiles(each)])));
  if (error !== undefined)
    yield { level: 'bad', name: 'files', found: error.message, fix: error.next, exitCode: error.exitCode };
}

function* checkNetwork({ env }: Config): Generator<Finding> {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const fix = 'unset NODE_TLS_REJECT_UNAUTHORIZED';
    yield {
      level: 'bad',
      name: 'certificates',
      found: 'are not checked: NODE_TLS_REJECT_UNAUTHORIZED=0',
      fix,
      exitCode: EXIT.stopped,
    };
  }
  // Node read it when it started: a `.env` comes too late for that.
  const used = proxiesIn(globalAgent.options.proxyEnv ?? {});
  const named = proxiesIn(env);
  if (used !== '')
    yield { level: 'warning', name: 'proxy', found: `requests go through the proxy of ${used}` };
  else if (named !== '')
    yield good('proxy', `${named} set, but not used (Node was started without NODE_USE_ENV_PROXY=1)`);
}

const proxiesIn = (env: Config['env']): string =>
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']
    .filter((name) => (env[name] ?? '') !== '')
    .join(', ');
