import { Buffer } from 'node:buffer';
import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { ConfigError, TeamsheetError, UnavailableError } from '../../../model/error.ts';
import { writeNote, type Note } from './memory.ts';
import type { Requests } from './tab.ts';
import { CALL_BYTES_MAX } from '../requests.ts';
import type { SheetsClient, SheetValue } from '../sheets-client.ts';

type Request = sheets_v4.Schema$Request;
type Answer = sheets_v4.Schema$Spreadsheet | undefined;

/** A tab as it stands right after a call. */
export interface TabAfter {
  readonly rowCount: number;
  /** Its cells from A1; null for errors of formulas, whose texts no answer has. */
  readonly cells: readonly (readonly (SheetValue | null)[])[];
}

const ANSWER_FIELDS =
  'updatedSpreadsheet(sheets(properties(sheetId,gridProperties(rowCount)),data(rowData(values(effectiveValue)))))';

/** Requests that cannot be done twice: the second time they fail, or add something again. */
const ONCE = [
  ...['addSheet', 'addChart', 'createDeveloperMetadata', 'insertDimension', 'addConditionalFormatRule'],
  ...['deleteConditionalFormatRule', 'deleteEmbeddedObject'],
] as const;

const isRepeatable = (request: Request): boolean => ONCE.every((kind) => !(kind in request));

/** The requests in their order, in calls of a bounded size. */
function callsOf(requests: readonly Request[]): readonly (readonly Request[])[] {
  const calls: Request[][] = [];
  let bytes = Infinity;
  for (const request of requests) {
    const size = Buffer.byteLength(JSON.stringify(request)) + 1;
    bytes += size;
    if (bytes <= CALL_BYTES_MAX) calls.at(-1)?.push(request);
    else {
      calls.push([request]);
      bytes = size;
    }
  }
  return calls;
}

/** Whether a refresh changes anything. */
export function isEmpty({ make, write, look, trim, notes }: Requests): boolean {
  return [make, write, look, trim].every(({ length }) => length === 0) && notes.every(({ same }) => same);
}

/**
 * Sends the requests of a refresh in one call, all or nothing; nothing when there are none. Only what is larger than a call can be is sent in
 * several: first what is new, then what trims the old, and the notes for the next refresh hold at every step. Looks that Google refuses, such as a
 * filter where somebody made a table of the same cells, are left out with a warning: the values count. Where the answer of the one call is lost, its notes
 * tell whether it was carried out. Answers cells of `ranges` as they stand right after the one call, where Google answers them. Errors: those of the client.
 */
export async function sendRequests(
  client: SheetsClient,
  spreadsheetId: string,
  all: readonly Requests[],
  warn: (message: string) => void,
  ranges: readonly string[],
): Promise<Answer> {
  try {
    return await send(client, spreadsheetId, all, ranges);
  } catch (error) {
    const isRefused = error instanceof ConfigError && error.code === 'google.refused';
    if (!isRefused || all.every(({ look }) => look.length === 0)) throw error;
    const answer = await send(client, spreadsheetId, all.map(plain), ranges);
    warn(`the report was written without its formats: ${error.message}`);
    return answer;
  }
}

/** The requests without looks; what is remembered of them stays. */
function plain(requests: Requests): Requests {
  const notes = requests.notes.flatMap((note): Note[] =>
    note.plain === undefined ? [] : [{ ...note, text: note.plain, same: false }],
  );
  return { ...requests, look: [], notes };
}

/**
 * Two refreshes that have read the same must not both do what can be done once only, such as putting in rows: the notes of such a one are renewed, and Google refuses the
 * second to make them.
 */
const renewsNotes = ({ make, write, look, trim }: Requests): boolean =>
  ![...make, ...write, ...look, ...trim].every(isRepeatable);

async function send(
  client: SheetsClient,
  spreadsheetId: string,
  all: readonly Requests[],
  ranges: readonly string[],
): Promise<Answer> {
  if (all.every(isEmpty)) return undefined;
  const notes = all.flatMap((each) => {
    const renew = renewsNotes(each);
    return each.notes.map((note) => ({ ...note, same: note.same && !renew, renew }));
  });
  const [make, write, look, trim] = (['make', 'write', 'look', 'trim'] as const).map((phase) =>
    all.flatMap((each) => each[phase]),
  ) as [Request[], Request[], Request[], Request[]];
  const changes = [...write, ...look, ...trim];
  const last = notes.flatMap((note) => (note.same ? [] : writeNote(note, note.text, note.renew)));
  let calls = callsOf([...make, ...changes, ...last]);
  if (calls.length > 1) {
    const first = notes.flatMap((note) =>
      note.meanwhile === undefined ? [] : writeNote(note, note.meanwhile, note.renew),
    );
    const settled = notes.flatMap((note) => {
      if (note.meanwhile === undefined) return note.same ? [] : writeNote(note, note.text, note.renew);
      return writeNote({ ...note, metadataId: writtenId(note), isNew: false }, note.text, false);
    });
    calls = callsOf([...make, ...first, ...changes, ...settled]);
  }
  const answer = calls.length > 1 || ranges.length === 0 ? undefined : { ranges, fields: ANSWER_FIELDS };
  let answered: Answer;
  for (const requests of calls) {
    try {
      const repeatable = requests.every(isRepeatable);
      answered = (await client.update(spreadsheetId, requests, { repeatable, answer })).updatedSpreadsheet;
    } catch (error) {
      const isLost = calls.length === 1 && error instanceof UnavailableError;
      if (!isLost || !(await isCarriedOut(client, spreadsheetId, notes, error))) throw error;
    }
  }
  return answered;
}

/** A tab in an answer; undefined where its cells are not there. */
export function tabAfter(answer: Answer, id: number): TabAfter | undefined {
  const sheet = answer?.sheets?.find(({ properties }) => (properties?.sheetId ?? 0) === id);
  const rowCount = sheet?.properties?.gridProperties?.rowCount;
  const rows = sheet?.data?.[0]?.rowData;
  if (typeof rowCount !== 'number' || rows === undefined) return undefined;
  const cellOf = ({ effectiveValue: value }: sheets_v4.Schema$CellData): SheetValue | null =>
    value?.errorValue ? null : (value?.numberValue ?? value?.stringValue ?? value?.boolValue ?? '');
  return { rowCount, cells: rows.map(({ values = [] }) => values.map(cellOf)) };
}

/** Whether a call without an answer was carried out: its notes stand there. Where they cannot be looked for, the failure is thrown. */
async function isCarriedOut(
  client: SheetsClient,
  spreadsheetId: string,
  notes: readonly (Note & { readonly renew: boolean })[],
  failure: UnavailableError,
): Promise<boolean> {
  const written = notes.filter(({ same }) => !same);
  if (written.length === 0) return false;
  const { sheets = [] } = await client.spreadsheet(spreadsheetId, NOTE_FIELDS).catch((error: unknown) => {
    // The first failure tells more than one of looking for its change.
    throw error instanceof TeamsheetError ? failure : error;
  });
  const standing = sheets.flatMap(({ developerMetadata }) => developerMetadata ?? []);
  return written.every((note) =>
    standing.some(
      ({ metadataId, metadataValue }) => metadataId === writtenId(note) && metadataValue === note.text,
    ),
  );
}

const NOTE_FIELDS = 'sheets(developerMetadata(metadataId,metadataValue))';

/** The id under which a note stands once it is written. */
const writtenId = ({ renew, isNew, nextId, metadataId }: Note & { readonly renew: boolean }): number =>
  renew && !isNew ? nextId : metadataId;
