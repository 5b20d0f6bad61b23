import type { QueryOf } from '../../contract/index.ts';
import type { PushMapping } from '../../mapping/mapping.ts';
import { RefusedError, UnavailableError } from '../../model/error.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import { mayFit, type Shown } from '../../plan/reconcile/fit-rows.ts';
import type { ListedResource } from '../../plan/resources/resource-plan.ts';
import { quotaUsed } from '../../model/quota.ts';
import type { Confirmation } from '../../plan/requests.ts';
import { countsMore, countStrange, wasLate } from '../evidence/pre-image.ts';
import { isChangedSince, wasThere } from '../../plan/reconcile/evidence.ts';
import { strategies } from '../resources/index.ts';
import {
  type OpenWrite,
  type Seen,
  holdsSent,
  type FoundRecord,
  alikeBut,
  foundRow,
  wasNamedOtherwise,
} from '../../plan/reconcile/seen.ts';
import { confirmShown, keySpeller, ownKeys } from '../rows/spelling.ts';
import type { ReadTask, StateTask, SyncPorts } from '../ports.ts';
import { countKnown, isUnlistable, readWhole } from '../evidence/full-list.ts';
import { resourcePlans } from '../../plan/resources/index.ts';

const NOTHING: Seen = { found: new Map(), others: 'unclear' };

/**
 * Looks at once for the rows of a write without a trustworthy answer. Only what is found counts: what is not there yet may still come. A list that takes
 * filters is read by what the rows say.
 */
export async function readBackNow(
  task: ReadTask,
  write: OpenWrite,
): Promise<ReadonlyMap<string, Confirmation>> {
  const { ports, mapping } = task;
  const { rows } = write;
  const listed = resourcePlans[mapping.resource].listed;
  if (listed === undefined) return (await readBack(task, [write], 'now')).found;
  const seen = await orWarn(ports, mapping, async () => {
    const found = await openFound(task, listed, [write]);
    for (const filter of filtersOf(listed, rows)) {
      const query = filter as QueryOf<ListedResource['operation']>;
      for await (const page of ports.service.list(listed.operation, query, ports.signal, 'fail'))
        await found.add(page);
    }
    return { ...NOTHING, found: await found.confirmations() };
  });
  return seen.found;
}

/**
 * Looks for the rows of open writes in all that the service shows. Just after a refusal, `now`, a list that comes late is believed even less than later: the
 * counter has to agree with it.
 */
export async function readBack(
  task: ReadTask,
  open: readonly OpenWrite[],
  when: 'now' | 'settled',
): Promise<Seen> {
  const { ports, mapping } = task;
  const strategy = strategies[mapping.resource];
  return orWarn(ports, mapping, () =>
    strategy.listed === undefined
      ? strategy.lookBack(task, open, when)
      : readList(task, strategy.listed, open, when),
  );
}

async function readList(
  task: ReadTask,
  listed: ListedResource,
  open: readonly OpenWrite[],
  when: 'now' | 'settled',
): Promise<Seen> {
  const { ports, account, mapping } = task;
  const { resource } = mapping;
  const used = quotaUsed(await ports.service.account(), listed.feature);
  const found = await openFound(task, listed, open);
  const { pages, nameless, missing } = await readWhole(
    { ...task, listed },
    {
      used,
      onPage: ({ raw }) => found.add(raw),
    },
  );
  const writes = open.map(({ intent }) => intent);
  const isMore = await countsMore(task, used, writes);
  const isBehind = used === undefined || used < (await countKnown(ports, account, resource));
  const isLate = when === 'now' && (isBehind || missing > 0 || (await wasLate(task, writes)));
  const confirmations = await found.confirmations();
  const strange = await countStrange(task, writes);
  const isStrange = strange > 0 && (found.countAlike() > 0 || wasStrange(open));
  // A record that does not say what it is may be one of the rows.
  const isUnclear = nameless > 0 || isMore || isLate || isStrange || wasNamedOtherwise(writes);
  const others = isUnclear ? 'unclear' : 'absent';
  return { found: confirmations, others, pages, ...(isStrange && { why: { code: 'read-back-strange' } }) };
}

/** Whether an earlier reading showed what may be one of the rows. It may have been changed since, and says something else now. */
const wasStrange = (open: readonly OpenWrite[]): boolean =>
  open.some(({ rows }) => rows.some(({ said }) => said.some(({ code }) => code === 'read-back-strange')));

/** Two readings, of which absence is believed only where they agree; one that finds every row is enough. */
export async function readBackTwice(task: ReadTask, open: readonly OpenWrite[]): Promise<Seen> {
  const first = await readBack(task, open, 'settled');
  const keys = new Set(open.flatMap(({ rows }) => rows.map(({ key }) => key ?? '')));
  if (first.others === 'unclear' || first.found.size === keys.size) return first;
  const second = await readBack(task, open, 'settled');
  const found = new Map([...first.found, ...second.found]);
  const agree = first.found.size === found.size && second.found.size === found.size;
  return { ...second, found, others: agree ? second.others : 'unclear' };
}

/** A service that does not let itself be read says nothing of its records. */
async function orWarn(
  { emit }: Pick<SyncPorts, 'emit'>,
  { name }: PushMapping,
  look: () => Promise<Seen>,
): Promise<Seen> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof UnavailableError) && !(error instanceof RefusedError)) throw error;
    emit({ kind: 'warning', message: `${name}: reading back failed: ${error.message}` });
    return isUnlistable(error) ? { ...NOTHING, isUnlisted: true } : NOTHING;
  }
}

/** The lists that hold the records of rows and little else. */
function filtersOf(
  listed: ListedResource,
  rows: readonly RunRow[],
): readonly Readonly<Record<string, number>>[] {
  const filters = rows.map(({ fields }) =>
    Object.fromEntries(listed.filters.map((name) => [name, Number(fields?.[name])])),
  );
  return [...new Map(filters.map((filter) => [JSON.stringify(filter), filter])).values()];
}

/** The records of lists that may be the rows of writes, each once. */
interface FoundRecords {
  add(page: readonly unknown[]): Promise<void>;
  /** Records that nobody sent so, and that say what rows say or have keys like theirs. */
  countAlike(): number;
  confirmations(): Promise<ReadonlyMap<string, Confirmation>>;
}

/** Prepares to look for the rows of writes in lists. */
async function openFound(
  task: ReadTask,
  listed: ListedResource,
  open: readonly OpenWrite[],
): Promise<FoundRecords> {
  const { ports, account, mapping } = task;
  const { resource } = mapping;
  const rows = open.flatMap((write) => write.rows);
  const isSent = await sentKeys(task, open);
  const isOld = oldRecords(mapping, listed, open, isSent);
  const fits = mayFit(resource, rows);
  const isAlike = alikeBut(listed, rows);
  const toOwnKeys = await ownKeys(ports, account, resource);
  const found = new Map<string, FoundRecord[]>();
  let alike = 0;
  const nameOf = (key: string, id: string | null): string => JSON.stringify([key, id]);
  const match = (records: ReadonlyMap<string, readonly unknown[]>): ReadonlyMap<string, Confirmation> => {
    if (listed.showsAnswers === true)
      return resourcePlans[resource].requests.match(rows, [...records.values()].flat());
    return new Map(
      rows.flatMap((row) => {
        const own = (records.get(row.key ?? '') ?? []).flatMap((record) => {
          const known = listed.known(record);
          return known === undefined ? [] : [{ known, record }];
        });
        return foundRow(row, own, listed);
      }),
    );
  };
  return {
    add: async (page) => {
      const records = new Map<string, unknown>();
      const shown = page.flatMap((record) => {
        const known = listed.known(record);
        if (known !== undefined) records.set(nameOf(known.key, known.id), record);
        return known ?? [];
      });
      for (const known of await toOwnKeys(shown)) {
        const record = records.get(nameOf(known.shownAs ?? known.key, known.id));
        const isFit = fits(known.key);
        if (!isSent(known.key) && (isFit || isAlike(known))) alike += 1;
        if (!isFit) continue;
        const others = (found.get(known.key) ?? []).filter((other) => other.known.id !== known.id);
        found.set(known.key, [...others, { known, record }]);
      }
    },
    countAlike: () => alike,
    confirmations: () => {
      const shown = [...found].flatMap(([key, all]) => all.map(({ record }) => ({ key, record })));
      return confirmShown(task, rows, shown, isOld, match);
    },
  };
}

/** Tells the keys that the runs of writes have sent, in any spelling that is the same for the service. */
async function sentKeys(
  { ports, account, mapping: { resource } }: StateTask,
  open: readonly OpenWrite[],
): Promise<(key: string) => boolean> {
  const spell = await keySpeller(ports, account, resource);
  const sent = new Set<string>();
  for (const runId of new Set(open.map(({ intent }) => intent.runId)))
    for (const intent of await ports.store.intents(runId))
      if (intent.resource === resource) for (const key of intent.keys) sent.add(spell(key));
  return (key) => sent.has(spell(key));
}

/** Tells the records that were there before writes, or that were sent under their own keys. */
function oldRecords(
  { resource }: PushMapping,
  listed: ListedResource,
  open: readonly OpenWrite[],
  isSent: (key: string) => boolean,
): (shown: Shown) => boolean {
  const intents = open.map(({ intent }) => intent);
  const isBefore = wasThere(intents);
  const isChanged = isChangedSince(intents);
  const rows = open.flatMap((write) => write.rows);
  // A record with the values of its row, which it had not before, was written over by what was sent.
  const isWritten = ({ key, record }: Shown): boolean => {
    const known = listed.known(record);
    if (known === undefined || !isChanged(key, known)) return false;
    return rows.some(
      (row) => mayFit(resource, [row])(key) && row.fields !== null && holdsSent(known, row.fields, resource),
    );
  };
  return (shown) => (isBefore(shown) && !isWritten(shown)) || isSent(shown.key);
}
