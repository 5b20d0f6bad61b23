import { preparePull } from '../../sync/pull.ts';
import { defineCommand } from '../command.ts';
import { mappingNames, serviceFlags } from '../flags.ts';
import { readPullMappings } from '../../runtime/mappings.ts';
import { exitCodesOf, pullReports, stopOfReports, worstExit } from '../push/run-pull.ts';
import { tellResult } from '../push/run-push.ts';
import { withSession } from '../session.ts';

/** `pull`: fetches records and writes reports; a report that cannot be whole keeps its old file, and the others go on. */
export const pull = defineCommand({
  options: serviceFlags,
  positionals: mappingNames,
  examples: [
    ['pull', 'every report'],
    ['pull squads-workbook --limit 10', 'the first ten records of one report'],
  ],
  run: (args, program) =>
    withSession(args, program, async (session) => {
      const mappings = readPullMappings(session.config, args.mapping, program);
      const prepared = await preparePull(mappings, session.ports.tables);
      const summaries = await pullReports(session, prepared, args.limit);
      const requests = session.ports.service.counts();
      const report = {
        run: null,
        command: 'pull',
        exit_code: worstExit(exitCodesOf(summaries)),
        mappings: summaries,
        requests: { ...requests, planned: requests.sent },
      };
      const stoppedBy = stopOfReports(summaries, program.signal);
      return tellResult({ report, stoppedBy, rejected: [], reportsStopped: true }, { ...session, program });
    }),
});
