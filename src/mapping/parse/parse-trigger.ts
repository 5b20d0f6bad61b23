import { pushTarget } from '../../contract/index.ts';
import type { Timing } from '../../model/time/schedule.ts';
import type { WeekLocation } from '../../model/tables/table.ts';
import type { Drafting, MappingContext } from './drafting.ts';
import type { MappingPlace, PushMapping } from '../mapping.ts';
import { parseTiming } from './parse-schedule.ts';
import { columnWith, variableSource } from '../push-fields.ts';
import type { TriggerInput } from './push-schema.ts';
import { show } from '../show.ts';

/** The columns of the table that a game week makes. */
export const TRIGGER_HEADER = ['fantasy_league_id', 'game_week_id'] as const;

/** The mapping that a checked input of a trigger by game weeks means. Errors: ConfigError `mapping.invalid`. */
export function parseTrigger(input: TriggerInput, draft: Drafting, context: MappingContext): PushMapping {
  const { weeks } = input.source;
  const league = context.variable('fantasy_league_id')?.trim();
  if (league === undefined || !/^[1-9]\d{0,14}$/.test(league))
    return draft.fail(
      ['source', 'weeks'],
      league === undefined
        ? `the variable fantasy_league_id is not set. ${variableSource('fantasy_league_id')}`
        : `the variable fantasy_league_id is ${show(league)}, which is no number of a league`,
    );
  const timing = parseTiming(input, draft);
  draft.settle();
  const location = { kind: 'weeks', week: weeks, league: Number(league) } as const;
  return triggerMapping(input.name, draft.place, location, `weeks: ${weeks}`, timing);
}

/** A mapping that has the automatic substitutions of one game week processed. */
export function triggerMapping(
  name: string,
  place: MappingPlace,
  location: WeekLocation,
  origin: string,
  timing?: Timing,
): PushMapping {
  const fields = pushTarget('auto_substitutions')?.fields ?? {};
  return {
    direction: 'push',
    name,
    place,
    resource: 'auto_substitutions',
    operation: 'trigger',
    source: {
      location,
      origin,
      headerRow: 1,
      where: [],
      delimiter: 'auto',
      encoding: 'auto',
      locale: 'en',
      layout: { kind: 'table' },
    },
    columns: TRIGGER_HEADER.flatMap((field) => {
      const target = fields[field];
      return target === undefined ? [] : [columnWith(field, target, true, { from: [field] })];
    }),
    autoValues: {},
    missingRows: 'ignore',
    writeBack: undefined,
    rejectMode: 'skip',
    // Before the first game week is over there is none to trigger.
    guards: { minRows: 0, maxChangePct: 100, maxDeactivate: 0, maxStep: undefined, maxStepPct: undefined },
    batchSize: 1,
    compare: 'auto',
    timing,
  };
}
