import { InternalError } from '../../model/error.ts';
import type { Handler } from '../context.ts';

/** Section 2.1. The account call itself is counted in what it reports. */
export const getAccount: Handler<'get-account'> = ({ store, limits }) => {
  const id = store.readMeta('account_id');
  if (id === undefined) throw new InternalError('sandbox.account', 'the sandbox has no account');
  return {
    message: 'Account',
    data: {
      id,
      tier: 'sandbox',
      is_active: true,
      api_key_active: true,
      config: {
        rate_limit: limits.windows(),
        pricing: { currency: 'EUR', per_month: 0, per_year: 0 },
        features: limits.quotas(),
      },
    },
  };
};
