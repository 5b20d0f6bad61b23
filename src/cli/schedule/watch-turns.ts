import type { RunnerPorts } from '../../schedule/runner.ts';

/** The loop looks at the mappings every minute at least, and sleeps half a minute more before a run. */
const LONGEST_SLEEP_MS = 3 * 60_000;

/** The same ports, and whether the loop still turns by them: it works at this moment, or has not slept longer than it ever does. */
export function watchTurns(ports: RunnerPorts): {
  readonly ports: RunnerPorts;
  readonly isTurning: () => boolean;
} {
  const { clock } = ports;
  let working = 0;
  let turnedAtMs = clock.monotonic();
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    working += 1;
    try {
      return await work;
    } finally {
      working -= 1;
      turnedAtMs = clock.monotonic();
    }
  };
  return {
    ports: {
      ...ports,
      look: (isDue) => watched(ports.look(isDue)),
      sync: (runs) => watched(ports.sync(runs)),
      read: (reading) => watched(ports.read(reading)),
    },
    isTurning: () => working > 0 || clock.monotonic() - turnedAtMs < LONGEST_SLEEP_MS,
  };
}
