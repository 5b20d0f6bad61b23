import { defineCommand } from '../command.ts';
import { compareFlags, mappingNames, text, yes } from '../flags.ts';
import { readPushMappings } from '../../runtime/config/mappings.ts';
import { refuseOtherFile, savePlan } from '../push/plan-file.ts';
import { planOptions } from '../push/plan-options.ts';
import { withLeagues } from '../league-sessions.ts';
import { showPlan } from '../push/show-plan.ts';

/** `plan`: what a push would do; sends only GET. */
export const plan = defineCommand({
  options: {
    ...compareFlags,
    out: text('save the plan as this file, for push --plan'),
    'detailed-exitcode': yes('exit 2 instead of 0 when there are changes'),
  },
  positionals: mappingNames,
  examples: [
    ['plan users', 'the rows that a push would create and update'],
    ['plan --out out/week-7.plan', 'save it, to look at it and to push exactly that'],
    ['plan --json --detailed-exitcode', 'for scripts: exit 2 when there are changes'],
  ],
  run: (args, program) =>
    withLeagues(
      args,
      program,
      (session, own, names) => {
        const { out, detailedExitcode: changesCode } = args;
        const mappings = readPushMappings(session.config, names, program);
        const work = { ...session, program: own, yes: args.yes };
        const options = planOptions(args);
        if (out === undefined) return showPlan('plan', mappings, options, work, { changesCode });
        refuseOtherFile(out, program);
        return showPlan('plan', mappings, options, work, {
          changesCode,
          save: (planned) => savePlan(out, planned, options, args, program),
        });
      },
      { readOnly: true, names: args.mapping, direction: 'push', isOfOne: args.out !== undefined },
    ),
});
