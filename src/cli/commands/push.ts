import type { ExitCode } from '../../model/error.ts';
import { defineCommand } from '../command.ts';
import { compareFlags, mappingNames, text, yes } from '../flags.ts';
import { readPushMappings } from '../../runtime/config/mappings.ts';
import { planOptions } from '../push/plan-options.ts';
import { runPush } from '../push/run-push.ts';
import { refusePlanOptions, runSavedPlan } from '../push/run-saved-plan.ts';
import { withLeagues } from '../league-sessions.ts';
import { showPlan } from '../push/show-plan.ts';
import type { Program } from '../program.ts';
import { withAlertsAlone } from '../with-alerts.ts';

const flags = {
  ...compareFlags,
  plan: text('write exactly what this file of plan --out says, or nothing'),
  'dry-run': yes('the same as plan'),
} as const;

/** `push`: plans, asks once, writes, and says what became of every row. */
export const push = defineCommand({
  options: flags,
  positionals: mappingNames,
  examples: [
    ['push', 'every mapping that pushes'],
    ['push users --yes', 'one mapping, approved beforehand, as in a script'],
    ['push --plan out/week-7.plan', 'what that plan says, as long as nothing has changed since'],
  ],
  run: (args, program) => {
    if (args.plan !== undefined) refusePlanOptions(args.mapping, planOptions(args));
    const isOfOne = args.plan !== undefined;
    const send = (running: Program): Promise<ExitCode> =>
      withLeagues(
        args,
        running,
        (session, own, names) => {
          const work = { ...session, program: own, yes: args.yes };
          if (args.plan !== undefined) return runSavedPlan(args.plan, args.dryRun === true, work);
          const mappings = readPushMappings(session.config, names, program);
          return args.dryRun === true
            ? showPlan('push', mappings, planOptions(args), work)
            : runPush('push', mappings, planOptions(args), work);
        },
        { readOnly: args.dryRun, names: args.mapping, direction: 'push', isOfOne },
      );
    // A saved plan is pushed by somebody who has read it.
    return isOfOne ? send(program) : withAlertsAlone(args, program, 'push', send);
  },
});
