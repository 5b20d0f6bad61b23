import { accountNames, type WorkerHost, type Workers } from '../../model/state/workers.ts';
import { markup, type Markup } from '../markup.ts';
import { card, count, named, num, table } from '../parts.ts';
import { moment, typed, type Watch } from './words.ts';

const KINDS: Readonly<Record<WorkerHost['state'], string>> = { alive: 'good', ended: '', gone: 'bad' };

/** The machines of a state, who writes to which account, and what waits. */
export function workersPart(workers: Workers, watch: Watch): Markup {
  const { hosts, leases, queues, budgets } = workers;
  const nameOf = accountNames(workers);
  const hostTable = table(
    'Workers of the last day',
    ['Worker', 'State', 'Since', 'Heard of'],
    hosts.map(({ name, machine, pid, state, startedAtMs, heardAtMs }) => [
      markup`${named(name)} <span class="note">pid ${pid}${name === machine ? null : markup` on ${named(machine)}`}</span>`,
      markup`<span class="badge ${KINDS[state]}">${state}</span>`,
      moment(startedAtMs, watch),
      moment(heardAtMs, watch),
    ]),
    'No worker was heard of within a day.',
  );
  const leaseTable = table(
    'Who writes to an account now',
    ['Account', 'Written to by', 'Since'],
    leases.map((lease) => [
      named(nameOf(lease)),
      named(`${lease.owner} on ${lease.machine}`),
      moment(lease.sinceMs, watch),
    ]),
    'Nobody writes now.',
  );
  const queueTable = table(
    'Jobs of the last day',
    ['Jobs', num('Waiting'), num('Under way'), num('Done'), num('Failed')],
    queues.map(({ name, waiting, active, done, failed }) => [
      named(name),
      count(waiting),
      count(active),
      count(done),
      count(failed),
    ]),
    'There was no job yet.',
  );
  const budgetTable = table(
    'Requests of all machines',
    ['Account', num('Under way'), num('In a minute'), num('Waiting')],
    budgets.map(({ underWay, lastMinute, waiting, ...account }) => [
      named(nameOf(account)),
      count(underWay),
      count(lastMinute),
      count(waiting),
    ]),
    'Nothing was sent yet.',
  );
  return card(
    'Machines',
    hostTable,
    leaseTable,
    queueTable,
    budgetTable,
    markup`<p class="note">${typed('worker status')} says the same.</p>`,
  );
}
