import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BIN } from '../../support/cli.ts';

/** What a process and those that it started took. Its own processor time says more than the wall time on a busy machine. */
export interface Cost {
  readonly wallS: number;
  readonly processorS: number;
  /** The peaks of all its processes together: at least what they took at one moment. */
  readonly peakMb: number;
}

/** Each process of Node tells at its end what it used. */
const PROBE = `--import=data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write('\\nused ' + (userCPUTime + systemCPUTime) + ' ' + maxRSS + '\\n'); });`,
)}`;

/** Runs a program of Node in a folder. Errors: one for any exit code but 0. */
export async function measuredNode(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Cost & { readonly stdout: string }> {
  const beganMs = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: cwd, NODE_OPTIONS: PROBE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  const wallS = (performance.now() - beganMs) / 1000;
  const used = [...stderr.matchAll(/used (\d+) (\d+)/g)];
  if (code !== 0 || used.length === 0)
    throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}${stdout}`);
  const sum = (at: number): number => used.reduce((all, found) => all + Number(found[at]), 0);
  return { wallS, processorS: sum(1) / 1e6, peakMb: sum(2) / 1024, stdout };
}

/** Runs the built program in a folder. Errors: one for any exit code but 0. */
export const measured = (args: readonly string[], cwd: string): Promise<Cost> =>
  measuredNode([BIN, ...args], cwd, { KEY: 'bench' });

/** The run in the middle by processor time. */
export function middle(costs: readonly Cost[]): Cost {
  const sorted = costs.toSorted((one, other) => one.processorS - other.processorS);
  return sorted[sorted.length >> 1] ?? { wallS: NaN, processorS: NaN, peakMb: NaN };
}

export const told = ({ wallS, processorS, peakMb }: Cost): string =>
  `${wallS.toFixed(2)} s (processor ${processorS.toFixed(2)} s, peak ${peakMb.toFixed(0)} MB)`;
