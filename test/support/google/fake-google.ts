import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fault, GoogleCall, Hook } from './call.ts';
import { readValidator } from './discovery.ts';
import { GoogleRefusal, quotaExceeded } from './refusal.ts';
import { addSheet, deleteSheet } from './sheet-requests.ts';
import { requestProblems, runSheetsRequest, type SheetsRequest } from './sheets-service.ts';
import { countCells, putCell, sheetOf, type NewId, type SpreadsheetState } from './state.ts';
import { createTab, storedCell, type FakeTab, type FakeTabInput } from './tab.ts';
import { createTokens } from './tokens.ts';

export type { Fault, GoogleCall, Hook } from './call.ts';
export type { FakeCell, FakeCellState, FakeTab, FakeTabInput } from './tab.ts';

/** A spreadsheet as a test describes it; shared unless it says otherwise. */
export interface FakeSpreadsheetInput {
  readonly id?: string;
  readonly title?: string;
  readonly timeZone?: string;
  readonly locale?: string;
  readonly shared?: boolean | 'reader';
  readonly tabs: readonly FakeTabInput[];
}

/** Google Sheets and Google's login on this machine. */
export interface FakeGoogle {
  /** `http://127.0.0.1:PORT/` */
  readonly rootUrl: string;
  /** A service account's key file; its token endpoint is here. */
  readonly keyFile: Readonly<Record<string, string>>;
  /** A desktop client's file; its login page and token endpoint are here. */
  readonly desktopClient: object;
  /** Every request, in the order they came. */
  readonly calls: readonly GoogleCall[];
  /** What did not fit Google's own description of its interface, over all calls. */
  readonly problems: readonly string[];
  /** Adds a spreadsheet and answers its id. */
  add(spreadsheet: FakeSpreadsheetInput): string;
  tab(spreadsheetId: string, title: string): FakeTab;
  tabTitles(spreadsheetId: string): readonly string[];
  /** The whole state, to look at. */
  spreadsheet(spreadsheetId: string): SpreadsheetState;
  deleteTab(spreadsheetId: string, title: string): void;
  /** The cells of all grids, blank ones too. */
  cellCount(spreadsheetId: string): number;
  /** Adds a hook that runs before every request. */
  before(hook: Hook): void;
  /** Answers 429 past so many requests from now on. */
  quota(limits: { readonly reads?: number; readonly writes?: number }): void;
  /** A token of the given scope, without a login. */
  accessToken(scope?: string): string;
  /** Ends all access tokens; with `all` refresh tokens too. */
  expireTokens(all?: boolean): void;
  /** Whether the person at the login page says yes from now on. */
  allowLogin(answer: boolean): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parseBody(text: string, type: string | undefined): unknown {
  if (text === '') return undefined;
  if (type?.startsWith('application/x-www-form-urlencoded') === true)
    return Object.fromEntries(new URLSearchParams(text));
  return JSON.parse(text);
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  response.end(text);
}

/** An id as Google's look: 44 letters, digits, `-` and `_`. */
function spreadsheetId(number: number): string {
  return `1${createHash('sha256').update(String(number)).digest('base64url')}`;
}

const TOKEN_PATHS = ['/token', '/auth', '/revoke'];
/** Numbers as Google's ids look: large, and each a new one. */
const ID_STEP = 1_103_515_245;

/** Starts the fake on a free port. `now` (milliseconds) is the clock for tokens. */
export async function startFakeGoogle(options: { readonly now?: () => number } = {}): Promise<FakeGoogle> {
  const now = options.now ?? Date.now;
  const spreadsheets = new Map<string, SpreadsheetState>();
  const calls: GoogleCall[] = [];
  const hooks: Hook[] = [];
  const validator = readValidator();
  let left: { read: number; write: number } = { read: Infinity, write: Infinity };
  let lastId = 12_345;
  const newId = (): number => (lastId = (lastId * ID_STEP + 12_345) % 2_147_483_647);

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A mistake of the fake itself must not look like an answer of Google's.
      send(response, { status: 500, body: `the fake failed: ${String(error)}` });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rootUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const tokens = createTokens(rootUrl, now);

  const answerToken = (path: string, query: URLSearchParams, body: unknown): Answer => {
    const form = new URLSearchParams(body as Record<string, string> | undefined);
    if (path === '/token') return tokens.exchange(form);
    if (path === '/revoke') return tokens.revoke(form.get('token') ?? query.get('token') ?? '');
    const login = tokens.login(query);
    return 'location' in login
      ? { status: 302, body: '', headers: { location: login.location } }
      : { status: 400, body: login.problem };
  };

  const answerSheets = (
    request: SheetsRequest,
    kind: 'read' | 'write',
    problems: readonly string[],
  ): Answer => {
    try {
      if (left[kind] < 1) throw quotaExceeded(kind);
      left = { ...left, [kind]: left[kind] - 1 };
      return { status: 200, body: runSheetsRequest(spreadsheets, tokens, problems, request, newId) };
    } catch (error) {
      if (!(error instanceof GoogleRefusal)) throw error;
      return { status: error.code, body: error.body() };
    }
  };

  const findProblems = (request: SheetsRequest): string[] => {
    try {
      return validator === undefined ? [] : requestProblems(validator, request);
    } catch (error) {
      if (error instanceof GoogleRefusal) return [error.message];
      throw error;
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', rootUrl);
    const { method = 'GET' } = request;
    const body = parseBody(await readBody(request), request.headers['content-type']);
    const isToken = TOKEN_PATHS.includes(url.pathname);
    const kind = isToken ? 'token' : method === 'GET' ? 'read' : 'write';
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const sheetsRequest = { method, path: url.pathname, query: url.searchParams, body, token };
    const problems = isToken ? [] : findProblems(sheetsRequest);
    const keys = [...new Set(url.searchParams.keys())];
    const query = Object.fromEntries(keys.map((key) => [key, url.searchParams.getAll(key)]));
    const call = { kind, method, path: decodeURIComponent(url.pathname), query, body, problems } as const;
    const record: { -readonly [K in keyof GoogleCall]: GoogleCall[K] } = { ...call, status: undefined };
    calls.push(record);
    let fault: Fault | undefined;
    // A hook may take its time; the first that answers a fault decides.
    for (const hook of hooks) fault ??= (await hook(record)) ?? undefined;

    const process = (): Answer =>
      isToken
        ? answerToken(url.pathname, url.searchParams, body)
        : answerSheets(sheetsRequest, kind === 'read' ? 'read' : 'write', problems);
    const carriedOut =
      fault === undefined || (typeof fault === 'string' ? fault.endsWith('-after') : fault.after === true);
    const answer = carriedOut ? process() : undefined;
    if (fault === 'reset' || fault === 'reset-after') {
      request.socket.destroy();
      return;
    }
    const sent: Answer | undefined = fault === undefined ? answer : { body: {}, ...fault };
    if (sent === undefined) return;
    record.status = sent.status;
    send(response, sent);
  };

  const spreadsheet = (id: string): SpreadsheetState => {
    const state = spreadsheets.get(id);
    if (state === undefined) throw new RangeError(`no spreadsheet ${id}`);
    return state;
  };
  const idOf = (id: string, title: string): number => {
    const sheet = spreadsheet(id).sheets.find(({ properties }) => properties.title === title);
    if (sheet === undefined) throw new RangeError(`no tab "${title}" in spreadsheet ${id}`);
    return sheet.properties.sheetId;
  };

  return {
    rootUrl,
    get keyFile() {
      return tokens.keyFile;
    },
    desktopClient: tokens.desktopClient,
    calls,
    get problems() {
      return calls.flatMap((call) => call.problems);
    },
    add({
      id = spreadsheetId(newId()),
      title = 'Untitled spreadsheet',
      timeZone = 'Europe/London',
      locale = 'en_GB',
      shared = true,
      tabs,
    }) {
      const state: SpreadsheetState = {
        id,
        shared,
        properties: {
          title,
          timeZone,
          locale,
          autoRecalc: 'ON_CHANGE',
          defaultFormat: { verticalAlignment: 'BOTTOM', wrapStrategy: 'OVERFLOW_CELL' },
        },
        sheets: [],
        developerMetadata: [],
      };
      tabs.forEach((tab, index) => addTab(state, tab, index, newId));
      spreadsheets.set(id, state);
      return id;
    },
    tab: (id, title) => createTab(() => spreadsheet(id), idOf(id, title), newId),
    tabTitles: (id) => spreadsheet(id).sheets.map(({ properties }) => properties.title),
    spreadsheet,
    deleteTab(id, title) {
      deleteSheet(spreadsheet(id), { sheetId: idOf(id, title) });
    },
    cellCount: (id) => countCells(spreadsheet(id)),
    before(hook) {
      hooks.push(hook);
    },
    quota({ reads = Infinity, writes = Infinity }) {
      left = { read: reads, write: writes };
    },
    accessToken: (scope = 'https://www.googleapis.com/auth/spreadsheets') => tokens.accessToken(scope),
    expireTokens: (all = false) => tokens.expire(all),
    allowLogin: (answer) => tokens.allowLogin(answer),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve, reject) =>
        server.close((error) => (error === undefined ? resolve() : reject(error))),
      );
    },
  };
}

function addTab(state: SpreadsheetState, tab: FakeTabInput, index: number, newId: NewId): void {
  const width = Math.max(0, ...tab.rows.map((row) => row.length));
  const sheetId = tab.sheetId ?? (index === 0 ? 0 : newId());
  const rowCount = tab.rowCount ?? Math.max(1000, tab.rows.length);
  const columnCount = tab.columnCount ?? Math.max(26, width);
  if (tab.rows.length > rowCount || width > columnCount)
    throw new RangeError(`the rows of "${tab.title}" do not fit its grid`);
  addSheet(
    state,
    { properties: { sheetId, title: tab.title, gridProperties: { rowCount, columnCount } } },
    newId,
  );
  const sheet = sheetOf(state, sheetId);
  if (tab.object === true) {
    const gridProperties = { rowCount: 0, columnCount: 0 };
    sheet.properties = { ...sheet.properties, sheetType: 'OBJECT', gridProperties };
  }
  tab.rows.forEach((row, down) =>
    row.forEach((cell, across) => putCell(sheet, down, across, storedCell(cell))),
  );
}
