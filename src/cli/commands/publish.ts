import { EXIT, UsageError, type ExitCode } from '../../model/error.ts';
import { parseWeekChoice, WEEK_CHOICES, type WeekChoice } from '../../mapping/week-choice.ts';
import { publishAll } from '../../runtime/publish/publish-all.ts';
import { defineCommand } from '../command.ts';
import { serviceFlags, text } from '../flags.ts';
import { withLeagues } from '../league-sessions.ts';
import { renderSite, siteDocument } from '../render/publish.ts';
import type { Program } from '../program.ts';
import type { Session } from '../session.ts';

interface Asked {
  readonly out: string | undefined;
  readonly choice: WeekChoice;
}

/** `publish`: writes each league as a folder of pages for its members, from what is remembered; the service is asked nothing. */
export const publish = defineCommand({
  options: {
    ...serviceFlags,
    out: text('the folder of the site, in place of that of the configuration'),
    weeks: text(`the game weeks that are shown: ${WEEK_CHOICES}; all by default`),
  },
  positionals: {},
  examples: [
    ['publish', 'the site of the league in the folder public'],
    ['publish --out site --weeks 1-12', 'twelve weeks of it in another folder'],
  ],
  run: (args, program) => {
    const { out, weeks = 'all' } = args;
    const choice = parseWeekChoice(weeks);
    if (choice === undefined)
      throw new UsageError('usage.weeks', `--weeks takes ${WEEK_CHOICES}`, { next: 'publish --weeks 1-12' });
    return withLeagues(args, program, (session, own) => publishSites(session, own, { out, choice }), {});
  },
});

async function publishSites(session: Session, program: Program, { out, choice }: Asked): Promise<ExitCode> {
  const { screen, cwd, clock, signal } = program;
  const done = await publishAll(session, { out, cwd, choice }, { clock, signal, warn: screen.warn });
  session.endProgress();
  const sites = done.map(siteDocument);
  await screen.data(
    screen.json
      ? JSON.stringify({ command: 'publish', exit_code: EXIT.done, sites })
      : done.map(renderSite).join('\n'),
  );
  return EXIT.done;
}
