import type { sheets_v4 } from 'googleapis/build/src/apis/sheets/v4.js';
import type { ColourRule, ReportLayout } from '../../../model/tables/layout.ts';
import type { ReportColumn } from '../../../model/tables/table.ts';
import { cellRenderer } from './cells.ts';
import { digestOf } from './memory.ts';
import type { ExistingTab } from './tab.ts';
import { blockOf, colourOf } from '../requests.ts';
import type { SheetValue } from '../sheets-client.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';

type Request = sheets_v4.Schema$Request;
type Rule = sheets_v4.Schema$ConditionalFormatRule;

/** What is remembered of the rules that a tab was given. */
export interface KeptRules {
  /** Digest of the rules of the layout. */
  readonly layout: string;
  /** Digests of the rules as they were written, without their ranges. */
  readonly written: readonly string[];
}

/** What the rules of a report's tab are made from. */
export interface RuleFacts {
  readonly tab: ExistingTab;
  readonly columns: readonly ReportColumn[];
  readonly layout: ReportLayout | undefined;
  readonly positions: readonly number[];
  /** Rows of data, without the totals: what is below them is not coloured. */
  readonly rows: number;
  readonly timezone: string;
  readonly kept: KeptRules | undefined;
}

const OPERATORS = { '<': '<', '<=': '<=', '=': '=', '!=': '<>', '>=': '>=', '>': '>' } as const;

/**
 * A number in a formula that every locale reads the same: a decimal is written as a fraction, because some locales write it with a comma.
 */
function numberText(value: number): string {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const power = Number(exponent) - decimals.length;
  const digits = `${whole}${decimals}`.replace(/^(-?)0+(?=\d)/, '$1');
  if (power === 0) return digits;
  return power > 0 ? `${digits}*10^${power}` : `${digits}/10^${-power}`;
}

/** A condition on the cell of a column in row 2. An empty cell fits none: Sheets would take it for 0 or for a text. */
function formulaOf(operator: keyof typeof OPERATORS, cell: string, value: SheetValue): string {
  const sign = OPERATORS[operator];
  if (typeof value === 'number') return `=ISNUMBER(${cell})*(${cell}${sign}${numberText(value)})`;
  if (typeof value === 'boolean') return `=ISLOGICAL(${cell})*(${cell}${sign}(1=${value ? 1 : 0}))`;
  return `=(${cell}<>"")*(${cell}${sign}"${value.replaceAll('"', '""')}")`;
}

function conditionOf(
  rule: ColourRule,
  facts: RuleFacts,
  at: number,
  column: ReportColumn,
): Pick<Rule, 'booleanRule' | 'gradientRule'> {
  if (rule.kind === 'scale') {
    const [least = 'FFFFFF', ...others] = rule.colors;
    const most = others.at(-1) ?? least;
    const middle = others.length > 1 ? others[0] : undefined;
    return {
      gradientRule: {
        minpoint: { colorStyle: colourOf(least), type: 'MIN' },
        ...(middle === undefined
          ? {}
          : { midpoint: { colorStyle: colourOf(middle), type: 'PERCENTILE', value: '50' } }),
        maxpoint: { colorStyle: colourOf(most), type: 'MAX' },
      },
    };
  }
  const value = cellRenderer(column, facts.timezone)(rule.value);
  const formula = formulaOf(rule.operator, `$${columnLetters(at)}2`, value);
  return {
    booleanRule: {
      condition: { type: 'CUSTOM_FORMULA', values: [{ userEnteredValue: formula }] },
      format: {
        ...(rule.fill === undefined ? {} : { backgroundColorStyle: colourOf(rule.fill) }),
        ...((rule.bold || rule.color !== undefined) && {
          textFormat: {
            ...(rule.color !== undefined && { foregroundColorStyle: colourOf(rule.color) }),
            ...(rule.bold && { bold: true }),
          },
        }),
      },
    },
  };
}

/** Neighbouring positions as ranges, from the first to behind the last. */
function spansOf(positions: readonly number[]): readonly [from: number, to: number][] {
  const spans: [from: number, to: number][] = [];
  for (const at of positions.toSorted((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last?.[1] === at) last[1] += 1;
    else spans.push([at, at + 1]);
  }
  return spans;
}

/** The rules of a layout over the rows of data; a rule for a column that the report does not have is left out. */
function rulesOf(facts: RuleFacts): Rule[] {
  const { tab, layout, columns, positions, rows } = facts;
  return (layout?.rules ?? []).flatMap((rule): Rule[] => {
    const index = columns.findIndex(({ header }) => header === rule.column);
    const column = columns[index];
    const at = positions[index];
    if (column === undefined || at === undefined) return [];
    const spans = spansOf(rule.kind === 'compare' && rule.row ? positions : [at]);
    const ranges = spans.map((span) => blockOf(tab.sheetId, [1, 1 + Math.max(1, rows)], span));
    return [{ ranges, ...conditionOf(rule, facts, at, column) }];
  });
}

type MaybeColour = sheets_v4.Schema$Color | null | undefined;
const colourText = (style: sheets_v4.Schema$ColorStyle | undefined, plain: MaybeColour): string => {
  const colour = style?.rgbColor ?? plain;
  if (colour === undefined || colour === null) return '';
  return [colour.red, colour.green, colour.blue].map((part) => Math.round((part ?? 0) * 255)).join(',');
};

/**
 * A digest of what a rule says, the same for what we write and for what Google answers, which adds fields and rounds colours. Its column is left out,
 * because inserting a column before it changes the formula.
 */
function ruleDigest({ booleanRule, gradientRule }: Rule): string {
  const { condition, format } = booleanRule ?? {};
  const { minpoint, midpoint, maxpoint } = gradientRule ?? {};
  return digestOf([
    condition?.type ?? '',
    (condition?.values ?? []).map(({ userEnteredValue }) =>
      userEnteredValue?.replace(/\$[A-Z]+(?=\d)/g, '$'),
    ),
    colourText(format?.backgroundColorStyle, format?.backgroundColor),
    colourText(format?.textFormat?.foregroundColorStyle, format?.textFormat?.foregroundColor),
    format?.textFormat?.bold === true,
    [minpoint, midpoint, maxpoint].map((point) => [
      point?.type ?? '',
      point?.value ?? '',
      colourText(point?.colorStyle, point?.color),
    ]),
  ]);
}

/** Ranges as they are compared: Google leaves out what is 0 and may leave out what reaches to the end. */
function rangesText(
  ranges: readonly sheets_v4.Schema$GridRange[] | undefined,
  { rowCount, columnCount }: ExistingTab,
): string {
  return JSON.stringify(
    (ranges ?? []).map((range) => [
      range.startRowIndex ?? 0,
      range.endRowIndex ?? rowCount,
      range.startColumnIndex ?? 0,
      range.endColumnIndex ?? columnCount,
    ]),
  );
}

/** The indexes of our rules among all of the tab; of equal ones as many as we wrote. */
function findOurs(standing: readonly Rule[], written: readonly string[]): Map<number, string> {
  const left = [...written];
  const ours = new Map<number, string>();
  standing.forEach((rule, index) => {
    const digest = ruleDigest(rule);
    const at = left.indexOf(digest);
    if (at === -1) return;
    left.splice(at, 1);
    ours.set(index, digest);
  });
  return ours;
}

/**
 * The requests for the colours of a tab: rules that the layout changed are replaced, the others cover the rows that there are now. Rules of the
 * operator stay as they are, and before ours.
 */
export function planRules(facts: RuleFacts): { readonly requests: Request[]; readonly kept: KeptRules } {
  const { tab, layout, kept } = facts;
  const wanted = rulesOf(facts);
  const standing = tab.sheet?.conditionalFormats ?? [];
  const ours = findOurs(standing, kept?.written ?? []);
  const digest = digestOf([layout?.rules ?? [], wanted.map(ruleDigest)]);
  if (kept?.layout !== digest) {
    const removed = [...ours.keys()].reverse();
    const requests = [
      ...removed.map((index): Request => ({ deleteConditionalFormatRule: { sheetId: tab.sheetId, index } })),
      ...wanted.map((rule, index): Request => ({
        addConditionalFormatRule: { rule, index: standing.length - ours.size + index },
      })),
    ];
    return { requests, kept: { layout: digest, written: wanted.map(ruleDigest) } };
  }
  const left = [...wanted];
  const requests = [...ours].flatMap(([index, text]): Request[] => {
    const [rule] = left.splice(
      left.findIndex((candidate) => ruleDigest(candidate) === text),
      1,
    );
    if (rule === undefined || rangesText(rule.ranges, tab) === rangesText(standing[index]?.ranges, tab))
      return [];
    return [{ updateConditionalFormatRule: { sheetId: tab.sheetId, index, rule } }];
  });
  return { requests, kept };
}
