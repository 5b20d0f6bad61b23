import { runCli } from '../../support/cli.ts';
import { timed } from './measure.ts';

/** What a run of the built program took. Its own processor time says more than the wall time on a busy machine. */
export interface Cost {
  readonly wallS: number;
  readonly processorS: number;
  readonly peakMb: number;
}

/** Tells at the end of the process what it used. */
const PROBE = `--import=data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write('\\nused ' + (userCPUTime + systemCPUTime) + ' ' + maxRSS + '\\n'); });`,
)}`;

/** Runs the built program in a folder. Errors: one for any exit code but 0. */
export async function measured(args: readonly string[], cwd: string): Promise<Cost> {
  const [ms, { code, stdout, stderr }] = await timed(() =>
    runCli(args, { cwd, env: { KEY: 'bench' }, nodeArgs: [PROBE] }),
  );
  const [, micros, kilobytes] = /used (\d+) (\d+)/.exec(stderr) ?? [];
  if (code !== 0 || micros === undefined)
    throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}${stdout}`);
  return { wallS: ms / 1000, processorS: Number(micros) / 1e6, peakMb: Number(kilobytes) / 1024 };
}

/** The run in the middle by processor time. */
export function middle(costs: readonly Cost[]): Cost {
  const sorted = costs.toSorted((one, other) => one.processorS - other.processorS);
  return sorted[sorted.length >> 1] ?? { wallS: NaN, processorS: NaN, peakMb: NaN };
}

export const told = ({ wallS, processorS, peakMb }: Cost): string =>
  `${wallS.toFixed(2)} s (processor ${processorS.toFixed(2)} s, peak ${peakMb.toFixed(0)} MB)`;
