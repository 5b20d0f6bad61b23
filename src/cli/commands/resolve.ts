import { renderCountOf } from '../../model/count.ts';
import type { ExitCode } from '../../model/error.ts';
import { requestsMade } from '../../model/requests-made.ts';
import { ASSUMPTIONS, type OpenCase } from '../../sync/reconcile/open-cases.ts';
import { resolve as resolveOpen, type Resolution } from '../../sync/resolve.ts';
import { approve } from '../push/approval.ts';
import { defineCommand } from '../command.ts';
import { serviceFlags, text } from '../flags.ts';
import type { Program } from '../program.ts';
import {
  nextAfterResolve,
  openCasesDocument,
  renderCases,
  renderResolution,
  resolutionDocument,
} from '../render/resolve.ts';
import { renderNext, renderNextLine, renderTyped } from '../render/stop.ts';
import { withLeagues } from '../league-sessions.ts';
import type { Session } from '../session.ts';

/** `resolve [INTENT]`: decides unknown writes and conflicts, by reading back or as the operator says. Sends nothing but GET. */
export const resolve = defineCommand({
  options: {
    ...serviceFlags,
    assume: {
      ...text('what you know, where reading back proves nothing: applied or not-applied'),
      choices: ASSUMPTIONS,
    },
  },
  positionals: {
    intent: { type: 'string', describe: 'the id of a write or conflict, or how it begins; without it, all' },
  },
  examples: [
    ['resolve', 'list what is open, and read back what became of it'],
    ['resolve 01J8Z… --assume applied', 'you saw at the service that it was applied'],
  ],
  run: (args, program) =>
    withLeagues(
      args,
      program,
      async (session, own) => {
        const assume = ASSUMPTIONS.find((each) => each === args.assume);
        // A word that is not approved is a stop; what is only to be seen is listed.
        const listsOnly = assume === undefined && args.yes !== true && !program.interactive;
        const approveCases = async (cases: readonly OpenCase[]): Promise<void> => {
          session.endProgress();
          const what = assume === undefined ? '' : `; where that proves nothing, count it as ${assume}`;
          const asked = {
            shown: renderCases(cases, session.config.timezone, own.screen.style),
            question: `Read ${renderCountOf(cases.length, 'of these', 'of these')} back and record the result${what}?`,
            nothing: 'nothing was recorded',
            details: openCasesDocument(cases),
          };
          await approve(asked, args.yes, own);
        };
        const resolution = await resolveOpen(
          session.ports,
          args.intent,
          assume,
          listsOnly ? 'list' : approveCases,
        );
        return listsOnly && resolution.cases.length > 0
          ? list(resolution, session, own)
          : tell(resolution, session, own);
      },
      { elsewhere: ['resolve.unknown'] },
    ),
});

/** Says what is open, and what became of it. */
async function list(resolution: Resolution, { ports, config }: Session, program: Program): Promise<ExitCode> {
  const { screen } = program;
  if (screen.json) await tellDocument(resolution, ports, program);
  else await screen.data(renderCases(resolution.cases, config.timezone, screen.dataStyle));
  screen.say('nothing was recorded: without a terminal this needs --yes');
  screen.say(renderNextLine(`${renderTyped(program.typed)} --yes`, program));
  return resolution.exitCode;
}

const tellDocument = (
  resolution: Resolution,
  { service }: Session['ports'],
  program: Program,
): Promise<void> => {
  const document = resolutionDocument(resolution, requestsMade(service), (next) => renderNext(next, program));
  return program.screen.data(JSON.stringify(document));
};

async function tell(
  resolution: Resolution,
  { ports, endProgress }: Session,
  program: Program,
): Promise<ExitCode> {
  const { screen } = program;
  endProgress();
  if (screen.json) {
    await tellDocument(resolution, ports, program);
    return resolution.exitCode;
  }
  await screen.data(renderResolution(resolution, requestsMade(ports.service), screen.dataStyle));
  for (const next of nextAfterResolve(resolution)) screen.say(renderNextLine(next, program));
  return resolution.exitCode;
}
