import { createHash, type Hash } from 'node:crypto';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { OutcomeCounts } from '../../model/outcome.ts';
import type { RunRow } from '../../model/run-rows.ts';
import { renderSaid } from '../../model/said.ts';
import type { RequestCounts } from '../../model/store.ts';
import { digestOf } from '../../plan/digest.ts';
import { plannedChange } from './plan-sync.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { MappingPlan, PlannedChange, PlannedPush, PlanOptions } from '../ports.ts';
import { withMissing } from '../../plan/missing-mapping.ts';

export const PLAN_FORMAT = 'teamsheet-plan';
/** The digest of a row that stands in no table. */
export const NO_CELLS = digestOf([]);
/** What a saved plan begins with, so that no other file is taken for one. */
export const PLAN_START = `{"format":"${PLAN_FORMAT}"`;
/** Raised when an older version could misread what a newer one writes. */
export const PLAN_FORMAT_VERSION = 1;

/** One mapping of a saved plan. */
export interface SavedMapping extends OutcomeCounts {
  readonly name: string;
  readonly compared_with: string;
  /** The rows were compared with what the state remembers; left out by older versions. */
  readonly from_memory?: boolean;
  /** Records of the quota's feature that the account counted; left out where it counts none. */
  readonly used?: number;
  /** The digest of each part of the mapping, so that a change of it can be named. */
  readonly parts: Readonly<Record<string, string>>;
}

/** The first line of a saved plan. */
export interface SavedHeader {
  readonly format: typeof PLAN_FORMAT;
  readonly format_version: number;
  /** The version of teamsheet that made it. */
  readonly teamsheet: string;
  readonly id: string;
  readonly made_at: string;
  /** The command line that made it, without the program's name. */
  readonly typed: readonly string[];
  readonly base_url: string;
  readonly account_id: string;
  readonly mappings: readonly SavedMapping[];
  /** Why a push would stop; such a plan is for reading alone. */
  readonly stops: readonly { readonly mapping: string; readonly code: string; readonly message: string }[];
  readonly options: PlanOptions;
  readonly requests: RequestCounts;
  readonly pauses: readonly {
    readonly until: string;
    readonly seconds: number;
    readonly reason: string;
  }[];
  readonly finishes_at: string;
}

/** One row of a saved plan: what `plan --json` says of it, and what it is known again by. */
export interface SavedRow extends Omit<PlannedChange, 'beside' | 'waits'> {
  readonly id: string | null;
  /** Of the values that are meant to be sent; null where there are none. */
  readonly digest: string | null;
  /** Of the cells as they were read. */
  readonly cells: string;
}

/** The last line of a saved plan. */
export interface SavedEnd {
  readonly rows: number;
  /** Of every line before it, each with a line feed. */
  readonly sha256: string;
}

/** What a plan is saved with beside itself. */
export interface PlanMaker {
  readonly id: string;
  readonly version: string;
  readonly madeAtMs: number;
  readonly typed: readonly string[];
  readonly options: PlanOptions;
}

/** The lines of a saved plan, without line feeds; rows are read as they are written, so that any number of them fits. */
export async function* savedPlanLines(planned: PlannedPush, maker: PlanMaker): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let rows = 0;
  yield hashed(hash, headerOf(planned, maker));
  for await (const row of savedRows(planned)) {
    rows += 1;
    yield hashed(hash, row);
  }
  const end: SavedEnd = { rows, sha256: hash.digest('hex') };
  yield JSON.stringify(end);
}

function hashed(hash: Hash, value: SavedHeader | SavedRow): string {
  const line = JSON.stringify(value);
  hash.update(`${line}\n`);
  return line;
}

function headerOf(planned: PlannedPush, { id, version, madeAtMs, typed, options }: PlanMaker): SavedHeader {
  const { account, mappings, stops, requests, forecast } = planned;
  return {
    format: PLAN_FORMAT,
    format_version: PLAN_FORMAT_VERSION,
    teamsheet: version,
    id,
    made_at: new Date(madeAtMs).toISOString(),
    typed,
    base_url: account.baseUrl,
    account_id: account.accountId,
    mappings: mappings.map(savedMapping),
    stops: stops.map(({ mapping, error }) => ({ mapping, code: error.code, message: error.message })),
    options,
    requests,
    pauses: forecast.pauses.map(({ untilMs, seconds, reason }) => ({
      until: new Date(untilMs).toISOString(),
      seconds,
      reason,
    })),
    finishes_at: new Date(forecast.finishesAtMs).toISOString(),
  };
}

function savedMapping({ mapping, outcomes, comparedWith, fromMemory, used }: MappingPlan): SavedMapping {
  return {
    name: mapping.name,
    ...outcomes,
    compared_with: comparedWith,
    from_memory: fromMemory,
    ...(used !== undefined && { used }),
    parts: mappingParts(mapping),
  };
}

/** The digest of each part of a mapping. Where its file lies, and on which line it stands there, is no part of it. */
export function mappingParts(mapping: PushMapping): Readonly<Record<string, string>> {
  const { place: _place, ...parts } = mapping;
  const withoutPaths = (name: string, value: unknown): unknown => (name === 'path' ? undefined : value);
  return Object.fromEntries(
    Object.entries(parts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, digestOf(JSON.stringify(value, withoutPaths))]),
  );
}

/** Every row of a plan as it is saved, those of users that are in no table any more too. */
export async function* savedRows({ mappings, rows }: PlannedPush): AsyncGenerator<SavedRow> {
  for (const part of mappings.flatMap(({ mapping }) => withMissing(mapping)))
    for await (const row of eachRow(rows, part.name)) yield savedRow(part, row);
}

function savedRow({ name, source }: PushMapping, row: RunRow): SavedRow {
  const { id, digest, lines, said } = row;
  const { beside: _beside, waits: _waits, ...change } = plannedChange(name, source.origin, row);
  return { ...change, message: renderSaid(said), id, digest, cells: digestOf(lines) };
}
