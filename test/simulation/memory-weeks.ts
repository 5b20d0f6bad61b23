import type { Kept, KeptCount, KeptKind, LeagueScope, Memory } from '../../src/model/state/memory.ts';
import type { ServiceAccount } from '../../src/model/state/store.ts';

interface Entry {
  readonly scope: LeagueScope;
  readonly json: string;
  readonly kept: Kept;
}

const nameOf = ({ baseUrl, accountId }: ServiceAccount): string => `${baseUrl} ${accountId}`;
const scopeName = ({ account, league }: LeagueScope): string => `${nameOf(account)} ${league}`;

/** What a disk holds of the memory of game weeks. */
export class WeeksData {
  /** By league, game week, kind, id and variant. */
  readonly entries = new Map<string, Entry>();
  /** By account. */
  readonly members = new Map<string, Set<string>>();
  readonly squads = new Map<string, Set<string>>();
}

/** The memory of game weeks, in memory. */
export class MemoryWeeks implements Memory {
  readonly #data: WeeksData;

  constructor(data: WeeksData) {
    this.#data = data;
  }

  keep(scope: LeagueScope, kept: readonly Kept[]): Promise<void> {
    const { members, squads } = this.#of(scope.account);
    for (const each of kept) {
      if (each.member !== undefined && members.has(each.member)) {
        if (each.squad === undefined) continue;
        squads.add(each.squad);
        this.#delete(
          scope.account,
          ({ kind, squad, member }) => (squad === each.squad && member === undefined) || kind === 'summary',
        );
        continue;
      }
      if (each.member === undefined && each.squad !== undefined && squads.has(each.squad)) continue;
      const key = JSON.stringify([scopeName(scope), each.gameWeek, each.kind, each.id, each.variant]);
      const json = JSON.stringify(each.record);
      const held = this.#data.entries.get(key);
      if (held !== undefined && held.kept.readAtMs > each.readAtMs) continue;
      if (held !== undefined && held.kept.readAtMs === each.readAtMs && held.json >= json) continue;
      this.#data.entries.set(key, { scope, json, kept: structuredClone(each) });
    }
    return Promise.resolve();
  }

  async *kept(scope: LeagueScope, gameWeek: string, kind: KeptKind): AsyncGenerator<readonly Kept[]> {
    const order = ({ id, readAtMs, variant }: Kept): readonly (string | number)[] => [id, readAtMs, variant];
    const found = this.#in(scope)
      .filter((each) => each.gameWeek === gameWeek && each.kind === kind)
      .toSorted((one, other) => {
        const others = order(other);
        const at = order(one).findIndex((part, index) => part !== others[index]);
        return at === -1 || (order(one)[at] ?? '') < (others[at] ?? '') ? -1 : 1;
      });
    if (found.length > 0) yield await Promise.resolve(found.map((each) => structuredClone(each)));
  }

  async *latest(scope: LeagueScope, gameWeek: string, kind: KeptKind): AsyncGenerator<readonly Kept[]> {
    for await (const page of this.kept(scope, gameWeek, kind))
      yield page.filter(({ id }, index) => page[index + 1]?.id !== id);
  }

  async readAt(scope: LeagueScope, gameWeek: string, kind: KeptKind): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for await (const page of this.kept(scope, gameWeek, kind))
      for (const { id, readAtMs } of page) found.set(id, readAtMs);
    return found;
  }

  weeks(scope: LeagueScope): Promise<readonly KeptCount[]> {
    const groups = Map.groupBy(this.#in(scope), ({ gameWeek, kind }) => `${gameWeek} ${kind}`);
    const counts = [...groups.values()].flatMap((group): KeptCount[] => {
      const [first] = group;
      if (first === undefined) return [];
      const latest = [...Map.groupBy(group, ({ id }) => id).values()].map((readings) =>
        Math.max(...readings.map(({ readAtMs }) => readAtMs)),
      );
      const { gameWeek, kind } = first;
      return [
        {
          gameWeek,
          kind,
          ids: latest.length,
          oldestMs: Math.min(...latest),
          newestMs: Math.max(...latest),
          timesSum: latest.reduce((sum, atMs) => sum + atMs, 0),
        },
      ];
    });
    return Promise.resolve(
      counts.toSorted((one, other) =>
        `${one.gameWeek} ${one.kind}` < `${other.gameWeek} ${other.kind}` ? -1 : 1,
      ),
    );
  }

  scopes(): Promise<readonly LeagueScope[]> {
    const scopes = [...this.#data.entries.values()].map(({ scope }) => [scopeName(scope), scope] as const);
    return Promise.resolve([...new Map(scopes).values()]);
  }

  forget(account: ServiceAccount, member: string): Promise<number> {
    const { members, squads } = this.#of(account);
    members.add(member);
    for (const { scope, kept } of this.#data.entries.values())
      if (nameOf(scope.account) === nameOf(account) && kept.member === member && kept.squad !== undefined)
        squads.add(kept.squad);
    this.#delete(account, ({ kind }) => kind === 'summary');
    return Promise.resolve(
      this.#delete(
        account,
        (kept) => kept.member === member || (kept.member === undefined && squads.has(kept.squad ?? '')),
      ),
    );
  }

  forgotten(account: ServiceAccount): Promise<readonly string[]> {
    return Promise.resolve([...this.#of(account).members].toSorted());
  }

  drop(scope: LeagueScope, gameWeek: string, readBeforeMs: number): Promise<void> {
    this.#delete(
      scope.account,
      (kept) => kept.gameWeek === gameWeek && kept.readAtMs < readBeforeMs,
      scope.league,
    );
    return Promise.resolve();
  }

  #of(account: ServiceAccount): { readonly members: Set<string>; readonly squads: Set<string> } {
    const name = nameOf(account);
    const { members, squads } = this.#data;
    const found = { members: members.get(name) ?? new Set(), squads: squads.get(name) ?? new Set() };
    members.set(name, found.members);
    squads.set(name, found.squads);
    return found;
  }

  #in(scope: LeagueScope): readonly Kept[] {
    return [...this.#data.entries.values()]
      .filter((each) => scopeName(each.scope) === scopeName(scope))
      .map(({ kept }) => kept);
  }

  #delete(account: ServiceAccount, goes: (kept: Kept) => boolean, league?: number): number {
    let count = 0;
    for (const [key, { scope, kept }] of this.#data.entries) {
      if (nameOf(scope.account) !== nameOf(account) || !goes(kept)) continue;
      if (league !== undefined && scope.league !== league) continue;
      this.#data.entries.delete(key);
      count += 1;
    }
    return count;
  }
}
