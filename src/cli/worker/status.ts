import { renderCount } from '../../model/count.ts';
import { EXIT, type ExitCode } from '../../model/error.ts';
import { accountNames, type Workers } from '../../model/state/workers.ts';
import { readConfig } from '../../runtime/config/config.ts';
import { lookAtWorkers } from '../../runtime/state.ts';
import type { CommonArgs } from '../command.ts';
import type { Program } from '../program.ts';
import { renderColumns, renderDuration, safeText } from '../render/text.ts';
import { renderTime } from '../../model/time/render-time.ts';

/** `worker status`: the workers, who writes to which account, the jobs, and the requests of all machines. Errors: those of {@link lookAtWorkers}. */
export async function showWorkers(args: CommonArgs, program: Program): Promise<ExitCode> {
  const { screen } = program;
  const config = readConfig(args, program);
  const workers = await lookAtWorkers(config);
  await screen.data(
    screen.json
      ? JSON.stringify({ command: 'worker', exit_code: EXIT.done, ...documentOf(workers) })
      : render(workers, (ms) => renderTime(ms, config.timezone)),
  );
  return EXIT.done;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const documentOf = ({ hosts, leases, queues, budgets }: Workers): object => ({
  hosts: hosts.map(({ startedAtMs, heardAtMs, ...host }) => ({
    ...host,
    started_at: iso(startedAtMs),
    heard_at: iso(heardAtMs),
  })),
  leases: leases.map(({ baseUrl, accountId, owner, machine, sinceMs, untilMs }) => ({
    ...{ base_url: baseUrl, account: accountId, owner, machine },
    since: iso(sinceMs),
    until: iso(untilMs),
  })),
  queues,
  budgets: budgets.map(({ baseUrl, accountId, underWay, lastMinute, waiting, windows }) => ({
    ...{ base_url: baseUrl, account: accountId },
    ...{ under_way: underWay, last_minute: lastMinute, waiting },
    windows: windows.map(({ limit, lengthMs }) => ({ limit, seconds: lengthMs / 1000 })),
  })),
});

function render(workers: Workers, time: (ms: number) => string): string {
  const { hosts, leases, queues, budgets } = workers;
  const nameOf = accountNames(workers);
  const part = (head: readonly string[], rows: readonly (readonly string[])[], none: string): string =>
    rows.length === 0 ? none : renderColumns([head, ...rows]);
  return [
    part(
      ['worker', 'pid', 'state', 'heard of'],
      hosts.map(({ name, pid, state, heardAtMs }) => [safeText(name), String(pid), state, time(heardAtMs)]),
      'no worker was heard of within a day',
    ),
    part(
      ['account', 'written to by', 'since'],
      leases.map((lease) => [
        safeText(nameOf(lease)),
        safeText(`${lease.owner} on ${lease.machine}`),
        time(lease.sinceMs),
      ]),
      'nobody writes now',
    ),
    part(
      ['jobs', 'waiting', 'under way', 'done', 'failed'],
      queues.map(({ name, ...counts }) => [
        safeText(name),
        ...[counts.waiting, counts.active, counts.done, counts.failed].map(String),
      ]),
      'there was no job yet',
    ),
    part(
      ['requests to', 'under way', 'in a minute', 'waiting', 'windows'],
      budgets.map(({ underWay, lastMinute, waiting, windows, ...account }) => [
        safeText(nameOf(account)),
        ...[underWay, lastMinute, waiting].map(String),
        windows
          .map(({ limit, lengthMs }) => `${renderCount(limit)} in ${renderDuration(lengthMs)}`)
          .join(', '),
      ]),
      'nothing was sent yet',
    ),
  ].join('\n\n');
}
