import { byName } from '../contract/by-name.ts';
import { InternalError } from '../model/error.ts';
import type { Service } from '../model/service.ts';
import { CHECKS, type Check } from '../sync/checks.ts';
import type { SyncPorts } from '../sync/ports.ts';
import { changedBy } from '../model/changed-by.ts';

/** `holds`, or why a command has no need of a check. */
type Row = Readonly<Record<Check, string>>;

const HOLDS = 'holds';

const EVERY_CHECK: Row = byName(CHECKS, () => HOLDS);

const SENDS_NOTHING = 'it changes the state alone, by what the service shows or the operator says';
const RAW = 'a raw call has no table and no keys: the operator alone says what it is to do';
const OWN_SANDBOX = 'it writes to a sandbox of its own, with a state of its own';

/** The gate before the first write of each command: which checks hold for it, and why the others do not. A command without a row cannot write. */
export const gates: Readonly<Record<string, Row>> = {
  push: EVERY_CHECK,
  sync: EVERY_CHECK,
  import: EVERY_CHECK,
  resume: EVERY_CHECK,
  retry: EVERY_CHECK,
  substitutions: EVERY_CHECK,
  resolve: {
    ...EVERY_CHECK,
    open_writes: 'they are what it settles',
    memory: SENDS_NOTHING,
    older_state: SENDS_NOTHING,
    guards: SENDS_NOTHING,
  },
  api: { ...EVERY_CHECK, open_writes: RAW, memory: RAW, older_state: RAW, guards: RAW },
  demo: { ...EVERY_CHECK, origin: OWN_SANDBOX },
};

type Ports = Pick<SyncPorts, 'service' | 'lock' | 'passed'>;

/** Ports behind the gate of a command: until it has passed every check that holds for it, under the lock, `send` is InternalError `gate.closed`. */
export function behindGate<Given extends Ports>(command: string, row: Row | undefined, ports: Given): Given {
  const { service, lock } = ports;
  const done = new Set<Check>();
  const passed = (...checks: readonly Check[]): void => checks.forEach((check) => done.add(check));
  const send: Service['send'] = (operation, input) => {
    const missing = CHECKS.filter((check) => row?.[check] === HOLDS && !done.has(check));
    if (row !== undefined && missing.length === 0) return service.send(operation, input);
    const why = row === undefined ? 'has no gate' : `has not passed ${missing.join(', ')}`;
    return Promise.reject(
      new InternalError('gate.closed', `${command} would send ${operation}, but ${why}: nothing was sent`),
    );
  };
  return {
    ...ports,
    passed,
    service: changedBy(service, { send }),
    lock: {
      acquire: async (account, owner) => {
        const held = await lock.acquire(account, owner);
        passed('lock');
        return {
          ...held,
          release: () => {
            // The next run of the same command passes them again.
            for (const check of CHECKS) if (check !== 'origin') done.delete(check);
            return held.release();
          },
        };
      },
    },
  };
}
