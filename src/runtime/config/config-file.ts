import * as z from 'zod';
import { strict } from '../../mapping/parse/schema.ts';
import { parseYaml, type Path } from '../../mapping/parse/yaml-document.ts';
import { findingsError, findingsOf, type Finding } from '../../mapping/parse/zod-issues.ts';
import { ALERT_EVENTS, ALERT_SHAPES } from '../../model/state/alerts.ts';
import { ConfigError, type Place } from '../../model/error.ts';
import { parseDuration, parseLongDuration } from '../../model/time/duration.ts';
import { publishSchema } from './publish-config.ts';
import { leagueRules, rulesSchema } from './rules-config.ts';
import { secretSource, text, VARIABLE } from './schema-parts.ts';

const duration = (description: string): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d{1,9}(ms|s|m|h|d)$/, 'an integer and ms, s, m, h or d, such as 15m')
    .transform((value) => parseDuration(value) ?? 0)
    .describe(description);
const longDuration = (description: string): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^(\d{1,9}(ms|s|m|h|d)|\d{1,4}y)$/, 'an integer and ms, s, m, h, d or y, such as 2y')
    .transform((value) => parseLongDuration(value) ?? 0)
    .describe(description);
const count = (description: string): z.ZodInt => z.int().min(0).describe(description);

/** What is said of a wrong `api_key`; what stands there is not quoted, it may be the key. */
const KEY_RULE = 'a key is never written here; use { env: NAME } or { file: PATH }';

/** What is said of a wrong address of alerts, which is a secret too. */
const ADDRESS_RULE =
  'write webhook: or ping: with { env: NAME } or { file: PATH }; the address itself is never written here';

const alert = strict({
  webhook: secretSource('address').optional(),
  shape: z.enum(ALERT_SHAPES).describe('what a webhook is sent; json by default').optional(),
  on: z.array(z.enum(ALERT_EVENTS)).min(1).describe('what a webhook is told; left out: all').optional(),
  ping: secretSource('address').describe("a dead man's switch: GET URL/start, URL, URL/fail").optional(),
  allow_private: z
    .boolean()
    .describe('the address may be of this machine or of a private network')
    .default(false),
})
  .refine(({ webhook, ping }) => (webhook === undefined) !== (ping === undefined), {
    path: ['webhook'],
    error: ADDRESS_RULE,
  })
  .refine(({ ping, shape, on }) => ping === undefined || (shape ?? on) === undefined, {
    path: ['shape'],
    error: 'shape and on belong to a webhook; a ping is told of every run',
  });

const environment = strict({
  base_url: text('the address below which /v1 stands'),
  api_key: secretSource('API key'),
});

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const vars = (description: string) =>
  z.record(z.string(), scalar.nullable()).describe(description).default({});

/** The operator's own mini leagues: a table with a line for each member of each. */
const groups = strict({
  csv: text('the CSV file, relative to this file').optional(),
  xlsx: text('the workbook, relative to this file').optional(),
  sheet: text('the id or address of the Google spreadsheet').optional(),
  tab: text('the tab of the workbook or spreadsheet').optional(),
  member: text("the column of the members' ids"),
  group: text('the column of the groups'),
  from_week: text('the column of the first game week that counts').optional(),
})
  .refine(
    ({ csv, xlsx, sheet }) => [csv, xlsx, sheet].filter((each) => each !== undefined).length === 1,
    'names exactly one of csv, xlsx and sheet',
  )
  .refine(
    ({ csv, tab }) => (csv === undefined) === (tab !== undefined),
    'tab goes with xlsx and sheet, and they need it',
  )
  .describe("the operator's own mini leagues; a member may stand in several");

const league = strict({
  environment: text('the environment of its account; left out: the default').optional(),
  fantasy_league_id: z
    .union([z.int().min(1), text('a number, or ${NAME} of the environment')])
    .describe('the variable of that name, in this league')
    .optional(),
  vars: vars('values for ${name} in this league, before those of all leagues'),
  groups: groups.describe('in place of season.groups').optional(),
  rules: leagueRules.describe('in place of the rules of all leagues, as a whole').optional(),
  publish: publishSchema.describe('key by key in place of publish of all leagues').optional(),
});

const LEAGUE_NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_-]{0,49}$/u;

/** Names stand in paths, tabs and names of files; two that differ in capitals alone would be one folder on some systems. */
const leagues = z.record(z.string(), league).superRefine((named, context) => {
  const seen = new Set<string>();
  for (const name of Object.keys(named)) {
    const note = (message: string): void => context.addIssue({ code: 'custom', path: [name], message });
    if (!LEAGUE_NAME.test(name)) note('cannot name a league; use at most 50 letters, digits, _ and -');
    if (seen.has(name.toLowerCase())) note('is the name of another league too, but for capitals');
    seen.add(name.toLowerCase());
  }
});

const season = strict({
  keep: z.boolean().describe('what is read of game weeks is kept').default(true),
  forget_after: longDuration('game weeks that ended longer ago are forgotten').optional(),
  groups: groups.optional(),
}).prefault({});

/** `teamsheet.yaml` as it is written (interfaces.md, section 3): durations become milliseconds, names are replaced later. */
export const configSchema = strict({
  version: z.literal(1).describe('the version of this format'),
  environments: z.record(z.string(), environment).describe('the services by name').optional(),
  environment: text('the environment used without --env').optional(),
  google: strict({
    credentials: strict({ file: text('the key file of a service account') }).optional(),
    root_url: text('another endpoint of Google Sheets').optional(),
  }).optional(),
  state: z
    .union([
      text(
        'the state file; runs stand beside it. Or the address of a PostgreSQL database without its password',
      ),
      strict({
        env: text('the environment variable that holds the address of a PostgreSQL database').regex(VARIABLE),
      }),
    ])
    .default('.teamsheet/state.sqlite'),
  state_schema: z
    .string()
    .regex(/^(?!pg_)[a-z_][a-z0-9_]{0,44}$/, 'at most 45 small letters, digits and _, not beginning with pg_')
    .describe('the schema of the state in a PostgreSQL database; each team has its own')
    .default('teamsheet'),
  state_lease: duration(
    'on PostgreSQL, how long the lock of an account outlives a machine that says nothing any more',
  )
    .refine((ms) => ms >= 3_000 && ms <= 3_600_000, 'from 3s to 1h')
    .prefault('30s'),
  budget: strict({
    reserve_per_minute: count('requests of each minute window that are left to others').default(0),
    reserve_per_day: count('requests of each day window that are left to others').default(0),
    max_wait: duration('the longest pause of a run').prefault('15m'),
  }).prefault({}),
  push: strict({
    settle: duration('wait before an unanswered write may count as not applied').optional(),
    timeout: duration('the longest wait for one answer').prefault('60s'),
    concurrency: z.int().min(1).max(64).describe('requests in flight').default(8),
  }).prefault({}),
  vars: vars('values for ${name} in mappings; a blank one is not set'),
  leagues: leagues.describe('several leagues in one folder: every mapping runs once for each').optional(),
  alerts: z.array(alert).describe('who is told when mappings that run by themselves fail').default([]),
  mappings: text('the folder of mapping files').default('mappings'),
  season,
  timezone: z
    .string()
    .refine(isTimezone, 'not an IANA time zone such as Europe/London')
    .describe('IANA time zone of dates')
    .default('UTC'),
  rules: rulesSchema,
  publish: publishSchema.prefault({}),
}).meta({ id: 'TeamsheetConfig', title: 'teamsheet.yaml' });
export type ConfigFile = z.infer<typeof configSchema>;

/** A configuration as it is written, and where each part stands. */
export interface ParsedConfig {
  readonly value: ConfigFile;
  readonly placeOf: (path: readonly string[]) => Place;
}

/**
 * Reads the text of a configuration; `file` is how messages call it. Errors: ConfigError `config.invalid` with file, line and column, and those of
 * {@link parseYaml}.
 */
export function parseConfig(text: string, file: string): ParsedConfig {
  const document = parseYaml(text, file, 'configuration');
  const [root] = document.roots;
  if (root === undefined || root.path.length > 0)
    throw document.error('config.invalid', 'a configuration is one map, not a list', [], {
      next: 'Write each key at the beginning of its line, without "- ".',
    });
  const written = document.toValue(root.node, [], (value) => value);
  // Compiling a schema pays for itself only when it is used many times.
  const { data, error } = configSchema.safeParse(written, { jitless: true });
  if (error === undefined) return { value: data, placeOf: (path) => ({ file, ...document.spot(path) }) };
  const findings = error.issues.some(({ path }) => path.includes('api_key'))
    ? error.issues.map(({ path }) => ({ path: path as Path, of: 'value' as const, message: KEY_RULE }))
    : findingsOf(error.issues, written, []);
  const { message, place } = findingsError(document, findings.map(withoutAddress));
  throw new ConfigError('config.invalid', message, place);
}

/** Whatever is wrong with an address, it is not quoted; what its reader wants may be. */
function withoutAddress(finding: Finding): Finding {
  const { path, of } = finding;
  const isAddress = path[0] === 'alerts' && !['shape', 'on', 'allow_private'].includes(String(path[2]));
  return isAddress && of === 'value' ? { ...finding, message: ADDRESS_RULE } : finding;
}

/** Whether a name is that of a time zone. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
