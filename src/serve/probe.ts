import type { IncomingMessage } from 'node:http';
import type { Config } from '../runtime/config/config.ts';
import { withState, type OpenState } from '../runtime/state.ts';
import { withDesk, type Folder } from './desk.ts';
import { listen, type Answer, type Listening } from './listen.ts';
import { renderMetrics } from './metrics.ts';
import { readOverview } from './overview.ts';

/** Where a probe listens. */
export interface ProbeAddress {
  readonly host: string;
  readonly port: number;
}

/** What a probe tells of. */
export interface Probed {
  readonly folder: Folder;
  readonly version: string;
  /** Whether what is to go on goes on, such as the loop of schedules. */
  readonly isAlive: () => boolean;
}

/**
 * Serves `/healthz` and `/metrics` alone, to everybody who reaches the address; neither names a person. Errors: those of the configuration;
 * UnavailableError `serve.listen`.
 */
export async function serveProbe(address: ProbeAddress, probed: Probed): Promise<Listening> {
  const config = probed.folder.readConfig();
  return listen({ ...address, flag: '--probe' }, async (request) => {
    switch (pathOf(request)) {
      case '/healthz':
        return (await isHealthy(probed, config)) ? plain(200, 'ok\n') : plain(503, 'not ok\n');
      case '/metrics':
        return metrics(probed);
      default:
        return plain(404, 'only /healthz and /metrics\n');
    }
  });
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

const plain = (status: number, body: string, type = 'text/plain; charset=utf-8'): Answer => ({
  status,
  headers: { 'content-type': type },
  body,
});

/** Whether the state can be read, and what is to go on goes on. */
async function isHealthy({ folder, isAlive }: Probed, config: Config): Promise<boolean> {
  if (!isAlive()) return false;
  try {
    const read = ({ store }: OpenState): Promise<unknown> => store.runs(1);
    await withState(config, folder.clock, () => undefined, read);
    return true;
  } catch {
    // That is the answer; what is wrong is told by the commands, and by the pages.
    return false;
  }
}

async function metrics({ folder, version }: Probed): Promise<Answer> {
  try {
    const overview = await withDesk(folder, async (desk) => desk.withhold(await readOverview(desk)));
    return plain(200, renderMetrics(overview, version), 'text/plain; version=0.0.4; charset=utf-8');
  } catch (error) {
    folder.warn(`/metrics failed: ${error instanceof Error ? error.message : String(error)}`);
    return plain(503, 'the state or the configuration cannot be read\n');
  }
}
