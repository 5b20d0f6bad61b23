import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { assign, requiredMask } from './field-mask.ts';
import { invalid } from './refusal.ts';
import { sheetOf, type NewId, type SpreadsheetState } from './state.ts';

/** The most characters of keys and values for each tab. */
const CHARACTERS_MAX = 30_000;

type Metadata = sheets_v4.Schema$DeveloperMetadata;

/** Errors: a refusal of 400 when a tab holds too much metadata. */
function checkAmount({ developerMetadata }: SpreadsheetState): void {
  const amounts = new Map<number, number>();
  for (const { location, metadataKey, metadataValue } of developerMetadata) {
    const place = location?.sheetId ?? 0;
    const amount = (amounts.get(place) ?? 0) + (metadataKey ?? '').length + (metadataValue ?? '').length;
    if (amount > CHARACTERS_MAX)
      throw invalid(`The developer metadata is over the limit of ${CHARACTERS_MAX} characters.`);
    amounts.set(place, amount);
  }
}

/** A tab as a place with its kind, which Google adds. */
function placed(
  state: SpreadsheetState,
  location: sheets_v4.Schema$DeveloperMetadataLocation | undefined,
): sheets_v4.Schema$DeveloperMetadataLocation {
  const { sheetId } = location ?? {};
  if (typeof sheetId !== 'number') throw invalid('The fake knows metadata of tabs only.');
  sheetOf(state, sheetId);
  return { sheetId, locationType: 'SHEET' };
}

/** Attaches metadata. Errors: a refusal of 400 without key, visibility or place, for a taken id, and past the amount. */
export function createDeveloperMetadata(
  state: SpreadsheetState,
  { developerMetadata }: sheets_v4.Schema$CreateDeveloperMetadataRequest,
  newId: NewId,
): sheets_v4.Schema$Response {
  const { metadataKey, visibility } = developerMetadata ?? {};
  if ((metadataKey ?? '') === '') throw invalid('Developer metadata must have a key specified.');
  if (visibility !== 'DOCUMENT' && visibility !== 'PROJECT')
    throw invalid('Developer metadata must have a visibility specified.');
  const metadataId = developerMetadata?.metadataId ?? newId();
  if (metadataId < 1) throw invalid('The metadata id must be positive.');
  if (state.developerMetadata.some((each) => each.metadataId === metadataId))
    throw invalid(`Developer metadata with id ${metadataId} already exists.`);
  const added = { ...developerMetadata, metadataId, location: placed(state, developerMetadata?.location) };
  state.developerMetadata.push(added);
  checkAmount(state);
  return { createDeveloperMetadata: { developerMetadata: structuredClone(added) } };
}

function matches(filter: sheets_v4.Schema$DataFilter | undefined): (metadata: Metadata) => boolean {
  const id = filter?.developerMetadataLookup?.metadataId;
  if (typeof id !== 'number') throw invalid('The fake looks developer metadata up by metadataId only.');
  return ({ metadataId }) => metadataId === id;
}

/** Changes the fields of a mask in all metadata that the filters find. */
export function updateDeveloperMetadata(
  state: SpreadsheetState,
  request: sheets_v4.Schema$UpdateDeveloperMetadataRequest,
): sheets_v4.Schema$Response {
  const mask = requiredMask(request.fields);
  const found = (request.dataFilters ?? []).map(matches);
  if (found.length === 0) throw invalid('At least one data filter must be specified.');
  const updated: Metadata[] = [];
  state.developerMetadata = state.developerMetadata.map((metadata) => {
    if (!found.some((match) => match(metadata))) return metadata;
    const next: Metadata = { ...assign(metadata, request.developerMetadata ?? {}, mask) };
    const kept = { ...next, metadataId: metadata.metadataId ?? 0, location: placed(state, next.location) };
    updated.push(kept);
    return kept;
  });
  checkAmount(state);
  return { updateDeveloperMetadata: { developerMetadata: structuredClone(updated) } };
}

/** Deletes all metadata that the filter finds, and answers it. */
export function deleteDeveloperMetadata(
  state: SpreadsheetState,
  { dataFilter }: sheets_v4.Schema$DeleteDeveloperMetadataRequest,
): sheets_v4.Schema$Response {
  const match = matches(dataFilter);
  const deleted = state.developerMetadata.filter(match);
  state.developerMetadata = state.developerMetadata.filter((metadata) => !match(metadata));
  return { deleteDeveloperMetadata: { deletedDeveloperMetadata: deleted } };
}
