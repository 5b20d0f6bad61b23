import type { PushMapping, PushSource } from '../../mapping/mapping.ts';
import { EXIT } from '../../model/error.ts';
import { fileOf } from '../../model/tables/table.ts';
import { retry as retryRun, type CurrentMapping } from '../../sync/retry.ts';
import { defineCommand } from '../command.ts';
import { compareFlags, deadlineFlags } from '../flags.ts';
import { isNoMapping, listMappingNames, readPushMappings } from '../../runtime/config/mappings.ts';
import { planOptions } from '../push/plan-options.ts';
import type { Program } from '../program.ts';
import { askApproval, tellNothing, tellResult } from '../push/run-push.ts';
import { wholeAccount } from '../../runtime/config/leagues.ts';
import { OF_RUN, withLeagues } from '../league-sessions.ts';
import type { Session } from '../session.ts';

/** `retry`: sends the rows that a run refused again, after their sources are read again. */
export const retry = defineCommand({
  options: { ...compareFlags, ...deadlineFlags },
  positionals: {
    run: { type: 'string', describe: 'the id of the run; without it, the newest with refused rows' },
  },
  examples: [
    ['retry', 'correct the rows in their source first, then send them again'],
    ['retry 01J8Z… --yes', 'those of one run, approved beforehand'],
  ],
  run: (args, program) =>
    withLeagues(
      args,
      program,
      async (session, own) => {
        const work = { ...session, program: own, yes: args.yes };
        const current = currentMappings(session, program);
        const options = { ...planOptions(args), afterDeadline: args.afterDeadline };
        const result = await retryRun(session.ports, args.run, options, current, askApproval(work));
        if (result !== undefined) return tellResult(result, work);
        await tellNothing('retry', 'no refused rows to retry', work);
        return EXIT.done;
      },
      OF_RUN,
    ),
});

/** Mappings as their files say now, where they still read the same table; an import has no file. */
function currentMappings(session: Session, program: Program): CurrentMapping {
  const config = wholeAccount(session.config);
  let names: readonly string[] | undefined;
  return ({ name, source }): PushMapping | undefined => {
    names ??= namesOf(config, program);
    if (!names.includes(name)) return undefined;
    const [now] = readPushMappings(config, [name], program);
    return now !== undefined && isSameTable(now.source, source) ? now : undefined;
  };
}

/** Whether two sources are one table. A file is the same by the path that its mapping names: the folder may have moved since, or stand elsewhere on another machine. */
function isSameTable(one: PushSource, other: PushSource): boolean {
  if (JSON.stringify(one.location) === JSON.stringify(other.location)) return true;
  const areFiles = [one, other].every(({ location }) => fileOf(location) !== undefined);
  return areFiles && one.location.kind === other.location.kind && one.origin === other.origin;
}

function namesOf(config: Session['config'], program: Program): readonly string[] {
  try {
    return listMappingNames(config, program);
  } catch (error) {
    if (isNoMapping(error)) return [];
    throw error;
  }
}
