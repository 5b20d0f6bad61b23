import { createHash, type Hash } from 'node:crypto';
import type { PushMapping } from '../../mapping/mapping.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import { renderSaid } from '../../model/said.ts';
import { shownLine } from '../../model/tables/cell.ts';
import { digestOf } from '../../plan/digest.ts';
import { digestOfRow } from '../../plan/duplicates.ts';
import { plannedChange } from './plan-sync.ts';
import { eachRow } from '../rows/row-pages.ts';
import type { PlannedPush } from '../ports.ts';
import type { MappingPlan, PlanOptions } from '../../plan/saved/push-plan.ts';
import { withMissing } from '../../plan/missing-mapping.ts';
import {
  type SavedEnd,
  type SavedHeader,
  type SavedRow,
  PLAN_FORMAT,
  PLAN_FORMAT_VERSION,
  type SavedMapping,
  mappingParts,
} from '../../plan/saved/saved-plan.ts';

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

/** Every row of a plan as it is saved, those of users that are in no table any more too. */
export async function* savedRows({ mappings, rows }: PlannedPush): AsyncGenerator<SavedRow> {
  for (const part of mappings.flatMap(({ mapping }) => withMissing(mapping)))
    for await (const row of eachRow(rows, part.name)) yield savedRow(part, row);
}

function savedRow({ name, source }: PushMapping, row: RunRow): SavedRow {
  const { id, lines, said } = row;
  const { beside: _beside, waits: _waits, ...change } = plannedChange(name, source.origin, row);
  return {
    ...change,
    message: renderSaid(said),
    id,
    digest: digestOfRow(row),
    cells: digestOf(lines.map(shownLine)),
  };
}
