import * as z from 'zod';
import { didYouMean } from '../../model/nearest.ts';
import { FIELD_TYPES } from '../../contract/field.ts';
import { show, showAny } from '../show.ts';
import { TRANSFORMS, TRANSFORM_NAMES } from '../transforms.ts';
import {
  common,
  delimiter,
  encoding,
  flag,
  headerRow,
  location,
  resourceName,
  source,
  strict,
  text,
  textOrEmpty,
  texts,
} from './schema.ts';

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

const transformName = z.enum(TRANSFORM_NAMES, {
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
    .enum(FIELD_TYPES)
    .exclude(['json'])
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
