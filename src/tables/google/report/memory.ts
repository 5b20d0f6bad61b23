import { hash } from 'node:crypto';
import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';

/** What we keep in the developer metadata of a tab, so that the next refresh knows what is ours. */
export interface Memory<T> {
  /** Undefined when nothing is kept yet. */
  readonly metadataId: number | undefined;
  readonly value: T | undefined;
}

/** A short text that stands for any value that JSON can hold; equal values have equal texts. */
export const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value)).slice(0, 12);

const ID_MAX = 0x7fff_ffff;

/**
 * An id for something new: made of its name, so that the same refresh names it the same, and of nothing that is taken. Adds it to `taken`.
 */
export function freshId(name: string, taken: Set<number>): number {
  for (let attempt = 0; ; attempt += 1) {
    const id = (Number.parseInt(digestOf([name, attempt]).slice(0, 8), 16) % ID_MAX) + 1;
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

/** All ids of a spreadsheet that something new must not have: tabs, charts and developer metadata. */
export function takenIds(sheets: readonly sheets_v4.Schema$Sheet[]): Set<number> {
  const ids = sheets.flatMap(({ properties, charts, developerMetadata }) => [
    properties?.sheetId,
    ...(charts ?? []).map(({ chartId }) => chartId),
    ...(developerMetadata ?? []).map(({ metadataId }) => metadataId),
  ]);
  return new Set(ids.filter((id) => typeof id === 'number'));
}

/** What was kept under a key of a tab; what `parse` does not know counts as nothing. */
export function recall<T>(
  sheet: sheets_v4.Schema$Sheet | undefined,
  key: string,
  isKept: (value: unknown) => value is T,
): Memory<T> {
  const found = sheet?.developerMetadata?.find(({ metadataKey }) => metadataKey === key);
  const value = parsed(found?.metadataValue ?? '');
  return { metadataId: found?.metadataId ?? undefined, value: isKept(value) ? value : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Somebody else's text under our key is not ours to read.
    return undefined;
  }
}

/** Something to be kept in the metadata of a tab. */
export interface Note {
  readonly sheetId: number;
  readonly key: string;
  readonly metadataId: number;
  /** Its id once it is renewed: the same for everybody who has read the same. */
  readonly nextId: number;
  /** There is none under this id yet. */
  readonly isNew: boolean;
  readonly text: string;
  /** It says so already. */
  readonly same: boolean;
  /** What is kept while the refresh takes several calls, where it matters. */
  readonly meanwhile: string | undefined;
  /** What is kept when the looks of the refresh are left out; undefined leaves it as it was. */
  readonly plain: string | undefined;
}

/**
 * A note of a value; `meanwhile` is what is kept between the calls of a refresh that takes several, `plain` when its looks are left out, where
 * something was kept before.
 */
export function noteOf<T>(
  sheetId: number,
  key: string,
  memory: Memory<T>,
  taken: Set<number>,
  value: T,
  { meanwhile, plain }: { readonly meanwhile?: T; readonly plain?: T | undefined } = {},
): Note {
  const text = JSON.stringify(value);
  const metadataId = memory.metadataId ?? freshId(`${key} ${sheetId}`, taken);
  return {
    sheetId,
    key,
    metadataId,
    nextId: freshId(`${key} ${sheetId} after ${metadataId}`, taken),
    isNew: memory.metadataId === undefined,
    text,
    same: text === JSON.stringify(memory.value),
    meanwhile: meanwhile === undefined ? undefined : JSON.stringify(meanwhile),
    plain: plain === undefined ? undefined : JSON.stringify(plain),
  };
}

/** The requests that write a text of a note: into new metadata, in place of what is there with `renew`, or into that. */
export function writeNote(
  { sheetId, key, metadataId, nextId, isNew }: Note,
  text: string,
  renew: boolean,
): sheets_v4.Schema$Request[] {
  const lookup = { developerMetadataLookup: { metadataId } };
  if (!isNew && !renew) {
    const developerMetadata = { metadataValue: text };
    return [
      { updateDeveloperMetadata: { dataFilters: [lookup], developerMetadata, fields: 'metadataValue' } },
    ];
  }
  const place = { metadataKey: key, location: { sheetId }, visibility: 'DOCUMENT' };
  const developerMetadata = { metadataId: isNew ? metadataId : nextId, ...place, metadataValue: text };
  return [
    ...(isNew ? [] : [{ deleteDeveloperMetadata: { dataFilter: lookup } }]),
    { createDeveloperMetadata: { developerMetadata } },
  ];
}
