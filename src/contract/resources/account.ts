import type * as z from 'zod';
import { byName } from '../by-name.ts';
import { FEATURES, type Endpoint } from '../endpoint.ts';
import { read, record } from '../field.ts';
import type { Resource } from '../resource.ts';

/** One reported rate window (section 2.1). */
const rateWindow = record(
  {},
  {
    limit: read.integer(),
    window: read.text(),
    used: read.integer(),
    remaining: read.integer(),
    reset_at: read.datetime(),
  },
);

/** One feature quota (section 2.1); its `state` values are not shown. */
const quota = record(
  {},
  {
    max: read.integer(),
    used: read.integer(),
    remaining: read.integer(),
    state: read.text(),
    is_blocked: read.boolean(),
  },
);

const features = record(
  {},
  byName(FEATURES, () => quota),
);

/** Section 2.1. */
const accountRecord = record(
  { id: read.uuid() },
  {
    tier: read.text(),
    is_active: read.boolean(),
    api_key_active: read.boolean(),
    config: record(
      {},
      {
        rate_limit: record({}, { per_minute: rateWindow, per_day: rateWindow }),
        pricing: record({}, { currency: read.text(), per_month: read.number(), per_year: read.number() }),
        features,
      },
    ),
  },
).meta({ id: 'Account' });
export type Account = z.infer<typeof accountRecord>;

export const accountEndpoints = {
  'get-account': {
    row: 1,
    method: 'GET',
    path: '/auth/account',
    summary: 'Read the account: tier, rate windows, pricing and feature quotas',
    record: accountRecord,
  },
} as const satisfies Record<string, Endpoint>;

export const account: Resource = {
  pull: { where: {}, required: [], record: accountRecord },
};
