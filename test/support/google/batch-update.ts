import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import * as cells from './cell-requests.ts';
import * as charts from './chart-requests.ts';
import * as metadata from './metadata-requests.ts';
import * as objects from './object-requests.ts';
import { GoogleRefusal, invalid } from './refusal.ts';
import * as sheets from './sheet-requests.ts';
import { copySpreadsheet, type NewId, type SpreadsheetState } from './state.ts';

type Kind = keyof sheets_v4.Schema$Request;
type Handler<K extends Kind> = (
  state: SpreadsheetState,
  request: NonNullable<sheets_v4.Schema$Request[K]>,
  newId: NewId,
) => sheets_v4.Schema$Response | undefined;

/** Every kind of request that the program sends; another one is refused, so that none passes unnoticed. */
const HANDLERS: { readonly [K in Kind]?: Handler<K> } = {
  addChart: charts.addChart,
  addConditionalFormatRule: objects.addConditionalFormatRule,
  addSheet: sheets.addSheet,
  appendDimension: sheets.appendDimension,
  clearBasicFilter: objects.clearBasicFilter,
  createDeveloperMetadata: metadata.createDeveloperMetadata,
  deleteConditionalFormatRule: objects.deleteConditionalFormatRule,
  deleteDeveloperMetadata: metadata.deleteDeveloperMetadata,
  deleteEmbeddedObject: charts.deleteEmbeddedObject,
  deleteSheet: sheets.deleteSheet,
  insertDimension: sheets.insertDimensionRequest,
  repeatCell: cells.repeatCell,
  setBasicFilter: objects.setBasicFilter,
  setDataValidation: cells.setDataValidation,
  updateCells: cells.updateCells,
  updateChartSpec: charts.updateChartSpec,
  updateConditionalFormatRule: objects.updateConditionalFormatRule,
  updateDeveloperMetadata: metadata.updateDeveloperMetadata,
  updateDimensionProperties: sheets.updateDimensionProperties,
  updateEmbeddedObjectPosition: charts.updateEmbeddedObjectPosition,
  updateSheetProperties: sheets.updateSheetProperties,
};

function applyRequest(
  state: SpreadsheetState,
  request: sheets_v4.Schema$Request,
  index: number,
  newId: NewId,
): sheets_v4.Schema$Response {
  const [kind, ...others] = Object.keys(request) as Kind[];
  if (kind === undefined) throw invalid(`Invalid requests[${index}]: No request set.`);
  if (others.length > 0) throw invalid(`Invalid requests[${index}]: oneof field 'kind' is already set.`);
  // The registry's types pair each kind with its request; TypeScript cannot follow that through a lookup.
  const handle = HANDLERS[kind] as Handler<Kind> | undefined;
  if (handle === undefined)
    throw invalid(`Invalid requests[${index}].${kind}: the fake does not know this request.`);
  try {
    return handle(state, request[kind] ?? {}, newId) ?? {};
  } catch (error) {
    if (error instanceof GoogleRefusal && error.code === 400)
      throw invalid(`Invalid requests[${index}].${kind}: ${error.message}`);
    throw error;
  }
}

/** The spreadsheet after all requests, and their replies; the one before stays as it is. Errors: a refusal of 400, and nothing has happened. */
export function batchUpdate(
  before: SpreadsheetState,
  requests: readonly sheets_v4.Schema$Request[],
  newId: NewId,
): { state: SpreadsheetState; replies: sheets_v4.Schema$Response[] } {
  if (requests.length === 0) throw invalid('Must specify at least one request.');
  const state = copySpreadsheet(before);
  return { state, replies: requests.map((request, index) => applyRequest(state, request, index, newId)) };
}
