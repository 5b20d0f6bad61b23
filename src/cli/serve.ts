import { readConfig } from '../runtime/config/config.ts';
import { serveDashboard } from '../serve/dashboard.ts';
import type { Folder } from '../serve/desk.ts';
import type { Listening } from '../serve/listen.ts';
import { serveProbe, type ProbeAddress } from '../serve/probe.ts';
import type { CommonArgs } from './command.ts';
import type { Program } from './program.ts';
import { renderNext } from './render/stop.ts';

/** The port of the pages where nobody names one. */
export const DEFAULT_PORT = 8790;

/** What is to be served; what is left out is not. */
export interface Wanted {
  readonly port?: number | undefined;
  readonly probe?: ProbeAddress | undefined;
  /** Whether what is to go on goes on. */
  readonly isAlive?: () => boolean;
}

/** What listens. */
export interface Serving {
  /** The address of the pages with its token. */
  readonly link: string | undefined;
  /** The address of the probe. */
  readonly probe: string | undefined;
  close(): Promise<void>;
}

/** Serves the pages and the probe of a configuration. Errors: those of the configuration; UnavailableError `serve.listen`. */
export async function serve(
  { port, probe, isAlive = () => true }: Wanted,
  args: CommonArgs,
  program: Program,
): Promise<Serving> {
  const { env, cwd, clock, screen, version, command = '' } = program;
  const folder: Folder = {
    readConfig: () => readConfig(args, { env, cwd }),
    cwd,
    clock,
    warn: screen.warn,
    renderNext: (next) => renderNext(next, program),
  };
  const open: Listening[] = [];
  const close = async (): Promise<void> => {
    for (const each of open) await each.close();
  };
  try {
    const typed = { dashboard: command, worker: 'worker --port 8790' }[command] ?? 'schedule run --port 8790';
    const pages = port === undefined ? undefined : await serveDashboard(folder, port, typed);
    if (pages !== undefined) open.push(pages);
    const probed = probe && (await serveProbe(probe, { folder, version, isAlive }));
    if (probed !== undefined) open.push(probed);
    return { link: pages?.link, probe: probed?.origin, close };
  } catch (error) {
    await close();
    throw error;
  }
}
