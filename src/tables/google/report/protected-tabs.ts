import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { AccessError, TeamsheetError } from '../../../model/error.ts';
import type { SheetsClient } from '../sheets-client.ts';
import type { Spreadsheet } from '../spreadsheet.ts';

const FIELDS = 'sheets(properties(sheetId,title),protectedRanges(requestingUserCanEdit,warningOnly))';

/** What Google's refusal of a write becomes: of protected cells Google names no tab, so those of the `written` tabs are named that have some. */
export async function namingProtectedTabs(
  refusal: unknown,
  client: SheetsClient,
  { id, title }: Spreadsheet,
  written: ReadonlySet<number>,
): Promise<unknown> {
  if (!(refusal instanceof AccessError) || refusal.code !== 'google.protected') return refusal;
  const { sheets = [] } = await client.spreadsheet(id, FIELDS).catch((error: unknown) => {
    // The first failure tells more than one of looking for its place.
    throw error instanceof TeamsheetError ? refusal : error;
  });
  const names = sheets
    .filter((sheet) => written.has(sheet.properties?.sheetId ?? 0) && hasProtected(sheet))
    .map(({ properties }) => `"${properties?.title ?? ''}"`);
  if (names.length === 0) return refusal;
  const tabs = `${names.length === 1 ? 'the tab' : 'the tabs'} ${names.join(', ')}`;
  const message = `spreadsheet "${title}": cells of ${tabs} are protected; no report of the spreadsheet was written`;
  return new AccessError(refusal.code, message, { next: refusal.next, cause: refusal });
}

/** Whether the account that asks may not write to some cells of a tab. */
const hasProtected = ({ protectedRanges }: sheets_v4.Schema$Sheet): boolean =>
  (protectedRanges ?? []).some(
    ({ requestingUserCanEdit, warningOnly }) => requestingUserCanEdit !== true && warningOnly !== true,
  );
