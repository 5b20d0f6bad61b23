import type { Feature } from '../contract/endpoint.ts';
import type { Words } from '../model/said.ts';

/**
 * Records for which quotas still have room, since the service said that one has none; of a quota that is not in it, nothing was said. The mappings of a run share
 * it, so that each does not find out by a refusal of its own, which takes a wait.
 */
export type QuotasLeft = Map<Feature, number>;

/** How many of so many records may be sent; they are taken off. */
export function takeRoom(quotas: QuotasLeft, feature: Feature | undefined, records: number): number {
  if (feature === undefined) return records;
  const room = quotas.get(feature);
  if (room === undefined) return records;
  const taken = Math.min(room, records);
  quotas.set(feature, room - taken);
  return taken;
}

/** Gives back the room of records that were refused for another reason. */
export function giveBack(quotas: QuotasLeft, feature: Feature | undefined, records: number): void {
  if (feature === undefined) return;
  const room = quotas.get(feature);
  if (room !== undefined) quotas.set(feature, room + records);
}

/** Why a row waits that a quota has no room for, and what to do. */
export const overQuota = (feature: Feature, run: string): Words => [{ code: 'quota-full', feature, run }];
