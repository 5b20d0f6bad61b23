import type { Letter } from '../../model/state/alerts.ts';
import { ConfigError, EXIT, type ExitCode } from '../../model/error.ts';
import { addressesOf } from '../../runtime/config/alert-addresses.ts';
import { readConfig } from '../../runtime/config/config.ts';
import { environmentOf } from '../../runtime/config/connection.ts';
import { withState } from '../../runtime/state.ts';
import { sendWaiting, testAddresses, type AlertDesk } from '../../runtime/tell-alerts.ts';
import { defineCommand } from '../command.ts';
import type { Program } from '../program.ts';
import { renderAddresses, renderAlerts, renderTests, type AlertsHeld } from '../render/alerts.ts';

/** How many alerts are shown that went out or were given up. */
const LIST_LENGTH = 20;

/** `alerts`: the state of each mapping that runs by itself, and what waits in the outbox, which is sent; `alerts test`: one to each address. */
export const alerts = defineCommand({
  options: {},
  positionals: {
    action: { type: 'string', choices: ['test'], describe: 'test: send one to each address' },
  },
  examples: [
    ['alerts', 'the state of each mapping, and the last alerts'],
    ['alerts test', 'send one to each address, and show what came back'],
  ],
  run: async (args, program) => {
    const { clock, signal, screen } = program;
    const config = readConfig(args, program);
    for (const warning of config.warnings) screen.warn(warning);
    const desk: AlertDesk = { config, clock, signal, warn: screen.warn };
    if (args.action === 'test') return test(environmentOf(config), desk, program);
    const held = await withState(config, clock, screen.warn, async ({ store }) => {
      await sendWaiting({ ...desk, store }, 0);
      const states = await store.alerts.states();
      const waiting = await store.alerts.waiting();
      return { states, waiting, ended: await store.alerts.ended(args.limit ?? LIST_LENGTH) };
    });
    const view = { style: screen.dataStyle, timezone: config.timezone };
    const text = `${renderAddresses(addressesOf(config))}\n\n${renderAlerts(held, view)}`;
    await screen.data(screen.json ? JSON.stringify(listDocument(held)) : text);
    return EXIT.done;
  },
});

async function test(environment: string, desk: AlertDesk, { screen, signal }: Program): Promise<ExitCode> {
  if (desk.config.alerts.length === 0)
    throw new ConfigError('alerts.none', 'teamsheet.yaml names nobody to be told', {
      next: 'write alerts: [{ webhook: { env: ALERT_URL } }] into teamsheet.yaml, and the address into .env',
    });
  const results = await testAddresses(environment, desk);
  signal.throwIfAborted();
  const exitCode = results.every(({ ok }) => ok) ? EXIT.done : EXIT.incomplete;
  const document = { command: 'alerts test', exit_code: exitCode, addresses: results };
  await screen.data(screen.json ? JSON.stringify(document) : renderTests(results, screen.dataStyle));
  return exitCode;
}

function listDocument({ states, waiting, ended }: AlertsHeld): object {
  return {
    command: 'alerts',
    exit_code: EXIT.done,
    mappings: states.map(
      ({ environment, league, mapping, state, sinceMs, ranAtMs, run, exitCode, counts }) => ({
        ...{ environment, league, mapping, state, since: timeOf(sinceMs), last_run: timeOf(ranAtMs) },
        ...{ run, exit_code: exitCode, counts },
      }),
    ),
    waiting: waiting.map((letter) => ({ ...letterDocument(letter), next_try: timeOf(letter.nextTryMs) })),
    ended: ended.map((letter) => ({ ...letterDocument(letter), end: letter.end })),
  };
}

function letterDocument({ to, alert, createdAtMs, tries, last }: Letter): object {
  const { event, environment, league, mapping, message } = alert;
  return {
    ...{ to, event, environment, league, mapping, message, created_at: timeOf(createdAtMs), tries },
    last_try: last && { at: timeOf(last.atMs), status: last.status, fault: last.fault },
  };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
