import type { ExitCode } from '../../model/error.ts';
import { ASSUMPTIONS } from '../../sync/open-cases.ts';
import { resolve as resolveOpen } from '../../sync/resolve.ts';
import type { Resolution } from '../../sync/resolve.ts';
import { approve } from '../approval.ts';
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
import { renderNextLine, renderTyped } from '../render/stop.ts';
import { renderCountOf } from '../render/text.ts';
import { withSession } from '../session.ts';
import type { Session } from '../session.ts';

/** `resolve [INTENT]`: settles what is unknown or in conflict, by reading back or by the operator's word. Sends nothing but GET. */
export const resolve = defineCommand({
  options: {
    ...serviceFlags,
    assume: { ...text('what you know of it where reading back cannot tell'), choices: ASSUMPTIONS },
  },
  positionals: {
    intent: { type: 'string', describe: 'the id of a write or conflict, or how it begins; without it, all' },
  },
  examples: [
    ['resolve', 'list what is open and settle what reading back can settle'],
    ['resolve 01J8Z… --assume applied', 'you have seen at the service that it was applied'],
  ],
  run: (args, program) =>
    withSession(args, program, async (session) => {
      const { screen } = program;
      const assume = ASSUMPTIONS.find((each) => each === args.assume);
      const resolution = await resolveOpen(session.ports, args.intent, assume, async (cases) => {
        session.endProgress();
        const shown = renderCases(cases, session.config.timezone, screen.style);
        if (args.yes === true) screen.say(shown);
        else screen.tell(shown);
        const what = assume === undefined ? '' : `, and take it as ${assume} where that proves nothing`;
        await approve(
          `Read ${renderCountOf(cases.length, 'of these', 'of these')} back and record what became of them${what}?`,
          renderTyped(program.typed),
          args.yes === true,
          program,
          'nothing was recorded',
          openCasesDocument(cases),
        );
      });
      return tell(resolution, session, program);
    }),
});

async function tell(
  resolution: Resolution,
  { ports, endProgress }: Session,
  program: Program,
): Promise<ExitCode> {
  const { screen } = program;
  endProgress();
  const requests = ports.service.counts();
  if (screen.json) {
    await screen.data(JSON.stringify(resolutionDocument(resolution, requests)));
    return resolution.exitCode;
  }
  await screen.data(renderResolution(resolution, requests, screen.dataStyle));
  for (const next of nextAfterResolve(resolution)) screen.say(renderNextLine(next, program));
  return resolution.exitCode;
}
