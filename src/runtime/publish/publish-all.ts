import { join } from 'node:path';
import type { WeekChoice } from '../../mapping/week-choice.ts';
import { renderCountOf } from '../../model/count.ts';
import { readGroups } from '../read-groups.ts';
import { rememberedAccount } from '../remembered-account.ts';
import type { Session } from '../session.ts';
import { postRecap, type AlertDesk, type AlertOffice } from '../tell-alerts.ts';
import { inTurn } from './in-turn.ts';
import { publishLeague, type PublishedSite, type PublishPorts } from './publish.ts';
import { publishSettings, type Asked, type PublishSettings } from './publish-settings.ts';

/** What became of posting a recap. */
export interface PostedRecap {
  readonly week: number;
  readonly to: string;
  /** False: it waits in the outbox. */
  readonly isSent: boolean;
}

/** What was done for one league. */
export interface PublishedLeague {
  readonly settings: PublishSettings;
  readonly site: PublishedSite;
  readonly posted: PostedRecap | undefined;
}

/** Writes the sites of all leagues that are worked on, one after the other, and posts the recaps. The service is asked nothing. Errors: those of {@link publishSettings}, {@link inTurn} and {@link publishLeague}. */
export async function publishAll(
  session: Session,
  { choice, ...asked }: Asked & { readonly choice: WeekChoice },
  desk: Omit<AlertDesk, 'config'>,
): Promise<readonly PublishedLeague[]> {
  const { ports, config } = session;
  const { environment } = session.connection;
  const all = publishSettings(config, asked);
  const account = await rememberedAccount(session);
  const office = { ...desk, config, store: ports.store };
  const done: PublishedLeague[] = [];
  for (const settings of all) {
    const groups = await readGroups(ports, settings.season.groups, config);
    const scope = { account, league: settings.league };
    const own = { ...ports, timezone: config.timezone };
    const site = await inTurn(settings, office, () => publishLeague(own, scope, settings, choice, groups));
    done.push({ settings, site, posted: await postLastRecap(office, environment, settings, own, site) });
  }
  return done;
}

/** Posts the recap of the last week of a site that is final, once; undefined where there is none, nowhere to post it, or part of its table may still come. */
async function postLastRecap(
  office: AlertOffice,
  environment: string,
  { post: address, name, out }: PublishSettings,
  { emit }: Pick<PublishPorts, 'emit'>,
  { weeks }: PublishedSite,
): Promise<PostedRecap | undefined> {
  const last = weeks.findLast(({ state }) => state === 'final' || state === 'final_by_totals');
  if (address === undefined || last === undefined) return undefined;
  const { week, gameWeek: gameWeekId, awaited } = last;
  if (awaited > 0) {
    const message = `the recap of game week ${week} is not posted yet: the details of ${renderCountOf(awaited, 'squad')} are still to be read; next: teamsheet weeks read`;
    emit({ kind: 'note', message });
    return undefined;
  }
  const path = join(out, 'recap', `week-${week}`);
  const recap = { environment, league: name ?? null, address, week, gameWeekId, path };
  const isSent = await postRecap(office, recap);
  return { week, to: address.to, isSent };
}
