import * as z from 'zod';
import { formatProblem } from '../number-format.ts';
import { flag, strict, text, version } from './schema.ts';
import { show, showAny } from '../show.ts';

const colour = z
  .string({ error: 'is not a colour; write six hexadecimal digits in quotes, such as "1F5C4A"' })
  .regex(/^#?[\dA-Fa-f]{6}$/, {
    error: ({ input }) => `${showAny(input)} is not a colour; write six hexadecimal digits, such as "1F5C4A"`,
  })
  .transform((written) => written.replace('#', '').toUpperCase())
  .describe('Six hexadecimal digits, such as 1F5C4A.');

const look = strict({
  width: z
    .number()
    .min(1)
    .max(120)
    .optional()
    .describe('In characters; more where numbers or dates need it. Default: what the cells need.'),
  format: text
    .check((context) => {
      const problem = formatProblem(context.value);
      if (problem !== undefined)
        context.issues.push({
          code: 'custom',
          input: context.value,
          message: `${show(context.value)} ${problem}`,
        });
    })
    .optional()
    .describe("A number or date format in spreadsheet notation, such as #,##0; it wins over the mapping's."),
  align: z.enum(['left', 'center', 'right']).optional().describe('Default: by the type of the column.'),
  wrap: z.boolean().optional().describe('Texts that are longer than the column go over several lines.'),
  hidden: z.boolean().optional().describe('The column is there, and hidden: for long ids.'),
});

const sortKey = strict({
  by: text.describe('The header of a column.'),
  descending: flag.describe('The highest value first.'),
});

const rule = strict({
  column: text.describe('The header of the column whose values are compared.'),
  when: text
    .optional()
    .describe('One of < <= = != >= > and a value: "<= 3", "= Postponed". Texts only with = and !=.'),
  fill: colour.optional().describe('The colour behind the cell.'),
  color: colour.optional().describe('The colour of the text.'),
  bold: flag.describe('Bold text.'),
  row: flag.describe('Colours the whole row instead of the cell.'),
  scale: z
    .array(colour)
    .min(2)
    .max(3)
    .optional()
    .describe(
      'Instead of `when`: two or three colours, from the lowest to the highest value of a column of numbers.',
    ),
});

const chart = strict({
  title: text.describe('The title above the chart.'),
  type: z.enum(['line', 'column', 'bar']).default('line').describe('bar: horizontal columns.'),
  x: text.describe('The header whose values are the categories, such as game weeks.'),
  y: text.describe('The header whose numbers are drawn.'),
  series: text.optional().describe('The header with one series for each value. Default: one series.'),
  id: text.optional().describe('The header that tells equal names apart, such as Squad ID for squads.'),
  limit: z
    .int()
    .min(1)
    .max(30)
    .default(10)
    .describe('The most series, or bars where there is one series: the best by their last number.'),
  reverse: flag.describe('The lowest number stands at the top, as for ranks.'),
});

const highlight = strict({
  label: text.describe('What stands in front, such as Leader.'),
  show: z
    .array(text)
    .min(1)
    .describe('Headers whose texts stand side by side, with " · " between two names.'),
  value: text.optional().describe('The header whose value stands behind them.'),
  by: text.optional().describe('The header whose lowest value is best. Default: the order of the report.'),
  descending: flag.describe('The highest value is best.'),
  above: z.number().optional().describe('Only rows whose number in `by` is higher.'),
  limit: z.int().min(1).max(30).default(1).describe('How many rows are named.'),
});

/** A layout file, as it is written. */
export const layoutSchema = strict({
  version,
  columns: z
    .record(z.string(), look)
    .default({})
    .describe('Width, format and alignment by header. These headers stand first, in this order.'),
  freeze: strict({
    rows: z.int().min(0).max(10).default(1).describe('Rows that stay when the sheet is scrolled.'),
    columns: z.int().min(0).max(10).default(0).describe('Columns that stay.'),
  })
    .prefault({})
    .describe('Rows and columns that stay in view.'),
  filter: z.boolean().default(true).describe('Filter buttons in the header.'),
  sort: z
    .array(z.union([text.transform((by) => ({ by, descending: false })), sortKey]))
    .default([])
    .describe('Headers that the rows are sorted by; empty cells stand last.'),
  rules: z.array(rule).default([]).describe('Colours for values.'),
  totals: z
    .record(z.string(), z.enum(['sum', 'mean', 'count', 'min', 'max']))
    .default({})
    .describe('Header: the total below its column.'),
  charts: strict({
    tab: text.default('Charts').describe('The tab of the charts and their numbers.'),
    list: z.array(chart).min(1).describe('The charts, in order.'),
  })
    .optional()
    .describe('Charts over the rows of the report.'),
  tab_color: colour.optional().describe("The colour of the tab's name."),
  highlights: z.array(highlight).default([]).describe('Lines of the cover about the rows of the report.'),
  cover: strict({
    tab: text.default('About').describe('The name of the cover tab.'),
    title: text.describe('The heading of the cover.'),
    note: text.optional().describe('A sentence below it.'),
  })
    .optional()
    .describe('A first tab about all tabs of the file: title, time, source, rows.'),
}).describe('Order, formats, colours and charts of a report.');

/** A checked layout file. */
export type LayoutInput = z.output<typeof layoutSchema>;
