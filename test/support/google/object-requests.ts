import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { boxOf, overlap } from './a1.ts';
import { invalid } from './refusal.ts';
import { checkRule } from './rule-check.ts';
import { sheetOf, type SheetState, type SpreadsheetState, type World } from './state.ts';

/** Sets the filter of a tab in place of the one before. */
export function setBasicFilter(
  state: SpreadsheetState,
  { filter }: sheets_v4.Schema$SetBasicFilterRequest,
): undefined {
  const sheet = sheetOf(state, filter?.range?.sheetId);
  boxOf(sheet, filter?.range ?? {});
  sheet.objects.basicFilter = filter ?? {};
}

/** Takes the filter of a tab away, if there is one. */
export function clearBasicFilter(
  state: SpreadsheetState,
  { sheetId }: sheets_v4.Schema$ClearBasicFilterRequest,
): undefined {
  delete sheetOf(state, sheetId).objects.basicFilter;
}

function ruleSheet(
  state: SpreadsheetState,
  rule: sheets_v4.Schema$ConditionalFormatRule | undefined,
): SheetState {
  const [range, ...others] = rule?.ranges ?? [];
  if (range === undefined) throw invalid('A rule must have at least one range.');
  if (others.some(({ sheetId }) => (sheetId ?? 0) !== (range.sheetId ?? 0)))
    throw invalid('All ranges must be on the same sheet.');
  checkRule(rule ?? {});
  const sheet = sheetOf(state, range.sheetId);
  for (const each of rule?.ranges ?? []) boxOf(sheet, each);
  return sheet;
}

/** An index that is left out is 0: the rule comes first. */
export function addConditionalFormatRule(
  state: SpreadsheetState,
  { rule, index }: sheets_v4.Schema$AddConditionalFormatRuleRequest,
): undefined {
  const rules = ruleSheet(state, rule).objects.conditionalFormats;
  if ((index ?? 0) < 0 || (index ?? 0) > rules.length)
    throw invalid(`The index ${index ?? 0} is out of bounds.`);
  rules.splice(index ?? 0, 0, rule ?? {});
}

function ruleAt(sheet: SheetState, index: number): sheets_v4.Schema$ConditionalFormatRule {
  const rule = sheet.objects.conditionalFormats[index];
  if (rule === undefined)
    throw invalid(`No conditional format on sheet: ${sheet.properties.sheetId} at index: ${index}`);
  return rule;
}

/** Replaces a rule, or moves it. */
export function updateConditionalFormatRule(
  state: SpreadsheetState,
  { rule, index, newIndex, sheetId }: sheets_v4.Schema$UpdateConditionalFormatRuleRequest,
): sheets_v4.Schema$Response {
  if ((rule === undefined) === ((newIndex ?? undefined) === undefined))
    throw invalid('Exactly one of rule or newIndex must be set.');
  const sheet = rule === undefined ? sheetOf(state, sheetId) : ruleSheet(state, rule);
  const at = index ?? 0;
  const oldRule = ruleAt(sheet, at);
  const changed = rule ?? oldRule;
  sheet.objects.conditionalFormats.splice(at, 1);
  sheet.objects.conditionalFormats.splice(newIndex ?? at, 0, changed);
  return {
    updateConditionalFormatRule: { oldRule, newRule: changed, oldIndex: at, newIndex: newIndex ?? at },
  };
}

/** Deletes a rule; those after it move up. Errors: a refusal of 400 when there is none. */
export function deleteConditionalFormatRule(
  state: SpreadsheetState,
  { index, sheetId }: sheets_v4.Schema$DeleteConditionalFormatRuleRequest,
): sheets_v4.Schema$Response {
  const sheet = sheetOf(state, sheetId);
  const rule = ruleAt(sheet, index ?? 0);
  sheet.objects.conditionalFormats.splice(index ?? 0, 1);
  return { deleteConditionalFormatRule: { rule } };
}

/** Colours rows or columns in turn. Errors: a refusal of 400 over cells that are banded already. */
export function addBanding(
  state: SpreadsheetState,
  { bandedRange }: sheets_v4.Schema$AddBandingRequest,
  world: World,
): sheets_v4.Schema$Response {
  const sheet = sheetOf(state, bandedRange?.range?.sheetId);
  const box = boxOf(sheet, bandedRange?.range ?? {});
  if (sheet.objects.bandedRanges.some(({ range }) => overlap(boxOf(sheet, range ?? {}), box)))
    throw invalid(
      'You cannot add alternating background colors to a range that already has alternating background colors.',
    );
  const bands = [bandedRange?.rowProperties, bandedRange?.columnProperties].filter(
    (each) => each !== undefined,
  );
  if (bands.length === 0)
    throw invalid('At least one of rowProperties or columnProperties must be specified.');
  for (const band of bands)
    if (
      (band.firstBandColorStyle ?? band.firstBandColor) === undefined ||
      (band.secondBandColorStyle ?? band.secondBandColor) === undefined
    )
      throw invalid('firstBandColor and secondBandColor must be set.');
  const added = { ...bandedRange, bandedRangeId: bandedRange?.bandedRangeId ?? world.newId() };
  sheet.objects.bandedRanges.push(added);
  return { addBanding: { bandedRange: structuredClone(added) } };
}

/** Takes a banding away. Errors: a refusal of 400 for an unknown id. */
export function deleteBanding(
  state: SpreadsheetState,
  { bandedRangeId }: sheets_v4.Schema$DeleteBandingRequest,
): undefined {
  const sheet = state.sheets.find(({ objects }) =>
    objects.bandedRanges.some((each) => each.bandedRangeId === bandedRangeId),
  );
  if (sheet === undefined) throw invalid(`No banded range with id: ${bandedRangeId ?? 0}`);
  sheet.objects.bandedRanges = sheet.objects.bandedRanges.filter(
    (each) => each.bandedRangeId !== bandedRangeId,
  );
}

/** Protects a range; the caller may go on editing it. */
export function addProtectedRange(
  state: SpreadsheetState,
  { protectedRange }: sheets_v4.Schema$AddProtectedRangeRequest,
  world: World,
): sheets_v4.Schema$Response {
  const sheet = sheetOf(state, protectedRange?.range?.sheetId);
  boxOf(sheet, protectedRange?.range ?? {});
  const added = {
    ...protectedRange,
    requestingUserCanEdit: true,
    protectedRangeId: protectedRange?.protectedRangeId ?? world.newId(),
  };
  sheet.objects.protectedRanges.push(added);
  return { addProtectedRange: { protectedRange: structuredClone(added) } };
}

/** Names a range. Errors: a refusal of 400 for a name that is taken or looks like an address. */
export function addNamedRange(
  state: SpreadsheetState,
  { namedRange }: sheets_v4.Schema$AddNamedRangeRequest,
  world: World,
): sheets_v4.Schema$Response {
  const { name, range } = namedRange ?? {};
  if (typeof name !== 'string' || !/^[A-Za-z_]\w{0,249}$/.test(name) || /^[A-Za-z]{1,3}\d+$/.test(name))
    throw invalid(`The name of the named range is not valid: ${name ?? ''}`);
  if (state.namedRanges.some((each) => each.name?.toLowerCase() === name.toLowerCase()))
    throw invalid(`A named range with the name ${name} already exists.`);
  boxOf(sheetOf(state, range?.sheetId), range ?? {});
  const added = { ...namedRange, namedRangeId: namedRange?.namedRangeId ?? String(world.newId()) };
  state.namedRanges.push(added);
  return { addNamedRange: { namedRange: structuredClone(added) } };
}
