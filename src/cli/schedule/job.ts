import type { Interval } from './interval.ts';

/** A file as a scheduler wants it, by its name. */
export interface ScheduleFile {
  readonly name: string;
  readonly text: string;
}

/** A sync to be run again and again. Paths are absolute, but for those in `args`. */
export interface Job {
  /** The name of units, tasks and workflows: small letters, digits and hyphens. */
  readonly name: string;
  /** The Node that runs the program, and the program's file. */
  readonly node: string;
  readonly bin: string;
  /** The folder of the whole package. */
  readonly packageFolder: string;
  readonly version: string;
  /** The folder of the configuration. */
  readonly folder: string;
  /** The folder that holds state and runs, and here the log. */
  readonly stateFolder: string;
  /** Flags and names after `sync`; paths in them are relative to the folder, where every scheduler runs the command. */
  readonly args: readonly string[];
  /** The files that the memory of game weeks is exported to, one for each account, with the flags that choose it; none where nothing is kept. */
  readonly memories: readonly { readonly file: string; readonly args: readonly string[] }[];
  readonly interval: Interval;
  /** What runs is `schedule run` with the schedules of the mappings, not `sync` at the interval; for schedulers that start a container. */
  readonly ownSchedules: boolean;
  /** The account and group that own the folder, by number; undefined where that is root, or where accounts have no number. */
  readonly owner: { readonly user: number; readonly group: number } | undefined;
  /** The IANA time zone of the configuration, where a scheduler can be told one. */
  readonly timezone: string;
  /** Environment variables that the configuration takes secrets and addresses from. */
  readonly secrets: readonly string[];
  /** The key file of a Google service account below the configuration's folder, if there is one. */
  readonly googleKey: string | undefined;
}

/** The words of the command that is run. */
export function commandOf({ node, bin, args }: Job): readonly string[] {
  return [node, bin, 'sync', '--yes', '--no-color', '--no-progress', ...args];
}
