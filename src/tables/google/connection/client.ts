import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { ConfigError } from '../../../model/error.ts';
import { mayRepeatRead, mayRepeatWrite, withBackoff, type BackoffOptions } from './backoff.ts';
import { identityOf, type Credentials } from './credentials.ts';
import { googleError } from './google-error.ts';
import { loadLibrary } from '../library.ts';
import type { SheetsClient, SheetValue, Values } from '../sheets-client.ts';
import { expireToken, explainFailure, signIn } from './sign-in.ts';
import { stepLink } from './steps.ts';
import { createWire, faultIn, WireFailure, type Fault } from './wire.ts';

/** `signal` ends waits and reads at once; a write that is under way is waited for. */
export interface ClientOptions extends BackoffOptions {
  readonly credentials: Credentials;
  /** Another endpoint than Google's; undefined for Google. */
  readonly rootUrl: string | undefined;
  /** Asks for no right to write. */
  readonly readOnly: boolean;
}

/**
 * A client of Google Sheets on googleapis. Calls are repeated as {@link withBackoff} says: reads after passing failures, updates only when the first
 * surely did nothing or is `repeatable`; a refused token is renewed once. Errors: AccessError `google.no_credentials`, and those of
 * {@link SheetsClient}.
 */
export async function createSheetsClient(options: ClientOptions): Promise<SheetsClient> {
  const { credentials, rootUrl, signal } = options;
  const counts = { reads: 0, writes: 0, throttled: 0, waitedMs: 0 };
  const library = await loadLibrary();
  const wire = createWire({
    ...options,
    onRequest: (door, method) => {
      if (door === 'sheets') counts[method === 'GET' ? 'reads' : 'writes'] += 1;
    },
  });
  const auth = await signIn(library, { ...options, wire });
  const { spreadsheets } = library.sheets({
    version: 'v4',
    auth,
    retry: false,
    responseType: 'json',
    // With line breaks and indentations, cells take three times the bytes.
    params: { prettyPrint: false },
    ...(rootUrl !== undefined && { rootUrl }),
  });
  const who = identityOf(credentials);

  const call = async <T>(
    access: 'read' | 'write',
    spreadsheetId: string,
    mayRepeat: (fault: Fault) => boolean,
    send: () => Promise<{ readonly data: T }>,
    isWhole: (data: T) => boolean = () => true,
  ): Promise<T> => {
    requireId(spreadsheetId);
    let renewed = false;
    const attempt = async (): Promise<T> => {
      try {
        const { data } = await send();
        if (!isWhole(data)) throw new WireFailure(HALF);
        return data;
      } catch (error) {
        if (renewed || !isRefusedToken(faultIn(error))) throw error;
        renewed = true;
        expireToken(auth);
        return attempt();
      }
    };
    const operation = access === 'read' ? 'reading Google Sheets' : 'writing Google Sheets';
    try {
      return await withBackoff(operation, attempt, mayRepeat, options, counts);
    } catch (error) {
      throw explainFailure(error, signal, (fault) => googleError(fault, { who, spreadsheetId, access }));
    }
  };

  return {
    account: who.email,
    counts: () => ({ ...counts }),
    spreadsheet: (spreadsheetId, fields, ranges = []) =>
      call(
        'read',
        spreadsheetId,
        mayRepeatRead,
        () =>
          spreadsheets.get(
            {
              spreadsheetId,
              fields,
              ranges: [...ranges],
              ...(ranges.length > 0 && { includeGridData: true }),
            },
            { signal },
          ),
        // A spreadsheet has a tab at least, and a range one.
        ({ sheets = [] }) => sheets.length > 0 || !fields.includes('sheets('),
      ),
    values: async (spreadsheetId, ranges, rendering) => {
      const { valueRanges = [] } = await call(
        'read',
        spreadsheetId,
        mayRepeatRead,
        () =>
          spreadsheets.values.batchGet(
            { spreadsheetId, ranges: [...ranges], valueRenderOption: rendering, majorDimension: 'ROWS' },
            { signal },
          ),
        ({ valueRanges: answered = [] }) => answered.length === ranges.length,
      );
      return valueRanges.map(toValues);
    },
    update: (spreadsheetId, requests, { repeatable, answer }) => {
      const requestBody: sheets_v4.Schema$BatchUpdateSpreadsheetRequest = {
        requests: [...requests],
        ...(answer && {
          includeSpreadsheetInResponse: true,
          responseIncludeGridData: true,
          responseRanges: [...answer.ranges],
        }),
      };
      const mayRepeat = repeatable ? mayRepeatRead : mayRepeatWrite;
      return call('write', spreadsheetId, mayRepeat, () =>
        spreadsheets.batchUpdate({
          spreadsheetId,
          requestBody,
          fields: answer?.fields ?? 'spreadsheetId,replies',
        }),
      );
    },
  };
}

/** Fewer tabs or ranges than were asked for. */
const HALF: Fault = { kind: 'answer', door: 'sheets', status: 200, text: '{}', retryAfterMs: undefined };

function isRefusedToken(fault: Fault | undefined): boolean {
  return fault?.kind === 'answer' && fault.door === 'sheets' && fault.status === 401;
}

/** Google writes `''` for an empty cell before a full one; another server may say null. */
function toValues({ range, values }: sheets_v4.Schema$ValueRange): Values {
  const rows = (values ?? []) as readonly (readonly (SheetValue | null)[] | null)[];
  return { range: range ?? '', rows: rows.map((row) => (row ?? []).map((value) => value ?? '')) };
}

function requireId(spreadsheetId: string): void {
  if (/^[\w-]+$/.test(spreadsheetId)) return;
  throw new ConfigError(
    'google.spreadsheet_id',
    `${JSON.stringify(spreadsheetId.slice(0, 200))} is not the id of a spreadsheet`,
    {
      next: `copy it from the address in the browser: it stands between /d/ and the next slash; see ${stepLink('id')}`,
    },
  );
}
