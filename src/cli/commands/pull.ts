import { readPullMappings } from '../../runtime/config/mappings.ts';
import { pullMappings } from '../../runtime/pull-reports.ts';
import { withWeeks } from '../../runtime/weeks/week-options.ts';
import { defineCommand } from '../command.ts';
import { mappingNames, serviceFlags, weekFlags, yes } from '../flags.ts';
import { tellResult } from '../push/run-push.ts';
import { withLeagues } from '../league-sessions.ts';
import { withAlertsAlone } from '../with-alerts.ts';

/** `pull`: fetches records and writes reports; a report that cannot be whole keeps its old file, and the others go on. */
export const pull = defineCommand({
  options: {
    ...serviceFlags,
    ...weekFlags,
    offline: yes('ask the service nothing: game weeks from the memory'),
    partial: yes('write a report that stops with what there is, and say so'),
  },
  positionals: mappingNames,
  examples: [
    ['pull', 'every report'],
    ['pull squads-workbook --limit 10', 'the first ten records of one report'],
    ['pull lineups-report --week 7 --offline', 'a game week that is over, as it is remembered'],
  ],
  run: (args, program) =>
    withAlertsAlone(args, program, 'pull', (running) =>
      withLeagues(
        args,
        running,
        async (session, own, names) => {
          const { limit, offline = false, partial = false } = args;
          const asked = { isNamed: args.mapping.length > 0, isKept: session.config.season.keep };
          const mappings = withWeeks(readPullMappings(session.config, names, program), args, asked);
          const pulled = await pullMappings(session, mappings, { limit, offline, partial });
          return tellResult(pulled, { ...session, program: own });
        },
        { names: args.mapping, direction: 'pull' },
      ),
    ),
});
