import { InternalError } from '../../model/error.ts';
import type { Handler } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** Section 2.1. The account call itself is counted in what it reports, unless the settings make it free. */
export const getAccount: Handler<'get-account'> = ({ store, limits, settings, views }) => {
  const state = settings.account_state;
  if (settings.account_call === 'refused') throw new Refusal(403, 'the key may not read the account');
  const id = store.readMeta('account_id');
  if (id === undefined) throw new InternalError('sandbox.account', 'the sandbox has no account');
  return {
    message: 'Account',
    data: {
      id,
      tier: settings.tier,
      is_active: state !== 'inactive_reported' && state !== 'inactive_refusing',
      api_key_active: state !== 'key_inactive_reported' && state !== 'key_inactive_refusing',
      config: {
        rate_limit: limits.windows(),
        pricing: { currency: 'EUR', per_month: 0, per_year: 0 },
        features: limits.quotas(views.account),
      },
    },
  };
};
