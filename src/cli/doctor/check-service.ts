import { FEATURES } from '../../contract/endpoint.ts';
import type { Account } from '../../contract/resources/account.ts';
import { renderCount } from '../../model/count.ts';
import { isLoopback } from '../../runtime/config/base-url.ts';
import type { Program } from '../program.ts';
import { renderDuration } from '../render/text.ts';
import type { Session } from '../session.ts';
import { good, type Finding } from './finding.ts';

/** What the service says to the key: with one request, its account, its budget and its clock. Errors: those of the service. */
export async function askService(
  { ports, connection, config, lastAnswer }: Session,
  program: Program,
): Promise<readonly Finding[]> {
  const sentAtMs = program.clock.now();
  const account = await ports.service.account();
  return [
    good('service', `${connection.baseUrl} answers, environment ${connection.environment}`),
    ...connection.warnings.map((found): Finding => ({ level: 'warning', name: 'secrets', found })),
    checkKey(account),
    ...checkBudget(account),
    ...checkClock(lastAnswer()?.headers['date'], sentAtMs, program.clock.now(), connection.baseUrl),
    // A database has said more than that.
    ...(config.state.kind === 'file' ? [good('state', config.state.file)] : []),
  ];
}

function checkKey({ is_active, api_key_active, tier, id }: Account): Finding {
  const inactive = [
    ...(is_active === false ? ['the account'] : []),
    ...(api_key_active === false ? ['the key'] : []),
  ];
  return inactive.length === 0
    ? good('key', `accepted; tier ${tier ?? 'not stated'}, account ${id}`)
    : {
        level: 'warning',
        name: 'key',
        found: `accepted, but the service reports ${inactive.join(' and ')} as inactive`,
        fix: 'ask your provider',
      };
}

function* checkBudget({ config }: Account): Generator<Finding> {
  const { per_minute, per_day } = config?.rate_limit ?? {};
  for (const [name, window] of [
    ['minute', per_minute],
    ['day', per_day],
  ] as const) {
    const { remaining, limit, reset_at } = window ?? {};
    if (typeof remaining !== 'number')
      yield { level: 'warning', name: `per ${name}`, found: 'the service does not state it' };
    else if (remaining > 0)
      yield good(`per ${name}`, `${renderCount(remaining)} of ${shown(limit)} requests left`);
    else
      yield {
        level: 'warning',
        name: `per ${name}`,
        found: 'no requests left',
        fix: `wait until ${reset_at ?? 'the window resets'}`,
      };
  }
  const spent = FEATURES.filter(
    (name) => config?.features?.[name]?.is_blocked === true || config?.features?.[name]?.remaining === 0,
  );
  yield spent.length === 0
    ? good(
        'quotas',
        FEATURES.map(
          (name) => `${name.replaceAll('_', ' ')} ${shown(config?.features?.[name]?.remaining)} left`,
        ).join(', '),
      )
    : {
        level: 'warning',
        name: 'quotas',
        found: `nothing can be created any more: ${spent.join(', ').replaceAll('_', ' ')}`,
        fix: 'ask your provider for a larger quota',
      };
}

const shown = (count: number | null | undefined): string =>
  typeof count === 'number' ? renderCount(count) : '?';

/** A difference of more than this is worth a word: waits for the budget are counted by the service's clock. */
const CLOCK_TOLERANCE_MS = 5_000;

function* checkClock(
  date: string | undefined,
  sentAtMs: number,
  answeredAtMs: number,
  baseUrl: string,
): Generator<Finding> {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return;
  // The header has whole seconds.
  const offMs = Math.max(0, sentAtMs - (serverMs + 1000), serverMs - answeredAtMs);
  const found = `is ${renderDuration(offMs)} off the service's`;
  if (offMs <= CLOCK_TOLERANCE_MS) yield good('clock', 'agrees with the service');
  // A service on this machine is a sandbox, whose clock its user sets.
  else if (isLoopback(new URL(baseUrl).hostname)) yield good('clock', `${found}, which is a sandbox`);
  else
    yield {
      level: 'warning',
      name: 'clock',
      found,
      fix: 'set the clock of this machine; waits follow the service all the same',
    };
}
