import * as z from 'zod';
import { RESOURCES } from '../../contract/index.ts';
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

/** An object with these keys only; a key that is not known names the nearest one, or the remedy. */
export function strict<S extends Shape>(shape: S, otherwise = `known are ${Object.keys(shape).join(', ')}`) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const known = Object.keys(shape);
      const remedy = (key: string): string => didYouMean(key, known) || `; ${otherwise}`;
      return issue.keys.map((key) => `unknown key ${show(key)}${remedy(key)}`).join('; ');
    },
  });
}

/** A text; a plain number or truth value in YAML is taken as it is written. One schema for every place: it never changes, and making it costs a start. */
export const textOrEmpty = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** A text that is not empty. */
export const text = textOrEmpty.pipe(z.string().min(1));
/** One text, or several. */
export const texts = z.union([text.transform((one) => [one]), z.array(text).min(1)]);
/** True or false; left out: false. */
export const flag = z.boolean().default(false);

/** Where a table stands. */
export const location = {
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

/** How the rows of a table are found and read. */
export const headerRow = z.int().min(1).max(1000).default(1).describe('The row that holds the column names.');
export const delimiter = text
  .default('auto')
  .transform((written) => (/^(?:tab|\\t)$/i.test(written) ? '\t' : written))
  .describe('CSV: the separator, `tab`, or `auto`.');
export const encoding = text
  .default('auto')
  .describe('CSV: `auto` is UTF-8, or UTF-16 by its byte order mark; else a name such as windows-1252.');

/** The keys of a table of rows. */
export const sourceShape = {
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

/** A table of rows. */
export const source = strict(sourceShape).describe('The table of rows: exactly one of csv, xlsx and sheet.');

/** The name of a resource. */
export const resourceName = z.enum(RESOURCES, {
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

/** How both kinds of schedules are written. */
const SCHEDULES = 'write schedule: "*/15 8-22 * * *" or schedule: { at: "each.kickoff - 24h" }';

const scheduleEntry = z.union([
  z.string().regex(/^\s*\S+(\s+\S+){4}\s*$/, `a schedule has five fields: ${SCHEDULES}`),
  strict(
    {
      at: text.describe(
        'A moment of each game week: `each.start`, `each.end` or `each.kickoff`, + or - a duration.',
      ),
    },
    SCHEDULES,
  ),
]);

const LONGEST_NAME = 100;
/** Files of results are called by it, and the names of files end at 255 bytes. */
const LONGEST_NAME_BYTES = 180;
const isShort = (name: string): boolean =>
  name.length <= LONGEST_NAME && new TextEncoder().encode(name).length <= LONGEST_NAME_BYTES;

/** As much of a text as the name of a mapping may have. */
export function shortened(text: string): string {
  let name = text.slice(0, LONGEST_NAME);
  while (!isShort(name)) name = name.slice(0, -1);
  return name;
}

/** The keys of every mapping. */
export const common = {
  version,
  name: text
    .pipe(
      z
        .string()
        .max(LONGEST_NAME)
        .refine(isShort, {
          error: (issue) =>
            `${showAny(issue.input)} is too long for the names of files; use at most ${LONGEST_NAME_BYTES} bytes`,
        })
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
