import * as z from 'zod';
import { RESOURCES } from '../../contract/index.ts';
import { TRANSFORMS, TRANSFORM_NAMES } from '../transforms.ts';
import { didYouMean } from '../../model/nearest.ts';
import { show, showAny } from '../show.ts';

/** Keys of a mapping file that take numbers, where YAML's reading of `007` or `1.0` does no harm. */
export const NUMBER_KEYS: ReadonlySet<string> = new Set([
  'version',
  'header_row',
  'min',
  'max',
  'max_length',
  'scale',
  'batch_size',
  'min_rows',
  'max_change_pct',
  'max_deactivate',
  'max_step',
  'max_step_pct',
  'width',
  'above',
  'limit',
  'rows',
  'columns',
]);
/** Keys that take true or false. */
export const FLAG_KEYS: ReadonlySet<string> = new Set([
  'required',
  'allow_newlines',
  'allow_outside',
  'optional',
  'excel',
  'wrap',
  'detail',
  'filter',
  'bold',
  'row',
  'descending',
  'reverse',
  'hidden',
]);

type Shape = z.ZodRawShape;

/** An object with these keys only; a key that is not known names the nearest one. */
export function strict<S extends Shape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const known = Object.keys(shape);
      const remedy = (key: string): string => didYouMean(key, known) || `; known are ${known.join(', ')}`;
      return issue.keys.map((key) => `unknown key ${show(key)}${remedy(key)}`).join('; ');
    },
  });
}

/** A text; a plain number or truth value in YAML is taken as it is written. One schema for every place: it never changes, and making it costs a start. */
const textOrEmpty = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** A text that is not empty. */
export const text = textOrEmpty.pipe(z.string().min(1));
const texts = z.union([text.transform((one) => [one]), z.array(text).min(1)]);
/** True or false; left out: false. */
export const flag = z.boolean().default(false);

const location = {
  csv: text
    .optional()
    .describe(
      'Path of a CSV file, relative to the config file; a source may be a pattern that matches one file.',
    ),
  xlsx: text.optional().describe('Path of an XLSX workbook, relative to the config file; needs `tab`.'),
  sheet: text.optional().describe('Id or address of a Google spreadsheet; needs `tab`.'),
  tab: text.optional().describe('Name of the tab in the workbook or spreadsheet.'),
  allow_outside: flag.describe("Lets the path leave the config file's folder."),
};

const headerRow = z.int().min(1).max(1000).default(1).describe('The row that holds the column names.');
const delimiter = text
  .default('auto')
  .transform((written) => (/^(?:tab|\\t)$/i.test(written) ? '\t' : written))
  .describe('CSV: the separator, `tab`, or `auto`.');
const encoding = text
  .default('auto')
  .describe('CSV: `auto` is UTF-8, or UTF-16 by its byte order mark; else a name such as windows-1252.');

const sourceShape = {
  ...location,
  header_row: headerRow,
  where: text
    .optional()
    .describe('Rows to read: `HEADER = "text"` or `!=`, joined by `and`; the others are excluded.'),
  delimiter,
  encoding,
  locale: z
    .enum(['en', 'de'])
    .optional()
    .describe('How numbers are written: en 1,234.50 or de 1.234,50. Default: 1234.50 only.'),
  layout: z
    .enum(['table', 'key_value'])
    .default('table')
    .describe('key_value: each row is one setting and its value.'),
  optional: flag.describe(
    'When all mappings run, a missing file is no error, and a table without rows to send is left out.',
  ),
  key_column: text.optional().describe('key_value: the column of the setting names.'),
  value_column: text.optional().describe('key_value: the column of the values.'),
};

const source = strict(sourceShape).describe('The table of rows: exactly one of csv, xlsx and sheet.');
const idsSource = strict({
  ...sourceShape,
  column: text.describe('The column that holds the player ids.'),
}).describe('A table with a column of player ids.');

const lookup = strict({
  in: z
    .union([
      text,
      strict({
        ...location,
        header_row: headerRow,
        delimiter,
        encoding,
        optional: flag.describe('A table that is not there yet holds nothing.'),
      }),
    ])
    .describe('A resource, the name of a mapping, or a table: exactly one of csv, xlsx and sheet.'),
  match: texts
    .optional()
    .describe(
      'The column with the text of the cell; or several columns, for as many headers in `from`, in the same order.',
    ),
  match_any: z
    .array(z.array(text).min(1))
    .min(1)
    .optional()
    .describe(
      'In place of match, in a table: each list of columns is one way to write the cell, side by side. A number in a field of numbers is taken as it is.',
    ),
  take: text.describe('The column (or field) whose value is taken.'),
  on_miss: z
    .enum(['invalid', 'skip'])
    .default('invalid')
    .describe('The outcome of a row that nothing matches; skip excludes it.'),
  on_ambiguous: z
    .enum(['invalid', 'skip'])
    .default('invalid')
    .describe('The outcome of a row that several match; skip excludes it.'),
});

const transformName = z.enum(TRANSFORM_NAMES as readonly [string, ...string[]], {
  error: (issue) =>
    `unknown transform ${typeof issue.input === 'string' ? show(issue.input) + didYouMean(issue.input, TRANSFORM_NAMES) : ''}; known are ${TRANSFORM_NAMES.join(', ')}`,
});
const transformHelp = Object.entries(TRANSFORMS)
  .map(([name, { description }]) => `${name}: ${description}`)
  .join(' ');

/** How one field is made from cells. */
const columnSchema = strict({
  from: texts.optional().describe('Header of the column, or several: the first that exists is used.'),
  from_all: z.array(text).min(1).optional().describe('Headers of the columns whose cells make a list.'),
  value: z.union([z.string(), z.number(), z.boolean()]).optional().describe('The same value in every row.'),
  type: z
    .enum(['text', 'integer', 'number', 'boolean', 'datetime', 'uuid'])
    .optional()
    .describe("The type of the cells. Default: the field's own type."),
  required: z.boolean().optional().describe('A missing column or an empty cell is an error.'),
  default: textOrEmpty.optional().describe('What an empty cell means.'),
  blank: z
    .enum(['omit', 'clear', 'error'])
    .optional()
    .describe(
      'What an empty cell does: omit does not send the field, clear sends an empty text, error refuses the row.',
    ),
  transform: z
    .union([transformName.transform((one) => [one]), z.array(transformName)])
    .default([])
    .describe(`Applied to the text from left to right. ${transformHelp}`),
  true_values: texts.default([]).describe('Texts that mean true, beside TRUE and 1.'),
  false_values: texts.default([]).describe('Texts that mean false, beside FALSE and 0.'),
  format: text.optional().describe('How a date is written, such as dd/mm/yyyy hh:mm.'),
  min: z.number().optional().describe('The smallest number.'),
  max: z.number().optional().describe('The largest number.'),
  max_length: z
    .int()
    .min(1)
    .max(32_767)
    .optional()
    .describe("The most characters. It replaces teamsheet's own limit of the field."),
  scale: z
    .int()
    .min(0)
    .max(15)
    .optional()
    .describe('The most decimals; more are an error and never rounded.'),
  allow_newlines: flag.describe('Lets a text hold line breaks.'),
  split: text.optional().describe('One cell holds a list, separated by this text.'),
  lookup: lookup.optional().describe('Replaces the cell by a value found in another table.'),
});
export type ColumnInput = z.output<typeof columnSchema>;

const guards = strict({
  min_rows: z.int().min(0).default(1).describe('Fewer rows stop the push.'),
  max_change_pct: z
    .number()
    .min(0)
    .max(100)
    .default(100)
    .describe('More changed rows, in percent of the known records, stop the push.'),
  max_deactivate: z.int().min(0).default(0).describe('More users to deactivate stop the push.'),
  max_step: z
    .number()
    .positive()
    .optional()
    .describe(
      'Prices: a larger step from the last confirmed price stops the push; in the unit of the price.',
    ),
  max_step_pct: z.number().positive().optional().describe('Prices: the same in percent.'),
}).describe('Limits that stop a push before it writes.');

const NO_DELETE = 'the service has no DELETE';
const operation = z.enum(['create', 'update', 'upsert', 'append', 'set', 'trigger'], {
  error: (issue) => {
    const written = typeof issue.input === 'string' ? issue.input : '';
    if (/delet|remov|destroy|drop/i.test(written)) {
      return `${show(written)} is not possible: ${NO_DELETE}; users can be deactivated with missing_rows: deactivate`;
    }
    return issue.input === undefined
      ? undefined
      : `${showAny(issue.input)} is not known; known are create, update, upsert, append, set, trigger`;
  },
});

const resourceName = z.enum(RESOURCES, {
  error: (issue) =>
    typeof issue.input === 'string'
      ? `unknown resource ${show(issue.input)}${didYouMean(issue.input, RESOURCES)}; known are ${RESOURCES.join(', ')}`
      : undefined,
});

/** `version: 1` of a mapping or layout. */
export const version = z
  .literal(1, {
    error: (issue) =>
      issue.input === undefined ? undefined : `${showAny(issue.input)} is not known; write version: 1`,
  })
  .describe('The version of this format: 1.');

const scheduleEntry = z.union([
  z
    .string()
    .regex(
      /^\s*\S+(\s+\S+){4}\s*$/,
      'a schedule has five fields, such as "*/15 8-22 * * *", or is { at: "each.kickoff - 24h" }',
    ),
  strict({
    at: text.describe(
      'A moment of each game week: `each.start`, `each.end` or `each.kickoff`, + or - a duration.',
    ),
  }),
]);

const common = {
  version,
  name: text
    .pipe(
      z
        .string()
        .max(100)
        .regex(/^[\p{L}\p{N}_][\p{L}\p{M}\p{N} _.-]*$/u, {
          error: (issue) =>
            `${showAny(issue.input)} cannot name a mapping; use letters, digits, blanks, _ . and -`,
        }),
    )
    .describe('The name of the mapping, as commands and result files use it.'),
  schedule: z
    .union([scheduleEntry, z.array(scheduleEntry).min(1)])
    .optional()
    .describe(
      'When `schedule run` runs the mapping: a cron text, a moment of each game week, or a list of them.',
    ),
  deadline: text
    .optional()
    .describe(
      'A moment of each game week, such as `each.kickoff`: rows that are not sent by then are deferred.',
    ),
};

/** A mapping that pushes, as it is written. */
export const pushSchema = strict({
  ...common,
  push: resourceName.describe('The resource that rows are pushed to.'),
  source,
  operation: operation.describe(
    'What is done with the rows; which ones are possible depends on the resource.',
  ),
  columns: z
    .union([
      z.literal('auto', {
        error: (issue) =>
          typeof issue.input === 'string'
            ? `${show(issue.input)} is not known; write auto, or a list of fields`
            : undefined,
      }),
      z.record(z.string(), z.union([text.describe('The header of the column.'), columnSchema])),
    ])
    .describe('Service field: cell. `auto` takes every field from the column of its own name or label.'),
  missing_rows: z
    .enum(['ignore', 'deactivate'])
    .default('ignore')
    .describe(
      'deactivate: users that this state created or adopted and that are no longer in the table become inactive.',
    ),
  write_back: strict({
    status: text.optional().describe('The column for the outcome of a row.'),
    message: text.optional().describe('The column for the message.'),
    id: text.optional().describe("The column for the service's id."),
    synced_at: text.optional().describe('The column for the time.'),
  })
    .optional()
    .describe('Columns of a Google sheet that are filled after a push.'),
  reject_mode: z
    .enum(['skip', 'fail'])
    .default('skip')
    .describe('skip: the good rows are sent; fail: with any invalid row nothing is sent.'),
  guards: guards.prefault({}),
  batch_size: z.int().min(1).max(1000).default(100).describe('The most rows in one request.'),
  compare: z
    .enum(['auto', 'live', 'snapshot', 'none'])
    .default('auto')
    .describe(
      'What rows are compared with: the service, the last confirmed push, nothing, or (auto) the cheapest safe way.',
    ),
}).describe('Rows of a table to the service.');
export type PushInput = z.output<typeof pushSchema>;

const triggerWeek = text
  .refine((written) => /^(?:last|current|[1-9]\d{0,3})$/.test(written), {
    error: (issue) => `${showAny(issue.input)} is no game week; write last, current or a number`,
  })
  .transform((written) => (written === 'last' || written === 'current' ? written : Number(written)));

/** A mapping that triggers the automatic substitutions of a game week, as it is written. */
export const triggerSchema = strict({
  ...common,
  push: z
    .literal('auto_substitutions', {
      error: (issue) =>
        `${showAny(issue.input)} has no source of weeks; only auto_substitutions are triggered by weeks`,
    })
    .describe('The resource that is triggered.'),
  source: strict({
    weeks: triggerWeek.describe('The game week: last (the last one that is over), current, or its number.'),
  }).describe('The game week in the place of a table.'),
  operation: z
    .literal('trigger', {
      error: (issue) => `${showAny(issue.input)} is not possible: a game week is triggered; write trigger`,
    })
    .default('trigger')
    .describe('trigger.'),
}).describe('A game week whose automatic substitutions the service is to process.');
export type TriggerInput = z.output<typeof triggerSchema>;

const whereValue = z.union([z.string(), z.number()]);
const reportColumn = strict({
  from: text.describe('Path into the record.'),
  type: z
    .enum(['text', 'integer', 'number', 'boolean', 'datetime', 'uuid', 'json'])
    .optional()
    .describe("The type of the cell. Default: the field's own type."),
  format: text
    .optional()
    .describe('A number or date format in spreadsheet notation, such as 0.0 or yyyy-mm-dd hh:mm.'),
});

/** A mapping that pulls, as it is written. */
export const pullSchema = strict({
  ...common,
  pull: resourceName.describe('The resource that records are pulled from.'),
  where: z
    .record(z.string(), z.union([whereValue, z.array(whereValue).min(1)]))
    .default({})
    .describe("The operation's query parameters, and its path id as `id` (one or a list)."),
  ids: z
    .union([text, idsSource])
    .optional()
    .describe('Players: `known`, ranges such as "1-800", or a table with a column of ids.'),
  detail: flag.describe('Squads: reads each squad with rank, finance and chips.'),
  explode: text
    .optional()
    .describe(
      'Players: weekly_stats makes one row a week; auto_substitutions: pairs makes one row a substitution; lineups: none makes one row a squad.',
    ),
  destination: strict({
    ...location,
    mode: z
      .enum(['replace', 'append', 'merge'])
      .default('replace')
      .describe('What happens to existing rows.'),
    key: texts.default([]).describe('merge: the headers that tell rows apart.'),
    excel: flag.describe('CSV: writes a byte order mark so that Excel reads UTF-8.'),
    formulas: z
      .enum(['escape', 'raw'])
      .default('escape')
      .describe('CSV: raw leaves texts that a spreadsheet would evaluate as they are.'),
  }).describe('Where the report goes: exactly one of csv, xlsx and sheet.'),
  columns: z
    .record(z.string(), z.union([text.describe('Path into the record.'), reportColumn]))
    .optional()
    .describe('Header: path into the record. Left out: every field.'),
  layout: text
    .optional()
    .describe(
      'xlsx and sheet: the file of the layout, relative to the config file, such as templates/reports/squads.yaml.',
    ),
}).describe('Records of the service to a report.');
export type PullInput = z.output<typeof pullSchema>;
