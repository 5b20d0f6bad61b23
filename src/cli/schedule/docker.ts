import { containerCommand, IMAGE_USER, imageOf, inContainer, LEAGUE, script, yamlOf } from './container.ts';
import { clockTime, renderInterval, type Interval } from './interval.ts';
import type { Job, ScheduleFile } from './job.ts';
import { dollarsDoubled, quoteSh, refuseControl } from './quote.ts';

/**
 * A compose file: one container of the image, which is built from the program of this machine. It carries out the schedules of the mappings, or syncs, waits and
 * syncs again, so that nothing overlaps. The state lives in a named volume, which a container of a moment gives to the account that runs.
 */
export function renderDocker(job: Job): readonly ScheduleFile[] {
  const { name, folder, packageFolder, stateFolder, interval, timezone, ownSchedules } = job;
  const words = containerCommand(job, '127.0.0.1');
  const state = inContainer(stateFolder, folder);
  refuseControl([folder, packageFolder, state, ...words]);
  const { user, group } = job.owner ?? { user: IMAGE_USER, group: IMAGE_USER };
  const account = `${user}:${group}`;
  const image = imageOf(job);
  const stateVolume = { type: 'volume', source: 'state', target: dollarsDoubled(state) };
  const document = {
    name,
    services: {
      state: {
        image,
        build: { context: dollarsDoubled(packageFolder) },
        user: 'root',
        network_mode: 'none',
        healthcheck: { disable: true },
        volumes: [stateVolume],
        command: ['chown', account, dollarsDoubled(state)],
      },
      teamsheet: {
        image,
        depends_on: { state: { condition: 'service_completed_successfully' } },
        restart: 'unless-stopped',
        init: true,
        stop_grace_period: '2m',
        user: account,
        working_dir: LEAGUE,
        environment: { TZ: timezone },
        volumes: [{ type: 'bind', source: dollarsDoubled(folder), target: LEAGUE }, stateVolume],
        ...(ownSchedules
          ? { command: words.map(dollarsDoubled) }
          : {
              healthcheck: { disable: true },
              command: ['sh', '-c', script(loop(words, interval).map(dollarsDoubled))],
            }),
      },
    },
    volumes: { state: null },
  };
  const when = ownSchedules
    ? 'the schedules of the mappings'
    : `sync, once at the start and then ${renderInterval(interval)}, ${interval.kind === 'daily' ? timezone : 'UTC'}`;
  const compose = `docker compose -f ${name}.compose.yaml`;
  const text = `# teamsheet in ${folder}: ${when}.
# Install: ${compose} up --detach --build. Remove: the same with down; --volumes deletes the state too.
# The image is built from ${packageFolder}, by its Dockerfile. It runs as account ${account}, which must be able to read and write the folder.
# Nothing overlaps. The state is in the volume "state": while this runs, type other commands
# as ${compose} exec teamsheet teamsheet runs, so that they see the same state.
# The log: ${compose} logs. Keys stay in .env of the folder.
${yamlOf(document)}`;
  return [{ name: `${name}.compose.yaml`, text }];
}

/** Lines of a shell that sync, wait and sync again. */
function loop(words: readonly string[], interval: Interval): readonly string[] {
  return [
    `trap 'kill "$child"; wait "$child"; exit 143' TERM INT`,
    'while :; do',
    `  ${words.map(quoteSh).join(' ')} & child=$!`,
    '  wait "$child"',
    '  now=$(date +%s)',
    ...pause(interval),
    '  wait "$child"',
    'done',
  ];
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
