import { rm } from 'node:fs/promises';
import type { ClientOptions } from '../../src/client/client.ts';
import type { PushMapping } from '../../src/mapping/mapping.ts';
import { TransportError } from '../../src/client/transport-error.ts';
import type { Clock, Transport } from '../../src/model/ports.ts';
import { Secret } from '../../src/model/secret.ts';
import type { Service } from '../../src/model/service.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { push, type PushResult } from '../../src/sync/push.ts';
import { plainClient } from './client.ts';
import { openEngine, PLAN_OPTIONS, stateFolder, StepClock, type Engine } from './engine.ts';
import { FakeService } from './fake-service.ts';
import { patientClock, type PatientClock } from './patient-clock.ts';

/** Larger answers are not read to their end. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A sandbox on a clock that nobody waits for. */
export interface PatientSandbox {
  readonly sandbox: Sandbox;
  readonly clock: PatientClock;
  /** The sandbox without a socket. What breaks the connection there breaks it here. */
  readonly transport: Transport;
  /** Mistakes of the sandbox itself: none. */
  readonly failures: readonly unknown[];
}

export async function openPatientSandbox(startMs: number, options: SandboxOptions): Promise<PatientSandbox> {
  let busy = 0;
  const clock = patientClock(startMs, () => busy > 0);
  const failures: unknown[] = [];
  // While the service itself waits, nobody is busy: time goes on.
  const own: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: async (ms, signal) => {
      busy -= 1;
      try {
        await clock.sleep(ms, signal);
      } finally {
        busy += 1;
      }
    },
  };
  const sandbox = await createSandbox({
    ...options,
    ...{ clock: own, port: null },
    onFailure: (error) => failures.push(error),
  });
  const transport: Transport = async (request) => {
    busy += 1;
    // What nobody waits for any more is still under way at the service.
    const answer = sandbox.inject({ ...request, signal: new AbortController().signal }).finally(() => {
      busy -= 1;
    });
    answer.catch(() => undefined);
    const body = await untilAborted(answer, request.signal);
    if (body.body.length > MOST_BYTES) throw new TransportError('too_large', 'the answer is too large');
    return body;
  };
  return { sandbox, clock, transport, failures };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    work
      .then(resolve, (cause: unknown) => reject(new TransportError('reset', 'the connection broke', cause)))
      .finally(() => signal?.removeEventListener('abort', abort));
  });
}

/** The engine on the state of a folder, on another clock than its own. */
export function engineOn(folder: string, clock: Clock): Promise<Engine> {
  // The engine's clock type asks for more than the engine uses.
  const shadow = Object.assign(new StepClock(), {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
  });
  return openEngine(folder, new FakeService(), shadow);
}

/** The real client of an engine on a sandbox and its clock. */
export function clientOn(
  { ports, abort }: Engine,
  { sandbox, clock, transport }: Omit<PatientSandbox, 'failures'>,
  observer?: ClientOptions['observer'],
): Service {
  const { baseUrl, random, emit } = ports;
  return plainClient({
    ...{ baseUrl, transport, clock, random, emit },
    apiKey: new Secret(sandbox.apiKey),
    signal: abort.signal,
    ...(observer !== undefined && { observer }),
  });
}

/** An engine on the state of a folder and a sandbox, both on one clock. */
export interface SandboxEngine extends Omit<PatientSandbox, 'failures'> {
  readonly engine: Engine;
  push(mappings: readonly PushMapping[], service: Service): Promise<PushResult>;
}

/** What work makes of an engine and a sandbox of its own, which are gone afterwards. Errors: one for a mistake of the sandbox. */
export async function withSandboxEngine<T>(
  startMs: number,
  optionsIn: (folder: string) => SandboxOptions,
  work: (own: SandboxEngine) => Promise<T>,
): Promise<T> {
  const folder = await stateFolder();
  const { failures, ...own } = await openPatientSandbox(startMs, optionsIn(folder));
  const { clock } = own;
  const engine = await engineOn(folder, clock);
  const approve = (): Promise<void> => Promise.resolve();
  try {
    const result = await work({
      ...{ ...own, engine },
      push: (mappings, service) =>
        clock.drive(push({ ...engine.ports, service, clock }, 'push', mappings, PLAN_OPTIONS, approve)),
    });
    if (failures.length > 0) throw new AggregateError(failures, 'the sandbox failed');
    return result;
  } finally {
    await own.sandbox.close();
    await engine.store.close();
    await rm(folder, { recursive: true, force: true });
  }
}
