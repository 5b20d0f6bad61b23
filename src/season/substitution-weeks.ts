import type { AutoSubstitution } from '../contract/resources/auto-substitutions.ts';
import { parseTimeMs } from '../model/time/service-time.ts';
import { isNext, type GameWeek } from './game-week.ts';
import { BREAK_MS } from './seasons.ts';
import { startsOf, type WeekLineups } from './week-lineups.ts';

/** A week whose substitutions may stand in the log. */
export interface WeekSpan {
  /** {@link UNKNOWN} where nothing is remembered of it. */
  readonly id: string;
  /** No substitution of it is made before: the end of its last match, or its own. NaN where nobody knows. */
  readonly overMs: number;
}

/** A week of which nobody knows more than that there may be one: no record is told to be of it. */
const UNKNOWN = '';
const DAY_MS = 24 * 60 * 60 * 1000;
/** Weeks seldom begin faster one after the other. */
const APART_MS = 5 * DAY_MS;

/**
 * When the weeks that are remembered are over, in their order, with those that may be missing between them: where the number of the next one does not follow, or a long time lies between,
 * there may have been others. A week without an end lasts a day at least.
 */
export function weekSpans(
  weeks: readonly { readonly week: GameWeek; readonly overMs: number }[],
): readonly WeekSpan[] {
  return weeks.flatMap(({ week, overMs }, at) => {
    const span = { id: week.id, overMs: Number.isNaN(overMs) ? week.startMs + DAY_MS : overMs };
    const after = weeks[at + 1]?.week;
    const isNear = after !== undefined && !(after.startMs - week.startMs > BREAK_MS);
    if (after === undefined || (isNear && isNext(week, after))) return [span];
    return [span, { id: UNKNOWN, overMs: Math.max(span.overMs, week.startMs + APART_MS) }];
  });
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
    const claims = unitsOf(cluster).flatMap((unit): Claim[] => {
      const candidates = unit.map(({ atMs }) => candidatesAt(atMs, evidence, processed));
      const common = (candidates[0] ?? []).filter((week) => candidates.every((each) => each.includes(week)));
      const its = weekOf(unit, common, evidence);
      return its === undefined ? [] : [{ unit, ...its }];
    });
    for (const { unit, week } of withoutRivals(claims)) {
      for (const { record } of unit) told.set(record.id, week);
      processed.add(week);
    }
  }
  return told;
}

/** That records are of a week; sure where no other one may be it. */
interface Claim {
  readonly unit: readonly Timed[];
  readonly week: string;
  readonly isSure: boolean;
}

/** A player is substituted once in a squad and week: of records that say it twice, those that may be of another week are. Nobody knows which of them. */
function withoutRivals(claims: readonly Claim[]): readonly Claim[] {
  const keysOf = ({ unit, week }: Claim): readonly string[] =>
    unit.map(({ record: { squad, player } }) => JSON.stringify([week, squad?.id, player?.id]));
  const counts = new Map<string, number>();
  for (const key of claims.flatMap(keysOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return claims.filter((claim) => claim.isSure || keysOf(claim).every((key) => counts.get(key) === 1));
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

/** The weeks that a record of a time may be of: the mark shortly before it names one, and so does any mark that is as near as clocks are exact. */
function candidatesAt(
  atMs: number,
  { weeks, marks }: WeekEvidence,
  processed: ReadonlySet<string>,
): readonly string[] {
  if (Number.isNaN(atMs)) return [];
  const near = marks
    .filter((each) => each.atMs - SLACK_MS <= atMs && atMs - each.atMs <= ONE_PROCESSING_MS)
    .toSorted((one, other) => one.atMs - other.atMs);
  const last = near.findLast((each) => each.atMs <= atMs);
  const marked = near.filter((each) => each === last || Math.abs(each.atMs - atMs) <= SLACK_MS);
  if (marked.length > 0) return [...new Set(marked.map(({ week }) => week))];
  return weeks.filter(({ id, overMs }) => !processed.has(id) && !(overMs > atMs)).map(({ id }) => id);
}

/** The only candidate in which line-ups changed as the records say; else the only one that nothing speaks against. */
function weekOf(
  unit: readonly Timed[],
  candidates: readonly string[],
  { lineupsOf }: WeekEvidence,
): Omit<Claim, 'unit'> | undefined {
  const [only, another] = candidates;
  if (only !== undefined && another === undefined)
    return only === UNKNOWN ? undefined : { week: only, isSure: true };
  const judged = candidates.map((week) => ({
    week,
    fits: new Set(
      unit.map(({ record: { squad, player } }) =>
        fitsLineups(String(player?.id ?? ''), lineupsOf(week, squad?.id ?? '')),
      ),
    ),
  }));
  const possible = judged.filter(({ fits }) => !fits.has('no'));
  const shown = possible.filter(({ fits }) => fits.has('yes'));
  const [found, rival] = shown.length > 0 ? shown : possible;
  if (found === undefined || rival !== undefined || found.week === UNKNOWN) return undefined;
  return { week: found.week, isSure: possible.length === 1 };
}

/** Whether the line-ups of a week show a player's substitution. */
function fitsLineups(player: string, { before, after }: WeekLineups): 'yes' | 'no' | 'maybe' {
  if (after === undefined) return 'maybe';
  const now = startsOf(after).get(player);
  if (now === undefined) return 'no';
  if (before === undefined) return 'maybe';
  return startsOf(before).get(player) === !now ? 'yes' : 'no';
}

/** Records of one moment or one reference are of one week. */
function unitsOf(cluster: readonly Timed[]): readonly (readonly Timed[])[] {
  let units: Timed[][] = cluster.map((each) => [each]);
  for (const keyOf of [
    ({ txn_ref }: AutoSubstitution) => txn_ref,
    ({ created_at }: AutoSubstitution) => created_at,
  ]) {
    const byKey = Map.groupBy(units, ([first]) => (first && keyOf(first.record)) || first?.record.id);
    units = [...byKey.values()].map((group) => group.flat());
  }
  return units;
}
