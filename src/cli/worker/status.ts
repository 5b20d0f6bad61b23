import { EXIT, type ExitCode } from '../../model/error.ts';
import type { Workers } from '../../model/workers.ts';
import { readConfig } from '../../runtime/config.ts';
import { lookAtWorkers } from '../../runtime/state.ts';
import type { CommonArgs } from '../command.ts';
import type { Program } from '../program.ts';
import { renderColumns, renderTime, safeText } from '../render/text.ts';

/** `worker status`: the workers, who writes to which account, and the jobs. Errors: those of {@link lookAtWorkers}. */
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

const documentOf = ({ hosts, leases, queues }: Workers): object => ({
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
});

function render({ hosts, leases, queues }: Workers, time: (ms: number) => string): string {
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
      leases.map(({ baseUrl, owner, machine, sinceMs }) => [
        safeText(baseUrl),
        safeText(`${owner} on ${machine}`),
        time(sinceMs),
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
  ].join('\n\n');
}
