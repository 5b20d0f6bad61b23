import { EXIT } from '../../model/error.ts';
import type { ExitCode } from '../../model/error.ts';
import { prepareVerify, verifyExit, VERDICTS } from '../../sync/verify.ts';
import type { Verdict, Verification, VerifiedRow } from '../../sync/verify.ts';
import { defineCommand } from '../command.ts';
import { serviceFlags } from '../flags.ts';
import type { Program } from '../program.ts';
import { renderCost, renderVerified, renderVerifiedRow } from '../render/verify.ts';
import type { VerifiedCounts } from '../render/verify.ts';
import { renderNext } from '../render/stop.ts';
import { renderCountOf, safeText } from '../render/text.ts';
import { withSession } from '../session.ts';
import type { Session } from '../session.ts';

/** `verify [RUN]`: reads back what a run wrote and says what agrees, its cost first. Sends nothing but GET. */
export const verify = defineCommand({
  options: serviceFlags,
  positionals: {
    run: { type: 'string', describe: 'the id of the run; without it, the newest that wrote anything' },
  },
  examples: [['verify', 'does the service hold what the newest run wrote?']],
  run: (args, program) =>
    withSession(
      args,
      program,
      async (session) => {
        const verification = await prepareVerify(session.ports, args.run);
        if (verification === undefined) return tellNothing(session, program);
        try {
          return await check(verification, session, program);
        } finally {
          await verification.close();
        }
      },
      { readOnly: true },
    ),
});

async function tellNothing({ ports }: Session, { screen }: Program): Promise<ExitCode> {
  const document = {
    command: 'verify',
    exit_code: EXIT.done,
    run: null,
    mappings: [],
    rows: [],
    requests: ports.service.counts(),
  };
  await screen.data(screen.json ? JSON.stringify(document) : 'no run wrote anything that could be read back');
  return EXIT.done;
}

async function check(verification: Verification, session: Session, program: Program): Promise<ExitCode> {
  const { screen } = program;
  screen.say(renderCost(verification, screen.style));
  const counts = new Map<string, VerifiedCounts>(
    verification.mappings.map(({ name }) => [name, { agrees: 0, differs: 0, missing: 0, unreadable: 0 }]),
  );
  const others: VerifiedRow[] = [];
  for await (const row of verification.rows()) {
    const before = counts.get(row.mapping);
    if (before !== undefined) counts.set(row.mapping, { ...before, [row.verdict]: before[row.verdict] + 1 });
    if (row.verdict !== 'agrees') others.push(row);
  }
  session.endProgress();
  const exitCode = verifyExit(sum([...counts.values()]));
  const requests = session.ports.service.counts();
  if (screen.json) {
    const mappings = verification.mappings.map((mapping) => ({ ...mapping, ...counts.get(mapping.name) }));
    const document = { command: 'verify', exit_code: exitCode, run: verification.run.id, mappings };
    await screen.data(JSON.stringify({ ...document, rows: others, requests }));
  } else {
    await screen.data(renderVerified(verification, counts, requests, screen.dataStyle));
    for (const row of others.slice(0, SHOWN_ROWS))
      await screen.data(renderVerifiedRow(row, screen.dataStyle));
    if (others.length > SHOWN_ROWS)
      await screen.data(`  … and ${renderCountOf(others.length - SHOWN_ROWS, 'more row', 'more rows')}`);
  }
  for (const next of nextAfter(exitCode, others))
    screen.say(`${screen.style('bold', 'next:')} ${safeText(renderNext(next, program.name))}`);
  return exitCode;
}

const SHOWN_ROWS = 20;

function sum(counts: readonly VerifiedCounts[]): Readonly<Record<Verdict, number>> {
  const of = (verdict: Verdict): number => counts.reduce((all, each) => all + each[verdict], 0);
  const [agrees, differs, missing, unreadable] = VERDICTS.map(of);
  return { agrees: agrees ?? 0, differs: differs ?? 0, missing: missing ?? 0, unreadable: unreadable ?? 0 };
}

/** A push compares anew and sets right what differs or is gone. */
function nextAfter(exitCode: ExitCode, others: readonly VerifiedRow[]): readonly string[] {
  if (exitCode === EXIT.done) return [];
  const names = new Set(
    others
      .filter(({ verdict }) => verdict === 'differs' || verdict === 'missing')
      .map(({ mapping }) => mapping),
  );
  const unsettled = others.some(({ unsettled: open }) => open);
  return [
    ...(names.size > 0 ? ['plan --compare live, which shows what a push would set right'] : []),
    ...(unsettled ? ['resolve'] : []),
  ];
}
