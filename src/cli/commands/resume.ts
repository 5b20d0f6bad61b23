import { EXIT } from '../../model/error.ts';
import { resume as resumeRun } from '../../sync/resume.ts';
import { defineCommand } from '../command.ts';
import { ambiguousFlags, serviceFlags, sourceFlags, writeFlags } from '../flags.ts';
import { askApproval, tellNothing, tellResult } from '../run-push.ts';
import { withSession } from '../session.ts';

/** `resume`: goes on with what an unfinished run left, from the run's own rows. */
export const resume = defineCommand({
  options: {
    ...serviceFlags,
    ...ambiguousFlags,
    ...writeFlags,
    'allow-guard': {
      ...sourceFlags['allow-guard'],
      choices: [...sourceFlags['allow-guard'].choices, 'newer_run'],
    },
  },
  positionals: {
    run: { type: 'string', describe: 'the id of the run; without it, the newest unfinished one' },
  },
  examples: [['resume', 'go on with the newest unfinished run']],
  run: (args, program) =>
    withSession(args, program, async (session) => {
      const work = {
        ...session,
        program,
        yes: args.yes,
      };
      const { onAmbiguous, allowGuard } = args;
      const result = await resumeRun(session.ports, args.run, askApproval(work), onAmbiguous, allowGuard);
      // The run keeps the command that began it; the document names the one that was typed.
      if (result !== undefined)
        return tellResult({ ...result, report: { ...result.report, command: 'resume' } }, work);
      await tellNothing('resume', 'nothing to resume', work);
      return EXIT.done;
    }),
});
