import type { ResourceName } from '../../src/contract/index.ts';
import { changedBy } from '../../src/model/changed-by.ts';
import { InternalError } from '../../src/model/error.ts';
import type { Clock } from '../../src/model/ports.ts';
import type { KnownRecord, RunRows } from '../../src/model/state/run-rows.ts';
import type { Words } from '../../src/model/said.ts';
import {
  oneOfSpellings,
  readSpelling,
  speltKey,
  spellingFact,
  type Spelling,
} from '../../src/model/state/spelling.ts';
import type {
  ComparedMapping,
  Comparisons,
  Fact,
  Intent,
  IntentResult,
  Run,
  RunChanges,
  ServiceAccount,
  Recorded,
  Store,
  StoredIntent,
  StrayRun,
  WantedDigests,
} from '../../src/model/state/store.ts';
import { lockLost, type Leases } from '../../src/state/lease.ts';
import { loseUnsynced, MemoryRunRows, RunRowsData } from './memory-run-rows.ts';
import { BudgetData } from './memory-budget.ts';
import { LeaseData, type MemoryLeases } from './memory-leases.ts';
import { MemoryWeeks, WeeksData } from './memory-weeks.ts';

/** What may go wrong below the folder of the state: all runs vanish, or the newest of them, the rows of one are damaged, or a power cut takes what was not synced. */
export const LOSSES = ['runs', 'newest_run', 'damaged_rows', 'unsynced'] as const;
export type Loss = (typeof LOSSES)[number];

interface Remembered {
  readonly record: KnownRecord;
  readonly atMs: number;
}

const noIntent = (): Promise<never> =>
  Promise.reject(new InternalError('state.no_intent', 'no such open intent is recorded'));

/** What a disk holds: it outlives every store that is opened on it. */
export class StoreData {
  readonly runs: Run[] = [];
  readonly pulls: Run[] = [];
  readonly intents: { readonly account: string; readonly lease: number; stored: StoredIntent }[] = [];
  readonly leases = new LeaseData();
  readonly budget = new BudgetData();
  /** By account and resource, by key. */
  readonly snapshots = new Map<string, Map<string, Remembered>>();
  readonly facts = new Map<string, { readonly value: string; readonly atMs: number }>();
  readonly origins = new Map<string, string>();
  /** By account, resource and mapping. */
  readonly comparisons = new Map<string, MemoryComparison>();
  readonly rows = new Map<string, RunRowsData>();
  readonly weeks = new WeeksData();
  /** The runs whose rows are there and cannot be read. */
  readonly damaged = new Set<string>();

  lose(what: Loss): void {
    const newest = [...this.rows.keys()].at(-1);
    if (what === 'runs') this.rows.clear();
    else if (what === 'newest_run') this.rows.delete(newest ?? '');
    else if (what === 'damaged_rows') this.damaged.add(newest ?? '');
    else for (const [id, data] of this.rows) if (!loseUnsynced(data)) this.rows.delete(id);
  }

  /** A copy of all files, as people make one. */
  copy(): StoreData {
    return Object.assign(new StoreData(), structuredClone<unknown>(this));
  }
}

const PAGE = 2000;
const nameOf = ({ baseUrl, accountId }: ServiceAccount): string => `${baseUrl} ${accountId}`;

const comparisonName = ({ account, resource, mapping }: ComparedMapping): string =>
  `${nameOf(account)} ${resource} ${mapping}`;

const isOpen = ({ result }: StoredIntent): boolean => result === null || result === 'ambiguous';

function remove<T>(list: T[], unwanted: (element: T) => boolean): void {
  list.splice(0, list.length, ...list.filter((element) => !unwanted(element)));
}

const newestFirst = (runs: readonly Run[]): readonly Run[] =>
  runs
    .map((run, sequence) => ({ run, sequence }))
    .toSorted((a, b) => b.run.startedAtMs - a.run.startedAtMs || b.sequence - a.sequence)
    .map(({ run }) => run);

interface MemoryComparison {
  readonly id: string;
  document?: string;
  readonly parts: Uint8Array[];
}

/** The state in memory, for simulations that need very many: every method is wholly done before it returns, or not at all. */
export class MemoryStore implements Store {
  readonly memory: MemoryWeeks;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #hosts: { readonly lock: Leases; readonly leases: MemoryLeases } | undefined;
  #data: StoreData;
  #closed = false;
  readonly comparisons: Comparisons = {
    begin: (compared, id) => {
      const name = comparisonName(compared);
      this.#data.comparisons.delete(name);
      if (this.#comparison(id) !== undefined)
        return Promise.reject(new Error(`two comparisons have the id ${id}`));
      this.#data.comparisons.set(name, { id, parts: [] });
      return this.#done(undefined);
    },
    keep: (compared, id, document) => {
      const comparison = this.#data.comparisons.get(comparisonName(compared));
      if (comparison?.id === id) comparison.document = document;
      return this.#done(undefined);
    },
    last: (compared) => this.#done(this.#data.comparisons.get(comparisonName(compared))?.document),
    addRows: (id, part, rows) => {
      this.#comparison(id)?.parts.splice(part, 1, rows.slice());
      return this.#done(undefined);
    },
    rows: (id, part) => this.#done(this.#comparison(id)?.parts[part]),
  };

  /** `hosts`: what this process holds of the leases, where several hosts share the state. */
  constructor(
    data: StoreData,
    clock: Pick<Clock, 'now'>,
    hosts?: { readonly lock: Leases; readonly leases: MemoryLeases },
  ) {
    this.#hosts = hosts;
    this.#data = data;
    this.#clock = clock;
    this.memory = new MemoryWeeks(data.weeks);
  }

  get alerts(): never {
    throw new Error('nobody is alerted here');
  }

  addRun(run: Run): Promise<void> {
    this.#data.runs.push(run);
    return this.#done(undefined);
  }

  updateRun(id: string, changes: RunChanges): Promise<void> {
    const index = this.#data.runs.findIndex((run) => run.id === id);
    const run = this.#data.runs[index];
    if (run === undefined)
      return Promise.reject(new InternalError('state.no_run', `no run ${id} is recorded`));
    const refused = this.#refuseLost();
    if (refused !== undefined) return refused;
    this.#data.runs[index] = { ...run, ...changes };
    return this.#done(undefined);
  }

  run(id: string): Promise<Run | undefined> {
    return this.#done(this.#data.runs.find((run) => run.id === id));
  }

  runs(limit: number): Promise<readonly Run[]> {
    return this.#done(this.#newestFirst().slice(0, limit));
  }

  newestUnfinishedRun(account: ServiceAccount): Promise<Run | undefined> {
    return this.#done(
      this.#newestFirst().find((run) => !run.finished && nameOf(run.account) === nameOf(account)),
    );
  }

  runsInConflict(account: ServiceAccount): Promise<readonly Run[]> {
    const inConflict = ({ summaries }: Run): boolean =>
      summaries.some((summary) => summary.direction === 'push' && summary.conflict > 0);
    return this.#done(
      this.#newestFirst()
        .toReversed()
        .filter((run) => nameOf(run.account) === nameOf(account) && inConflict(run)),
    );
  }

  addPull(pull: Run): Promise<void> {
    this.#data.pulls.push(pull);
    return this.#done(undefined);
  }

  updatePull(id: string, changes: RunChanges): Promise<void> {
    const at = this.#data.pulls.findIndex((pull) => pull.id === id);
    const pull = this.#data.pulls[at];
    if (pull === undefined)
      return Promise.reject(new InternalError('state.no_run', `no pull ${id} is recorded`));
    this.#data.pulls[at] = { ...pull, ...changes };
    return this.#done(undefined);
  }

  pulls(limit: number): Promise<readonly Run[]> {
    return this.#done(newestFirst(this.#data.pulls).slice(0, limit));
  }

  openRunRows(runId: string | null): Promise<RunRows> {
    if (runId === null) return this.#done(new MemoryRunRows(new RunRowsData(), () => undefined));
    const { rows, damaged } = this.#data;
    if (damaged.delete(runId)) rows.delete(runId);
    const data = rows.get(runId) ?? new RunRowsData();
    rows.set(runId, data);
    return this.#done(this.#ofRun(new MemoryRunRows(data, () => rows.delete(runId))));
  }

  keptRunRows(runId: string): Promise<RunRows | undefined> {
    const { rows, damaged } = this.#data;
    const data = damaged.has(runId) ? undefined : rows.get(runId);
    return this.#done(data && this.#ofRun(new MemoryRunRows(data, () => this.#data.rows.delete(runId))));
  }

  removeRuns(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (this.#data.intents.some(({ stored }) => stored.runId === id && isOpen(stored)))
        return Promise.reject(
          new InternalError('state.open_run', `run ${id} has a write that is still open`),
        );
      remove(this.#data.intents, ({ stored }) => stored.runId === id);
      remove(this.#data.runs, (run) => run.id === id);
      remove(this.#data.pulls, (pull) => pull.id === id);
      this.#data.rows.delete(id);
    }
    return this.#done(undefined);
  }

  strayRuns(): Promise<readonly StrayRun[]> {
    const known = new Set(this.#data.runs.map(({ id }) => id));
    const strays = [...this.#data.rows].filter(([id]) => !known.has(id));
    return this.#done(strays.map(([id, { createdAtMs }]) => ({ id, changedAtMs: createdAtMs })));
  }

  findIntents(account: ServiceAccount, prefix: string, limit: number): Promise<readonly StoredIntent[]> {
    const found = this.#data.intents.filter(
      ({ account: name, stored }) => name === nameOf(account) && stored.id.startsWith(prefix),
    );
    return this.#done(found.slice(0, limit).map((each) => this.#sent(each)));
  }

  addIntent(account: ServiceAccount, intent: Intent, recorded: readonly Recorded[] = []): Promise<void> {
    const { lock, leases } = this.#hosts ?? {};
    if (lock === undefined || leases === undefined) return this.#addIntent(account, intent, recorded, 0);
    return lock.renewedBy(account, (lease) =>
      leases.renewNow(account, lease)
        ? this.#addIntent(account, intent, recorded, lease)
        : Promise.reject(lockLost(account)),
    );
  }

  #addIntent(
    account: ServiceAccount,
    intent: Intent,
    recorded: readonly Recorded[],
    lease: number,
  ): Promise<void> {
    if (recorded.some(({ intentId }) => this.#openIntent(account, intentId) === undefined)) return noIntent();
    for (const each of recorded) void this.#record(account, each);
    const stored = { ...intent, result: null, detail: [] };
    this.#data.intents.push({ account: nameOf(account), lease, stored });
    return this.#done(undefined);
  }

  recordResult(
    account: ServiceAccount,
    intentId: string,
    result: IntentResult,
    detail: Words,
    confirmed: readonly KnownRecord[],
  ): Promise<void> {
    return this.#refuseLost() ?? this.#record(account, { intentId, result, detail, confirmed });
  }

  #record(account: ServiceAccount, { intentId, result, detail, confirmed }: Recorded): Promise<void> {
    const found = this.#openIntent(account, intentId);
    if (found === undefined) return noIntent();
    found.stored = { ...found.stored, result, detail };
    return this.confirm(account, found.stored.resource, confirmed);
  }

  /** Rejects where another host has a lock of this process by now; undefined where nothing speaks against a change. */
  #refuseLost(): Promise<never> | undefined {
    if (this.#hosts === undefined) return undefined;
    const { lock, leases } = this.#hosts;
    const seen = { isOwn: true };
    // The question is put before the call returns, so that nothing comes between it and what follows.
    const refused = lock.refuseLost((account, lease) => {
      seen.isOwn = leases.isHeld(account, lease);
      return Promise.resolve(seen.isOwn);
    });
    return seen.isOwn ? undefined : (refused as Promise<never>);
  }

  /** The rows of a run, which nobody changes who has lost its lock. */
  #ofRun(rows: RunRows): RunRows {
    const unlessLost = (change: () => Promise<void>): Promise<void> => this.#refuseLost() ?? change();
    return changedBy(rows, {
      add: (...of) => unlessLost(() => rows.add(...of)),
      patch: (...of) => unlessLost(() => rows.patch(...of)),
      deferOpen: (...of) => unlessLost(() => rows.deferOpen(...of)),
      reopenDeferred: (...of) => unlessLost(() => rows.reopenDeferred(...of)),
      restart: (...of) => unlessLost(() => rows.restart(...of)),
      addKnown: (...of) => unlessLost(() => rows.addKnown(...of)),
      setHeader: (...of) => unlessLost(() => rows.setHeader(...of)),
      keepWritten: (...of) => unlessLost(() => rows.keepWritten(...of)),
      remove: (...of) => unlessLost(() => rows.remove(...of)),
    });
  }

  #sent({ stored, lease }: StoreData['intents'][number]): StoredIntent {
    const silent = this.#data.leases.silent.get(lease)?.said;
    return silent === undefined ? stored : { ...stored, silent };
  }

  #openIntent(account: ServiceAccount, intentId: string): StoreData['intents'][number] | undefined {
    return this.#data.intents.find(
      ({ account: name, stored }) =>
        name === nameOf(account) && stored.id === intentId && (stored.result ?? 'ambiguous') === 'ambiguous',
    );
  }

  intents(runId: string): Promise<readonly StoredIntent[]> {
    return this.#done(
      this.#data.intents.filter(({ stored }) => stored.runId === runId).map((each) => this.#sent(each)),
    );
  }

  intentsAfter(account: ServiceAccount, id: string): Promise<readonly StoredIntent[]> {
    const { intents } = this.#data;
    const at = intents.findIndex(({ stored }) => stored.id === id);
    const later =
      at === -1 ? [] : intents.slice(at + 1).filter(({ account: name }) => name === nameOf(account));
    return this.#done(later.map((each) => this.#sent(each)));
  }

  openIntents(account: ServiceAccount): Promise<readonly StoredIntent[]> {
    return this.#done(
      this.#data.intents.flatMap((each) =>
        each.account === nameOf(account) && isOpen(each.stored) ? [this.#sent(each)] : [],
      ),
    );
  }

  accounts(baseUrl: string): Promise<readonly ServiceAccount[]> {
    const { snapshots, facts, intents, runs } = this.#data;
    const names = [
      ...runs.map(({ account }) => nameOf(account)),
      ...intents.map(({ account }) => account),
      ...snapshots.keys(),
      ...facts.keys(),
    ].filter((name) => name.startsWith(`${baseUrl} `));
    const ids = new Set(names.map((name) => name.split(' ')[1] ?? ''));
    return this.#done([...ids].map((accountId) => ({ baseUrl, accountId })));
  }

  snapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, KnownRecord>> {
    const held = this.#snapshots(account, resource);
    const spelling = this.#spelling(account, resource);
    return this.#done(
      new Map(
        [...new Set(keys)].flatMap((key) => {
          const found = held.get(speltKey(resource, key, spelling));
          return found === undefined ? [] : [[key, { ...found.record, key }] as const];
        }),
      ),
    );
  }

  paddedSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    keys: readonly string[],
  ): Promise<readonly KnownRecord[]> {
    const wanted = new Set(keys);
    const held = [...this.#snapshots(account, resource)];
    return this.#done(
      held.flatMap(([key, { record }]) =>
        key.endsWith(' ') && wanted.has(key.replace(/ +$/, '')) ? [record] : [],
      ),
    );
  }

  async confirmedWith(
    account: ServiceAccount,
    resource: ResourceName,
    wanted: readonly WantedDigests[],
  ): Promise<readonly (KnownRecord['id'] | undefined)[]> {
    const keys = wanted.map(({ key }) => key);
    const held = await this.snapshots(account, resource, keys);
    return wanted.map(({ key, digests }) => {
      const record = held.get(key);
      const isHeld = Object.entries(digests).every(([name, each]) => record?.digests[name] === each);
      return isHeld ? record?.id : undefined;
    });
  }

  async *allSnapshots(
    account: ServiceAccount,
    resource: ResourceName,
    sinceMs = -Infinity,
  ): AsyncGenerator<readonly KnownRecord[]> {
    const held = [...this.#snapshots(account, resource).values()].filter(({ atMs }) => atMs >= sinceMs);
    const records = held.map(({ record }) => record);
    const sorted = records.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    for (let at = 0; at < sorted.length; at += PAGE) yield await this.#done(sorted.slice(at, at + PAGE));
  }

  countSnapshots(account: ServiceAccount, resource: ResourceName): Promise<number> {
    return this.#done(this.#snapshots(account, resource).size);
  }

  confirm(account: ServiceAccount, resource: ResourceName, records: readonly KnownRecord[]): Promise<void> {
    const refused = this.#refuseLost();
    if (refused !== undefined) return refused;
    this.#dropComparisons(account, resource);
    const held = this.#snapshots(account, resource);
    const spelling = this.#spelling(account, resource);
    for (const record of records) {
      const key = speltKey(resource, record.key, spelling);
      const managedBy = record.managedBy ?? held.get(key)?.record.managedBy;
      held.set(key, {
        record: { ...record, key, ...(managedBy !== undefined && { managedBy }) },
        atMs: this.#clock.now(),
      });
    }
    return this.#done(undefined);
  }

  forgetOlder(account: ServiceAccount, resource: ResourceName, listedAtMs: number): Promise<void> {
    const refused = this.#refuseLost();
    if (refused !== undefined) return refused;
    this.#dropComparisons(account, resource);
    const held = this.#snapshots(account, resource);
    for (const [key, { atMs }] of held) if (atMs < listedAtMs) held.delete(key);
    return this.#done(undefined);
  }

  respell(account: ServiceAccount, resource: ResourceName, spelling: Spelling): Promise<void> {
    const refused = this.#refuseLost();
    if (refused !== undefined) return refused;
    this.#dropComparisons(account, resource);
    const held = this.#snapshots(account, resource);
    for (const [before, { record, atMs }] of [...held]) {
      const key = speltKey(resource, before, spelling);
      if (key === before) continue;
      const there = held.get(key);
      held.delete(before);
      held.set(key, {
        record: there === undefined ? { ...record, key } : oneOfSpellings(there.record, record),
        atMs: Math.max(atMs, there?.atMs ?? 0),
      });
    }
    return this.setFact(account, spellingFact(resource), JSON.stringify(spelling));
  }

  fact(
    account: ServiceAccount,
    name: string,
  ): Promise<{ readonly value: string; readonly atMs: number } | undefined> {
    return this.#done(this.#data.facts.get(`${nameOf(account)} ${name}`));
  }

  setFact(account: ServiceAccount, name: string, value: string): Promise<void> {
    this.#data.facts.set(`${nameOf(account)} ${name}`, { value, atMs: this.#clock.now() });
    return this.#done(undefined);
  }

  facts(account: ServiceAccount): Promise<readonly Fact[]> {
    const prefix = `${nameOf(account)} `;
    const facts = [...this.#data.facts]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, fact]) => ({ name: name.slice(prefix.length), ...fact }));
    return this.#done(facts.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }

  setFacts(account: ServiceAccount, facts: readonly Pick<Fact, 'name' | 'value'>[]): Promise<void> {
    for (const { name, value } of facts)
      this.#data.facts.set(`${nameOf(account)} ${name}`, { value, atMs: this.#clock.now() });
    return this.#done(undefined);
  }

  keyOrigin(keyDigest: string): Promise<string | undefined> {
    return this.#done(this.#data.origins.get(keyDigest));
  }

  setKeyOrigin(keyDigest: string, origin: string): Promise<void> {
    this.#data.origins.set(keyDigest, origin);
    return this.#done(undefined);
  }

  close(): Promise<void> {
    this.#closed = true;
    // Whatever is written from now on goes nowhere.
    this.#data = new StoreData();
    return Promise.resolve();
  }

  #comparison(wanted: string): MemoryComparison | undefined {
    return this.#data.comparisons.values().find(({ id }) => id === wanted);
  }

  #dropComparisons(account: ServiceAccount, resource: ResourceName): void {
    const prefix = `${nameOf(account)} ${resource} `;
    for (const name of this.#data.comparisons.keys())
      if (name.startsWith(prefix)) this.#data.comparisons.delete(name);
  }

  #done<T>(value: T): Promise<T> {
    return this.#closed ? Promise.reject(new Error('the store is closed')) : Promise.resolve(value);
  }

  #spelling(account: ServiceAccount, resource: ResourceName): Spelling | undefined {
    return readSpelling(this.#data.facts.get(`${nameOf(account)} ${spellingFact(resource)}`)?.value);
  }

  #newestFirst(): readonly Run[] {
    return newestFirst(this.#data.runs);
  }

  #snapshots(account: ServiceAccount, resource: ResourceName): Map<string, Remembered> {
    const name = `${nameOf(account)} ${resource}`;
    const held = this.#data.snapshots.get(name) ?? new Map<string, Remembered>();
    this.#data.snapshots.set(name, held);
    return held;
  }
}
