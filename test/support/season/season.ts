import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PushMapping } from '../../../src/mapping/mapping.ts';
import type { Transport } from '../../../src/model/ports.ts';
import type { ResultFiles } from '../../../src/model/results.ts';
import type { ServiceAccount } from '../../../src/model/state/store.ts';
import type { Sandbox, Settings } from '../../../src/sandbox/index.ts';
import { RunFolders } from '../../../src/state/run-folders.ts';
import { push } from '../../../src/sync/push.ts';
import type { PushResult } from '../../../src/sync/push.ts';
import { resume } from '../../../src/sync/resume.ts';
import { planPush } from '../../../src/sync/plan/plan-sync.ts';
import type { SyncPorts } from '../../../src/sync/ports.ts';
import { createResultFiles } from '../../../src/tables/result-files.ts';
import { control } from '../control.ts';
import { PLAN_OPTIONS } from '../engine.ts';
import type { Engine } from '../engine.ts';
import type { PatientClock } from '../patient-clock.ts';
import { lastWeek, seasonMappings, thisWeek } from './tables.ts';
import type { MappingName } from './tables.ts';
import { clientOn, engineOn, openPatientSandbox } from '../sandbox-engine.ts';

const START_MS = Date.UTC(2026, 7, 14, 18, 0, 0);
const SERVICE = 'service.sqlite';
const STATE = 'state.sqlite';
export const SETTLE_MS = 120_000;
/** A file system in memory where there is one: a season makes hundreds of durable commits. */
const TEMPORARY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const makeFolder = (): Promise<string> => mkdtemp(path.join(TEMPORARY, 'teamsheet-season-'));

/** A service and a state as they are after last week's push and the first game week; every season begins with a copy of it. */
export interface Template {
  readonly folder: string;
  readonly weekId: string;
  readonly nowMs: number;
  readonly accountId: string;
  readonly regularUsers: number;
  /** Runs that its state knows. */
  readonly runs: number;
  remove(): Promise<void>;
}

/** Makes the state of a process something that can go wrong, or end. */
export type Disturb = (ports: SyncPorts) => SyncPorts;

/** A process on the season's state, with a client of its own. */
export interface Process {
  readonly engine: Engine;
  readonly ports: SyncPorts;
  push(): Promise<PushResult>;
  resume(): Promise<PushResult | undefined>;
  /** The writes that a push would make, by mapping. */
  plan(): Promise<Readonly<Record<string, number>>>;
}

/** One request on its way, as `Season.wire` sees it. */
type Wire = (next: Transport) => Transport;

interface SeasonOptions {
  readonly settings?: Partial<Settings>;
  readonly names?: readonly MappingName[];
  /** Rows of squads that are left out, by their member. */
  readonly without?: readonly string[];
}

/** A season in a folder of its own: the real service, a state that processes come and go on, and one clock that nobody waits for. */
export class Season {
  readonly folder: string;
  readonly template: Template;
  readonly clock: PatientClock;
  readonly sandbox: Sandbox;
  /** The service's own database, whatever it shows. */
  readonly database: DatabaseSync;
  readonly mappings: readonly PushMapping[];
  /** What every request passes. */
  wire: Wire = (next) => next;
  /** Mistakes of the sandbox itself: none. */
  readonly failures: readonly unknown[];
  readonly #engines: Engine[] = [];
  readonly #transport: Transport;
  readonly #without: readonly string[];

  constructor(parts: {
    readonly folder: string;
    readonly template: Template;
    readonly clock: PatientClock;
    readonly sandbox: Sandbox;
    readonly transport: Transport;
    readonly failures: readonly unknown[];
    readonly options: SeasonOptions;
  }) {
    this.folder = parts.folder;
    this.template = parts.template;
    this.clock = parts.clock;
    this.sandbox = parts.sandbox;
    this.failures = parts.failures;
    this.#transport = parts.transport;
    this.#without = parts.options.without ?? [];
    this.mappings = seasonMappings(parts.options.names);
    this.database = new DatabaseSync(path.join(parts.folder, SERVICE), { readOnly: true });
  }

  get account(): ServiceAccount {
    return { baseUrl: 'http://127.0.0.1:8787', accountId: this.template.accountId };
  }

  /** A new process on the state that the ones before left. */
  async start(disturb: Disturb = (ports) => ports): Promise<Process> {
    const transport: Transport = (request) => this.wire(this.#transport)(request);
    const engine = await engineOn(this.folder, this.clock);
    const service = clientOn(engine, { sandbox: this.sandbox, clock: this.clock, transport });
    this.#engines.push(engine);
    const { regularUsers, weekId } = this.template;
    for (const [name, lines] of thisWeek(regularUsers, weekId))
      engine.tables.set(
        name,
        name === 'squads.csv' ? lines.filter(([member = '']) => !this.#without.includes(member)) : lines,
      );
    const ports = disturb({
      ...engine.ports,
      service,
      clock: this.clock,
      settleMs: SETTLE_MS,
      concurrency: 2,
      results: keptResults(this.folder, engine),
    });
    return processOf(engine, ports, this.clock, this.mappings);
  }

  async close(): Promise<void> {
    this.database.close();
    await this.sandbox.close();
    for (const engine of this.#engines) await engine.store.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function processOf(
  engine: Engine,
  ports: SyncPorts,
  clock: PatientClock,
  mappings: readonly PushMapping[],
): Process {
  const approve = (): Promise<void> => Promise.resolve();
  const plan = async (): Promise<Readonly<Record<string, number>>> => {
    const planned = await planPush(ports, mappings, PLAN_OPTIONS);
    await planned.rows.remove();
    return Object.fromEntries(
      planned.mappings.map(({ mapping, writes, deactivated }) => [mapping.name, writes + deactivated]),
    );
  };
  return {
    engine,
    ports,
    push: () => clock.drive(push(ports, 'push', mappings, PLAN_OPTIONS, approve)),
    resume: () => clock.drive(resume(ports, undefined, approve)),
    plan: () => clock.drive(plan()),
  };
}

/** Results in the run's folder as the program writes them, and in memory for the test. */
function keptResults(folder: string, { ports }: Engine): ResultFiles {
  const runs = new RunFolders(path.join(folder, 'runs'));
  const files = createResultFiles({ folder, runFolder: (runId) => runs.make(runId) });
  async function* again(batches: readonly (readonly (readonly string[])[])[]) {
    await Promise.resolve();
    yield* batches;
  }
  return {
    writeResults: async (run, mapping, header, lines) => {
      const all = await Array.fromAsync(lines);
      await ports.results.writeResults(run, mapping, header, again(all));
      return files.writeResults(run, mapping, header, again(all));
    },
    writeRejected: async (...rejected) => {
      await ports.results.writeRejected(...rejected);
      return files.writeRejected(...rejected);
    },
    requirePlace: () => files.requirePlace(),
    fileToMend: (mapping) => files.fileToMend(mapping),
    mappingToMend: (source) => files.mappingToMend(source),
    removeRejected: async (...done) => {
      await ports.results.removeRejected(...done);
      return files.removeRejected(...done);
    },
  };
}

/** Pushes last week's tables and plays the first game week. */
export async function makeTemplate(regularUsers: number): Promise<Template> {
  const folder = await makeFolder();
  const own = await openPatientSandbox(START_MS, { db: path.join(folder, SERVICE) });
  const { sandbox, clock } = own;
  const engine = await engineOn(folder, clock);
  const client = clientOn(engine, own);
  try {
    for (const [name, lines] of lastWeek(regularUsers)) engine.tables.set(name, lines);
    const mappings = seasonMappings(['users', 'prices']);
    const pushed = push({ ...engine.ports, service: client, clock }, 'push', mappings, PLAN_OPTIONS, () =>
      Promise.resolve(),
    );
    const { report } = await clock.drive(pushed);
    if (report.exit_code !== 0) throw new Error(`last week's push ended with ${report.exit_code}`);
    const { id: accountId } = await clock.drive(client.account());
    await control(sandbox, 'POST', '/play-next-week');
    const { data } = JSON.parse(
      (
        await sandbox.inject({
          method: 'GET',
          url: 'http://sandbox.test/v1/fantasy-league/1/fixtures',
          headers: { 'x-api-key': sandbox.apiKey },
        })
      ).body,
    ) as { readonly data: readonly { readonly id: string }[] };
    const nowMs = clock.now() + 3_600_000;
    const weekId = data[0]?.id ?? '';
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
    return { folder, weekId, nowMs, accountId: accountId.toLowerCase(), regularUsers, runs: 1, remove };
  } finally {
    await engine.store.close();
    await sandbox.close();
  }
}

/** A season that begins where the template ends. */
export async function openSeason(template: Template, options: SeasonOptions = {}): Promise<Season> {
  const folder = await makeFolder();
  for (const file of [SERVICE, STATE])
    await copyFile(path.join(template.folder, file), path.join(folder, file));
  const { settings = {} } = options;
  const service = await openPatientSandbox(template.nowMs, { db: path.join(folder, SERVICE), settings });
  return new Season({ folder, template, options, ...service });
}
