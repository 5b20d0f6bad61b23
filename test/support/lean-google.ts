import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { generateKeyPairSync } from 'node:crypto';

/** In which ways an answer leaves out, or does otherwise, what Google does. */
export interface Ways {
  /** What `range` of values says: the whole grid as Google, the cells that hold something, what was asked, or nothing. */
  readonly range?: 'grid' | 'clipped' | 'asked' | 'none';
  /** Leaves out the size of grids. */
  readonly noGrid?: boolean;
  /** Leaves out numbers that are 0. */
  readonly noZeros?: boolean;
  /** When cells come with a spreadsheet. */
  readonly cells?: 'by flag' | 'always' | 'never';
  /** Empty cells among values are null, and blank rows too. */
  readonly nulls?: boolean;
  /** Answers with a token and nothing else. */
  readonly bareToken?: boolean;
  /** Compresses answers, in chunks. */
  readonly gzip?: boolean;
  /** Refuses requests other than those for cells and tabs, instead of taking no notice. */
  readonly strict?: boolean;
  /** At most this many rows of values, as if there were no more. */
  readonly rowsMax?: number;
}

interface LeanTab {
  readonly sheetId: number;
  readonly title: string;
  readonly rows: (string | number | boolean | null)[][];
  readonly notes: Map<string, string>;
}

export interface LeanGoogle {
  readonly rootUrl: string;
  readonly keyFile: Readonly<Record<string, string>>;
  readonly tabs: LeanTab[];
  /** `GET batchGet`, `POST batchUpdate` and so on. */
  readonly calls: string[];
  readonly close: () => Promise<void>;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const HEIGHT = 1000;
const WIDTH = 26;

interface Body {
  readonly requests: readonly Request[];
}

const letter = (column: number): string => String.fromCharCode(65 + column);
const shownOf = (value: string | number | boolean | null): string =>
  typeof value === 'boolean' ? String(value).toUpperCase() : String(value ?? '');

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A far simpler double of Google Sheets than the other one, as somebody else would write it: one spreadsheet, few operations, no field masks. */
export async function startLeanGoogle(
  given: readonly { readonly title: string; readonly rows: LeanTab['rows'] }[],
  ways: Ways = {},
): Promise<LeanGoogle> {
  const tabs: LeanTab[] = given.map(({ title, rows }, sheetId) => ({
    sheetId,
    title,
    rows,
    notes: new Map(),
  }));
  const calls: string[] = [];

  const propertiesOf = ({ sheetId, title }: LeanTab): object => ({
    ...(ways.noZeros === true && sheetId === 0 ? {} : { sheetId }),
    title,
    somethingNew: { later: true },
    ...(ways.noGrid !== true && { gridProperties: { rowCount: HEIGHT, columnCount: WIDTH } }),
  });
  const cellsOf = ({ rows, notes }: LeanTab): object => ({
    rowData: rows.map((row, r) => ({
      values: row.map((value, c) => ({
        ...(shownOf(value) !== '' && { formattedValue: shownOf(value) }),
        ...(notes.has(`${r},${c}`) && { note: notes.get(`${r},${c}`) }),
      })),
    })),
  });
  const spreadsheet = (query: URLSearchParams): object => {
    const wanted =
      ways.cells === 'always' || (ways.cells !== 'never' && query.get('includeGridData') === 'true');
    return {
      sheets: tabs.map((tab) => ({ properties: propertiesOf(tab), ...(wanted && { data: [cellsOf(tab)] }) })),
    };
  };

  const values = (asked: string, rendering: string | null): object => {
    const [name = '', cells = ''] = asked.split('!');
    const tab = tabs.find(({ title }) => title === name.replaceAll("'", ''));
    if (tab === undefined) return {};
    const from = Number(/^[A-Z]+(\d+)/.exec(cells)?.[1] ?? 1) - 1;
    const all = tab.rows.slice(from, from + (ways.rowsMax ?? HEIGHT));
    const filled = all.slice(0, all.findLastIndex((row) => row.some((value) => shownOf(value) !== '')) + 1);
    const empty = ways.nulls === true ? null : '';
    const rows = filled.map((row) =>
      row.map((value) => (value === null ? empty : rendering === 'FORMATTED_VALUE' ? shownOf(value) : value)),
    );
    const width = Math.max(1, ...filled.map(({ length }) => length));
    const range = {
      none: undefined,
      asked,
      grid: `${name}!A${from + 1}:${letter(WIDTH - 1)}${HEIGHT}`,
      clipped: `${name}!A${from + 1}:${letter(width - 1)}${from + Math.max(1, filled.length)}`,
    }[ways.range ?? 'grid'];
    return { ...(range !== undefined && { range }), ...(rows.length > 0 && { values: rows }) };
  };

  const put = (tab: LeanTab, r: number, c: number, cell: Cell, fields: string): void => {
    while (tab.rows.length <= r) tab.rows.push([]);
    const row = tab.rows[r] ?? [];
    while (row.length <= c) row.push(null);
    const { stringValue, numberValue, boolValue } = cell.userEnteredValue ?? {};
    if (fields.includes('userEnteredValue')) row[c] = stringValue ?? numberValue ?? boolValue ?? null;
    if (fields === 'note') tab.notes.set(`${r},${c}`, cell.note ?? '');
  };
  const apply = (request: Request): string | undefined => {
    const byId = (id = 0): LeanTab | undefined => tabs.find(({ sheetId }) => sheetId === id);
    if (request.addSheet !== undefined) {
      const { sheetId, title } = request.addSheet.properties;
      tabs.push({ sheetId, title, rows: [], notes: new Map() });
    } else if (request.updateCells !== undefined) {
      const { start, rows, fields } = request.updateCells;
      const tab = byId(start.sheetId);
      if (tab === undefined) return 'No grid with id';
      rows.forEach(({ values: cells = [] }, r) =>
        cells.forEach((cell, c) =>
          put(tab, (start.rowIndex ?? 0) + r, (start.columnIndex ?? 0) + c, cell, fields),
        ),
      );
    } else if (request.insertDimension !== undefined) {
      const { sheetId, startIndex, endIndex } = request.insertDimension.range;
      for (const row of byId(sheetId)?.rows ?? [])
        if (row.length > startIndex)
          row.splice(startIndex, 0, ...Array<null>(endIndex - startIndex).fill(null));
    } else if (ways.strict === true) return `Unknown name "${Object.keys(request).join()}"`;
    return undefined;
  };

  const server = createServer((request, response) => {
    const answer = async (): Promise<readonly [number, unknown]> => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const body = await bodyOf(request);
      if (url.pathname === '/some/where/oauth')
        return [
          200,
          {
            access_token: 'lean',
            ...(ways.bareToken !== true && { expires_in: 3600, token_type: 'Bearer' }),
          },
        ];
      const operation = /[:/]([^:/]*)$/.exec(url.pathname)?.[1] ?? '';
      calls.push(`${request.method ?? ''} ${operation === 'season' ? 'get' : operation}`);
      if (request.headers.authorization !== 'Bearer lean') return [401, { error: { code: 401 } }];
      const query = url.searchParams;
      if (operation === 'season') return [200, spreadsheet(query)];
      if (operation === 'batchGet') {
        const valueRanges = query
          .getAll('ranges')
          .map((range) => values(range, query.get('valueRenderOption')));
        return [200, { spreadsheetId: 'season', valueRanges }];
      }
      if (operation !== 'batchUpdate') return [404, { error: { code: 404, status: 'NOT_FOUND' } }];
      const kept = structuredClone(tabs);
      for (const each of (JSON.parse(body) as Body).requests) {
        const problem = apply(each);
        if (problem === undefined) continue;
        tabs.splice(0, tabs.length, ...kept);
        return [400, { error: { code: 400, message: problem, status: 'INVALID_ARGUMENT' } }];
      }
      return [200, { spreadsheetId: 'season', replies: [] }];
    };
    void answer().then(([status, body]) => {
      const text = Buffer.from(JSON.stringify(body));
      const sent = ways.gzip === true ? gzipSync(text) : text;
      response.writeHead(status, ways.gzip === true ? { 'content-encoding': 'gzip' } : {});
      response.write(sent.subarray(0, 10));
      response.end(sent.subarray(10));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rootUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    rootUrl,
    tabs,
    calls,
    keyFile: {
      type: 'service_account',
      client_email: 'sync@fictional-league.example',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      token_uri: `${rootUrl}some/where/oauth`,
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Cell {
  readonly userEnteredValue?: { stringValue?: string; numberValue?: number; boolValue?: boolean };
  readonly note?: string;
}

interface Request {
  readonly addSheet?: { properties: { sheetId: number; title: string } };
  readonly updateCells?: {
    start: { sheetId?: number; rowIndex?: number; columnIndex?: number };
    rows: readonly { values?: readonly Cell[] }[];
    fields: string;
  };
  readonly insertDimension?: { range: { sheetId?: number; startIndex: number; endIndex: number } };
}
