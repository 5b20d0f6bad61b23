import { resolve } from 'node:path';
import { EXIT, UsageError } from '../../model/error.ts';
import {
  createSandbox,
  parseSetting,
  profileSettings,
  type Sandbox,
  type Settings,
} from '../../sandbox/index.ts';
import { defineCommand } from '../command.ts';
import { portNumber, text, texts } from '../flags.ts';
import { readFaults } from '../sandbox/faults-file.ts';
import { profilesAsData, profilesAsText } from '../sandbox/profiles.ts';
import { openRequestLog } from '../sandbox/request-log.ts';
import { aborted } from '../signals.ts';

const DEFAULT_PORT = 8787;

/** `sandbox`: the whole service on 127.0.0.1 until a signal; one JSON line says where and with which keys. `sandbox profiles` lists what it can be. */
export const sandbox = defineCommand({
  options: {
    port: {
      ...text('the port to listen on; 0 takes any free one'),
      default: String(DEFAULT_PORT),
      coerce: portNumber,
    },
    db: text('keep everything in this file; without it, in memory'),
    seed: { ...text('what a new database starts with: default or demo'), choices: ['default', 'demo'] },
    now: text('the time at which its clock starts, ISO 8601'),
    profile: text('a named set of switches; sandbox profiles lists them'),
    set: texts('switch=value, such as per_minute=60; may be repeated'),
    faults: text('a YAML or JSON file of what goes wrong'),
    log: text('append a JSON line for each request to this file; --verbose shows them'),
  },
  positionals: { topic: { type: 'string', describe: 'profiles: list profiles and switches' } },
  examples: [
    ['sandbox --port 0 --seed demo', 'a season with users and squads on any free port'],
    ['sandbox --set per_minute=60 --set page_size=10', 'small windows and pages'],
    ['sandbox --profile lagging', 'a service whose lists come late'],
    ['sandbox profiles', 'list profiles and switches'],
  ],
  run: async (
    { topic, port, db, seed, now, profile, set, faults, log },
    { screen, signal, cwd, interactive },
  ) => {
    if (topic === 'profiles') {
      await screen.data(screen.json ? JSON.stringify(profilesAsData(), null, 2) : profilesAsText());
      return EXIT.done;
    }
    if (topic !== undefined)
      throw new UsageError('usage.sandbox', `sandbox knows no "${topic}"; there is profiles`);
    const settings = set.reduce<Partial<Settings>>(
      (all, one) => ({ ...all, ...parseSetting(one) }),
      profile === undefined ? {} : profileSettings(profile),
    );
    const fromFile = faults === undefined ? [] : readFaults(resolve(cwd, faults));
    const requests = openRequestLog(log === undefined ? undefined : resolve(cwd, log), screen);
    try {
      const service = await createSandbox({
        port,
        settings,
        faults: fromFile,
        ...(db !== undefined && { db: resolve(cwd, db) }),
        ...(seed !== undefined && { seed }),
        ...(now !== undefined && { now }),
        ...(requests.write !== undefined && { onAnswer: requests.write }),
      });
      try {
        const ready = readyLine(service);
        await screen.data(JSON.stringify(ready));
        screen.say('sandbox ready; Ctrl-C ends it');
        if (interactive) screen.say(`to look at it: ${ready.base_url}/`);
        return await aborted(signal);
      } finally {
        await service.close();
      }
    } finally {
      requests.close();
    }
  },
});

/** Listens, and says where and with which keys; `accounts` only where there are several. */
function readyLine(service: Sandbox) {
  const { baseUrl: base_url, apiKey: api_key, controlKey: control_key, accounts } = service;
  return { base_url, api_key, control_key, ...(accounts.length > 1 && { accounts }) };
}
