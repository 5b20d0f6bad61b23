import { resolve } from 'node:path';
import { EXIT, InterruptedError, UsageError } from '../../model/error.ts';
import { createSandbox, parseSetting } from '../../sandbox/index.ts';
import type { Settings } from '../../sandbox/index.ts';
import { defineCommand } from '../command.ts';
import { text } from '../flags.ts';

const DEFAULT_PORT = 8787;

/** `sandbox`: the whole service on 127.0.0.1 until a signal; one JSON line says where and with which key. */
export const sandbox = defineCommand({
  options: {
    port: {
      ...text('the port to listen on; 0 takes any free one'),
      default: String(DEFAULT_PORT),
      coerce: parsePort,
    },
    db: text('keep everything in this file; without it, in memory'),
    seed: { ...text('what a new database starts with'), choices: ['default', 'demo'] },
    now: text('the time at which the season clock starts, ISO 8601'),
    set: {
      type: 'string',
      array: true,
      requiresArg: true,
      default: [],
      defaultDescription: 'none',
      describe: 'switch=value, such as per_minute=60; may be repeated',
    },
  },
  positionals: { topic: { type: 'string', describe: 'profiles: list the profiles' } },
  examples: [
    ['sandbox --port 0 --seed demo', 'a season with users and squads on any free port'],
    ['sandbox --set per_minute=60 --set page_size=10', 'small windows and pages'],
  ],
  run: async ({ topic, port, db, seed, now, set }, program) => {
    const { screen, signal } = program;
    if (topic === 'profiles') {
      throw new UsageError(
        'usage.later',
        'sandbox profiles is not part of this version; --set sets one switch',
      );
    }
    if (topic !== undefined)
      throw new UsageError('usage.sandbox', `sandbox knows no "${topic}"; there is profiles`);
    const settings = set.reduce<Partial<Settings>>((all, one) => ({ ...all, ...parseSetting(one) }), {});
    const service = await createSandbox({
      settings,
      ...(db !== undefined && { db: resolve(program.cwd, db) }),
      ...(seed !== undefined && { seed }),
      ...(now !== undefined && { now }),
    });
    try {
      const { base_url } = await service.listen({ port });
      await screen.data(JSON.stringify({ base_url, api_key: service.apiKey }));
      screen.say('sandbox ready; Ctrl-C ends it');
      await aborted(signal);
    } finally {
      await service.close();
    }
    return signal.reason instanceof InterruptedError ? signal.reason.exitCode : EXIT.done;
  },
});

function parsePort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new UsageError('usage.port', `--port takes a number from 0 to 65535, not "${value}"`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
