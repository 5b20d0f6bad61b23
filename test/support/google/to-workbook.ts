import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import {
  writeXlsx,
  type Cell,
  type CellStyle,
  type CellValue,
  type ConditionalRule,
  type WriteSheet,
} from 'hucre/xlsx';
import { boxOf, letters, quoteTitle, renderA1 } from './a1.ts';
import type { FakeGoogle } from './fake-google.ts';
import { effectiveValue, type Scope } from './formula.ts';
import { errorText, numberPattern } from './shown.ts';
import { sheetOf, type SheetState, type SpreadsheetState, type StoredCell } from './state.ts';
import { toWorkbookChart } from './to-workbook-chart.ts';

const PIXELS_PER_CHARACTER = 7;
const POINTS_PER_PIXEL = 0.75;

type Colour = sheets_v4.Schema$Color | null | undefined;

/** `RRGGBB` of one of Google's colours, whose parts run from 0 to 1. */
function hex(colour: Colour, style: sheets_v4.Schema$ColorStyle | null | undefined): string | undefined {
  const { red, green, blue } = style?.rgbColor ?? colour ?? {};
  if (style?.rgbColor === undefined && (colour ?? undefined) === undefined) return undefined;
  return [red, green, blue]
    .map((part) =>
      Math.round((part ?? 0) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')
    .toUpperCase();
}

function styleOf(format: sheets_v4.Schema$CellFormat): CellStyle {
  const { textFormat, horizontalAlignment, wrapStrategy, numberFormat } = format;
  const fill = hex(format.backgroundColor, format.backgroundColorStyle);
  const color = hex(textFormat?.foregroundColor, textFormat?.foregroundColorStyle);
  const horizontal = ({ LEFT: 'left', CENTER: 'center', RIGHT: 'right' } as const)[horizontalAlignment ?? ''];
  const numFmt = numberFormat === undefined ? undefined : numberPattern(numberFormat);
  return {
    ...(fill !== undefined && {
      fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: fill }, bgColor: { rgb: fill } },
    }),
    font: {
      ...(textFormat?.bold === true && { bold: true }),
      ...(textFormat?.italic === true && { italic: true }),
      ...(typeof textFormat?.fontSize === 'number' && { size: textFormat.fontSize }),
      ...(color !== undefined && { color: { rgb: color } }),
    },
    alignment: {
      ...(horizontal !== undefined && { horizontal }),
      ...(wrapStrategy === 'WRAP' && { wrapText: true }),
    },
    ...(numFmt !== undefined && { numFmt }),
  };
}

function valueOf(scope: Scope, cell: StoredCell): CellValue {
  const value = effectiveValue(scope, cell) ?? {};
  return value.numberValue ?? value.boolValue ?? errorText(value) ?? value.stringValue ?? null;
}

function overrideOf(scope: Scope, cell: StoredCell): Partial<Cell> {
  const { userEnteredValue: entered, userEnteredFormat: format, note } = cell;
  const formula = entered?.formulaValue?.slice(1);
  // The library would write a text that looks like an error as one.
  const text = entered?.stringValue?.startsWith('#') === true ? entered.stringValue : undefined;
  return {
    ...(format !== undefined && { style: styleOf(format) }),
    ...(formula !== undefined && { formula, formulaResult: valueOf(scope, cell) }),
    ...(text !== undefined && { richText: [{ text }] }),
    ...(typeof note === 'string' && { comment: { text: note } }),
  };
}

const COMPARISONS: Readonly<Record<string, string>> = {
  NUMBER_GREATER: '>',
  NUMBER_GREATER_THAN_EQ: '>=',
  NUMBER_LESS: '<',
  NUMBER_LESS_THAN_EQ: '<=',
  NUMBER_EQ: '=',
  NUMBER_NOT_EQ: '<>',
  TEXT_EQ: '=',
};

/** The condition as a formula for the upper left cell of its range; undefined for kinds that this file does not draw. */
function conditionFormula(
  condition: sheets_v4.Schema$BooleanCondition | undefined,
  cell: string,
): string | undefined {
  const value = condition?.values?.[0]?.userEnteredValue ?? '';
  const comparison = COMPARISONS[condition?.type ?? ''];
  if (condition?.type === 'CUSTOM_FORMULA') return value.replace(/^=/, '');
  if (condition?.type === 'BLANK' || condition?.type === 'NOT_BLANK')
    return `${cell}${condition.type === 'BLANK' ? '=' : '<>'}""`;
  if (comparison === undefined) return undefined;
  return `${cell}${comparison}${condition?.type === 'TEXT_EQ' ? JSON.stringify(value) : value}`;
}

function scaleOf(rule: sheets_v4.Schema$GradientRule): NonNullable<ConditionalRule['colorScale']> {
  const points = [rule.minpoint, rule.midpoint, rule.maxpoint].filter((point) => point !== undefined);
  const types: Readonly<Record<string, 'min' | 'max' | 'num' | 'percent' | 'percentile'>> = {
    MIN: 'min',
    MAX: 'max',
    NUMBER: 'num',
    PERCENT: 'percent',
    PERCENTILE: 'percentile',
  };
  return {
    cfvo: points.map(({ type, value }) => ({
      type: types[type ?? ''] ?? 'min',
      ...(typeof value === 'string' && { value }),
    })),
    colors: points.map(({ color, colorStyle }) => `FF${hex(color, colorStyle) ?? 'FFFFFF'}`),
  };
}

function rulesOf(sheet: SheetState): ConditionalRule[] {
  return sheet.objects.conditionalFormats.flatMap(({ ranges = [], booleanRule, gradientRule }, index) =>
    ranges.flatMap((gridRange): ConditionalRule[] => {
      const box = boxOf(sheet, gridRange);
      const range = renderA1(box).split('!').at(-1) ?? '';
      const priority = index + 1;
      if (gradientRule !== undefined)
        return [{ type: 'colorScale', priority, range, colorScale: scaleOf(gradientRule) }];
      const formula = conditionFormula(
        booleanRule?.condition,
        `${letters(box.startColumn)}${box.startRow + 1}`,
      );
      const style = styleOf(booleanRule?.format ?? {});
      return formula === undefined ? [] : [{ type: 'expression', priority, range, formula, style }];
    }),
  );
}

function sheetOfWorkbook(state: SpreadsheetState, sheet: SheetState, now: () => number): WriteSheet {
  const scope: Scope = { state, sheet, world: { now, newId: () => 0 } };
  const cells = new Map<string, Partial<Cell>>();
  const rows = Array.from(sheet.rows, (row, down) =>
    Array.from(row, (cell, across) => {
      const override = overrideOf(scope, cell ?? {});
      if (Object.keys(override).length > 0) cells.set(`${down},${across}`, override);
      return valueOf(scope, cell ?? {});
    }),
  );
  const { title, gridProperties: grid, hidden, tabColor, tabColorStyle } = sheet.properties;
  const color = hex(tabColor, tabColorStyle);
  const { basicFilter, merges } = sheet.objects;
  return {
    name: title,
    rows,
    cells,
    columns: Array.from(sheet.columnProperties, (properties) => ({
      width: (properties?.pixelSize ?? 100) / PIXELS_PER_CHARACTER,
      hidden: properties?.hiddenByUser === true,
    })),
    rowDefs: new Map(
      Array.from(sheet.rowProperties, (properties, row) => [
        row,
        {
          hidden: properties?.hiddenByUser === true,
          ...(typeof properties?.pixelSize === 'number' && {
            height: properties.pixelSize * POINTS_PER_PIXEL,
          }),
        },
      ]),
    ),
    freezePane: { rows: grid.frozenRowCount ?? 0, columns: grid.frozenColumnCount ?? 0 },
    conditionalRules: rulesOf(sheet),
    merges: merges.map((merge) => {
      const { startRow, startColumn, endRow, endColumn } = boxOf(sheet, merge);
      return { startRow, startCol: startColumn, endRow: endRow - 1, endCol: endColumn - 1 };
    }),
    charts: sheet.objects.charts.flatMap((chart) =>
      toWorkbookChart(chart, (range) => {
        const source = sheetOf(state, range.sheetId);
        return {
          box: boxOf(source, range),
          title: quoteTitle(source.properties.title),
          scope: { ...scope, sheet: source },
        };
      }),
    ),
    view: {
      showGridLines: grid.hideGridlines !== true,
      ...(color !== undefined && { tabColor: { rgb: color } }),
    },
    ...(hidden === true && { hidden }),
    ...(basicFilter?.range !== undefined && {
      autoFilter: { range: renderA1(boxOf(sheet, basicFilter.range)).split('!').at(-1) ?? '' },
    }),
  };
}

/** A fake spreadsheet as an XLSX file, for a person to look at: values, formulas, notes, formats, widths, frozen rows, filters, colour rules and charts. */
export function toWorkbook(google: FakeGoogle, spreadsheetId: string): Promise<Uint8Array> {
  const state = google.spreadsheet(spreadsheetId);
  return writeXlsx({ sheets: state.sheets.map((sheet) => sheetOfWorkbook(state, sheet, Date.now)) });
}
