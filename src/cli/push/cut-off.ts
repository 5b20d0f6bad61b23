import { renderCount, renderCountOf } from '../../model/count.ts';
import type { Run } from '../../model/state/store.ts';
import { leaguesOf } from '../../sync/journal/stored-run.ts';
import { cutOffRuns, type CutOff } from '../../sync/runs/crashed.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { Program } from '../program.ts';
import { renderTime } from '../../model/time/render-time.ts';
import type { OpenState } from '../../runtime/state.ts';

type Said = Pick<Program, 'name'>;

/**
 * One sentence on the newest run that was interrupted, such as by a power cut: what is done, what is not, and the next command. Undefined when there is none.
 * Errors: those of the state.
 */
export async function cutOffSentence(
  state: OpenState,
  config: Config,
  program: Said,
  fits: (run: Run) => boolean = () => true,
): Promise<string | undefined> {
  const [newest, ...others] = await cutOffRuns(state, fits);
  if (newest === undefined) return undefined;
  const more = renderCountOf(others.length, 'more run was', 'more runs were');
  const rest = others.length === 0 ? '' : ` (${more} interrupted: ${program.name} runs)`;
  return renderCutOff(newest, config.timezone, program) + rest;
}

/**
 * Says of a command that ends with an error what the run that it began or went on with came to, unless that was `said` before. Fails never: what stopped
 * the command is still to be told, and may be that the state cannot be read.
 */
export async function sayCutOff(
  sentence: () => Promise<string | undefined>,
  said: string | undefined,
  writes: number,
  { name, screen }: Pick<Program, 'name' | 'screen'>,
): Promise<void> {
  try {
    const now = await sentence();
    if (now !== undefined && now !== said) screen.warn(now);
  } catch (error) {
    if (writes === 0) return;
    const why = error instanceof Error ? error.message : String(error);
    screen.warn(`the progress of the run cannot be read now (${why}); correct that, then type: ${name} runs`);
  }
}

function renderCutOff(cut: CutOff, timezone: string, { name }: Said): string {
  const { overtaken, isLost } = cut;
  const { id, command, startedAtMs, phase } = cut.run;
  const leagues = leaguesOf(cut.run);
  const what = leagues.length === 0 ? command : `${command} of ${leagues.join(', ')}`;
  const was = `run ${id} (${what}, ${renderTime(startedAtMs, timezone)}) was interrupted`;
  if (command === 'api')
    return `${was}: nobody knows whether its request was applied; ${name} resolve ${cut.openIntent ?? ''} records what you know`;
  if (phase === 'planning') return `${was}: nothing was sent; ${name} resume ${id} plans it again`;
  if (isLost) return `${was} and its rows are lost; ${renderLoss(cut, name)}`;
  const progress = `${was}: ${renderProgress(cut)}`;
  if (overtaken.length === 0) return `${progress}; ${name} resume ${id} continues`;
  return `${progress}; ${name} push ${overtaken.join(' ')} reads the table again, as a later run has done, and ${name} resume ${id} looks for the others`;
}

function renderLoss({ openIntent, nextAfterLoss = '' }: CutOff, name: string): string {
  const does = openIntent === undefined ? 'sends what is left' : 'looks for what it sent';
  return `${name} ${nextAfterLoss} ${does}`;
}

function renderProgress({ rows, done, unclear }: CutOff): string {
  const left = rows - done - unclear;
  const are = (count: number): string => (count === 1 ? 'is' : 'are');
  const isDone = `${renderCount(done)} of ${renderCountOf(rows, 'row', 'rows')} ${are(done)} done`;
  if (unclear === 0) return `${isDone}, ${renderCount(left)} ${are(left)} not`;
  return `${isDone}, ${renderCount(left)} ${are(left)} not, ${renderCount(unclear)} ${are(unclear)} not known yet`;
}
