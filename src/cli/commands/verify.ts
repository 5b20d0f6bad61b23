import { EXIT, type ExitCode } from '../../model/error.ts';
import { requestsMade } from '../../model/requests-made.ts';
import {
  prepareVerify,
  readBackRun,
  verifyExit,
  type Verification,
  type VerifiedRow,
} from '../../sync/verify.ts';
import { defineCommand } from '../command.ts';
import { serviceFlags } from '../flags.ts';
import type { Program } from '../program.ts';
import { renderCost, renderVerified, renderVerifiedRow } from '../render/verify.ts';
import { renderNextLine, renderTyped } from '../render/stop.ts';
import { renderMoreRows } from '../render/text.ts';
import { OF_RUN, withLeagues } from '../league-sessions.ts';
import { withLeague } from '../../model/league-name.ts';
import type { Session } from '../session.ts';

/** `verify [RUN]`: reads back what a run wrote and says what agrees, its cost first. Sends nothing but GET. */
export const verify = defineCommand({
  options: serviceFlags,
  positionals: {
    run: { type: 'string', describe: 'the id of the run; without it, the newest that wrote anything' },
  },
  examples: [['verify', 'does the service hold what the newest run wrote?']],
  run: (args, program) =>
    withLeagues(
      args,
      program,
      async (session, own) => {
        const verification = await prepareVerify(session.ports, args.run);
        if (verification === undefined) return tellNothing(session, own);
        try {
          return await check(verification, session, own);
        } finally {
          await verification.close();
        }
      },
      { readOnly: true, ...OF_RUN },
    ),
});

async function tellNothing({ ports }: Session, { screen }: Program): Promise<ExitCode> {
  const document = {
    command: 'verify',
    exit_code: EXIT.done,
    run: null,
    mappings: [],
    rows: [],
    requests: requestsMade(ports.service),
  };
  await screen.data(screen.json ? JSON.stringify(document) : 'no run wrote anything that could be read back');
  return EXIT.done;
}

async function check(verification: Verification, session: Session, program: Program): Promise<ExitCode> {
  const { screen } = program;
  screen.say(renderCost(verification, screen.style));
  const { service } = session.ports;
  const planned =
    service.counts().sent + verification.mappings.reduce((sum, { requests }) => sum + requests, 0);
  const { counts, others } = await readBackRun(verification);
  session.endProgress();
  const exitCode = verifyExit(others);
  const requests = { ...service.counts(), planned };
  if (screen.json) {
    const mappings = verification.mappings.map((mapping) =>
      withLeague('name', { ...mapping, ...counts.get(mapping.name) }),
    );
    const document = { command: 'verify', exit_code: exitCode, run: verification.run.id, mappings };
    await screen.data(
      JSON.stringify({ ...document, rows: others.map((row) => withLeague('mapping', row)), requests }),
    );
  } else {
    await screen.data(renderVerified(verification, counts, requests, screen.dataStyle));
    for (const row of others.slice(0, SHOWN_ROWS))
      await screen.data(renderVerifiedRow(row, screen.dataStyle));
    if (others.length > SHOWN_ROWS) await screen.data(`  ${renderMoreRows(others.length - SHOWN_ROWS)}`);
  }
  for (const next of nextAfter(others)) screen.say(renderNextLine(next, program));
  return exitCode;
}

const SHOWN_ROWS = 20;

/** A push compares again and sets right what differs or is gone; a mapping whose prices are steps could not be compared so, and none of them is wrong. */
function nextAfter(others: readonly VerifiedRow[]): readonly string[] {
  const wrong = others.filter(({ verdict }) => verdict === 'differs' || verdict === 'missing');
  const names = renderTyped([...new Set(wrong.map(({ mapping }) => mapping))]);
  const unsettled = others.some(({ unsettled: open }) => open);
  return [
    ...(names === '' ? [] : [`plan ${names} --compare live, which shows what a push would correct`]),
    ...(unsettled ? ['resolve'] : []),
  ];
}
