import { defineCommand } from '../command.ts';
import { compareFlags, mappingNames, yes } from '../flags.ts';
import { readPushMappings } from '../mappings.ts';
import { planOptions } from '../plan-options.ts';
import { runPush } from '../run-push.ts';
import { withSession } from '../session.ts';
import { showPlan } from '../show-plan.ts';

/** `push`: plans, asks once, writes, and says what became of every row. */
export const push = defineCommand({
  options: { ...compareFlags, 'dry-run': yes('the same as plan') },
  positionals: mappingNames,
  examples: [
    ['push', 'every mapping that pushes'],
    ['push users --yes', 'one mapping, approved beforehand, as in a script'],
  ],
  run: (args, program) =>
    withSession(
      args,
      program,
      (session) => {
        const mappings = readPushMappings(session.config, args.mapping, program);
        const work = { ...session, program, yes: args.yes };
        return args.dryRun === true
          ? showPlan('push', mappings, planOptions(args), work)
          : runPush('push', mappings, planOptions(args), work);
      },
      { readOnly: args.dryRun },
    ),
});
