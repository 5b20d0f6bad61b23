import { expect, it } from 'vitest';
import { accountNames } from '../../../../src/model/state/workers.ts';
import { queueOf, shownQueue } from '../../../../src/state/postgres/jobs.ts';

const budget = { underWay: 0, lastMinute: 0, waiting: 0, windows: [] };

it('accounts are told apart by their ids only where an address has several', () => {
  const of = (baseUrl: string, accountId: string) => ({ baseUrl, accountId });
  const nameOf = accountNames({
    hosts: [],
    queues: [],
    leases: [{ ...of('https://one.example', 'north'), owner: '', machine: '', sinceMs: 0, untilMs: 0 }],
    budgets: [
      { ...of('https://one.example', 'south'), ...budget },
      { ...of('https://two.example', 'club'), ...budget },
      { ...of('https://two.example', 'club'), ...budget },
    ],
  });
  expect(nameOf(of('https://one.example', 'north'))).toBe('https://one.example (account north)');
  expect(nameOf(of('https://two.example', 'club'))).toBe('https://two.example');
});

it.each(['test', 'zwei ü', 'a/b', ''])(
  'the queue of the environment "%s" is shown by its name',
  (environment) => {
    expect(shownQueue(queueOf('sync', environment))).toBe(`sync/${environment}`);
  },
);
