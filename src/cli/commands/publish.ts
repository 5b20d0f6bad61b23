import { EXIT, UsageError } from '../../model/error.ts';
import { parseWeekChoice, WEEK_CHOICES, type WeekChoice } from '../../mapping/week-choice.ts';
import { postLastRecap } from '../../runtime/publish/post-recap.ts';
import { publishLeague } from '../../runtime/publish/publish.ts';
import { publishSettings } from '../../runtime/publish/publish-settings.ts';
import { rememberedAccount } from '../../runtime/remembered-account.ts';
import { readGroups } from '../../runtime/read-groups.ts';
import { defineCommand } from '../command.ts';
import { serviceFlags, text } from '../flags.ts';
import { withLeagues } from '../league-sessions.ts';
import { renderSite, siteDocument, type Done } from '../render/publish.ts';
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
    return withLeagues(args, program, (session, own) => publishAll(session, own, { out, choice }), {});
  },
});

/** The sites of all leagues that are worked on, one after the other. */
async function publishAll(session: Session, program: Program, { out, choice }: Asked) {
  const { ports, config } = session;
  const { screen, cwd } = program;
  const all = publishSettings(config, { out, cwd });
  const account = await rememberedAccount(ports.store, ports.baseUrl);
  const { clock, signal } = program;
  const warn = (message: string): void => screen.warn(message);
  const office = { config, clock, signal, warn, store: ports.store };
  const done: Done[] = [];
  for (const settings of all) {
    const groups = await readGroups(ports, settings.season.groups, config);
    const scope = { account, league: settings.league };
    const own = { ...ports, timezone: config.timezone };
    const site = await publishLeague(own, scope, settings, choice, groups);
    const posted = await postLastRecap(office, session.connection.environment, settings, site);
    done.push({ settings, site, posted });
  }
  session.endProgress();
  const sites = done.map(siteDocument);
  await screen.data(
    screen.json
      ? JSON.stringify({ command: 'publish', exit_code: EXIT.done, sites })
      : done.map(renderSite).join('\n'),
  );
  return EXIT.done;
}
