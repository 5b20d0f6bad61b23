import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { batchUpdate } from './batch-update.ts';
import { maskRoot, type Validator } from './discovery.ts';
import { isObject, parseMask, select } from './field-mask.ts';
import { insufficientScope, invalid, malformed, notFound, notPermitted, unauthenticated } from './refusal.ts';
import { spreadsheetResource } from './resource.ts';
import type { NewId, SpreadsheetState } from './state.ts';
import type { Tokens } from './tokens.ts';
import { readValues } from './values.ts';

/** A request to the Sheets API. */
export interface SheetsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly token: string | undefined;
}

type Operation = (state: SpreadsheetState, request: SheetsRequest, newId: NewId) => Outcome;

/** The spreadsheet afterwards, if it changed, and the answer. */
interface Outcome {
  readonly state?: SpreadsheetState;
  readonly answer: object;
}

const getSpreadsheet: Operation = (state, { query }) => {
  const extent = { ranges: query.getAll('ranges'), includeGridData: query.get('includeGridData') === 'true' };
  return { answer: spreadsheetResource(state, { ...extent, fields: query.get('fields') ?? undefined }) };
};

const updateSpreadsheet: Operation = (before, { body, query }, newId) => {
  const update = (body ?? {}) as sheets_v4.Schema$BatchUpdateSpreadsheetRequest;
  const { state, replies } = batchUpdate(before, update.requests ?? [], newId);
  const answer: sheets_v4.Schema$BatchUpdateSpreadsheetResponse = { spreadsheetId: state.id, replies };
  if (update.includeSpreadsheetInResponse !== true) return { state, answer };
  const mask = query.get('fields');
  const parsed = mask === null ? undefined : parseMask(mask);
  const inner = parsed?.['updatedSpreadsheet'];
  const cells =
    inner === undefined || inner === true
      ? update.responseIncludeGridData === true
      : JSON.stringify(inner).includes('"data"');
  const extent = { ranges: update.responseRanges ?? [], includeGridData: cells, fields: undefined };
  return { state, answer: { ...answer, updatedSpreadsheet: spreadsheetResource(state, extent) } };
};

const batchGet: Operation = (state, { query }) => {
  const rendering = query.get('valueRenderOption') ?? 'FORMATTED_VALUE';
  const valueRanges = query.getAll('ranges').map((range) => readValues(state, range, rendering));
  return { answer: { spreadsheetId: state.id, valueRanges } };
};

/** What the program asks, by method and what stands after the spreadsheet's id. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET ': getSpreadsheet,
  'POST :batchUpdate': updateSpreadsheet,
  'GET /values:batchGet': batchGet,
};

/** What is wrong with a request by Google's own description, masks included. */
export function requestProblems(
  validator: Validator,
  { method, path, query, body }: SheetsRequest,
): string[] {
  const problems = validator.request(method, path, query, body);
  const fields = query.get('fields');
  const root =
    path.endsWith(':batchUpdate') && !path.includes('/values')
      ? 'BatchUpdateSpreadsheetResponse'
      : 'Spreadsheet';
  if (fields !== null && !path.includes('/values')) problems.push(...validator.mask(parseMask(fields), root));
  const requests: unknown = isObject(body) ? body['requests'] : undefined;
  if (!Array.isArray(requests)) return problems;
  for (const [index, request] of requests.entries()) {
    if (!isObject(request)) continue;
    for (const [kind, content] of Object.entries(request)) {
      const schema = maskRoot(kind);
      const mask = isObject(content) ? content['fields'] : undefined;
      if (schema !== undefined && typeof mask === 'string' && mask !== '')
        problems.push(
          ...validator
            .mask(parseMask(mask), schema)
            .map((problem) => `requests[${index}].${kind}: ${problem}`),
        );
    }
  }
  return problems;
}

/** Carries a request out on the spreadsheets and answers it. Errors: a refusal, and nothing has happened. */
export function runSheetsRequest(
  spreadsheets: Map<string, SpreadsheetState>,
  tokens: Tokens,
  problems: readonly string[],
  request: SheetsRequest,
  newId: NewId,
): object {
  const [, id = '', rest = ''] = /^\/v4\/spreadsheets\/([^/:]+)(.*)$/.exec(request.path) ?? [];
  const kind = request.method === 'GET' ? 'read' : 'write';
  const right = tokens.check(request.token, kind);
  if (right === 'unknown') throw unauthenticated();
  if (right === 'scope')
    throw insufficientScope(
      `google.apps.sheets.v4.SpreadsheetsService.${kind === 'read' ? 'Get' : 'BatchUpdate'}`,
    );
  if (problems.length > 0) throw malformed(problems);
  const state = spreadsheets.get(decodeURIComponent(id));
  if (state === undefined) throw notFound();
  if (state.shared === false || (state.shared === 'reader' && kind === 'write')) throw notPermitted();
  const operation = OPERATIONS[`${request.method} ${rest}`];
  if (operation === undefined) throw invalid(`The fake does not know ${request.method} ${request.path}`);
  const outcome = operation(state, request, newId);
  if (outcome.state !== undefined) spreadsheets.set(state.id, outcome.state);
  const fields = request.query.get('fields');
  return fields === null ? outcome.answer : (select(outcome.answer, parseMask(fields)) as object);
}
