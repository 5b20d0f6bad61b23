import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/index.ts';
import { makeFolder, runCli, startService, type Outcome, type RunOptions, type Service } from './cli.ts';
import { runHere } from './run-here.ts';

type Folder = ReturnType<typeof makeFolder>;

/** What a command prints with `--json`, as far as most tests look at it. */
export interface Document {
  readonly run: string | null;
  readonly exit_code: number;
  readonly mappings: readonly Readonly<Record<string, unknown>>[];
  readonly requests: Readonly<Record<'planned' | 'sent', number>>;
  readonly error: { readonly code: string; readonly message: string; readonly next: string };
}

/** The built program in a folder of its own, beside a service of its own. */
export interface Program {
  /** The folder of the test that runs. */
  readonly folder: Folder;
  /** The service of the test that runs. */
  readonly service: Service;
  /** Starts another service in the place of the one that there is. */
  readonly start: (options?: SandboxOptions) => Promise<void>;
  readonly run: (...args: readonly string[]) => Promise<Outcome>;
  /** The same, with what becomes of the process. */
  readonly runWith: (options: Partial<RunOptions>, ...args: readonly string[]) => Promise<Outcome>;
  /** The document of a command with `--yes --json`, whose exit code it holds. */
  readonly json: (...args: readonly string[]) => Promise<Document>;
  /** The requests that were no reads. */
  readonly writes: () => readonly string[];
}

/** A configuration whose service the environment names, and that applies nothing later than `settle` after it was sent. */
export const settlesIn = (settle: string): string => `version: 1
environments:
  test: { base_url: "\${TEAMSHEET_BASE_URL}", api_key: { env: TEAMSHEET_API_KEY } }
push: { settle: ${settle} }
`;

/** A table of so many users, M1 and so on. */
export const manyUsers = (count: number): string =>
  `Member ID,Name,Active\n${Array.from({ length: count }, (_, at) => `M${at + 1},Member ${at + 1},\n`).join('')}`;

/**
 * Makes a folder with these files and a service for each test of a file, or for all of them; without options for the service, tests start it
 * themselves. With `here`, `run` and `json` run in the test's process; `runWith` never does.
 */
export function program(
  files: Readonly<Record<string, string>> = {},
  {
    once = false,
    here = false,
    service: options,
  }: { readonly once?: boolean; readonly here?: boolean; readonly service?: SandboxOptions } = {},
): Program {
  let folder: Folder;
  let service: Service | undefined;
  const running = (): Service => {
    if (service === undefined) throw new Error('no service was started');
    return service;
  };
  const start: Program['start'] = async (given) => {
    await service?.close();
    service = await startService(given);
  };
  (once ? beforeAll : beforeEach)(async () => {
    folder = makeFolder(files);
    if (options !== undefined) await start(options);
  });
  (once ? afterAll : afterEach)(async () => {
    await service?.close();
    service = undefined;
    folder.remove();
  });
  const place = (): Pick<RunOptions, 'cwd' | 'env'> => ({
    cwd: folder.path,
    ...(service !== undefined && { env: service.env }),
  });
  const runWith: Program['runWith'] = (more, ...args) => runCli(args, { ...place(), ...more });
  const run: Program['run'] = (...args) => (here ? runHere : runCli)(args, place());
  return {
    folder: {
      get path() {
        return folder.path;
      },
      write: (name, text) => folder.write(name, text),
      remove: () => folder.remove(),
    },
    service: {
      get baseUrl() {
        return running().baseUrl;
      },
      get apiKey() {
        return running().apiKey;
      },
      get requests() {
        return running().requests;
      },
      get sandbox() {
        return running().sandbox;
      },
      get env() {
        return running().env;
      },
      close: () => running().close(),
    },
    start,
    run,
    runWith,
    json: async (...args) => {
      const outcome = await run(...args, '--yes', '--json');
      const document = JSON.parse(outcome.stdout) as Document;
      expect(document.exit_code).toBe(outcome.code);
      return document;
    },
    writes: () => running().requests.filter((request) => !request.startsWith('GET ')),
  };
}
