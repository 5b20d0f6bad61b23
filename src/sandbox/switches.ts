/** A switch that takes a whole number. */
interface NumberSwitch {
  readonly about: string;
  readonly least: number;
  readonly most: number;
  readonly value: number;
}

/** A switch that takes one of some words; the first of them is its default. */
interface ChoiceSwitch {
  readonly about: string;
  readonly values: readonly [string, ...string[]];
}

/** No switch may pass this: every sum of settings stays an exact integer. */
const MOST = 1_000_000_000;

const number = (about: string, value: number, least = 0, most = MOST): NumberSwitch => ({
  about,
  least,
  most,
  value,
});

/** Every switch of `--set`: what it stands for, what it takes and what it starts as. `_ms` is milliseconds, `_seconds` seconds. */
export const SWITCHES = {
  per_minute: number('requests in one minute window', 600),
  per_day: number('requests in one day window (UTC)', 100_000),
  window_seconds: number('length of the minute window', 60, 1),
  page_size: number('records on a page of a list', 50, 1),
  latency_ms: number('wait before each answer', 0),
  max_batch: number('most rows in one POST /user or POST /price; 0 is no limit', 0),
  quota_fantasy_leagues: number('fantasy leagues of an account', 1_000_000),
  quota_mini_leagues: number('mini leagues of an account', 1_000_000),
  quota_squads: number('squads of an account', 1_000_000),
  quota_contests: number('contests of an account; each fantasy league brings one', 1_000_000),
  quota_users: number('users of an account', 1_000_000),
  accounts: number(
    'accounts, each with a key, records, windows and quotas of its own; from the second on their tiers are free, standard and premium in turn',
    1,
    1,
    9,
  ),
  tier: {
    about: 'tier of the first account; all but sandbox bring windows and quotas of their own',
    values: ['sandbox', 'free', 'standard', 'premium'],
  },
  page_fields: {
    about:
      'paging says: pages in page_total and records of this page in current; or current is the page, page_total counts the records of the page, total counts the pages, the totals are null, or there is no paging',
    values: ['pages', 'current_page', 'page_records', 'total_pages', 'null_totals', 'absent'],
  },
  users_page: {
    about:
      'page on GET /user is honoured; ignored, so that only the first page is ever answered; ignored, with all users on one page; or refused',
    values: ['honoured', 'ignored', 'whole', 'refused'],
  },
  past_end: {
    about: 'a page past the end is empty, the last page again, or a 404',
    values: ['empty', 'last', 'not_found'],
  },
  users_order: {
    about:
      'GET /user is in the order of creation, newest first, or last changed first, so that it moves while it is read',
    values: ['created', 'newest', 'updated'],
  },
  list_lag_ms: number('lists show a change this much later', 0),
  apply_after_ms: number('nothing that is read shows a change before this time has passed', 0),
  account_lag_ms: number('quotas of the account count a change this much later', 0),
  created_status: { about: 'status of a successful POST', values: ['201', '200'] },
  error_shape: {
    about:
      'a refusal is the envelope, {message}, {error: {…}}, an RFC 9457 problem, plain text, or HTTP 200 around an envelope that says otherwise',
    values: ['envelope', 'message', 'error', 'problem', 'text', 'http_200'],
  },
  validation_status: { about: 'status of a request that breaks a constraint', values: ['400', '422'] },
  limit_status: { about: 'status of a batch beyond max_batch', values: ['413', '400'] },
  repeated_external_id: {
    about:
      'a batch with a known external_id is refused with 409, or with 400, or with 409 although the others of it are created (partial); the known user takes the new name (merge), is answered as it was (existing), is left out (skip), or is created again (duplicate)',
    values: ['conflict', 'refused', 'partial', 'merge', 'existing', 'skip', 'duplicate'],
  },
  key_case: {
    about: 'external_id and names keep their letters, or become lower or upper case',
    values: ['kept', 'lower', 'upper'],
  },
  key_trim: {
    about: 'external_id and names keep the blanks around them, or lose them',
    values: ['kept', 'trimmed'],
  },
  key_cut: number('characters of external_id and names that are kept; 0 keeps all', 0),
  key_form: {
    about:
      'external_id and names keep their characters, lose the zeros in front or all dashes, or get a prefix',
    values: ['kept', 'no_zeros', 'no_dashes', 'prefixed'],
  },
  key_shown: {
    about:
      'key_case, key_trim, key_cut and key_form show everywhere, in lists alone, or in all other answers alone',
    values: ['everywhere', 'lists', 'answers'],
  },
  key_unique: {
    about:
      'an external_id is known when it was sent so before, or when it is the same after key_case, key_trim, key_cut and key_form',
    values: ['sent', 'shown'],
  },
  batch_failure: {
    about: 'of a batch that is refused nothing is applied, or the rows before the bad one are',
    values: ['whole', 'half_done'],
  },
  batch_answer: {
    about:
      'POST /user answers the users as they were sent, in reverse, half of them, or with an older one beside them',
    values: ['sent', 'reversed', 'fewer', 'older'],
  },
  account_call: {
    about: 'GET /auth/account is counted, free, or refused with 403',
    values: ['counted', 'free', 'refused'],
  },
  windows: { about: 'rate windows are fixed or sliding', values: ['fixed', 'sliding'] },
  refused_calls: {
    about: 'requests refused with 429 are not counted, or counted',
    values: ['free', 'counted'],
  },
  retry_after: {
    about: 'Retry-After of a 429 is seconds, a date, no number at all, 0, or absent',
    values: ['seconds', 'date', 'garbage', 'zero', 'absent'],
  },
  quota_refusal: {
    about: 'a used-up quota is a 403, or a 429 that no waiting cures',
    values: ['forbidden', 'too_many'],
  },
  quota_unlimited: {
    about: 'a quota of 1000000 or more reads as it is, 0, or -1',
    values: ['number', 'zero', 'minus_one'],
  },
  account_state: {
    about:
      'the account and its key are active; or one of them is reported inactive, or refuses everything but the account call',
    values: [
      'active',
      'inactive_reported',
      'inactive_refusing',
      'key_inactive_reported',
      'key_inactive_refusing',
    ],
  },
  reset_skew_seconds: number('reset_at is ahead of the Date header by this much', 0, -86_400, 86_400),
  unneeded_fields: {
    about: 'fields that no request needs, such as logo_url and breakdown, are filled, null or left out',
    values: ['filled', 'null', 'absent'],
  },
  extra_fields: {
    about: 'records have the fields of the interface alone, or some beside them',
    values: ['none', 'some'],
  },
  enumerations: {
    about: 'enumerated texts are the usual words, or words nobody knows',
    values: ['usual', 'unknown'],
  },
  numbers: { about: 'integers are numbers, or digits in a text', values: ['number', 'text'] },
  times: {
    about: 'times have milliseconds, seconds, microseconds, or an offset for Z',
    values: ['ms', 's', 'us', 'offset'],
  },
  points_config_id: {
    about: "GET /points/config/{id} takes the configuration's own id, the league's, or both",
    values: ['own', 'league', 'both'],
  },
  points_config_again: {
    about: 'a second POST /points/config for a league replaces the first, adds another, or is a 409',
    values: ['replace', 'add', 'conflict'],
  },
  price_count: {
    about: 'count of a price upload is what was sent, or what differs from before',
    values: ['sent', 'changed'],
  },
  price_reference: {
    about: 'reference of a price upload is the txn_ref of its records, or something else',
    values: ['txn_ref', 'other'],
  },
  substitution_events: {
    about: 'events counts the records, the pairs, or nothing yet',
    values: ['records', 'pairs', 'none_yet'],
  },
  substitution_again: {
    about: 'a second trigger for a week does nothing, writes the records again, or is a 409',
    values: ['nothing', 'repeat', 'conflict'],
  },
  substitutions_after_ms: number('records of a trigger are listed this much later', 0),
  text_values: {
    about:
      'type of a mini league and of a price is any text, or only classic and head_to_head, and only current and initial',
    values: ['any', 'restricted'],
  },
  week_turns: {
    about: 'the current game week is the next one when that begins, or as soon as this one has ended',
    values: ['next_start', 'end'],
  },
  week_text: { about: 'week 7 reads 7, GW7 or Game week 7', values: ['number', 'short', 'words'] },
  hits_in_points: {
    about:
      'points of a week are net of hits; or before hits in ranking.game_week_points and in a line-up (gross), or in a line-up alone; total_points of ranking is always net',
    values: ['net', 'gross', 'gross_lineup'],
  },
  free_transfers_kept: number('most free transfers that a squad has for a week', 5, 1, 38),
  squad_rules: {
    about:
      'a squad may hold any players; or POST /squad and transfers refuse one that breaks the rules in squad_config',
    values: ['off', 'refuse'],
  },
} as const satisfies Record<string, NumberSwitch | ChoiceSwitch>;

type Switches = typeof SWITCHES;
export type SwitchName = keyof Switches;
/** The values of all switches. */
export type Settings = {
  readonly [Name in SwitchName]: Switches[Name] extends ChoiceSwitch
    ? Switches[Name]['values'][number]
    : number;
};

/** The names of all switches in the order of their declaration. */
export const SWITCH_NAMES = Object.keys(SWITCHES) as readonly SwitchName[];

/** The settings of a sandbox that was given none. Object.fromEntries forgets which name has which type. */
export const DEFAULT_SETTINGS = Object.fromEntries(
  Object.entries<NumberSwitch | ChoiceSwitch>(SWITCHES).map(([name, one]) => [
    name,
    'values' in one ? one.values[0] : one.value,
  ]),
) as unknown as Settings;

/** What a switch takes, in words: `a whole number from 0 to 10`, `one of a, b`. */
export function valuesOf(name: SwitchName): string {
  const one: NumberSwitch | ChoiceSwitch = SWITCHES[name];
  if ('values' in one) return `one of ${one.values.join(', ')}`;
  return `a whole number from ${one.least} to ${one.most}`;
}

/** Whether a switch takes a value. */
export function takes(name: SwitchName, value: unknown): boolean {
  const one: NumberSwitch | ChoiceSwitch = SWITCHES[name];
  if ('values' in one) return typeof value === 'string' && one.values.includes(value);
  return Number.isInteger(value) && Number(value) >= one.least && Number(value) <= one.most;
}

/** A value as it stands on the command line: digits for a switch of numbers, the text for another. */
export function readValue(name: SwitchName, text: string): unknown {
  if ('values' in SWITCHES[name]) return text;
  return /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
}
