import { pushTarget, type PushedResource } from '../../contract/index.ts';
import { renderCount, renderCountOf } from '../../model/count.ts';
import { PUSHED_RESOURCES, resourcePlans } from '../../plan/resources/index.ts';
import type { PlannedPush } from '../../sync/ports.ts';
import { renderReadsAndWrites } from './text.ts';

/** The resources in the order in which a season is set up: first of all a league, which the others are in. */
const FIRST: readonly PushedResource[] = ['fantasy_leagues'];
const PUSHED = [...new Set([...FIRST, ...PUSHED_RESOURCES])];
const SET_UP = 'set up';
const VERBS = new Set([SET_UP, ...PUSHED.map((resource) => resourcePlans[resource].verb)]);

const MINUTE_MS = 60_000;

/** `set up 1 league, 240 users, 240 squads; change 3 users: 3 reads, 245 writes, 3 min`; undefined when nothing would be written. */
export function renderSum({ mappings, requests, forecast }: PlannedPush, nowMs: number): string | undefined {
  const counts = (pick: 'create' | 'update', resources: readonly PushedResource[]): readonly string[] =>
    resources.flatMap((resource) => {
      const count = mappings
        .filter((plan) => plan.resource === resource)
        .reduce((sum, { toWrite }) => sum + toWrite[pick], 0);
      const [one, several] = resourcePlans[resource].nouns;
      return count === 0 ? [] : [renderCountOf(count, one, several)];
    });
  const gone = mappings.reduce((sum, { deactivated }) => sum + deactivated, 0);
  const clause = (verb: string, parts: readonly string[]): readonly string[] =>
    parts.length === 0 ? [] : [`${verb} ${parts.join(', ')}`];
  const clauses = [
    ...[...VERBS].flatMap((verb) =>
      clause(
        verb,
        counts(
          'create',
          PUSHED.filter((resource) => resourcePlans[resource].verb === verb),
        ),
      ),
    ),
    ...clause('change', counts('update', PUSHED)),
    ...clause('deactivate', gone === 0 ? [] : [renderCountOf(gone, 'user')]),
  ];
  if (clauses.length === 0) return undefined;
  const asked = sumOf(mappings, ({ writes, reads }) => writes + reads);
  const time =
    forecast.fits < asked
      ? `${renderCount(requests.planned - requests.sent)} of them now`
      : renderRoughly(forecast.finishesAtMs - nowMs);
  return `${clauses.join('; ')}: ${renderToSend({ mappings, requests, forecast })}, ${time}`;
}

/** `3 reads, 17 writes`: what is still to be sent, reads of the account among it, whether all of it fits or not. */
export function renderToSend({
  mappings,
  requests,
  forecast,
}: Pick<PlannedPush, 'mappings' | 'requests' | 'forecast'>): string {
  const ofAccount = requests.planned - requests.sent - forecast.fits;
  return renderReadsAndWrites(
    sumOf(mappings, ({ reads }) => reads) + ofAccount,
    sumOf(mappings, ({ writes }) => writes),
  );
}

/** What `count` says of all mappings. */
export function sumOf(
  mappings: PlannedPush['mappings'],
  count: (mapping: PlannedPush['mappings'][number]) => number,
): number {
  return mappings.reduce((sum, each) => sum + count(each), 0);
}

function renderRoughly(ms: number): string {
  if (ms < 5000) return 'a few seconds';
  if (ms < MINUTE_MS) return `${Math.ceil(ms / 1000)} s`;
  const minutes = Math.ceil(ms / MINUTE_MS);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** `users: 3 users are no longer in the table and would be deactivated: M1, M2, M3`, for each mapping that has some. */
export function renderMissing({ mappings }: PlannedPush): readonly string[] {
  return mappings.flatMap(({ mapping, deactivated, missing }) => {
    if (deactivated === 0) return [];
    const are = renderCountOf(deactivated, 'user is', 'users are');
    const more = deactivated > missing.length ? ', …' : '';
    const where = mapping.source.origin;
    return [
      `${mapping.name}: ${are} no longer in ${where} and would be deactivated: ${missing.join(', ')}${more}`,
    ];
  });
}

/**
 * `squads: 300 now, 180 deferred (the account's quota of squads is full then; …)`, for each mapping that is more than the quota has room for, with what to
 * do about it.
 */
export function renderQuotas({ mappings }: PlannedPush): readonly string[] {
  return mappings.flatMap(({ mapping, resource, outcomes, overQuota }) => {
    if (overQuota === 0) return [];
    const quota = pushTarget(resource)?.quota ?? resource;
    const where = outcomes.created === 0 ? 'is used up' : 'is full then';
    const what = `the account's quota of ${quota.replaceAll('_', ' ')} ${where}; after it is raised, resume sends the rest`;
    return [
      `${mapping.name}: ${renderCount(outcomes.created)} now, ${renderCount(overQuota)} deferred (${what})`,
    ];
  });
}
