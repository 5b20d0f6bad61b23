import { join } from 'node:path';
import { postRecap, type AlertOffice } from '../tell-alerts.ts';
import type { PublishedSite } from './publish.ts';
import type { PublishSettings } from './publish-settings.ts';

/** What became of posting a recap. */
export interface PostedRecap {
  readonly week: number;
  readonly to: string;
  /** False: it waits in the outbox. */
  readonly isSent: boolean;
}

/** Posts the recap of the last week of a site that is final, once; undefined where there is none, or nowhere to post it. Errors: those of the store. */
export async function postLastRecap(
  office: AlertOffice,
  environment: string,
  { post: address, name, out }: PublishSettings,
  { weeks }: PublishedSite,
): Promise<PostedRecap | undefined> {
  const last = weeks.findLast(({ state }) => state === 'final' || state === 'final_by_totals');
  if (address === undefined || last === undefined) return undefined;
  const { week, gameWeek: gameWeekId } = last;
  const path = join(out, 'recap', `week-${week}`);
  const isSent = await postRecap(office, {
    environment,
    league: name ?? null,
    address,
    week,
    gameWeekId,
    path,
  });
  return { week, to: address.to, isSent };
}
