import { readPullMappings } from '../../runtime/mappings.ts';
import { pullMappings } from '../../runtime/pull-reports.ts';
import { defineCommand } from '../command.ts';
import { mappingNames, serviceFlags } from '../flags.ts';
import { tellResult } from '../push/run-push.ts';
import { withLeagues } from '../league-sessions.ts';
import { withAlertsAlone } from '../with-alerts.ts';

/** `pull`: fetches records and writes reports; a report that cannot be whole keeps its old file, and the others go on. */
export const pull = defineCommand({
  options: serviceFlags,
  positionals: mappingNames,
  examples: [
    ['pull', 'every report'],
    ['pull squads-workbook --limit 10', 'the first ten records of one report'],
  ],
  run: (args, program) =>
    withAlertsAlone(args, program, 'pull', (running) =>
      withLeagues(
        args,
        running,
        async (session, own, names) => {
          const mappings = readPullMappings(session.config, names, program);
          return tellResult(await pullMappings(session, mappings, args.limit), { ...session, program: own });
        },
        { names: args.mapping, direction: 'pull' },
      ),
    ),
});
