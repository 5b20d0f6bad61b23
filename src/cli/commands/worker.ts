import { defineCommand } from '../command.ts';
import { serveFlags, serviceFlags, text, texts, wholeNumber, yes } from '../flags.ts';
import { runWorker } from '../worker/run.ts';
import { showWorkers } from '../worker/status.ts';

/** `worker`: carries out the schedules of the mappings together with the workers of other machines, on a state that they share. */
export const worker = defineCommand({
  options: {
    ...serviceFlags,
    ...serveFlags,
    account: texts('only the account of this environment; repeatable'),
    concurrency: {
      ...text('work on so many accounts at a time; without it 1'),
      coerce: wholeNumber('concurrency', 1),
    },
    once: yes('what is due now (the first time everything with a schedule), then end'),
    host: text('what this host is called, also when it starts again; one worker at a time has a name'),
  },
  positionals: {
    action: {
      type: 'string',
      choices: ['status'],
      describe: 'status: the workers, who writes, and the jobs',
    },
  },
  examples: [
    ['worker', 'carry out the schedules until Ctrl-C, beside the workers of other machines'],
    ['worker --probe 0.0.0.0:8791', 'the same in a container, with /healthz and /metrics'],
    ['worker --account club --account academy', 'only for two of the accounts'],
    ['worker status', 'which machines are there, who writes to which account, and what waits'],
    ['worker --once', 'what is due now, then end'],
  ],
  run: ({ concurrency = 1, action, ...args }, program) =>
    action === 'status' ? showWorkers(args, program) : runWorker({ ...args, concurrency }, program),
});
