import { renderCountOf } from '../../model/count.ts';
import { EXIT, UsageError } from '../../model/error.ts';
import { readConfig } from '../../runtime/config/config.ts';
import { copyStateTo } from '../../runtime/copy-state.ts';
import { holdsPassword, shownPlace } from '../../runtime/config/state-place.ts';
import { defineCommand } from '../command.ts';
import { text } from '../flags.ts';
import { safeText } from '../render/text.ts';

/** `state copy`: carries the state from a file into a database, or back. */
export const state = defineCommand({
  options: {
    to: { ...text('the file, or the address of the database, that is to hold the copy'), demandOption: true },
  },
  positionals: {
    action: {
      type: 'string',
      choices: ['copy'],
      demandOption: true,
      describe: 'copy: all that the state holds, where there is none yet',
    },
  },
  examples: [
    ['state copy --to postgres://teamsheet@db.example/teamsheet', 'from a state file to several machines'],
    ['state copy --to .teamsheet/state.sqlite', 'and back'],
  ],
  run: async ({ to, ...args }, program) => {
    const { screen, clock } = program;
    if (holdsPassword(to))
      throw new UsageError(
        'usage.password',
        'everybody on this machine can read a password that is typed as a flag',
        {
          next: 'set PGPASSWORD or PGPASSFILE, and leave the password out of --to',
        },
      );
    const target = readConfig({ ...args, state: to }, program);
    const copied = await copyStateTo(readConfig(args, program), target, clock, screen.warn);
    const place = safeText(shownPlace(target.state));
    const what = [
      renderCountOf(copied.run, 'run'),
      renderCountOf(copied.run_row, 'row'),
      renderCountOf(copied.intent, 'write'),
      renderCountOf(copied.snapshot, 'known record'),
      renderCountOf(copied.kept, 'reading'),
    ];
    await screen.data(
      screen.json
        ? JSON.stringify({ command: 'state', exit_code: EXIT.done, to: place, copied })
        : `copied to ${place}, and compared: ${what.join(', ')}`,
    );
    screen.say('name it in "state:" of teamsheet.yaml now, and use the old one no more');
    return EXIT.done;
  },
});
