import { defineCommand } from '../command.ts';
import { serveFlags } from '../flags.ts';
import { DEFAULT_PORT, serve } from '../serve.ts';
import { aborted } from '../signals.ts';

/** `dashboard`: pages on loopback that show what the state holds, until a signal. The service is asked nothing. */
export const dashboard = defineCommand({
  options: serveFlags,
  positionals: {},
  examples: [
    ['dashboard', 'print a link to the pages of this folder, and serve them until Ctrl-C'],
    ['dashboard --port 0', 'the same on any free port'],
    ['dashboard --probe 127.0.0.1:8791', '/healthz and /metrics beside it'],
  ],
  run: async ({ port = DEFAULT_PORT, probe, ...args }, program) => {
    const { screen, signal } = program;
    const serving = await serve({ port, probe }, args, program);
    try {
      const { link, probe: probed } = serving;
      const document = { command: 'dashboard', link, probe: probed ?? null };
      await screen.data(screen.json ? JSON.stringify(document) : (link ?? ''));
      screen.say('open the link; it is for you alone. Ctrl-C ends it');
      if (probed !== undefined) screen.say(`probe: ${probed}/healthz and ${probed}/metrics`);
      return await aborted(signal);
    } finally {
      await serving.close();
    }
  },
});
