import { EXIT } from '../../model/error.ts';
import { resume as resumeRun } from '../../sync/resume.ts';
import { defineCommand } from '../command.ts';
import {
  ambiguousFlags,
  compareFlags,
  deadlineFlags,
  guardFlags,
  serviceFlags,
  writeFlags,
} from '../flags.ts';
import { askApproval, tellNothing, tellResult } from '../push/run-push.ts';
import { OF_RUN, withLeagues } from '../league-sessions.ts';
import { isPullRun, resumePull } from '../../runtime/pull-reports.ts';

/** `resume`: goes on with what an unfinished run left, from the run's own rows. */
export const resume = defineCommand({
  options: {
    ...serviceFlags,
    ...ambiguousFlags,
    ...writeFlags,
    ...deadlineFlags,
    compare: compareFlags.compare,
    adopt: compareFlags.adopt,
    'allow-guard': {
      ...guardFlags['allow-guard'],
      choices: [...guardFlags['allow-guard'].choices, 'newer_run'],
      describe: `${guardFlags['allow-guard'].describe}, newer_run`,
    },
  },
  positionals: {
    run: { type: 'string', describe: 'the id of the run; without it, the newest unfinished one' },
  },
  examples: [['resume', 'go on with the newest unfinished run, or else the newest unfinished pull']],
  run: (args, program) =>
    withLeagues(
      args,
      program,
      async (session, own) => {
        const work = { ...session, program: own, yes: args.yes };
        const { onAmbiguous, allowGuard: allowGuards, compare, adopt, afterDeadline, limit } = args;
        const added = { onAmbiguous, allowGuards, compare, adopt, afterDeadline, limit };
        const isPull = args.run !== undefined && (await isPullRun(session.ports.store, args.run));
        const result = isPull
          ? undefined
          : await resumeRun(session.ports, args.run, askApproval(work), added);
        // The run keeps the command that began it; the document names the one that was typed.
        if (result !== undefined)
          return tellResult({ ...result, report: { ...result.report, command: 'resume' } }, work);
        const pulled = await resumePull(session, args.run, limit);
        if (pulled !== undefined)
          return tellResult({ ...pulled, report: { ...pulled.report, command: 'resume' } }, work);
        await tellNothing('resume', 'nothing to resume', work);
        return EXIT.done;
      },
      OF_RUN,
    ),
});
