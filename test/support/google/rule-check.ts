import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import { invalid } from './refusal.ts';

/** What conditional formatting can change of a cell. */
const LOOKS = new Set(['backgroundColor', 'backgroundColorStyle', 'textFormat']);
const TEXT_LOOKS = new Set([
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'foregroundColor',
  'foregroundColorStyle',
]);

function checkCondition(condition: sheets_v4.Schema$BooleanCondition | undefined): void {
  // People make others.
  if (condition?.type !== 'CUSTOM_FORMULA') return;
  const [{ userEnteredValue: formula = '' } = {}, ...others] = condition.values ?? [];
  if (others.length > 0) throw invalid("ConditionType 'CUSTOM_FORMULA' requires exactly 1 ConditionValues.");
  if (formula?.startsWith('=') !== true)
    throw invalid(`Invalid ConditionValue.userEnteredValue: ${formula ?? ''}`);
  if (/!/.test(formula.replace(/"(?:[^"]|"")*"/g, '')))
    throw invalid('Conditional format rule cannot reference a different sheet.');
}

function checkLook({ textFormat, ...format }: sheets_v4.Schema$CellFormat): void {
  const others = [
    ...Object.keys(format).filter((field) => !LOOKS.has(field)),
    ...Object.keys(textFormat ?? {}).filter((field) => !TEXT_LOOKS.has(field)),
  ];
  if (others.length > 0)
    throw invalid(
      `ConditionalFormatRule.format only supports bold, italic, underline, strikethrough, foreground color and background color, but found: ${others.join()}.`,
    );
}

function checkGradient({ minpoint, midpoint, maxpoint }: sheets_v4.Schema$GradientRule): void {
  if (minpoint === undefined || maxpoint === undefined)
    throw invalid('A gradient rule must have a minpoint and a maxpoint.');
  for (const [name, point] of Object.entries({ minpoint, midpoint, maxpoint })) {
    if (point === undefined) continue;
    const needsValue = point.type !== 'MIN' && point.type !== 'MAX';
    if (point.color === undefined && point.colorStyle === undefined)
      throw invalid(`${name} must have a color.`);
    if (needsValue && (point.value ?? '') === '')
      throw invalid(`${name} must have a value for the type ${point.type ?? ''}.`);
  }
}

/** Errors: a refusal of 400 for a rule that Google's conditional formatting does not take. */
export function checkRule({ booleanRule, gradientRule }: sheets_v4.Schema$ConditionalFormatRule): void {
  if ((booleanRule === undefined) === (gradientRule === undefined))
    throw invalid('A rule must have either a booleanRule or a gradientRule.');
  if (gradientRule !== undefined) checkGradient(gradientRule);
  if (booleanRule === undefined) return;
  checkCondition(booleanRule.condition);
  checkLook(booleanRule.format ?? {});
}
