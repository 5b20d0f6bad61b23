import { renderCountOf } from '../model/count.ts';
import { EXIT, type ExitCode } from '../model/error.ts';
import { planPrune, prune, type PruneOptions, type PrunePlan } from '../sync/prune.ts';
import { approve } from './push/approval.ts';
import type { Config } from '../runtime/config/config.ts';
import type { Program } from './program.ts';
import { renderTime } from '../model/time/render-time.ts';
import type { OpenState } from '../runtime/state.ts';

/** `runs prune`: shows which finished runs are old, asks once, and removes them with their results. Never needs the service. */
export async function pruneRuns(
  { store, lock }: OpenState,
  config: Config,
  options: PruneOptions,
  yes: boolean | undefined,
  program: Program,
): Promise<ExitCode> {
  const { screen, clock } = program;
  const plan = await planPrune({ store, clock }, options);
  const some = plan.runs.length + plan.folders.length > 0;
  if (some) {
    const shown = describe(plan, config.timezone);
    const question = `Remove ${whatGoes(plan)}?`;
    await approve({ shown, question, nothing: 'nothing was removed' }, yes, program);
    await prune({ store, lock }, plan);
  }
  const document = {
    command: 'runs prune',
    exit_code: EXIT.done,
    removed: plan.runs.map(({ id }) => id),
    folders: plan.folders.map(({ id }) => id),
    kept: plan.kept,
    needed: plan.needed.map(({ id }) => id),
  };
  const kept = renderCountOf(plan.kept, 'run stays', 'runs stay');
  const text = some ? `removed ${whatGoes(plan)}; ${kept}` : `nothing to remove; ${kept}`;
  await screen.data(screen.json ? JSON.stringify(document) : text);
  return EXIT.done;
}

function whatGoes({ runs, folders }: PrunePlan): string {
  return [
    ...(runs.length > 0
      ? [renderCountOf(runs.length, 'run with its results', 'runs with their results')]
      : []),
    ...(folders.length > 0
      ? [renderCountOf(folders.length, 'folder of an interrupted command', 'folders of interrupted commands')]
      : []),
  ].join(' and ');
}

function describe(plan: PrunePlan, timezone: string): string {
  const { runs, needed } = plan;
  const [oldest, newest] = [runs[0], runs.at(-1)];
  const span =
    oldest === undefined || newest === undefined
      ? []
      : [
          `  the oldest is ${oldest.id} of ${renderTime(oldest.startedAtMs, timezone)}, the newest ${newest.id} of ${renderTime(newest.startedAtMs, timezone)}`,
        ];
  const stays = needed.map(({ id, finished }) => `${id} (${finished ? 'resolve' : 'resume'})`).slice(0, 5);
  const old = renderCountOf(
    needed.length,
    'old run stays, because something of it is open',
    'old runs stay, because something of them is open',
  );
  return [
    `${whatGoes(plan)} would be removed; the service and the memory of what it holds stay as they are`,
    ...span,
    ...(needed.length > 0 ? [`  ${old}: ${stays.join(', ')}`] : []),
  ].join('\n');
}
