import { EXIT, UsageError } from '../../model/error.ts';
import type { Run } from '../../model/store.ts';
import { defineCommand } from '../command.ts';
import { readConfig } from '../config.ts';
import { renderRun, renderRuns } from '../render/runs.ts';
import { openState } from '../state.ts';

const LIST_LENGTH = 20;

/** `runs` and `runs RUN`: the history, newest first, or one run with what became of its rows. */
export const runs = defineCommand({
  options: {},
  positionals: { run: { type: 'string', describe: 'the id of one run' } },
  examples: [
    ['runs', 'the last runs'],
    ['runs 01J8Z…', 'one run: outcomes, requests, results files'],
  ],
  run: async ({ run: id, limit, ...args }, program) => {
    if (id === 'prune') throw new UsageError('usage.later', 'runs prune is not part of this version');
    const config = readConfig(args, program);
    const { screen } = program;
    const store = await openState(config, program);
    try {
      if (id === undefined) {
        const list = await store.runs(limit ?? LIST_LENGTH);
        const text = list.length === 0 ? 'no runs yet' : renderRuns(list, config.timezone, screen.dataStyle);
        await screen.data(
          screen.json ? JSON.stringify({ command: 'runs', exit_code: 0, runs: list.map(runDocument) }) : text,
        );
        return EXIT.done;
      }
      const run = await store.run(id);
      if (run === undefined) throw new UsageError('run.unknown', `there is no run ${id}`, { next: 'runs' });
      await screen.data(
        screen.json ? JSON.stringify(runDocument(run)) : renderRun(run, config.timezone, screen.dataStyle),
      );
      return EXIT.done;
    } finally {
      await store.close();
    }
  },
});

function runDocument(run: Run): object {
  return {
    run: run.id,
    command: run.command,
    exit_code: run.exitCode,
    started_at: new Date(run.startedAtMs).toISOString(),
    ended_at: run.endedAtMs === null ? null : new Date(run.endedAtMs).toISOString(),
    finished: run.finished,
    mappings: run.summaries,
    requests: run.requests,
  };
}
