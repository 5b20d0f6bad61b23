import { describe, expect, it } from 'vitest';
import type { AutoSubstitution } from '../../../../src/contract/resources/auto-substitutions.ts';
import { keptOfSubstitution } from '../../../../src/season/kept.ts';
import { readNew } from '../../../../src/sync/pulling/substitution-log.ts';
import { fakeService, pullPorts } from '../../../support/pull.ts';

const SIZE = 10;
const record = (at: number): AutoSubstitution => ({
  id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
});
const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** What is read of a log of these records, in pages of ten, where those of `kept` are kept; and which pages. */
async function readOf(log: readonly number[], kept: readonly number[], total: number | null = log.length) {
  const pages: number[] = [];
  const service = fakeService({ get: () => [] });
  const ports = pullPorts({
    ...service,
    get: ((_: string, { query }: { readonly query: { readonly page: number } }) => {
      pages.push(query.page);
      const records = log.slice((query.page - 1) * SIZE, query.page * SIZE).map(record);
      return Promise.resolve({ status: 200, message: '', records, issues: [], paging: { total } });
    }) as unknown as typeof service.get,
  });
  const scope = { account: ports.account, league: 7 };
  await ports.store.memory.keep(
    scope,
    kept.flatMap((at) => keptOfSubstitution(record(at), 1)),
  );
  const found = await readNew(ports, scope);
  return { found: found?.map(({ id }) => Number(id.slice(-12))), pages };
}

describe('a log that was read before', () => {
  it.each([
    ['the newer records come last', numbers(1, 47), numbers(1, 25), [1, 5, 4, 3], numbers(26, 47)],
    ['the newer records come first', numbers(1, 47).toReversed(), numbers(1, 25), [1, 2, 3], numbers(26, 47)],
    ['nothing is new', numbers(1, 47), numbers(1, 47), [1], []],
    ['it has one page', numbers(1, 7), numbers(1, 5), [1], [6, 7]],
  ])('is read from where it was left: %s', async (_, log, kept, pages, found) => {
    const read = await readOf(log, kept);
    expect(read.pages).toEqual(pages);
    expect(read.found?.toSorted((one, other) => one - other)).toEqual(found);
  });

  it.each([
    ['nothing is kept', numbers(1, 20), [], 20],
    ['the service states no number', numbers(1, 20), numbers(1, 10), null],
    ['records are kept that it no longer has', numbers(5, 20), numbers(1, 10), 16],
    [
      'the records are in no order',
      [...numbers(11, 15), ...numbers(1, 25), ...numbers(26, 40)],
      numbers(1, 25),
      45,
    ],
  ])('is read whole where %s', async (_, log, kept, total) => {
    expect((await readOf(log, kept, total)).found).toBeUndefined();
  });
});
