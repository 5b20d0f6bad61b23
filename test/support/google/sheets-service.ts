import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { batchUpdate } from './batch-update.ts';
import { maskRoot, type Validator } from './discovery.ts';
import { isObject, parseMask, select } from './field-mask.ts';
import { insufficientScope, invalid, malformed, notFound, notPermitted, unauthenticated } from './refusal.ts';
import { spreadsheetResource } from './resource.ts';
import type { SpreadsheetState, World } from './state.ts';
import type { Tokens } from './tokens.ts';
import { clearValues, readValues, updateValues } from './values.ts';

/** A request to the Sheets API. */
export interface SheetsRequest {
  readonly method: string;
  /** Still encoded, because a range may hold any character. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly token: string | undefined;
}

interface Operation {
  readonly kind: 'read' | 'write';
  readonly run: (state: SpreadsheetState, request: SheetsRequest, range: string, world: World) => Outcome;
}

/** The spreadsheet afterwards, if it changed, and the answer. */
interface Outcome {
  readonly state?: SpreadsheetState;
  readonly answer: object;
}

function rendering(query: URLSearchParams): { readonly value: string; readonly dateTime: string } {
  return {
    value: query.get('valueRenderOption') ?? 'FORMATTED_VALUE',
    dateTime: query.get('dateTimeRenderOption') ?? 'SERIAL_NUMBER',
  };
}

function readOptions(query: URLSearchParams): Parameters<typeof readValues>[2] {
  return { rendering: rendering(query), majorDimension: query.get('majorDimension') ?? undefined };
}

function responseValues(body: {
  readonly responseValueRenderOption?: string | null;
  readonly responseDateTimeRenderOption?: string | null;
}): Parameters<typeof readValues>[2] {
  return {
    rendering: {
      value: body.responseValueRenderOption ?? 'FORMATTED_VALUE',
      dateTime: body.responseDateTimeRenderOption ?? 'SERIAL_NUMBER',
    },
  };
}

const getSpreadsheet: Operation['run'] = (state, { query }, _range, world) => {
  const extent = { ranges: query.getAll('ranges'), includeGridData: query.get('includeGridData') === 'true' };
  return {
    answer: spreadsheetResource(state, { ...extent, fields: query.get('fields') ?? undefined }, world),
  };
};

const updateSpreadsheet: Operation['run'] = (before, { body, query }, _range, world) => {
  const update = (body ?? {}) as sheets_v4.Schema$BatchUpdateSpreadsheetRequest;
  const { state, replies } = batchUpdate(before, update.requests ?? [], world);
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
  return { state, answer: { ...answer, updatedSpreadsheet: spreadsheetResource(state, extent, world) } };
};

const batchGet: Operation['run'] = (state, { query }, _range, world) => ({
  answer: {
    spreadsheetId: state.id,
    valueRanges: query.getAll('ranges').map((range) => readValues(state, range, readOptions(query), world)),
  },
});

const getValues: Operation['run'] = (state, { query }, range, world) => ({
  answer: readValues(state, range, readOptions(query), world),
});

const putValues: Operation['run'] = (before, { query, body }, range, world) => {
  const data = { range, ...(body as sheets_v4.Schema$ValueRange | undefined) };
  if (data.range !== range)
    throw invalid(
      `Requested writing within range [${range}], but tried writing to range [${data.range ?? ''}]`,
    );
  const { state, responses } = updateValues(before, [data], query.get('valueInputOption'));
  const [answer = {}] = responses;
  if (query.get('includeValuesInResponse') !== 'true') return { state, answer };
  const options = responseValues(Object.fromEntries(query));
  return {
    state,
    answer: { ...answer, updatedData: readValues(state, answer.updatedRange ?? range, options, world) },
  };
};

const updateRanges: Operation['run'] = (before, { body }, _range, world) => {
  const update = (body ?? {}) as sheets_v4.Schema$BatchUpdateValuesRequest;
  const { state, responses } = updateValues(before, update.data ?? [], update.valueInputOption);
  const sum = (key: 'updatedRows' | 'updatedColumns' | 'updatedCells'): number =>
    responses.reduce((total, each) => total + (each[key] ?? 0), 0);
  const shown = responses.map((each) =>
    update.includeValuesInResponse === true
      ? { ...each, updatedData: readValues(state, each.updatedRange ?? '', responseValues(update), world) }
      : each,
  );
  return {
    state,
    answer: {
      spreadsheetId: state.id,
      totalUpdatedRows: sum('updatedRows'),
      totalUpdatedColumns: sum('updatedColumns'),
      totalUpdatedCells: sum('updatedCells'),
      totalUpdatedSheets: new Set(responses.map(({ updatedRange }) => updatedRange?.split('!')[0])).size,
      responses: shown,
    },
  };
};

const clearRanges: Operation['run'] = (before, { body }) => {
  const { ranges } = (body ?? {}) as sheets_v4.Schema$BatchClearValuesRequest;
  const { state, cleared } = clearValues(before, ranges ?? []);
  return { state, answer: { spreadsheetId: state.id, clearedRanges: cleared } };
};

const clearRange: Operation['run'] = (before, _request, range) => {
  const { state, cleared } = clearValues(before, [range]);
  return { state, answer: { spreadsheetId: state.id, clearedRange: cleared[0] } };
};

/** The operations by method and what stands after the spreadsheet's id; the first that fits is meant. */
const OPERATIONS: readonly (readonly [string, RegExp, Operation])[] = [
  ['GET', /^$/, { kind: 'read', run: getSpreadsheet }],
  ['POST', /^:batchUpdate$/, { kind: 'write', run: updateSpreadsheet }],
  ['GET', /^\/values:batchGet$/, { kind: 'read', run: batchGet }],
  ['POST', /^\/values:batchUpdate$/, { kind: 'write', run: updateRanges }],
  ['POST', /^\/values:batchClear$/, { kind: 'write', run: clearRanges }],
  ['POST', /^\/values\/([^/]+):clear$/, { kind: 'write', run: clearRange }],
  ['GET', /^\/values\/([^/]+)$/, { kind: 'read', run: getValues }],
  ['PUT', /^\/values\/([^/]+)$/, { kind: 'write', run: putValues }],
];

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
  world: World,
): object {
  const [, id = '', rest = ''] = /^\/v4\/spreadsheets\/([^/:]+)(.*)$/.exec(request.path) ?? [];
  const found = OPERATIONS.find(([method, pattern]) => method === request.method && pattern.test(rest));
  const kind = found?.[2].kind ?? (request.method === 'GET' ? 'read' : 'write');
  const right = tokens.check(request.token, kind);
  if (right === 'unknown') throw unauthenticated();
  if (right === 'scope')
    throw insufficientScope(
      `google.apps.sheets.v4.SpreadsheetsService.${kind === 'read' ? 'Get' : 'BatchUpdate'}`,
    );
  if (problems.length > 0) throw malformed(problems);
  // A service account has no storage of its own to make spreadsheets in.
  if (request.path === '/v4/spreadsheets' && request.method === 'POST') throw notPermitted();
  const state = spreadsheets.get(decodeURIComponent(id));
  if (state === undefined) throw notFound();
  if (state.shared === false || (state.shared === 'reader' && kind === 'write')) throw notPermitted();
  if (found === undefined) throw invalid(`The fake does not know ${request.method} ${request.path}`);
  const [, pattern, operation] = found;
  const range = decodeURIComponent(pattern.exec(rest)?.[1] ?? '');
  const outcome = operation.run(state, request, range, world);
  if (outcome.state !== undefined) spreadsheets.set(state.id, outcome.state);
  const fields = request.query.get('fields');
  return fields === null ? outcome.answer : (select(outcome.answer, parseMask(fields)) as object);
}
