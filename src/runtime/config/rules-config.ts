import * as z from 'zod';
import { byName } from '../../contract/by-name.ts';
import { strict } from '../../mapping/parse/schema.ts';
import { POSITIONS, PUBLIC_RULES, type Position, type Rules } from '../../rules/rules.ts';

const count = (description: string): z.ZodInt => z.int().min(0).max(1000).describe(description);

const { squad, eleven } = PUBLIC_RULES;

const range = (position: Position) =>
  z
    .tuple([z.int().min(0).max(11), z.int().min(0).max(11)])
    .refine(([fewest, most]) => fewest <= most, 'write the fewest, then the most, such as [3, 5]')
    .describe('the fewest and the most of this position that may start')
    .default([...eleven[position]]);

const squadSchema = strict({
  size: count('the players of a squad').default(squad.size),
  positions: strict(byName(POSITIONS, (each) => count('how many of them').default(squad.positions[each])))
    .describe('exactly so many players of each position')
    .prefault({}),
  per_club: count('the most players of one club').default(squad.perClub),
  budget: z.number().positive().describe('the most that a squad may cost').default(squad.budget),
  check: z
    .enum(['off', 'warn', 'refuse'])
    .describe('what is done with a row of a squad that breaks a rule; refuse: it is invalid')
    .default(squad.check),
}).prefault({});

/** The key `rules` of one league; what is left out is the public rule. */
export const leagueRules = strict({
  squad: squadSchema.describe('what a squad may hold'),
  eleven: strict(byName(POSITIONS, range)).describe('what may start').prefault({}),
  positions: z
    .record(z.string().min(1), z.enum(POSITIONS))
    .describe("the service's words for positions, such as Goalkeeper: GK")
    .default({}),
})
  .transform(({ squad: { per_club: perClub, ...rest }, ...others }): Rules => ({
    ...others,
    squad: { ...rest, perClub },
  }))
  .describe('what audits, previews and squad checks go by; the public rules by default');

/** The key `rules` of a configuration (season.md, section 1). */
export const rulesSchema = leagueRules.prefault({});
