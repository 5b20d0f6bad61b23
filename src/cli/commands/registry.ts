import type { Command } from '../command.ts';

interface Entry {
  /** Name and positionals as yargs writes them. */
  readonly usage: string;
  readonly summary: string;
  /** It may write to the service, or decide what became of a write: its gate stands in gates.ts. */
  readonly writes?: true;
  readonly load: () => Promise<Command>;
}

/** Every command in the order of its help; the file of a command is loaded when it is run. */
export const commands: Readonly<Record<string, Entry>> = {
  init: {
    usage: 'init [dir]',
    summary: 'Set up a folder: configuration, mappings, templates',
    load: async () => (await import('./init.ts')).init,
  },
  doctor: {
    usage: 'doctor',
    summary: 'Check configuration, key, budget and quotas, with the fix for each',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  validate: {
    usage: 'validate [mapping..]',
    summary: 'Check the sources without a request',
    load: async () => (await import('./validate.ts')).validate,
  },
  plan: {
    usage: 'plan [mapping..]',
    summary: 'Show what a push would do; only reads',
    load: async () => (await import('./plan.ts')).plan,
  },
  push: {
    usage: 'push [mapping..]',
    summary: 'Plan, ask, then write to the service',
    writes: true,
    load: async () => (await import('./push.ts')).push,
  },
  pull: {
    usage: 'pull [mapping..]',
    summary: 'Fetch from the service and write reports',
    load: async () => (await import('./pull.ts')).pull,
  },
  sync: {
    usage: 'sync [mapping..]',
    summary: 'Push, then pull',
    writes: true,
    load: async () => (await import('./sync.ts')).sync,
  },
  import: {
    usage: 'import <file>',
    summary: 'Push one file without a mapping',
    writes: true,
    load: async () => (await import('./import.ts')).importFile,
  },
  resume: {
    usage: 'resume [run]',
    summary: 'Continue an unfinished run',
    writes: true,
    load: async () => (await import('./resume.ts')).resume,
  },
  retry: {
    usage: 'retry [run]',
    summary: 'Send the rows that a run refused again',
    writes: true,
    load: async () => (await import('./retry.ts')).retry,
  },
  resolve: {
    usage: 'resolve [intent]',
    summary: 'Resolve unknown writes and conflicts',
    writes: true,
    load: async () => (await import('./resolve.ts')).resolve,
  },
  verify: {
    usage: 'verify [run]',
    summary: 'Read back what a run wrote; only reads',
    load: async () => (await import('./verify.ts')).verify,
  },
  runs: {
    usage: 'runs [run]',
    summary: 'Show the history or one run; runs prune removes old runs',
    load: async () => (await import('./runs.ts')).runs,
  },
  weeks: {
    usage: 'weeks [action] [target]',
    summary: 'Show the game weeks that are remembered; read, close, export, import, forget',
    load: async () => (await import('./weeks.ts')).weeks,
  },
  substitutions: {
    usage: 'substitutions <action>',
    summary: 'Process the automatic substitutions of a game week, once',
    writes: true,
    load: async () => (await import('./substitutions.ts')).substitutions,
  },
  whatif: {
    usage: 'whatif <what>',
    summary: 'Show what other points would have made of the game weeks that are kept',
    load: async () => (await import('./whatif.ts')).whatif,
  },
  publish: {
    usage: 'publish',
    summary: 'Write the league as a folder of pages for its members',
    load: async () => (await import('./publish.ts')).publish,
  },
  account: {
    usage: 'account',
    summary: 'Show the tier, the rate windows and the quotas',
    load: async () => (await import('./account.ts')).account,
  },
  auth: {
    usage: 'auth <action>',
    summary: 'Log in to Google with your own account, or show the login',
    load: async () => (await import('./auth.ts')).auth,
  },
  schedule: {
    usage: 'schedule <action> [target] [mapping..]',
    summary: 'Run mappings by their schedules, show what comes, or print files for a scheduler',
    load: async () => (await import('./schedule.ts')).schedule,
  },
  state: {
    usage: 'state <action>',
    summary: 'Copy the state into a database or a file',
    load: async () => (await import('./state.ts')).state,
  },
  worker: {
    usage: 'worker [action]',
    summary: 'Carry out the schedules together with other machines',
    load: async () => (await import('./worker.ts')).worker,
  },
  alerts: {
    usage: 'alerts [action]',
    summary: 'Show the state of each mapping and the alerts; alerts test sends one',
    load: async () => (await import('./alerts.ts')).alerts,
  },
  dashboard: {
    usage: 'dashboard',
    summary: 'Show runs, refused rows, budget, weeks and open cases as pages on this machine',
    load: async () => (await import('./dashboard.ts')).dashboard,
  },
  sandbox: {
    usage: 'sandbox [topic]',
    summary: 'Run the whole service on this machine',
    load: async () => (await import('./sandbox.ts')).sandbox,
  },
  api: {
    usage: 'api <operation>',
    summary: 'Send one raw request under the budget',
    writes: true,
    load: async () => (await import('./api.ts')).api,
  },
  schema: {
    usage: 'schema <name>',
    summary: 'Print the JSON Schema of mappings, configuration or a resource',
    load: async () => (await import('./schema.ts')).schema,
  },
  completion: {
    usage: 'completion <shell>',
    summary: 'Print the completion script of a shell: bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion,
  },
  demo: {
    usage: 'demo',
    summary: 'Show everything on a sandbox, with reports in out/',
    writes: true,
    load: async () => (await import('./demo.ts')).demo,
  },
};
