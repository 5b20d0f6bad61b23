import { join, relative, resolve } from 'node:path';
import { renderCount } from '../../model/count.ts';
import { EXIT, UsageError, type ExitCode } from '../../model/error.ts';
import { leaguesOf, readWeeks, showWeeks } from '../../runtime/weeks/read-weeks.ts';
import { readMemoryFile, writeMemoryFile } from '../../runtime/config/memory-file.ts';
import { rememberedAccount } from '../../runtime/remembered-account.ts';
import { openAccount } from '../../sync/plan/plan-sync.ts';
import { closeWeek } from '../../sync/weeks/close-week.ts';
import { listWeeks, scopesOf } from '../../sync/weeks/list-weeks.ts';
import { forgetRows } from '../../tables/forget-rows.ts';
import { defineCommand } from '../command.ts';
import { serviceFlags, text, yes } from '../flags.ts';
import { withLeagues } from '../league-sessions.ts';
import type { Program } from '../program.ts';
import {
  readingDocument,
  renderReading,
  renderWeeks,
  stateText,
  weekDocument,
  weeksDocument,
} from '../render/weeks.ts';
import { errorDocument, renderStop } from '../render/stop.ts';
import { safeText } from '../render/text.ts';
import type { Session } from '../session.ts';

interface Asked {
  readonly target: string | undefined;
  readonly member: string | undefined;
  readonly offline: boolean;
}

/** One action of the command, on an open session. */
type Action = (session: Session, program: Program, asked: Asked) => Promise<ExitCode>;

/** Says what was done: one line, or a document with these fields. */
async function tell({ screen }: Program, document: object, line: string): Promise<ExitCode> {
  const whole = { command: 'weeks', exit_code: EXIT.done, ...document };
  await screen.data(screen.json ? JSON.stringify(whole) : line);
  return EXIT.done;
}

const show: Action = async (session, program, { offline }) => {
  const shown = await showWeeks(session, offline, program.cwd);
  const { timezone } = session.config;
  session.endProgress();
  return tell(
    program,
    weeksDocument(shown, timezone),
    renderWeeks(shown, timezone, program.screen.dataStyle),
  );
};

const read: Action = async (session, program) => {
  const { screen } = program;
  const { timezone } = session.config;
  const done = await readWeeks(session, program.cwd);
  session.endProgress();
  const { stoppedBy } = done;
  if (stoppedBy !== undefined) screen.tell(renderStop(stoppedBy, program, 'weeks read'));
  const error = stoppedBy && { error: errorDocument(stoppedBy, program, 'weeks read') };
  const leagues = done.leagues.map((league) => readingDocument(league, timezone));
  await tell(
    program,
    { exit_code: done.exitCode, leagues, requests: done.requests, ...error },
    done.leagues.map((league) => renderReading(league, timezone)).join('\n'),
  );
  return done.exitCode;
};

const close: Action = async (session, program, { target = '' }) => {
  if (!/^[1-9]\d{0,3}$/.test(target))
    throw new UsageError('usage.weeks', 'weeks close takes the number of a game week', {
      next: 'weeks close 7',
    });
  const { ports, config } = session;
  const account = await rememberedAccount(session);
  const leagues = leaguesOf(config, program.cwd);
  const lines: string[] = [];
  const closed: object[] = [];
  for (const league of leagues) {
    const week = await closeWeek(ports, { account, league }, Number(target));
    lines.push(
      `game week ${target} of fantasy league ${league} is closed; ${stateText(week, config.timezone)}`,
    );
    closed.push(weekDocument(league, week, config.timezone));
  }
  return tell(program, { week: Number(target), leagues, weeks: closed }, lines.join('\n'));
};

/** The file that was named, and how messages call it. */
function fileOf(target: string | undefined, action: string, { cwd }: Program) {
  if (target === undefined)
    throw new UsageError('usage.weeks', `weeks ${action} takes the name of a file`, {
      next: `weeks ${action} memory.gz`,
    });
  const file = resolve(cwd, target);
  return { file, shown: relative(cwd, file) || target };
}

const exportFile: Action = async (session, program, { target }) => {
  const { file, shown } = fileOf(target, 'export', program);
  const { ports } = session;
  const account = await rememberedAccount(session);
  await writeMemoryFile(file, ports.store.memory, account);
  const leagues = (await scopesOf(ports, account)).map(({ league }) => league);
  return tell(
    program,
    { file: shown, leagues },
    `${safeText(shown)}: the memory of fantasy league ${leagues.join(', ')}; it holds members' data`,
  );
};

const importFile: Action = async (session, program, { target }) => {
  const { file, shown } = fileOf(target, 'import', program);
  const { ports } = session;
  const { service: account } = await openAccount(ports);
  const records = await readMemoryFile(file, shown, ports.store.memory, account);
  const weeks = (await listWeeks(ports, account)).reduce((sum, league) => sum + league.weeks.length, 0);
  return tell(
    program,
    { file: shown, records, weeks },
    `${safeText(shown)}: ${renderCount(records)} readings; ${renderCount(weeks)} game weeks are remembered now`,
  );
};

const forget: Action = async (session, program, { member }) => {
  if (member === undefined)
    throw new UsageError('usage.weeks', 'weeks forget takes --member ID, the external_id of the member', {
      next: 'weeks forget --member ID',
    });
  const { ports, config } = session;
  const records = await ports.store.memory.forget(await rememberedAccount(session), member);
  const folders = [join(config.stateFolder, 'runs'), join(config.folder, 'out', 'rejected')];
  let rows = 0;
  for (const folder of folders) rows += await forgetRows(folder, member);
  return tell(
    program,
    { member, records, rows },
    records + rows === 0
      ? `nothing is kept of a member ${safeText(member)}: check the id; later reads leave this one out`
      : `${safeText(member)} is forgotten: ${renderCount(records)} readings and ${renderCount(rows)} rows of results are gone, and later reads leave the person out`,
  );
};

const actions: Readonly<Record<string, Action>> = {
  show,
  read,
  close,
  export: exportFile,
  import: importFile,
  forget,
};

/** `weeks`: what is remembered of each game week, and what reading the current one costs; `weeks read`, `close`, `export`, `import` and `forget`. */
export const weeks = defineCommand({
  options: {
    ...serviceFlags,
    offline: yes('ask the service nothing'),
    member: text('forget: the external_id of the member'),
  },
  positionals: {
    action: { type: 'string', describe: 'read, close, export, import or forget; without it, the list' },
    target: { type: 'string', describe: 'close: the number of a game week; export, import: a file' },
  },
  examples: [
    ['weeks', 'the game weeks that are remembered, and what reading the current one costs'],
    ['weeks read', 'read what the current game week needs, and nothing twice'],
    ['weeks close 7', 'week 7 had no substitutions: what was read after its end is final'],
    ['weeks export memory.gz', 'the whole memory as one file'],
  ],
  run: (args, program) => {
    const { action = 'show', target, member, offline = false } = args;
    const does = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (does === undefined)
      throw new UsageError(
        'usage.weeks',
        `there is no "weeks ${action}"; there are ${Object.keys(actions).slice(1).join(', ')}`,
      );
    return withLeagues(args, program, (session, own) => does(session, own, { target, member, offline }), {
      isOfOne: action !== 'show' && action !== 'read' && action !== 'forget',
    });
  },
});
