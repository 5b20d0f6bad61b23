import { EXIT, UsageError } from '../../model/error.ts';
import { parseWeekChoice, WEEK_CHOICES, type WeekChoice } from '../../mapping/week-choice.ts';
import { publishLeague, type PublishedSite } from '../../runtime/publish/publish.ts';
import { publishSettings, type PublishSettings } from '../../runtime/publish/publish-settings.ts';
import { rememberedAccount } from '../../runtime/remembered-account.ts';
import { readGroups } from '../../runtime/read-groups.ts';
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
    return withLeagues(args, program, (session, own) => publishAll(session, own, { out, choice }), {});
  },
});

/** The sites of all leagues that are worked on, one after the other. */
async function publishAll(session: Session, program: Program, { out, choice }: Asked) {
  const { ports, config } = session;
  const { screen, cwd } = program;
  const all = publishSettings(config, { out, cwd });
  const account = await rememberedAccount(ports.store, ports.baseUrl);
  const done: { readonly settings: PublishSettings; readonly site: PublishedSite }[] = [];
  for (const settings of all) {
    const groups = await readGroups(ports, settings.season.groups, config);
    const scope = { account, league: settings.league };
    const own = { ...ports, timezone: config.timezone };
    done.push({ settings, site: await publishLeague(own, scope, settings, choice, groups) });
  }
  session.endProgress();
  const sites = done.map(({ settings, site }) => siteDocument(settings, site));
  await screen.data(
    screen.json
      ? JSON.stringify({ command: 'publish', exit_code: EXIT.done, sites })
      : done.map(({ settings, site }) => renderSite(settings, site)).join('\n'),
  );
  return EXIT.done;
}
