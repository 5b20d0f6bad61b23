import type { ConditionalRule, WriteSheet } from 'hucre/xlsx';
import type { ColourRule } from '../../../model/tables/layout.ts';
import { columnLetters } from '../../../model/tables/column-letters.ts';

/** The rows and columns of a table's body: what rules colour. */
interface Body {
  readonly headers: readonly string[];
  readonly rows: number;
}

type CompareRule = Extract<ColourRule, { readonly kind: 'compare' }>;

/** The rules of a layout as conditional formats of the body; the first that fits a cell wins. */
export function conditionalRules(
  rules: readonly ColourRule[],
  body: Body,
): NonNullable<WriteSheet['conditionalRules']> {
  if (body.rows === 0) return [];
  const last = body.rows + 1;
  return rules.map((rule, index): ConditionalRule => {
    const letters = columnLetters(body.headers.indexOf(rule.column));
    const priority = index + 1;
    if (rule.kind === 'scale')
      return {
        ...{ type: 'colorScale', priority, range: `${letters}2:${letters}${last}` },
        colorScale: scaleOf(rule.colors),
      };
    const [from, to] = rule.row ? ['A', columnLetters(body.headers.length - 1)] : [letters, letters];
    return {
      ...{ type: 'expression', priority, range: `${from}2:${to}${last}` },
      formula: condition(rule, `$${letters}2`),
      style: dressing(rule),
    };
  });
}

function scaleOf(colours: readonly string[]): NonNullable<ConditionalRule['colorScale']> {
  const middle = { type: 'percentile', value: '50' } as const;
  return {
    cfvo: [{ type: 'min' }, ...(colours.length === 3 ? [middle] : []), { type: 'max' }],
    colors: colours.map((colour) => `FF${colour}`),
  };
}

/** An empty cell fits no condition: programs would take it for 0 or for a text. LibreOffice saves TRUE as 1, which is no truth value. */
function condition({ operator, value }: CompareRule, cell: string): string {
  const sign = operator === '!=' ? '<>' : operator;
  if (typeof value === 'number') return `AND(ISNUMBER(${cell}),${cell}${sign}${value})`;
  if (typeof value === 'boolean') return `AND(ISLOGICAL(${cell}),${cell}${sign}(1=${value ? 1 : 0}))`;
  return `AND(${cell}<>"",${cell}${sign}"${value.replaceAll('"', '""')}")`;
}

function dressing({ fill, color, bold }: CompareRule): NonNullable<ConditionalRule['style']> {
  return {
    // A conditional format holds its colour as the background, and some programs look for it in the foreground.
    ...(fill !== undefined && {
      fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: fill }, bgColor: { rgb: fill } },
    }),
    ...((bold || color !== undefined) && {
      font: { ...(bold && { bold }), ...(color !== undefined && { color: { rgb: color } }) },
    }),
  };
}
