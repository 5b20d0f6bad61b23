import * as z from 'zod';
import { FIELD_TYPES } from '../../contract/field.ts';
import { common, flag, location, resourceName, sourceShape, strict, text, texts } from './schema.ts';

const idsSource = strict({
  ...sourceShape,
  column: text.describe('The column that holds the player ids.'),
}).describe('A table with a column of player ids.');

const whereValue = z.union([z.string(), z.number()]);

const reportColumn = strict({
  from: text.describe('Path into the record.'),
  type: z.enum(FIELD_TYPES).optional().describe("The type of the cell. Default: the field's own type."),
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
