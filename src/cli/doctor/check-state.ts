import { EXIT } from '../../model/error.ts';
import type { Config } from '../../runtime/config/config.ts';
import { lookAtState } from '../../runtime/state.ts';
import { CLOCK_TOLERANCE_MS } from '../../state/postgres/clock-off.ts';
import { shownPlace } from '../../runtime/config/state-place.ts';
import { attempt, good, type Finding } from './finding.ts';
import type { Program } from '../program.ts';
import { renderDuration } from '../render/text.ts';

/** What a state on a database needs: an answer, rights, tables of a version that this teamsheet knows, and a clock that agrees. A state file is looked at when it is opened. */
export async function* checkState(config: Config, program: Program): AsyncGenerator<Finding> {
  const { state } = config;
  if (state.kind === 'file') return;
  const look = await attempt('state', program, () => lookAtState(state, config, program.clock));
  if ('level' in look) {
    yield look;
    return;
  }
  const { version, format, newest, refused, clockOffMs } = look;
  const shown = `${shownPlace(state)}: PostgreSQL ${version}`;
  if (refused.length > 0)
    yield {
      level: 'bad',
      name: 'state',
      found: `${shown}; the user may not use ${refused.join(', ')}`,
      fix: 'give the user the rights that docs/postgresql.md shows',
      exitCode: EXIT.config,
    };
  else if (format > newest)
    yield {
      level: 'bad',
      name: 'state',
      found: `${shown}, of format ${format}; this teamsheet knows ${newest}`,
      fix: 'install the newest teamsheet',
      exitCode: EXIT.config,
    };
  else yield good('state', `${shown}, ${formatText(format, newest)}`);
  if (clockOffMs > CLOCK_TOLERANCE_MS)
    yield {
      level: 'bad',
      name: 'clock',
      found: `is ${renderDuration(clockOffMs)} off that of the state's database`,
      fix: 'set the clock of this machine or of the database; until then nothing is written from here',
      exitCode: EXIT.stopped,
    };
}

function formatText(format: number, newest: number): string {
  if (format === 0) return 'no tables yet: the first command makes them';
  return format === newest ? `format ${format}` : `format ${format}: the next command brings it to ${newest}`;
}
