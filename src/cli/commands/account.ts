import { EXIT } from '../../model/error.ts';
import { defineCommand } from '../command.ts';
import { serviceFlags } from '../flags.ts';
import { renderAccount } from '../render/account.ts';
import { withSession } from '../session.ts';

/** `account`: one call; the record as JSON, or as bars. */
export const account = defineCommand({
  options: serviceFlags,
  positionals: {},
  examples: [
    ['account', 'tier, windows and quotas as bars'],
    ['account --json', 'the account record as the service gives it'],
  ],
  run: (args, program) =>
    withSession(args, program, async ({ ports, config }) => {
      const record = await ports.service.account();
      const { screen, clock } = program;
      const view = { style: screen.dataStyle, nowMs: clock.now(), timezone: config.timezone };
      await screen.data(screen.json ? JSON.stringify(record) : renderAccount(record, view));
      return EXIT.done;
    }),
});
