import { pushTarget, type PushedResource } from '../../contract/index.ts';
import { sourceHeader } from '../../mapping/bind.ts';
import { ambiguousMessage, isPlanLookup, missMessage, showTexts } from '../../mapping/lookup.ts';
import type { Column, Lookup, PushMapping } from '../../mapping/mapping.ts';
import { show } from '../../mapping/show.ts';
import { ConfigError } from '../../model/error.ts';
import type { RunRow } from '../../model/state/run-rows.ts';
import { renderSaid, type Said, type Words } from '../../model/said.ts';
import { fieldValue, withLookups, type LookupResult, type Stop } from '../../plan/lookups.ts';
import { PUSHED_RESOURCES } from '../../plan/resources/index.ts';
import { prepareComparison } from './compare.ts';
import {
  findRecords,
  findRows,
  textsOf,
  valueOf,
  type Candidate,
  type RecordFinder,
} from './find-records.ts';
import { ownRowsFirst } from './shown-as.ts';
import { rowPages } from '../rows/row-pages.ts';
import { settleDuplicates } from '../rows/settle-duplicates.ts';
import type { Comparison, PlanParts } from '../ports.ts';

/** A column of a mapping that is looked up. */
interface LookedUp {
  readonly mapping: PushMapping;
  readonly column: Column;
  readonly lookup: Lookup;
}

/** What it is looked up in. */
interface Search extends LookedUp {
  readonly finder: RecordFinder;
  /** How messages call the place. */
  readonly place: string;
  /** Why a record that is not found may exist all the same. */
  readonly unread?: Said | undefined;
  /** What a candidate makes of the field. */
  readonly take: (candidate: Candidate) => Promise<Taken>;
}

/** What a candidate gives, or what stands against it in the words that follow its name. */
type Taken =
  | Exclude<LookupResult, { readonly kind: 'stop' }>
  | { readonly kind: 'stop'; readonly because: Stop; readonly message: string };

/** Looks up, while a plan is made, what rows say of records of the service and of other rows. */
export class PlanLookups {
  readonly #plan: PlanParts;
  readonly #known = new Map<PushedResource, Comparison>();

  constructor(plan: PlanParts) {
    this.#plan = plan;
  }

  /** Keeps what a mapping was compared with, for the lookups of those after it. */
  knows(resource: PushedResource, comparison: Comparison): void {
    this.#known.set(resource, comparison);
  }

  /** Fills in the fields of the pending rows of a mapping. Errors: ConfigError `lookup.*`; those of listing. */
  async resolve(mapping: PushMapping): Promise<void> {
    if (mapping.columns === 'auto') return;
    const columns = mapping.columns.filter(isPlanLookup);
    if (columns.length === 0) return;
    const searches: Search[] = [];
    for (const column of columns) searches.push(await this.#search(mapping, column));
    const { name, resource } = mapping;
    for await (const page of rowPages(this.#plan.rows, name, { change: 'pending', open: true })) {
      this.#plan.ports.signal.throwIfAborted();
      const results = page.map(() => new Map<string, LookupResult>());
      for (const search of searches) {
        const found = await this.#results(search, page);
        for (const [at, result] of found.entries()) results[at]?.set(search.column.field, result);
      }
      await this.#plan.rows.patch(
        name,
        page.map((row, at) => withLookups(resource, row, results[at] ?? new Map())),
      );
    }
    // Rows that say it in other words may mean the same record.
    await settleDuplicates(this.#plan.rows, name);
  }

  async #results(search: Search, page: readonly RunRow[]): Promise<readonly LookupResult[]> {
    const { column, lookup, finder, place, unread, take } = search;
    const wanted = page.map((row) => row.lookups?.[column.field]?.texts ?? []);
    const found = await finder.find(wanted);
    const header = await this.#headerOf(search);
    const stop = (
      because: Stop,
      message: string,
      ...more: Words
    ): Extract<LookupResult, { kind: 'stop' }> => ({
      kind: 'stop',
      because,
      said: [
        { code: 'issue', issue: { code: 'lookup', severity: 'error', column: header, message } },
        ...more,
      ],
    });
    return Promise.all(
      wanted.map(async (texts, at): Promise<LookupResult> => {
        const candidates = found[at] ?? [];
        const [candidate, second] = candidates;
        if (candidate === undefined) {
          if (unread !== undefined)
            return stop('must-wait', `${showTexts(texts)} was not found in ${place}`, unread);
          const message = missMessage(texts, place, await finder.nearest(texts));
          if (lookup.onMiss === 'skip') return stop('left-out', `left out: ${message}`);
          if (this.#plan.options.limit === undefined) return stop('breaks-rule', message);
          return stop('must-wait', message, { code: 'limit-unread' });
        }
        if (second !== undefined) {
          const message = ambiguousMessage(texts, place, candidates.map(nameOf));
          if (lookup.onAmbiguous === 'skip') return stop('left-out', `left out: ${message}`);
          return stop('breaks-rule', message);
        }
        const result = await take(candidate);
        return result.kind === 'stop'
          ? stop(result.because, `${showTexts(texts)} ${result.message}`)
          : result;
      }),
    );
  }

  /** The header that people know the column by. */
  async #headerOf({ mapping, column: { from }, lookup }: LookedUp): Promise<string | undefined> {
    if (lookup.match.length > 1) return from.join(' + ');
    const header = sourceHeader(mapping, await this.#plan.rows.header(mapping.name));
    return header.names[header.find(from) ?? -1];
  }

  async #search(mapping: PushMapping, column: Column): Promise<Search> {
    const { lookup } = column;
    if (typeof lookup?.in !== 'string') throw new Error('only records and rows are looked up here');
    const asked = { mapping, column, lookup };
    const resource = PUSHED_RESOURCES.find((known) => known === lookup.in);
    return resource === undefined
      ? this.#searchMapping(asked, lookup.in)
      : this.#searchResource(asked, resource);
  }

  async #searchResource(asked: LookedUp, resource: PushedResource): Promise<Search> {
    const { ports, account, mappings, rows } = this.#plan;
    const { lookup } = asked;
    const comparison = await this.#comparison(asked.mapping, resource);
    const tables = { store: ports.store, account: account.service, rows };
    const others = mappings.filter((each) => each.resource === resource);
    const place =
      others.length === 0
        ? resource
        : `${resource} (or ${others.map((each) => each.source.origin).join(', ')})`;
    return {
      ...asked,
      place: `${place}, ${lookup.match.join(' + ')}`,
      unread: comparison.unknownKeysWait,
      finder: findRecords(tables, resource, lookup.match, (keys) => comparison.lookup(keys), others),
      take: (candidate) => this.#takeRecord(asked, resource, candidate),
    };
  }

  async #searchMapping(asked: LookedUp, name: string): Promise<Search> {
    const { mapping, column, lookup } = asked;
    const other = this.#plan.mappings.find((each) => each.name === name);
    if (other === undefined || other === mapping) {
      const { file, line } = mapping.place;
      throw new ConfigError(
        'lookup.mapping',
        `${file}:${line}: ${mapping.name}: ${column.field} is looked up in ${show(name)}, which is neither a resource nor another mapping of this run`,
        { file, line, next: `name both mappings: ${name} ${mapping.name}` },
      );
    }
    const header = await this.#plan.rows.header(other.name);
    this.#checkNames(asked, other, header);
    const takesRecord =
      !header.includes(lookup.take) &&
      (pushTarget(other.resource)?.lookup?.take.includes(lookup.take) ?? false);
    const read = textsOf(other, header, [lookup.take]);
    return {
      ...asked,
      place: `${other.source.origin}, ${lookup.match.join(' + ')}`,
      finder: findRows(this.#plan.rows, other, lookup.match),
      take: async (candidate) => {
        if (takesRecord || candidate.kind === 'known')
          return this.#takeRecord(asked, other.resource, candidate);
        return valueResult(asked, read(candidate.row)[0]);
      },
    };
  }

  /** Errors: ConfigError `lookup.column`. */
  #checkNames({ mapping, column, lookup }: LookedUp, other: PushMapping, header: readonly string[]): void {
    const { file, line } = mapping.place;
    const fields = Object.keys(pushTarget(other.resource)?.fields ?? {});
    const taken = pushTarget(other.resource)?.lookup?.take ?? [];
    for (const [key, wanted, known] of [
      ...lookup.match.map((each) => ['match', each, [...fields, ...header]] as const),
      ['take', lookup.take, [...fields, ...header, ...taken]] as const,
    ]) {
      if (known.includes(wanted)) continue;
      throw new ConfigError(
        'lookup.column',
        `${file}:${line}: ${mapping.name}: lookup of ${column.field}: ${key} names ${show(wanted)}, which ${other.name} has neither as a field nor as a column`,
        { file, line, next: `write one of ${known.join(', ')}` },
      );
    }
  }

  async #comparison(mapping: PushMapping, resource: PushedResource): Promise<Comparison> {
    const known = this.#known.get(resource);
    if (known !== undefined) return known;
    const name = `${resource} looked up`;
    const asked = { ...mapping, name, resource, compare: 'auto' } as const;
    const options = { adopt: this.#plan.options.adopt, compare: undefined };
    const { ports, account, rows } = this.#plan;
    const read = await prepareComparison(ports, asked, account, rows, options);
    const found = ownRowsFirst(this.#plan, resource, read);
    this.#known.set(resource, found);
    return found;
  }

  async #takeRecord(asked: LookedUp, resource: PushedResource, candidate: Candidate): Promise<Taken> {
    const { take } = asked.lookup;
    if (candidate.kind === 'known') return valueResult(asked, valueOf(resource, candidate.record, take));
    const { row, mapping: other } = candidate;
    const { rowNumber, outcome, change, key } = row;
    if (key === null) return { kind: 'stop', because: 'must-wait', message: 'has no key' };
    if (row.id !== null) {
      const remembered = await this.#plan.ports.store.snapshots(this.#plan.account.service, resource, [key]);
      const held = remembered.get(key) ?? (await this.#known.get(resource)?.lookup([key]))?.get(key)?.[0];
      return valueResult(asked, take === 'id' ? row.id : held && valueOf(resource, held, take));
    }
    if ((change === 'create' || change === 'unchanged') && outcome === null) {
      // A field that the row itself holds is known already.
      const own = take === 'id' ? undefined : row.fields?.[take];
      if (own !== undefined) return valueResult(asked, own);
      return { kind: 'after', after: { mapping: other.name, resource, rowNumber, key } };
    }
    return { kind: 'stop', because: 'must-wait', message: waitsFor(other, row) };
  }
}

function waitsFor({ source, name }: PushMapping, { rowNumber, key, outcome, said }: RunRow): string {
  const why = said.length === 0 ? '' : `: ${renderSaid(said)}`;
  return `waits for ${source.origin} row ${rowNumber} (${name}[${key ?? ''}]), which is ${outcome ?? 'not sent yet'}${why}`;
}

function valueResult(
  { mapping, column: { field }, lookup: { take } }: LookedUp,
  found: Parameters<typeof fieldValue>[2],
): Taken {
  const value = fieldValue(mapping.resource, field, found);
  if (value !== undefined) return { kind: 'value', value };
  const type = pushTarget(mapping.resource)?.fields[field]?.type ?? 'a value';
  const message =
    found === undefined
      ? `has no ${take} that is known here: ask your provider for it, and give ${field} that value in place of the lookup`
      : `has ${take} ${show(String(found))}, and ${field} needs ${type}`;
  return { kind: 'stop', because: 'breaks-rule', message };
}

function nameOf(candidate: Candidate): string {
  if (candidate.kind === 'known') {
    const { key, id } = candidate.record;
    return id === null ? show(key) : `${show(key)} with id ${id}`;
  }
  return `${candidate.mapping.source.origin} row ${candidate.row.rowNumber}`;
}
