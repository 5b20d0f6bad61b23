import * as z from 'zod';
import { strict } from '../../mapping/parse/schema.ts';
import { ALERT_SHAPES } from '../../model/state/alerts.ts';
import { secretSource, text } from './schema-parts.ts';

/** The key `publish` of a configuration or of one of its leagues (season.md, section 1). What is left out of a league is that of all leagues. */
export const publishSchema = strict({
  out: text(
    'the folder of the site, relative to this file; public, or public/${league} where there are several',
  ).optional(),
  title: text('what the site is called; the name of the fantasy league, if left out').optional(),
  members: z
    .enum(['hidden', 'display'])
    .describe("whether members' names are shown; hidden by default")
    .optional(),
  squads: z
    .enum(['name', 'alias'])
    .describe('what squads are called; alias: Squad 1, Squad 2, the same all season')
    .optional(),
  hide: z
    .array(z.union([z.string().min(1), z.int()]).transform(String))
    .describe('the ids of members who are on no page; those of all leagues are hidden in each')
    .optional(),
  post: strict({
    webhook: secretSource('address'),
    shape: z.enum(ALERT_SHAPES).describe('what the address takes; json by default').optional(),
  })
    .describe('where the recap of a week is posted')
    .optional(),
  allow_private: z
    .boolean()
    .describe('the address of post may be of this machine or of a private network')
    .optional(),
}).describe("the members' site");
export type PublishConfig = z.infer<typeof publishSchema>;
