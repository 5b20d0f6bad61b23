import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { googleClient, refusalOf } from '../support/google/client.ts';
import { createValidator, readValidator } from '../support/google/discovery.ts';
import { startFakeGoogle, type FakeGoogle } from '../support/google/fake-google.ts';
import { parseMask } from '../support/google/field-mask.ts';

describe('the check by a discovery document', () => {
  const validator = createValidator({
    parameters: { fields: { type: 'string' } },
    schemas: {
      Sheet: {
        properties: {
          title: { type: 'string' },
          index: { type: 'integer', format: 'int32' },
          kind: { type: 'string', enum: ['GRID', 'OBJECT'] },
          cells: { type: 'array', items: { $ref: 'Sheet' } },
          criteria: { type: 'object', additionalProperties: { type: 'boolean' } },
        },
      },
    },
    resources: {
      sheets: {
        methods: {
          put: {
            id: 'sheets.put',
            httpMethod: 'PUT',
            path: 'v1/{name}:put',
            parameters: { name: { type: 'string' }, how: { type: 'string', enum: ['RAW'] } },
            request: { $ref: 'Sheet' },
          },
        },
      },
    },
  });
  const problems = (body: object, query = '') =>
    validator.request('PUT', '/v1/a:put', new URLSearchParams(query), body);

  it('finds nothing wrong with what fits', () => {
    const body = { title: 'x', index: 2, kind: 'GRID', cells: [{ title: null }], criteria: { 3: true } };
    expect(problems(body, 'how=RAW&fields=title')).toEqual([]);
    expect(validator.mask(parseMask('title,cells(index,cells/kind)'), 'Sheet')).toEqual([]);
  });

  it.each([
    [{ cells: [{ titel: 'x' }] }, `Unknown name "titel" at 'cells[0]'`],
    [{ index: 'two' }, `Invalid value at 'index' (TYPE_INT32), "two"`],
    [{ index: 1.5 }, `Invalid value at 'index'`],
    [{ kind: 'CHART' }, `Invalid value at 'kind'`],
    [{ cells: {} }, `Invalid value at 'cells' (not a list)`],
    [{ cells: [null] }, `Invalid value at 'cells[0]'`],
    [{ criteria: { 3: 'yes' } }, `Invalid value at 'criteria.3'`],
    [{ toString: 'x' }, 'Unknown name "toString"'],
  ])('finds the mistake in %j', (body, problem) => {
    expect(problems(body)).toEqual([expect.stringContaining(problem)]);
  });

  it('finds mistakes in paths, queries and masks', () => {
    expect(validator.request('GET', '/v1/a:put', new URLSearchParams(), undefined)).toEqual([
      'No method for GET /v1/a:put',
    ]);
    expect(problems({}, 'how=COOKED')).toHaveLength(1);
    expect(problems({}, 'who=me')).toHaveLength(1);
    expect(validator.mask(parseMask('cells.titel'), 'Sheet')).toEqual([
      expect.stringContaining("'cells.titel'"),
    ]);
    expect(validator.mask(parseMask('title.length'), 'Sheet')).toEqual([
      expect.stringContaining("'title.length'"),
    ]);
  });
});

describe.skipIf(readValidator() === undefined)("Google's own description", () => {
  let google: FakeGoogle;
  let id: string;
  beforeEach(async () => {
    google = await startFakeGoogle();
    id = google.add({ tabs: [{ title: 'Members', rows: [['Name']] }] });
  });
  afterEach(() => google.close());

  it.each<[string, object, string]>([
    [
      'a field that does not exist',
      { updateCells: { start: { row: 1 }, fields: 'note' } },
      'Unknown name "row" at \'requests[0].updateCells.start\'',
    ],
    [
      'a value of the wrong type',
      { deleteSheet: { sheetId: 'Members' } },
      "Invalid value at 'requests[0].deleteSheet.sheetId' (TYPE_INT32)",
    ],
    [
      'an enum value that does not exist',
      { mergeCells: { mergeType: 'ALL' } },
      "Invalid value at 'requests[0].mergeCells.mergeType'",
    ],
    [
      'a mask of fields that do not exist',
      { repeatCell: { range: {}, cell: {}, fields: 'userEnteredFormat.colour' } },
      "for path 'userEnteredFormat.colour'",
    ],
  ])('refuses %s', async (_name, request, problem) => {
    const call = googleClient(google).spreadsheets.batchUpdate({
      spreadsheetId: id,
      requestBody: { requests: [request] },
    });
    expect(await refusalOf(call)).toMatchObject({
      code: 400,
      message: expect.stringContaining(problem) as string,
    });
    expect(google.problems).toEqual([expect.stringContaining(problem)]);
  });

  it('refuses masks and options of reads that do not exist', async () => {
    const { spreadsheets } = googleClient(google);
    expect(
      await refusalOf(spreadsheets.get({ spreadsheetId: id, fields: 'sheets(propertys)' })),
    ).toMatchObject({ code: 400 });
    const options = { spreadsheetId: id, ranges: ['Members'], valueRenderOption: 'PLAIN' };
    const read = spreadsheets.values.batchGet(options);
    expect(await refusalOf(read)).toMatchObject({ code: 400 });
    expect(google.problems).toHaveLength(2);
  });
});
