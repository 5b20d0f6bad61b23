import { UsageError } from '../model/error.ts';
import { nearest } from './settings.ts';
import type { Settings } from './switches.ts';

/** Settings under one name. */
export interface Profile {
  /** What kind of service it stands for. */
  readonly about: string;
  readonly settings: Partial<Settings>;
}

/** Plausible services, each a reading of what the interface does not show. */
export const PROFILES = {
  default: { about: 'the sandbox as it is without a profile', settings: {} },
  strict: {
    about:
      'says no early: small batches, closed lists of words, squads by the rules, one points configuration a league, each trigger once',
    settings: {
      max_batch: 25,
      validation_status: '422',
      past_end: 'not_found',
      text_values: 'restricted',
      squad_rules: 'refuse',
      points_config_again: 'conflict',
      substitution_again: 'conflict',
      account_call: 'free',
      retry_after: 'seconds',
      refused_calls: 'counted',
    },
  },
  terse: {
    about:
      'says as little as it can: bare messages, fields that nobody needs left out, no totals, no Retry-After',
    settings: {
      created_status: '200',
      error_shape: 'message',
      unneeded_fields: 'absent',
      page_fields: 'null_totals',
      retry_after: 'absent',
      times: 's',
      substitution_events: 'none_yet',
    },
  },
  'laravel-like': {
    about: 'pages of 15 with the number of the page in current, 422 for what is invalid, microseconds',
    settings: {
      page_size: 15,
      page_fields: 'current_page',
      validation_status: '422',
      repeated_external_id: 'refused',
      error_shape: 'message',
      times: 'us',
      retry_after: 'seconds',
    },
  },
  'rails-like': {
    about:
      'pages of 25, the last page again past the end, errors in an object of their own, fields beside those of the interface, weeks as GW7, points before hits',
    settings: {
      page_size: 25,
      past_end: 'last',
      error_shape: 'error',
      validation_status: '422',
      extra_fields: 'some',
      points_config_id: 'both',
      retry_after: 'date',
      week_text: 'short',
      hits_in_points: 'gross',
    },
  },
  'problem-details': {
    about: 'RFC 9457 errors, batches of 50, a reference of its own for an upload, pairs for events',
    settings: {
      error_shape: 'problem',
      max_batch: 50,
      price_reference: 'other',
      substitution_events: 'pairs',
      points_config_id: 'league',
      retry_after: 'date',
    },
  },
  legacy: {
    about:
      'HTTP 200 around everything, digits in texts, nulls, times with an offset, half-done batches, a second configuration beside the first, a week that turns at its end',
    settings: {
      created_status: '200',
      error_shape: 'http_200',
      numbers: 'text',
      unneeded_fields: 'null',
      times: 'offset',
      batch_failure: 'half_done',
      points_config_again: 'add',
      page_fields: 'page_records',
      quota_unlimited: 'zero',
      limit_status: '400',
      max_batch: 40,
      week_turns: 'end',
      week_text: 'words',
      substitution_again: 'repeat',
    },
  },
  sliding: {
    about: 'sliding windows, refused requests counted, Retry-After as a date, quotas that answer 429',
    settings: {
      windows: 'sliding',
      per_minute: 60,
      refused_calls: 'counted',
      retry_after: 'date',
      quota_refusal: 'too_many',
    },
  },
  'counts-everything': {
    about:
      'small windows that count refused requests too, a clock ahead of its Date header, a Retry-After of 0',
    settings: {
      per_minute: 30,
      refused_calls: 'counted',
      account_call: 'counted',
      retry_after: 'zero',
      reset_skew_seconds: 45,
      quota_unlimited: 'minus_one',
    },
  },
  lagging: {
    about: 'lists, quotas and substitution records that come some seconds late',
    settings: {
      list_lag_ms: 5_000,
      account_lag_ms: 10_000,
      substitutions_after_ms: 30_000,
      substitution_events: 'none_yet',
    },
  },
  queued: {
    about: 'takes every write at once and shows it 20 seconds later',
    settings: { apply_after_ms: 20_000, account_lag_ms: 20_000, created_status: '200' },
  },
  'no-paging': {
    about: 'GET /user takes no page and answers everything at once, without paging',
    settings: { users_page: 'whole', page_fields: 'absent', past_end: 'last' },
  },
  'page-blind': {
    about: 'GET /user ignores page and only ever shows the first fifty',
    settings: { users_page: 'ignored', page_fields: 'total_pages' },
  },
  merging: {
    about: 'a known external_id is an update; answers come in another order; the list moves as users change',
    settings: {
      repeated_external_id: 'merge',
      batch_answer: 'reversed',
      users_order: 'updated',
      created_status: '200',
    },
  },
  'closed-account': {
    about: 'the key may not read its account, so that no budget and no quota is known',
    settings: { account_call: 'refused' },
  },
  hostile: {
    about: 'allowed by the interface, and meant to trip clients up',
    settings: {
      repeated_external_id: 'duplicate',
      batch_failure: 'half_done',
      batch_answer: 'older',
      users_order: 'newest',
      page_size: 7,
      page_fields: 'page_records',
      past_end: 'last',
      error_shape: 'text',
      enumerations: 'unknown',
      extra_fields: 'some',
      unneeded_fields: 'absent',
      numbers: 'text',
      account_call: 'free',
      retry_after: 'garbage',
      list_lag_ms: 2_000,
      price_count: 'changed',
      price_reference: 'other',
      points_config_id: 'league',
      substitution_again: 'repeat',
    },
  },
} as const satisfies Record<string, Profile>;

/**
 * The settings of a named profile.
 * @throws UsageError `sandbox.profile` for an unknown name; the nearest known one is named.
 */
export function profileSettings(name: string): Partial<Settings> {
  if (isProfile(name)) return PROFILES[name].settings;
  const near = nearest(name, Object.keys(PROFILES));
  throw new UsageError('sandbox.profile', `--profile ${name}: there is no such profile`, {
    next: `did you mean ${near}? teamsheet sandbox profiles lists them.`,
  });
}

function isProfile(name: string): name is keyof typeof PROFILES {
  return Object.hasOwn(PROFILES, name);
}
