import { pullTarget } from '../../contract/index.ts';
import type { PullMapping } from '../../mapping/mapping.ts';
import { parseWeekChoice, WEEK_CHOICES, type WeekChoice } from '../../mapping/week-choice.ts';
import { ConfigError, UsageError } from '../../model/error.ts';

/** What a command line or a program says of game weeks. */
export interface WeekOptions {
  readonly week?: string | undefined;
  readonly weeks?: string | undefined;
  readonly offline?: boolean | undefined;
}

/** Which weeks are asked for beside what mappings say; undefined: none. Errors: UsageError `usage.weeks`. */
function weekChoice({ week, weeks }: WeekOptions): WeekChoice | undefined {
  if (week !== undefined && weeks !== undefined)
    throw new UsageError('usage.weeks', 'write --week N or --weeks …, not both');
  const written = week ?? weeks;
  if (written === undefined) return undefined;
  const choice = parseWeekChoice(written);
  if (choice !== undefined && (week === undefined || choice.kind === 'range')) return choice;
  throw new UsageError(
    'usage.weeks',
    week === undefined
      ? `--weeks takes ${WEEK_CHOICES}, not "${written}"`
      : `--week takes the number of a game week, not "${written}"`,
  );
}

/**
 * The mappings with the weeks that are asked for, which win over their own. Without names, those that have no game weeks are left out.
 * Errors: UsageError `usage.weeks`, `usage.offline`; ConfigError `mapping.where`, `season.off`.
 */
export function withWeeks(
  mappings: readonly PullMapping[],
  options: WeekOptions,
  { isNamed, isKept }: { readonly isNamed: boolean; readonly isKept: boolean },
): readonly PullMapping[] {
  const asked = weekChoice(options);
  const choice = asked ?? (options.offline === true ? ({ kind: 'current' } as const) : undefined);
  const chosen =
    choice === undefined
      ? mappings
      : mappings.flatMap((mapping) => {
          const byWeek = pullTarget(mapping.resource)?.byWeek;
          // Standings and substitutions are of all weeks where nobody names some.
          const isOfAll = byWeek === 'standing' || byWeek === 'substitution';
          const own = asked ?? mapping.weeks ?? (isOfAll ? undefined : choice);
          if (byWeek !== undefined) return own === undefined ? [mapping] : [withChoice(mapping, own)];
          if (isNamed) throw notByWeek(mapping, asked === undefined ? '--offline' : '--week');
          return [];
        });
  const first = chosen.find(({ weeks }) => weeks !== undefined);
  if (first !== undefined && !isKept && options.offline !== true)
    throw new ConfigError(
      'season.off',
      `mapping ${first.name}: game weeks are asked for, and season: { keep: false } keeps none`,
      { ...first.place, next: 'leave keep out of season in teamsheet.yaml' },
    );
  return chosen;
}

function withChoice(mapping: PullMapping, weeks: WeekChoice): PullMapping {
  const { where, name, place, detail, resource } = mapping;
  if (where['fantasy_league_id'] === undefined)
    throw new ConfigError(
      'mapping.where',
      `mapping ${name}: game weeks are remembered by fantasy league, and where names none`,
      { ...place, next: 'add fantasy_league_id to where' },
    );
  return { ...mapping, weeks, detail: detail || pullTarget(resource)?.hasDetail === true };
}

const notByWeek = ({ name, resource }: PullMapping, flag: string): UsageError =>
  new UsageError(
    flag === '--offline' ? 'usage.offline' : 'usage.weeks',
    `mapping ${name}: ${flag} is for what is remembered by game week, and ${resource} is not`,
  );
