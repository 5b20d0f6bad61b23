import type { PushedResource } from '../../src/contract/index.ts';

/** A field of a record as it stands in bodies. */
export type Values = Readonly<Record<string, unknown>>;

/** What pushes are about; names as in mappings. */
export type Kind = PushedResource;

/** Something that the service did for good. */
export interface Effect {
  readonly kind: 'create' | 'update' | 'merge';
  readonly resource: Kind;
  /** As a mapping would spell it. */
  readonly key: string;
  readonly id: string;
  /** The number of the request on our wire; undefined for another writer. */
  readonly request: number | undefined;
  readonly atMs: number;
  /** The whole record afterwards. */
  readonly after: Values;
}

interface Version {
  readonly atMs: number;
  readonly values: Values;
}

/** A record with its past, because lists may show it as it was a while ago. */
export interface Held {
  readonly id: string;
  readonly key: string;
  readonly createdMs: number;
  readonly versions: Version[];
}

export const latest = ({ versions }: Held): Values => versions.at(-1)?.values ?? {};

/** The record as it stood at a time; undefined before it was there. */
export const asOf = ({ versions }: Held, atMs: number): Values | undefined =>
  versions.findLast((version) => version.atMs <= atMs)?.values;

/** Everything that the service has, and the log of how it came there. */
export class Records {
  readonly effects: Effect[] = [];
  readonly #held = new Map<Kind, Held[]>();
  #ids = 0;

  of(resource: Kind): readonly Held[] {
    return this.#held.get(resource) ?? [];
  }

  find(resource: Kind, key: string): readonly Held[] {
    return this.of(resource).filter((held) => held.key === key);
  }

  byId(resource: Kind, id: string): Held | undefined {
    return this.of(resource).find((held) => held.id === id);
  }

  /** A number that no record has, and a UUID made of it. */
  newNumber(): number {
    return (this.#ids += 1);
  }

  create(
    resource: Kind,
    key: string,
    id: string,
    values: Values,
    atMs: number,
    request: number | undefined,
  ): Held {
    const held: Held = { id, key, createdMs: atMs, versions: [{ atMs, values }] };
    this.#held.set(resource, [...this.of(resource), held]);
    this.effects.push({ kind: 'create', resource, key, id, request, atMs, after: values });
    return held;
  }

  change(
    resource: Kind,
    held: Held,
    changes: Values,
    atMs: number,
    request: number | undefined,
    kind: 'update' | 'merge' = 'update',
  ): void {
    const values = { ...latest(held), ...changes };
    held.versions.push({ atMs, values });
    this.effects.push({
      kind,
      resource,
      key: held.key,
      id: held.id,
      request,
      atMs,
      after: values,
    });
  }
}

export const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
