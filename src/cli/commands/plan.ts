import { defineCommand } from '../command.ts';
import { compareFlags, mappingNames, yes } from '../flags.ts';
import { readPushMappings } from '../mappings.ts';
import { planOptions } from '../plan-options.ts';
import { withSession } from '../session.ts';
import { showPlan } from '../show-plan.ts';

/** `plan`: what a push would do; sends only GET. */
export const plan = defineCommand({
  options: { ...compareFlags, 'detailed-exitcode': yes('exit 2 instead of 0 when there are changes') },
  positionals: mappingNames,
  examples: [
    ['plan users', 'the rows that a push would create and update'],
    ['plan --json --detailed-exitcode', 'for scripts: exit 2 when there are changes'],
  ],
  run: (args, program) =>
    withSession(
      args,
      program,
      (session) => {
        const mappings = readPushMappings(session.config, args.mapping, program);
        const work = { ...session, program, yes: args.yes };
        return showPlan('plan', mappings, planOptions(args), work, args.detailedExitcode);
      },
      { readOnly: true },
    ),
});
