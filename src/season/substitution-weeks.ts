import type { AutoSubstitution } from '../contract/resources/auto-substitutions.ts';
import { parseTimeMs } from '../model/service-time.ts';
import { startsOf, type WeekLineups } from './week-lineups.ts';

/** A week whose substitutions may stand in the log. */
export interface WeekSpan {
  readonly id: string;
  /** No substitution of it is made before: its last kick-off, or its end. NaN where the service does not say. */
  readonly overMs: number;
}

/** That a week's substitutions were processed from a time on, by the service's clock. */
export interface ProcessedMark {
  readonly week: string;
  readonly atMs: number;
}

/** What tells the week of a record. */
export interface WeekEvidence {
  readonly weeks: readonly WeekSpan[];
  /** Triggers and what else is known to have had a week processed at a time. */
  readonly marks: readonly ProcessedMark[];
  readonly lineupsOf: (week: string, squad: string) => WeekLineups;
}

/** Records further apart than this are of different processings. */
const ONE_PROCESSING_MS = 60 * 60 * 1000;
/** How far a mark may lie after the first record that it made: clocks are read before and after a request. */
const SLACK_MS = 60 * 1000;

/**
 * The week of each record of the log, by the record's id, found by what is known of triggers, by the time of the record, by the weeks that were processed before, and by line-ups that
 * changed as the record says. A record whose week cannot be told is left out.
 */
export function substitutionWeeks(
  records: readonly AutoSubstitution[],
  evidence: WeekEvidence,
): ReadonlyMap<string, string> {
  const told = new Map<string, string>();
  const processed = new Set<string>();
  for (const cluster of clustersOf(records)) {
    const its = new Set<string>();
    for (const { record, atMs } of cluster) {
      const week = weekOf(record, candidatesAt(atMs, evidence, processed), evidence);
      if (week === undefined) continue;
      told.set(record.id, week);
      its.add(week);
    }
    spread(
      cluster.map(({ record }) => record),
      told,
    );
    for (const week of its) processed.add(week);
  }
  return told;
}

interface Timed {
  readonly record: AutoSubstitution;
  readonly atMs: number;
}

/** The records in the order of their times, divided where nothing happened for long; those without a readable time stand alone. */
function clustersOf(records: readonly AutoSubstitution[]): readonly (readonly Timed[])[] {
  const timed = records
    .map((record) => ({ record, atMs: parseTimeMs(record.created_at ?? '') }))
    .toSorted((one, other) => (one.atMs || 0) - (other.atMs || 0));
  const clusters: Timed[][] = [];
  for (const each of timed) {
    const last = clusters.at(-1);
    const beforeMs = last?.at(-1)?.atMs ?? Number.NaN;
    if (last !== undefined && each.atMs - beforeMs <= ONE_PROCESSING_MS) last.push(each);
    else clusters.push([each]);
  }
  return clusters;
}

/** The weeks that a record of a time may be of. A mark shortly before it names the only one. */
function candidatesAt(
  atMs: number,
  { weeks, marks }: WeekEvidence,
  processed: ReadonlySet<string>,
): readonly string[] {
  if (Number.isNaN(atMs)) return [];
  const mark = marks
    .filter((each) => each.atMs - SLACK_MS <= atMs && atMs - each.atMs <= ONE_PROCESSING_MS)
    .toSorted((one, other) => other.atMs - one.atMs)[0];
  if (mark !== undefined) return [mark.week];
  return weeks.filter(({ id, overMs }) => !processed.has(id) && !(overMs > atMs)).map(({ id }) => id);
}

/** The only candidate in which the line-up changed as the record says; else the only one that nothing speaks against. */
function weekOf(
  { squad, player }: AutoSubstitution,
  candidates: readonly string[],
  { lineupsOf }: WeekEvidence,
): string | undefined {
  if (candidates.length === 1) return candidates[0];
  const id = String(player?.id ?? '');
  const judged = candidates.map((week) => ({
    week,
    fits: fitsLineups(id, lineupsOf(week, squad?.id ?? '')),
  }));
  const [sure, another] = judged.filter(({ fits }) => fits === 'yes');
  if (sure !== undefined) return another === undefined ? sure.week : undefined;
  const [left, other] = judged.filter(({ fits }) => fits === 'maybe');
  return other === undefined ? left?.week : undefined;
}

/** Whether the line-ups of a week show a player's substitution. */
function fitsLineups(player: string, { before, after }: WeekLineups): 'yes' | 'no' | 'maybe' {
  if (after === undefined) return 'maybe';
  const now = startsOf(after).get(player);
  if (now === undefined) return 'no';
  if (before === undefined) return 'maybe';
  return startsOf(before).get(player) === !now ? 'yes' : 'no';
}

/** Records of one moment or one reference are of one week: what is told of some of them holds for the others. */
function spread(cluster: readonly AutoSubstitution[], told: Map<string, string>): void {
  for (const keyOf of [
    ({ txn_ref }: AutoSubstitution) => txn_ref,
    ({ created_at }: AutoSubstitution) => created_at,
  ]) {
    for (const [key, group] of Map.groupBy(cluster, keyOf)) {
      if (key === null || key === undefined || key === '') continue;
      const weeks = new Set(group.flatMap(({ id }) => told.get(id) ?? []));
      const [only] = weeks;
      if (only === undefined || weeks.size > 1) continue;
      for (const { id } of group) told.set(id, only);
    }
  }
}
