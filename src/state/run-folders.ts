import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { InternalError } from '../model/error.ts';
import type { StrayRun } from '../model/state/store.ts';
import { makePrivateFolder } from './private-files.ts';
import { attempt } from './storage-error.ts';

const RUN_ID = /^[\w-]+$/;

/** The folders of runs, one beside the other. Errors: UnavailableError `state.unwritable`; InternalError `state.run_id`. */
export class RunFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Where the folder of a run is, or would be. */
  of(runId: string): string {
    // An id that came from a command line must not lead out of the folder.
    if (!RUN_ID.test(runId)) {
      throw new InternalError('state.run_id', `"${runId}" is not a run's id`);
    }
    return join(this.#root, runId);
  }

  /** The folder of a run, created when it is missing. */
  async make(runId: string): Promise<string> {
    const folder = this.of(runId);
    return attempt(folder, () => {
      makePrivateFolder(folder);
      return folder;
    });
  }

  async remove(runId: string): Promise<void> {
    const folder = this.of(runId);
    return attempt(folder, () => {
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** Folders of all runs but those that are `known`. */
  others(known: ReadonlySet<string>): Promise<readonly StrayRun[]> {
    return attempt(this.#root, () => {
      if (!existsSync(this.#root)) return [];
      return readdirSync(this.#root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && RUN_ID.test(entry.name) && !known.has(entry.name))
        .map(({ name }) => ({ id: name, changedAtMs: lastChange(join(this.#root, name)) }));
    });
  }
}

/** When a folder or a file in it last changed. */
function lastChange(folder: string): number {
  const files = readdirSync(folder).map((name) => join(folder, name));
  return Math.max(
    ...[folder, ...files].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}
