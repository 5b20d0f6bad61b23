import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { boxOf } from './a1.ts';
import { sortRange } from './cell-requests.ts';
import { invalid } from './refusal.ts';
import { checkRule } from './rule-check.ts';
import { sheetOf, type SheetState, type SpreadsheetState } from './state.ts';

/** Sets the filter of a tab in place of the one before; the rows below its header are sorted as it says. */
export function setBasicFilter(
  state: SpreadsheetState,
  { filter }: sheets_v4.Schema$SetBasicFilterRequest,
): undefined {
  const sheet = sheetOf(state, filter?.range?.sheetId);
  boxOf(sheet, filter?.range ?? {});
  sheet.objects.basicFilter = filter ?? {};
  const { range, sortSpecs } = filter ?? {};
  if (range !== undefined && sortSpecs !== undefined)
    sortRange(state, { range: { ...range, startRowIndex: (range.startRowIndex ?? 0) + 1 }, sortSpecs });
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

/** Replaces a rule. */
export function updateConditionalFormatRule(
  state: SpreadsheetState,
  { rule, index }: sheets_v4.Schema$UpdateConditionalFormatRuleRequest,
): sheets_v4.Schema$Response {
  const sheet = ruleSheet(state, rule);
  const at = index ?? 0;
  const oldRule = ruleAt(sheet, at);
  const newRule = rule ?? {};
  sheet.objects.conditionalFormats[at] = newRule;
  return { updateConditionalFormatRule: { oldRule, newRule, oldIndex: at, newIndex: at } };
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
