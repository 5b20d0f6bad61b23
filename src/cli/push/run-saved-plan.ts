import { UsageError, type ExitCode } from '../../model/error.ts';
import { checkBeforePlanning, checkPlanned, pushSavedPlan } from '../../sync/push-saved-plan.ts';
import type { SavedPlan } from '../../plan/saved/read-saved-plan.ts';
import type { PlanOptions } from '../../plan/saved/push-plan.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { listMappingNames, readPushMappings } from '../../runtime/config/mappings.ts';
import { wholeAccount } from '../../runtime/config/leagues.ts';
import { readPlanFile } from './plan-file.ts';
import { renderTyped } from '../render/stop.ts';
import { askApproval, tellResult, type Work } from './run-push.ts';
import { showPlan } from './show-plan.ts';

/**
 * A saved plan has its mappings and its options: none may stand beside it.
 * Errors: UsageError `usage.plan`.
 */
export function refusePlanOptions(names: readonly string[], options: PlanOptions): void {
  const given = Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
    value === undefined || value === false || (Array.isArray(value) && value.length === 0)
      ? []
      : [flagOf(name)],
  );
  const [first] = [...names, ...given];
  if (first === undefined) return;
  throw new UsageError(
    'usage.plan',
    `--plan says what is pushed and how, so ${first} cannot be used with it`,
    { next: 'leave it out, or give it to plan --out FILE' },
  );
}

const flagOf = (option: string): string =>
  `--${option === 'allowGuards' ? 'allow-guard' : option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** `push --plan FILE`: writes exactly what the plan says, or with `--dry-run` only says whether it still holds. */
export async function runSavedPlan(file: string, dryRun: boolean, work: Work): Promise<ExitCode> {
  const { ports, program } = work;
  const saved = await readPlanFile(file, program);
  const { header } = saved;
  const mappings = mappingsOf(saved, work);
  const remake = renderTyped(header.typed);
  if (!dryRun)
    return tellResult(await pushSavedPlan(ports, saved, mappings, remake, askApproval(work)), work);
  await checkBeforePlanning(ports, saved, mappings, remake);
  return showPlan('push', mappings, header.options, work, {
    check: (planned) => checkPlanned(ports, saved, planned, remake),
  });
}

/** The mappings of a plan that there still are. Errors: those of {@link readPushMappings}. */
function mappingsOf({ header }: SavedPlan, { config, program }: Work): readonly PushMapping[] {
  const account = wholeAccount(config);
  const there = listMappingNames(account, program);
  const names = header.mappings.flatMap(({ name }) => (there.includes(name) ? [name] : []));
  return names.length === 0 ? [] : readPushMappings(account, names, program);
}
