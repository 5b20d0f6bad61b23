import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.ts';

export const BIN = join(import.meta.dirname, '../../dist/cli/bin.cjs');

export interface Outcome {
  /** Exit code; null when a signal killed the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with the process once it has written something that matches. */
  readonly when?: {
    readonly seen: RegExp;
    readonly act: (kill: (signal: NodeJS.Signals) => void, stdout: string, stderr: string) => void;
  };
  /** Called once the process runs, with what ends it. */
  readonly started?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Called again and again while the process runs, with what ends it. */
  readonly during?: (kill: (signal: NodeJS.Signals) => void) => void;
  /** Closes the reading end of standard output at once. */
  readonly closeStdout?: boolean;
  /** Another program than this test's own Node. */
  readonly node?: string;
  /** Another build than that of this checkout. */
  readonly bin?: string;
  readonly nodeArgs?: readonly string[];
}

/** Runs the built command line as a child process with nothing of this process's environment but the path. */
export function runCli(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const child = spawn(
    options.node ?? process.execPath,
    [...(options.nodeArgs ?? []), options.bin ?? BIN, ...args],
    {
      cwd: options.cwd,
      env: { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(options.cwd, '.xdg'), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal);
  options.started?.(kill);
  const { during } = options;
  // eslint-disable-next-line no-restricted-globals -- it ends with the process
  const looking = during === undefined ? undefined : setInterval(() => during(kill), 1);
  if (options.closeStdout === true) child.stdout.destroy();
  let stdout = '';
  let stderr = '';
  let acted = false;
  const look = (): void => {
    if (acted || options.when?.seen.test(stdout + stderr) !== true) return;
    acted = true;
    options.when.act(kill, stdout, stderr);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    look();
  });
  return new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  }).finally(() => clearInterval(looking));
}

/** Arguments of Node that have the program find no package of that name. */
export const without = (name: string): readonly string[] => [
  '--import',
  `data:text/javascript,import{registerHooks}from'node:module';registerHooks({resolve(name,context,next){if(name==='${name}')throw Object.assign(new Error('not found'),{code:'ERR_MODULE_NOT_FOUND'});return next(name,context)}})`,
];

/** For `during`: sends a signal to the process once something is so. */
export const signalOnce = (
  signal: NodeJS.Signals,
  isSo: () => boolean,
): NonNullable<RunOptions['during']> => {
  let sent = false;
  return (kill) => {
    if (sent || !isSo()) return;
    sent = true;
    kill(signal);
  };
};

/** A temporary folder with these files; `remove` deletes it. */
export function makeFolder(files: Readonly<Record<string, string>> = {}): {
  readonly path: string;
  readonly write: (name: string, text: string) => void;
  readonly remove: () => void;
} {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'teamsheet-e2e-')));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `GET /v1/user` and so on, in order. */
  readonly requests: string[];
  /** Environment variables that name the service. */
  readonly env: Readonly<Record<'TEAMSHEET_BASE_URL' | 'TEAMSHEET_API_KEY', string>>;
  /** For its operator's interface. */
  readonly sandbox: Sandbox;
  readonly close: () => Promise<void>;
}

/** A sandbox on a port of this machine that remembers what it was asked. */
export async function startService(options: SandboxOptions = {}): Promise<Service> {
  const sandbox = await createSandbox(options);
  const requests: string[] = [];
  sandbox.app.server.on('request', (request) =>
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`),
  );
  const { baseUrl } = sandbox;
  const { apiKey } = sandbox;
  return {
    baseUrl,
    apiKey,
    requests,
    sandbox,
    env: { TEAMSHEET_BASE_URL: baseUrl, TEAMSHEET_API_KEY: apiKey },
    close: () => sandbox.close(),
  };
}

/** An HTTP server that answers everything in one way; its address and a way to end it. */
export async function startServer(
  answer: RequestListener,
): Promise<{ readonly baseUrl: string; readonly close: () => Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { baseUrl: `http://127.0.0.1:${port}`, close };
}

/** Output with what differs from run to run replaced: run ids, addresses, times and durations. */
export function steady(text: string): string {
  return text
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, 'RUN')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'SERVICE')
    .replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+Z)?/g, 'TIME')
    .replace(/\b\d+(\.\d+)? (ms|s|min)\b/g, 'DURATION');
}

export const USERS_MAPPING = `version: 1
name: users
push: users
source: { csv: users.csv }
operation: upsert
columns:
  external_id: { from: Member ID, type: text, required: true }
  display_name: { from: Name, transform: [trim, squeeze] }
  is_active: { from: Active, true_values: [yes], false_values: [no], blank: omit }
`;
