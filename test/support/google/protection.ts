import { boxOf, overlap, type SheetBox } from './a1.ts';
import { invalid } from './refusal.ts';

/** Errors: a refusal of 400 when a box has a cell that somebody protected from the caller. */
export function checkEditable({ sheet, ...box }: SheetBox): void {
  const closed = sheet.objects.protectedRanges.some(
    ({ range, requestingUserCanEdit, warningOnly }) =>
      requestingUserCanEdit === false && warningOnly !== true && overlap(boxOf(sheet, range ?? {}), box),
  );
  if (closed)
    throw invalid(
      'You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection if you need to edit.',
    );
}
