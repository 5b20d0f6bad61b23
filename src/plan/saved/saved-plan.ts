import type { PushMapping } from '../../mapping/mapping.ts';
import type { OutcomeCounts } from '../../model/outcome.ts';
import type { RequestCounts } from '../../model/state/store.ts';
import { digestOf } from '../digest.ts';
import type { PlannedChange, PlanOptions } from './push-plan.ts';

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
