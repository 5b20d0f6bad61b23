import { isAbsolute, posix, relative, sep } from 'node:path';
import { clockTime, renderInterval, type Interval } from './interval.ts';
import type { Job, ScheduleFile } from './job.ts';
import { quoteCompose, quoteSh, quoteYaml, refuseControl } from './quote.ts';

/** Where the folders of this machine stand in the container. */
const LEAGUE = '/league';
const PROGRAM = '/opt/teamsheet';

/**
 * A compose file: one container that syncs, waits and syncs again, so that nothing overlaps. The state lives in a named volume; the container is given
 * the folder and the program of this machine.
 */
export function renderDocker(job: Job): readonly ScheduleFile[] {
  const { name, folder, packageFolder, bin, stateFolder, interval, timezone } = job;
  const inside = (word: string): string =>
    moved(word, folder, LEAGUE) ?? moved(word, packageFolder, PROGRAM) ?? word;
  const words = ['node', inside(bin), 'sync', '--yes', '--no-color', '--no-progress', ...job.args];
  const state = inside(stateFolder);
  refuseControl([folder, packageFolder, state, ...words]);
  const script = [
    `trap 'kill "$child"; wait "$child"; exit 143' TERM INT`,
    'while :; do',
    `  ${words.map(quoteSh).join(' ')} & child=$!`,
    '  wait "$child"',
    '  now=$(date +%s)',
    ...pause(interval),
    '  wait "$child"',
    'done',
  ];
  const text = `# teamsheet: sync of ${folder}, once at the start and then ${renderInterval(interval)}, ${interval.kind === 'daily' ? timezone : 'UTC'}.
# Install: docker compose -f ${name}.compose.yaml up --detach. Remove: the same with down; --volumes deletes the state too.
# One container runs one sync after the other, so none overlap. The state is in the volume "state": while this runs, type other commands
# as docker compose -f ${name}.compose.yaml exec teamsheet node ${quoteSh(inside(bin))} runs, so that they see the same state.
# The log: docker compose -f ${name}.compose.yaml logs. Keys stay in .env of the folder.
name: ${name}

services:
  teamsheet:
    image: node:24-slim
    restart: unless-stopped
    init: true
    stop_grace_period: 2m
    working_dir: ${LEAGUE}
    environment:
      TZ: ${quoteYaml(timezone)}
    volumes:
      - type: bind
        source: ${quoteCompose(folder)}
        target: ${LEAGUE}
      - type: bind
        source: ${quoteCompose(packageFolder)}
        target: ${PROGRAM}
        read_only: true
      - type: volume
        source: state
        target: ${quoteCompose(state)}
    command:
      - sh
      - -c
      - |
${script.map((line) => `        ${line.replaceAll('$', '$$$$')}`).join('\n')}

volumes:
  state:
`;
  return [{ name: `${name}.compose.yaml`, text }];
}

/** A path below `from` as it is called below `to`; undefined for anything else. */
function moved(path: string, from: string, to: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  const way = relative(from, path);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined;
  return posix.join(to, way.split(sep).join('/'));
}

/** Shell lines that sleep, as the child, until the next run is due. */
function pause(interval: Interval): readonly string[] {
  if (interval.kind !== 'daily') {
    const seconds = interval.every * (interval.kind === 'minutes' ? 60 : 3600);
    return [`  sleep $((${seconds} - now % ${seconds})) & child=$!`];
  }
  const time = clockTime(interval);
  return [
    `  next=$(date -d 'today ${time}' +%s)`,
    `  [ "$next" -gt "$now" ] || next=$(date -d 'tomorrow ${time}' +%s)`,
    '  sleep $((next - now)) & child=$!',
  ];
}
